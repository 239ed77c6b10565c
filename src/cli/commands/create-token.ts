import type { App } from '../../api/app.ts'
import { accountsAt, userNamed } from '../accounts-of.ts'
import type { Terminal } from '../terminal.ts'

/** `colophon drf_create_token <username> [-r]` (K42): works for inactive users too. */
export async function createToken(
  app: App,
  username: string,
  { reset = false }: { readonly reset?: boolean },
  terminal: Terminal,
): Promise<void> {
  const accounts = await accountsAt(terminal, app)
  const user = await userNamed(accounts, username)
  const { tokens } = accounts
  const token = reset ? await tokens.regenerate(user) : await tokens.obtain(user)
  terminal.print(`Token ${token.key} of user ${user.username}`)
}
