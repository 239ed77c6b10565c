// The databases by their names in tests, without a server.
import { mysqlDialect } from '../../src/storage/mysql/open.ts'
import { postgresDialect } from '../../src/storage/postgres/open.ts'
import { sqliteDialect } from '../../src/storage/sqlite/open.ts'
import type { Dialect } from '../../src/storage/sql/dialect.ts'

/** Databases with a server; the others need none. */
export const SERVERS = ['postgres', 'mysql'] as const

export type ServerDialect = (typeof SERVERS)[number]

/** The names of databases in tests. */
export type DialectName = 'sqlite' | ServerDialect

/** The dialects under test. */
export const DIALECTS = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
  mysql: mysqlDialect,
} as const satisfies Readonly<Record<DialectName, Dialect>>

/** The name of a dialect. */
export function dialectOf({
  dialect,
}: {
  readonly dialect: { readonly name: string }
}): DialectName {
  return (Object.keys(DIALECTS) as DialectName[]).find(
    (key) => DIALECTS[key].name === dialect.name,
  )!
}

/** The names of the databases in titles. */
export const NAMES: Readonly<Record<ServerDialect, string>> = {
  postgres: 'PostgreSQL',
  mysql: 'MariaDB',
}
