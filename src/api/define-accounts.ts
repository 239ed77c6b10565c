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
  /** Secrets that came before it. @default the key `SECRET_KEY_FALLBACKS`, where `secretKey` is not given */
  readonly secretKeyFallbacks?: readonly string[]
  /** What the operator configured. @default `readConfiguration()` */
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
  const configured = (): Configuration => configuration ?? readConfiguration()
  return createAccounts({
    onError: standardErrorLogger().error,
    sessionSettings: () => configured().service,
    ...options,
    ...(options.logger && { logger: safeLogger(options.logger) }),
    secretKey: () => secretKey ?? secretOf(configured(), options.database),
    check: (service) => {
      if (secretKey === undefined) requireSecret(configured(), options.database)
      else if (service?.production) requireStrength(secretKey)
    },
    // A secret given in code has nothing to do with those that the operator configured.
    secretKeyFallbacks: () =>
      secretKeyFallbacks ??
      (secretKey === undefined ? configured().service.secretKeyFallbacks : []),
  })
}
