import type { Accounts } from '../accounts/create-accounts.ts'
import type { App } from '../api/app.ts'
import { CommandFailed } from './terminal.ts'

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
