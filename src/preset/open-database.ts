import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/create-accounts.ts'
import type { AccountsDatabase } from '../accounts/tables/stores.ts'
import type { AccountUser, UserColumns } from '../accounts/user-shape.ts'
import { mysqlOpener } from '../storage/mysql/open.ts'
import type { Opener, OwnTables } from '../storage/database.ts'
import { postgresOpener } from '../storage/postgres/open.ts'
import { sqliteOpener } from '../storage/sqlite/open.ts'
import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../core/settings/configuration.ts'
import type { SqlDatabase } from '../storage/sql/sql-database.ts'
import { safeLogger, standardErrorLogger } from '../core/app/logger.ts'
import { requireSecret, requireStrength, secretOf } from '../core/secrets/secret-key.ts'

/** The tables of the database, and its address. */
export interface OpenDatabaseOptions extends OwnTables {
  /** The configuration of the operator. @default `readConfiguration()` */
  readonly configuration?: Configuration
}

const OPENERS: readonly Opener[] = [sqliteOpener, postgresOpener, mysqlOpener]

/**
 * The database that the operator chose with `DATABASE_URL`: `sqlite:PATH`, relative to the working
 * directory or absolute, `postgres://…`, or `mysql://…`, which is `mariadb://…` too. Nothing is loaded,
 * opened or created before it is used. A configuration may be given by itself.
 *
 * @default sqlite:colophon.sqlite
 * @throws ConfigurationError the address is of another kind
 * @example
 * const database = openDatabase({ migrations })
 * const accounts = defineAccounts({ database })
 */
export function openDatabase(options: OpenDatabaseOptions | Configuration = {}): SqlDatabase {
  const given = 'service' in options ? { configuration: options } : options
  const { configuration = readConfiguration(), ...own } = given
  const { databaseUrl: url, databaseReplicas: replicas } = configuration.service
  const scheme = url.split(':', 1)[0]!
  const opener = OPENERS.find(({ schemes }) => schemes.includes(scheme))
  if (opener !== undefined && replicas.length > 0) return replicated(opener, url, replicas, own)
  if (opener !== undefined) return opener.open(url, configuration.folder, own)
  const [last, ...others] = OPENERS.map(({ addresses }) => addresses).toReversed()
  // A text without a scheme may be a password, or a path.
  const begins = url.includes(':') ? `begins with "${scheme}:"` : 'names no kind of database'
  throw new ConfigurationError(
    `DATABASE_URL ${begins}. It may be ${others.toReversed().join(', ')} or ${last}.`,
  )
}

function replicated(
  { openReplicated, addresses }: Opener,
  url: string,
  replicas: readonly string[],
  own: OwnTables,
): SqlDatabase {
  if (openReplicated !== undefined) return openReplicated(url, replicas, own)
  throw new ConfigurationError(
    `DATABASE_REPLICAS names replicas, which a database of ${addresses} does not have here: leave it out, or set DATABASE_URL to postgres://…`,
  )
}

/** The parts of accounts. */
export interface DefineAccountsOptions<
  Role extends string = never,
  C extends UserColumns = {},
> extends Omit<
  AccountsOptions<Role, C>,
  'database' | 'secretKey' | 'secretKeyFallbacks' | 'check'
> {
  readonly database: AccountsDatabase & { readonly path?: string }
  /** Seals tokens. @default the key `SECRET_KEY`; outside production, one kept beside an SQLite database */
  readonly secretKey?: string
  /** Secrets that came before it. @default the key `SECRET_KEY_FALLBACKS`, where `secretKey` is not given */
  readonly secretKeyFallbacks?: readonly string[]
  /** The configuration of the operator. @default `readConfiguration()` */
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
export function defineAccounts<const Role extends string = never, C extends UserColumns = {}>({
  secretKey,
  secretKeyFallbacks,
  configuration,
  ...options
}: DefineAccountsOptions<Role, C>): Accounts<AccountUser<Role, C>> {
  const configured = (): Configuration => configuration ?? readConfiguration()
  return createAccounts({
    onError: standardErrorLogger().error,
    sessionSettings: () => configured().service,
    ...options,
    ...(options.logger && { logger: safeLogger(options.logger) }),
    secretKey: () => secretKey ?? secretOf(configured(), options.database),
    check: (service) => {
      const production = service?.production ?? false
      const own = configured()
      if (secretKey === undefined)
        requireSecret({ ...own, production: own.production || production }, options.database)
      else if (production) requireStrength(secretKey)
    },
    // A secret from code is unrelated to the fallbacks that the operator has configured.
    secretKeyFallbacks: () =>
      secretKeyFallbacks ??
      (secretKey === undefined ? configured().service.secretKeyFallbacks : []),
  })
}
