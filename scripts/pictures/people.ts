// The visitors: accounts in a database of their own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Accounts, type DefineAccountsOptions, defineAccounts } from 'colophon/accounts'
import { openSqlite } from 'colophon/sqlite'

/** The password of all visitors. */
export const PASSWORD = 'northanger'

export interface People {
  readonly accounts: Accounts
  close(): Promise<void>
}

/** Makes the accounts of Jane, who is staff, and of Bob. */
export async function openPeople(
  options: Omit<DefineAccountsOptions, 'database'> = {},
): Promise<People> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-people-'))
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  await database.migrate()
  const accounts = defineAccounts({ database, secretKey: 'a secret of people', ...options })
  await accounts.users.create({ username: 'jane', password: PASSWORD, isStaff: true })
  await accounts.users.create({ username: 'bob', password: PASSWORD })
  const close = async (): Promise<void> => {
    database.close()
    rmSync(folder, { recursive: true })
  }
  return { accounts, close }
}
