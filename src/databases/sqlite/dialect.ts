import { RawNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { enclosed } from '../../sql/nodes.ts'
import { estimate, facts } from './catalogue.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { violation } from './failures.ts'

class Adapter extends SqliteAdapter {
  /** Several queries may be under way: the database has its own queue. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** How SQLite differs from other databases: the `dialect` of an own `Database` on SQLite. */
export const sqliteDialect: Dialect = {
  name: 'SQLite',
  queryBuilder: {
    createAdapter: () => new Adapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  nulls: NULLS,
  // LIKE of SQLite ignores case, as far as ASCII goes.
  text: {
    like: (node, pattern) =>
      RawNode.create(['', ' like ', " escape '!'"], [enclosed(node), pattern]),
    iregex: null,
    search: null,
  },
  kindOf,
  seek,
  estimate,
  facts,
  // There is one writer at a time anyway.
  locked: (query) => query,
  insertDefaults: (into) => into.defaultValues(),
  violation,
  // Every column takes every value, and writers wait for each other in turn.
  refusesValue: () => false,
  gaveUp: () => false,
  manyKeys: null,
  // One statement writes at a time, so there is nothing to lock.
  lockShared: (query) => query,
  migrations: async () => (await import('./migrations.ts')).migrations,
}
