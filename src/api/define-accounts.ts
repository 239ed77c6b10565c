import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/create-accounts.ts'
import type { Database } from '../contract/storage.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import { safeLogger, standardErrorLogger } from './logger.ts'
import { requireSecret, requireStrength, secretOf } from './secret-key.ts'

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
 * @throws ConfigurationError when the service starts: there is no secret, and none may be made up; or, in
 * production, it could be guessed
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
    ...(options.logger && { logger: safeLogger(options.logger) }),
    secretKey: () => secretKey ?? secretOf(said(), options.database),
    check: (service) => {
      if (secretKey === undefined) requireSecret(said(), options.database)
      else if (service?.production) requireStrength(secretKey)
    },
    // One's own secret has nothing to do with those that the operator said.
    secretKeyFallbacks: () =>
      secretKeyFallbacks ?? (secretKey === undefined ? said().service.secretKeyFallbacks : []),
  })
}
