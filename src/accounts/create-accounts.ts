import type { Database } from '../contract/storage.ts'
import { Tokens } from './tokens.ts'
import { Users, type UsersOptions } from './users.ts'

/** What accounts are made from. */
export interface AccountsOptions extends Omit<UsersOptions, 'store'> {
  readonly database: Database
  /** Where to get the service's secret when it is first needed. */
  readonly secretKey: () => string
}

/** Who has an account here, and with what they prove it. */
export interface Accounts {
  readonly users: Users
  readonly tokens: Tokens
  readonly database: Database
}

/** The accounts that a database keeps. */
export function createAccounts({ database, secretKey, ...options }: AccountsOptions): Accounts {
  const { now } = options
  return {
    users: new Users({ ...options, store: database.users }),
    tokens: new Tokens({
      ...(now === undefined ? {} : { now }),
      store: database.tokens,
      secretKey,
    }),
    database,
  }
}
