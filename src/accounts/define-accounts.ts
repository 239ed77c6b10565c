import type { Database } from '../contract/storage.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Tokens } from './tokens.ts'
import { Users, type UsersOptions } from './users.ts'

/** What accounts are made from. */
export interface AccountsOptions extends Omit<UsersOptions, 'store'> {
  readonly database: Database
  /** The service's secret, or where to get it when it is first needed. Without it no token can be made or checked. */
  readonly secretKey?: string | (() => string) | undefined
}

/** Who has an account here, and with what they prove it. */
export interface Accounts {
  readonly users: Users
  readonly tokens: Tokens
  readonly database: Database
}

/**
 * The accounts that a database keeps.
 *
 * @example
 * const { users, tokens } = defineAccounts({ database, secretKey: process.env.SECRET_KEY })
 * const alice = await users.create({ username: 'alice', password: 'wonderland' })
 * const { key } = await tokens.obtain(alice)
 */
export function defineAccounts({ database, secretKey, ...options }: AccountsOptions): Accounts {
  return {
    users: new Users({ ...options, store: database.users }),
    tokens: new Tokens({
      ...said(options),
      store: database.tokens,
      secretKey: () => resolved(secretKey),
    }),
    database,
  }
}

function said({ now }: Pick<UsersOptions, 'now'>): Pick<UsersOptions, 'now'> {
  return now === undefined ? {} : { now }
}

function resolved(secretKey: string | (() => string) | undefined): string {
  const secret = typeof secretKey === 'function' ? secretKey() : secretKey
  if (secret) return secret
  throw new ConfigurationError(
    'SECRET_KEY is missing. Tokens are sealed with it: set it to a long random text, and keep it.',
  )
}
