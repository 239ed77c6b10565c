import { type Accounts, type AccountsOptions, createAccounts } from '../accounts/create-accounts.ts'
import type { Database } from '../contract/database.ts'
import { mysqlOpener } from '../databases/mysql/open.ts'
import type { Opener, OwnTables } from '../databases/database.ts'
import { postgresOpener } from '../databases/postgres/open.ts'
import { sqliteOpener } from '../databases/sqlite/open.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { safeLogger, standardErrorLogger } from './logger.ts'
import { requireSecret, requireStrength, secretOf } from './secrets.ts'

// Names that have to do with any database: what colophon/sqlite, colophon/postgres and colophon/mysql pass on.
export type { Accounts } from '../accounts/create-accounts.ts'
export { AccountEvents } from '../accounts/events.ts'
export { HashQueue, type HashQueueOptions } from '../accounts/passwords/hash-queue.ts'
export type { PasswordCost } from '../accounts/passwords/argon2.ts'
export type { ImportedToken, NamedTokenInput } from '../accounts/account-input.ts'
export { Sessions } from '../accounts/sessions.ts'
export { Tokens } from '../accounts/tokens.ts'
export { type UserChanges, type UserInput, Users } from '../accounts/users.ts'
export type * from '../contract/events.ts'
export type { Database, Executor, MigrationStatus, Statement } from '../contract/database.ts'
export * from '../errors/storage-errors.ts'
export type { Dialect } from '../sql/dialect.ts'
export type { RelationNames, SqlRelation, SqlRelations } from '../sql/query/relations.ts'
export { sqlSource, type SqlSource, type SqlSourceOptions } from '../sql/query/sql-source.ts'
export {
  type Column,
  type ColumnDefinition,
  type OnDelete,
  type OwnTypes,
  column,
} from '../sql/migrations/columns.ts'
export {
  type Migration,
  type Migrations,
  type Step,
  type TableParts,
  type TablesOf,
  type Work,
  addColumn,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropIndex,
  dropTable,
  migration,
  plainSql,
  renameColumn,
  renameTable,
  run,
} from '../sql/migrations/define.ts'
export { type OwnTables, migrationsIn } from '../databases/database.ts'
export { sqlTable } from '../sql/table/sql-table.ts'
export type { Narrow, SqlTable, SqlTableOptions } from '../sql/table/sql-table.ts'
export type { ServerDatabase, SqlDatabase } from '../sql/sql-database.ts'

/** What is in the database, and where it is. */
export interface OpenDatabaseOptions extends OwnTables {
  /** What the operator configured. @default `readConfiguration()` */
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
  const { databaseUrl: url } = configuration.service
  const scheme = url.split(':', 1)[0]!
  const opener = OPENERS.find(({ schemes }) => schemes.includes(scheme))
  if (opener !== undefined) return opener.open(url, configuration.folder, own)
  const [last, ...others] = OPENERS.map(({ addresses }) => addresses).toReversed()
  // What has no scheme may be a password, or a path.
  const begins = url.includes(':') ? `begins with "${scheme}:"` : 'names no kind of database'
  throw new ConfigurationError(
    `DATABASE_URL ${begins}. It may be ${others.toReversed().join(', ')} or ${last}.`,
  )
}

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
      const production = service?.production ?? false
      const own = configured()
      if (secretKey === undefined)
        requireSecret({ ...own, production: own.production || production }, options.database)
      else if (production) requireStrength(secretKey)
    },
    // A secret given in code has nothing to do with those that the operator configured.
    secretKeyFallbacks: () =>
      secretKeyFallbacks ??
      (secretKey === undefined ? configured().service.secretKeyFallbacks : []),
  })
}
