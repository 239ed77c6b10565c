import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { sqliteFacts } from './catalogue.ts'
import { sqliteKind } from './kinds.ts'
import { sqliteViolation } from './violation.ts'

/** How SQLite differs from other databases. */
export const sqliteDialect: Dialect = {
  name: 'SQLite',
  id: 'sqlite',
  queryBuilder: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  kindOf: sqliteKind,
  facts: sqliteFacts,
  violation: sqliteViolation,
}
