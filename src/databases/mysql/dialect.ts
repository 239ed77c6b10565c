import { MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { mysqlFacts } from './catalogue.ts'
import { mysqlKind } from './kinds.ts'
import { mysqlViolation } from './violation.ts'

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
  kindOf: mysqlKind,
  facts: mysqlFacts,
  violation: mysqlViolation,
}
