import {
  type AccountsOptions,
  type Accounts,
  createAccounts,
} from '../../src/accounts/create-accounts.ts'
import { readHash } from '../../src/accounts/passwords/password-hasher.ts'
import type { PasswordCost } from '../../src/accounts/passwords/argon2.ts'
import type { SqliteDatabase } from '../../src/storage/sqlite/driver.ts'
import { migratedSqlite } from '../contract/temporary.ts'

/** Too weak for anything but tests. */
export const CHEAP: PasswordCost = { memory: 8, passes: 1, parallelism: 1 }

export interface TestAccounts extends Accounts {
  readonly database: SqliteDatabase
}

export async function openAccounts(options: Partial<AccountsOptions> = {}): Promise<TestAccounts> {
  const database = await migratedSqlite()
  const accounts = createAccounts({
    database,
    secretKey: () => 'a secret',
    passwordCost: CHEAP,
    ...options,
  })
  return { ...accounts, database }
}

/** Is this the password behind the hash? A hash in a format that is not known fits no password. */
export async function verifyPassword(password: string, encoded: string): Promise<boolean> {
  return (await readHash(encoded)?.(password)) ?? false
}
