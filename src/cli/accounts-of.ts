import type { Accounts } from '../accounts/create-accounts.ts'
import type { App } from '../api/app.ts'
import type { User } from '../contract/credentials.ts'
import { CommandFailed, type Terminal } from './terminal.ts'

/** The accounts of an application; a command that needs them says so where there are none. */
export function accountsOf(app: App): Accounts {
  if (app.accounts !== null) return app.accounts
  throw new CommandFailed('This application has no accounts. Give them to defineApi({ accounts }).')
}

/** Accounts whose tables are there. */
export async function readyAccountsOf(app: App): Promise<Accounts> {
  const accounts = accountsOf(app)
  const pending = await accounts.database.pendingMigrations()
  if (pending.length === 0) return accounts
  throw new CommandFailed(
    `The database is not up to date (${pending.join(', ')}). Run: colophon migrate`,
  )
}

/** The same for a command that changes them: whoever types it knows what happens, and hears of errors only. */
export async function accountsAt(terminal: Terminal, app: App): Promise<Accounts> {
  const accounts = await readyAccountsOf(app)
  accounts.events.logTo({
    error: ({ event, error }) => terminal.complain(`colophon: ${String(event)}: ${String(error)}`),
  })
  return accounts
}

/** The user of a name; works for inactive ones too. */
export async function userNamed({ users }: Accounts, username: string): Promise<User> {
  const user = await users.byUsername(username)
  if (user !== null) return user
  throw new CommandFailed(`There is no user named "${username}".`)
}
