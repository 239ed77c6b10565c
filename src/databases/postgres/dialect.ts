import {
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  sql,
} from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { call, operation } from '../../sql/nodes.ts'
import { estimate, facts } from './catalogue.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { gaveUp, refusesValue, violation } from './failures.ts'

/**
 * Migrations take their own locks (migrations.ts): these would come after the tables of the migrator
 * are made, and would outlive a transaction that failed.
 */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How PostgreSQL differs from other databases: the `dialect` of an own `Database` on PostgreSQL. */
export const postgresDialect: Dialect = {
  name: 'PostgreSQL',
  queryBuilder: {
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  nulls: NULLS,
  text: {
    like: (node, pattern) =>
      RawNode.create(['', ' ilike ', " escape '!'"], [asText(node), pattern]),
    iregex: (node, pattern) => operation(asText(node), '~*', pattern),
    search: (node, words) =>
      operation(call('to_tsvector', asText(node)), '@@', call('plainto_tsquery', words)),
  },
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

/** In a collation that can match parts of a text: that of the column may be another one. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['cast(', ' as text) collate "default"'], [node])
}
