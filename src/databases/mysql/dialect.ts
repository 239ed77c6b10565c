import { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { facts } from './catalogue.ts'
import { estimate } from './estimate.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { text } from './text.ts'
import { gaveUp, refusesValue, violation } from './violation.ts'

/**
 * Migrations take their own locks (migrations.ts): these would come after the tables of the migrator
 * are made.
 */
class UnlockedAdapter extends MysqlAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How MySQL differs from other databases. */
export const mysqlDialect: Dialect = {
  name: 'MySQL',
  queryBuilder: {
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (kysely) => new MysqlIntrospector(kysely),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
  nulls: NULLS,
  text,
  kindOf,
  seek,
  estimate,
  facts,
  locked: (query) => query.forUpdate(),
  insertDefaults: (into) => into.values({}),
  violation,
  refusesValue,
  gaveUp,
  manyKeys: {
    // A text for 1, 2, 4, 8 … keys, so that there are few to be prepared; the last key fills up.
    parametersFor(keys) {
      const size = 2 ** Math.ceil(Math.log2(keys.length))
      return [...keys, ...Array<unknown>(size - keys.length).fill(keys.at(-1))]
    },
    isOneOf: (column, keys) => sql<boolean>`${column} in (${sql.join(keys)})`,
  },
  // MariaDB does not know `for share`.
  lockShared: (query) => query.modifyEnd(sql`lock in share mode`),
  migrations: async () => (await import('./migrations.ts')).migrations,
}
