import {
  type Dialect,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Database } from '../../contract/storage.ts'

/** Whose SQL is spoken. */
export type DialectName = Database['dialect']

/** What the query builder needs to speak a dialect, but for the driver. */
export function dialectParts(dialect: DialectName): Omit<Dialect, 'createDriver'> {
  const [Adapter, Introspector, QueryCompiler] = PARTS[dialect]
  return {
    createAdapter: () => new Adapter(),
    createIntrospector: (kysely) => new Introspector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  }
}

/*
 * Migrations take their own locks (migration-lock.ts): these would come after the tables of the
 * migrator are made, and that of PostgreSQL would outlive a transaction that failed.
 */

class UnlockedPostgresAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class UnlockedMysqlAdapter extends MysqlAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const PARTS = {
  sqlite: [SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler],
  postgres: [UnlockedPostgresAdapter, PostgresIntrospector, PostgresQueryCompiler],
  mysql: [UnlockedMysqlAdapter, MysqlIntrospector, MysqlQueryCompiler],
} as const
