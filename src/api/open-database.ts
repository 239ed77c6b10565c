import { resolve } from 'node:path'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Configuration, readConfiguration } from '../settings/configuration.ts'
import { openMysql } from '../databases/mysql/open.ts'
import { openPostgres } from '../databases/postgres/open.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { openSqlite } from '../databases/sqlite/open.ts'

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
  const [scheme = ''] = url.split(':', 1)
  const open = KINDS.get(scheme)
  if (open !== undefined) return open(url, configuration.folder)
  throw new ConfigurationError(
    `DATABASE_URL begins with "${scheme}:". It may be sqlite:PATH, postgres://… or mysql://… (or mariadb://…).`,
  )
}

type Open = (url: string, folder: string) => SqlDatabase

const KINDS: ReadonlyMap<string, Open> = new Map<string, Open>([
  ['sqlite', (url, folder) => openSqlite({ path: pathIn(url, folder) })],
  ['postgres', (url) => openPostgres({ url })],
  ['postgresql', (url) => openPostgres({ url })],
  ['mysql', (url) => openMysql({ url })],
  ['mariadb', (url) => openMysql({ url })],
])

function pathIn(url: string, folder: string): string {
  const path = url.slice('sqlite:'.length)
  if (path === '')
    throw new ConfigurationError('DATABASE_URL is "sqlite:" without a path behind it.')
  // What is no file stays what it is, and is refused.
  return path === ':memory:' ? path : resolve(folder, path)
}
