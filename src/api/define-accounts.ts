import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/create-accounts.ts'
import { developmentSecretKey } from '../accounts/secret-key-file.ts'
import type { Database } from '../contract/storage.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import { standardErrorLogger } from './logger.ts'

/** What accounts are made from. */
export interface DefineAccountsOptions extends Omit<
  AccountsOptions,
  'database' | 'secretKey' | 'secretKeyFallbacks' | 'check'
> {
  readonly database: Database & { readonly path?: string }
  /** Seals tokens. @default the key `SECRET_KEY`; outside production, one kept beside an SQLite database */
  readonly secretKey?: string
  /** Secrets that came before it. @default the key `SECRET_KEY_FALLBACKS`, where `secretKey` is not said */
  readonly secretKeyFallbacks?: readonly string[]
  /** What the operator said. @default `readConfiguration()` */
  readonly configuration?: Configuration
}

/**
 * Users and tokens in a database. Nothing is read before it is needed.
 *
 * @throws ConfigurationError when the service starts: there is no secret, and none may be made up
 * @example
 * const accounts = defineAccounts({ database })
 * const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
 * const { key } = await accounts.tokens.obtain(alice)
 */
export function defineAccounts({
  secretKey,
  secretKeyFallbacks,
  configuration,
  ...options
}: DefineAccountsOptions): Accounts {
  const said = (): Configuration => configuration ?? readConfiguration()
  return createAccounts({
    onError: standardErrorLogger().error,
    sessionSettings: () => said().service,
    ...options,
    secretKey: () => secretKey ?? secretOf(said(), options.database),
    check: () => {
      if (secretKey === undefined) requireSecret(said(), options.database)
    },
    // One's own secret has nothing to do with those that the operator said.
    secretKeyFallbacks: () =>
      secretKeyFallbacks ?? (secretKey === undefined ? said().service.secretKeyFallbacks : []),
  })
}

type Place = DefineAccountsOptions['database']

function secretOf(configuration: Configuration, database: Place): string {
  const { secretKey } = configuration.service
  if (secretKey !== null) return secretKey
  requireSecret(configuration, database)
  return developmentSecretKey(database.path!)
}

/** Refuses where no secret is said and none may be made up; makes none. */
function requireSecret({ service, production }: Configuration, { dialect, path }: Place): void {
  // A file beside the database is one of this machine alone; a database that is far away has others.
  const isFile = dialect === 'sqlite' && path !== undefined
  if (service.secretKey !== null || (isFile && !production)) return
  throw new ConfigurationError(
    `SECRET_KEY is missing. ${isFile ? 'In production' : 'For a database on a server'} it must be said: a long random text that seals the tokens. Keep it.`,
  )
}
