import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/create-accounts.ts'
import { developmentSecretKey } from '../accounts/secret-key-file.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import type { SqliteDatabase } from '../stores/sqlite/database.ts'

/** What accounts are made from. */
export interface DefineAccountsOptions extends Omit<AccountsOptions, 'database' | 'secretKey'> {
  readonly database: SqliteDatabase
  /** Seals tokens. @default the key `SECRET_KEY`; outside production, one kept beside the database */
  readonly secretKey?: string
  /** What the operator said. @default `readConfiguration()` */
  readonly configuration?: Configuration
}

/**
 * Users and tokens in a database. Nothing is read before it is needed.
 *
 * @throws ConfigurationError on use: there is no secret, and none may be made up
 * @example
 * const accounts = defineAccounts({ database })
 * const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
 * const { key } = await accounts.tokens.obtain(alice)
 */
export function defineAccounts({
  secretKey,
  configuration,
  ...options
}: DefineAccountsOptions): Accounts {
  const secret = (): string =>
    secretKey ?? secretOf(configuration ?? readConfiguration(), options.database.path)
  return createAccounts({ ...options, secretKey: secret })
}

function secretOf({ service, production }: Configuration, databasePath: string): string {
  if (service.secretKey !== null) return service.secretKey
  if (!production) return developmentSecretKey(databasePath)
  throw new ConfigurationError(
    'SECRET_KEY is missing. In production it must be said: a long random text that seals the tokens. Keep it.',
  )
}
