// The databases as tests call them, without any server.
import { mysqlDialect } from '../../src/storage/mysql/open.ts'
import { postgresDialect } from '../../src/storage/postgres/open.ts'
import { sqliteDialect } from '../../src/storage/sqlite/open.ts'
import type { Dialect } from '../../src/storage/sql/dialect.ts'

/** Databases on servers; the others need none. */
export const SERVERS = ['postgres', 'mysql'] as const

export type ServerDialect = (typeof SERVERS)[number]

/** The databases as tests call them. */
export type DialectName = 'sqlite' | ServerDialect

/** What is tested of each of them. */
export const DIALECTS = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
  mysql: mysqlDialect,
} as const satisfies Readonly<Record<DialectName, Dialect>>

/** Which of them this is. */
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
