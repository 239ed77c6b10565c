import type { Opener } from '../databases/opener.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import { mysqlOpener } from '../databases/mysql/open.ts'
import { postgresOpener } from '../databases/postgres/open.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { sqliteOpener } from '../databases/sqlite/open.ts'

const OPENERS: readonly Opener[] = [sqliteOpener, postgresOpener, mysqlOpener]

/**
 * The database that the operator chose with `DATABASE_URL`: `sqlite:PATH`, relative to the working
 * directory or absolute, `postgres://…`, or `mysql://…`, which is `mariadb://…` too. Nothing is loaded,
 * opened or created before it is used.
 *
 * @default sqlite:colophon.sqlite
 * @throws ConfigurationError the address is of another kind
 * @example
 * const database = openDatabase()
 * const accounts = defineAccounts({ database })
 */
export function openDatabase(configuration: Configuration = readConfiguration()): SqlDatabase {
  const { databaseUrl: url } = configuration.service
  const scheme = url.split(':', 1)[0]!
  const opener = OPENERS.find(({ schemes }) => schemes.includes(scheme))
  if (opener !== undefined) return opener.open(url, configuration.folder)
  const [last, ...others] = OPENERS.map(({ addresses }) => addresses).toReversed()
  throw new ConfigurationError(
    `DATABASE_URL begins with "${scheme}:". It may be ${others.toReversed().join(', ')} or ${last}.`,
  )
}
