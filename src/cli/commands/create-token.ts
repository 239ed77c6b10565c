import type { App } from '../../api/app.ts'
import { readyAccountsOf } from '../accounts-of.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'

/** `colophon drf_create_token <username> [-r]` (K42): works for inactive users too. */
export async function createToken(
  app: App,
  username: string,
  { reset = false }: { readonly reset?: boolean },
  { print }: Terminal,
): Promise<void> {
  const { users, tokens } = await readyAccountsOf(app)
  const user = await users.byUsername(username)
  if (user === null) throw new CommandFailed(`There is no user named "${username}".`)
  const token = reset ? await tokens.regenerate(user) : await tokens.obtain(user)
  print(`Token ${token.key} of user ${user.username}`)
}
