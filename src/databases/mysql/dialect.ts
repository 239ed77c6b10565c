import { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { facts } from './catalogue.ts'
import { estimate } from './estimate.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { text } from './text.ts'
import { gaveUp, refusesValue, violation } from './violation.ts'

/**
 * Migrations take their own locks (migration-lock.ts): these would come after the tables of the migrator
 * are made.
 */
class UnlockedAdapter extends MysqlAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How MySQL differs from other databases. */
export const mysqlDialect: Dialect = {
  name: 'MySQL',
  id: 'mysql',
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
}
