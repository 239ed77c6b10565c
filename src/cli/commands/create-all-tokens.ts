import type { App } from '../../api/app.ts'
import { accountsAt } from '../accounts-of.ts'
import type { Terminal } from '../terminal.ts'

const WIDTH = 30

/** `colophon token create --all` (K41): a token for every user who has none, inactive ones included. */
export async function createAllTokens(
  app: App,
  { json = false }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { users, tokens } = await accountsAt(terminal, app)
  const show = progressBar(await users.count(), terminal)
  let [made, had] = [0, 0]
  for await (const user of users.all()) {
    if (await tokens.ensure(user)) made++
    else had++
    show(made + had)
  }
  terminal.progress?.('')
  terminal.print(
    json
      ? JSON.stringify({ made, had })
      : `Made ${made} of ${made + had} tokens; ${had} were there.`,
  )
}

/** Draws again for each whole percent, not for each user. */
function progressBar(total: number, { progress }: Terminal): (done: number) => void {
  let drawn = -1
  return (done) => {
    // More users may have come than were counted.
    const percent = Math.min(100, Math.floor((done / Math.max(total, 1)) * 100))
    if (progress === undefined || percent === drawn) return
    drawn = percent
    const filled = Math.round((percent / 100) * WIDTH)
    progress(`[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${percent} % (${done}/${total})`)
  }
}
