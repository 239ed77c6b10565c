import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { postgresFacts } from './catalogue.ts'
import { postgresKind } from './kinds.ts'
import { postgresViolation } from './violation.ts'

/**
 * Migrations take their own locks (migration-lock.ts): these would come after the tables of the migrator
 * are made, and would outlive a transaction that failed.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How PostgreSQL differs from other databases. */
export const postgresDialect: Dialect = {
  name: 'PostgreSQL',
  id: 'postgres',
  queryBuilder: {
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  kindOf: postgresKind,
  facts: postgresFacts,
  violation: postgresViolation,
}
