import { resolve } from 'node:path'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import type { SqliteDatabase } from '../stores/sqlite/database.ts'
import { openSqlite } from '../stores/sqlite/open-sqlite.ts'

/**
 * The database that the operator chose with `DATABASE_URL`: `sqlite:PATH`, relative to the working
 * directory or absolute. Nothing is opened or created before it is used.
 *
 * @default sqlite:colophon.sqlite
 * @throws ConfigurationError the address is of another kind
 * @example
 * const database = openDatabase()
 * const accounts = defineAccounts({ database })
 */
export function openDatabase(configuration: Configuration = readConfiguration()): SqliteDatabase {
  const { databaseUrl } = configuration.service
  const path = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  if (path !== undefined) return openSqlite({ path: resolve(configuration.folder, path) })
  const scheme = databaseUrl.split(':', 1)[0]!
  throw new ConfigurationError(
    `DATABASE_URL begins with "${scheme}:", and this service keeps its data in sqlite:PATH.`,
  )
}
