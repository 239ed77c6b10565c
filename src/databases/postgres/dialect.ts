import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { facts } from './catalogue.ts'
import { estimate } from './estimate.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { text } from './text.ts'
import { gaveUp, refusesValue, violation } from './violation.ts'

/**
 * Migrations take their own locks (migrations.ts): these would come after the tables of the migrator
 * are made, and would outlive a transaction that failed.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How PostgreSQL differs from other databases. */
export const postgresDialect: Dialect = {
  name: 'PostgreSQL',
  queryBuilder: {
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  nulls: NULLS,
  text,
  kindOf,
  seek,
  estimate,
  facts,
  // An update lets other rows go on to refer to the row.
  locked: (query, verb) => (verb === 'update' ? query.forNoKeyUpdate() : query.forUpdate()),
  insertDefaults: (into) => into.defaultValues(),
  violation,
  refusesValue,
  gaveUp,
  manyKeys: {
    // One text for any number of keys.
    parametersFor: (keys) => [keys],
    isOneOf: (column, [keys]) => sql<boolean>`${column} = any(${keys})`,
  },
  lockShared: (query) => query.forShare(),
  migrations: async () => (await import('./migrations.ts')).migrations,
}
