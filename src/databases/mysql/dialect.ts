import {
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type OperationNode,
  RawNode,
  ValueNode,
  sql,
} from 'kysely'
import type { Dialect } from '../../sql/dialect.ts'
import { filledUp } from '../../sql/filled-up.ts'
import { call, operation } from '../../sql/nodes.ts'
import { estimate, facts } from './catalogue.ts'
import { kindOf } from './kinds.ts'
import { NULLS, seek } from './seek.ts'
import { gaveUp, refusesValue, violation } from './failures.ts'

/**
 * Migrations take their own locks (migrations.ts): these would come after the tables of the migrator
 * are made.
 */
class UnlockedAdapter extends MysqlAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** How MySQL and MariaDB differ from other databases: the `dialect` of an own `Database` on them. */
export const mysqlDialect: Dialect = {
  name: 'MySQL',
  queryBuilder: {
    createAdapter: () => new UnlockedAdapter(),
    createIntrospector: (kysely) => new MysqlIntrospector(kysely),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
  nulls: NULLS,
  text: {
    like: (node, pattern) =>
      RawNode.create(
        ['', ' like ', " escape '!'"],
        [call('lower', asText(node)), call('lower', asText(pattern))],
      ),
    iregex: (node, pattern) =>
      operation(asText(node), 'regexp', ValueNode.create(`(?i)${String(pattern.value)}`)),
    search: (node, words) => RawNode.create(['match(', ') against (', ')'], [node, words]),
  },
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
    // A text for 1, 2, 4, 8 … keys, so that there are few to be prepared.
    parametersFor: filledUp,
    isOneOf: (column, keys) => sql<boolean>`${column} in (${sql.join(keys)})`,
  },
  // MariaDB does not know `for share`.
  lockShared: (query) => query.modifyEnd(sql`lock in share mode`),
  migrations: async () => (await import('./migrations.ts')).migrations,
}

/** In a collation in which letters with and without accents differ: that of the column may be another one. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['convert(', ' using utf8mb4) collate utf8mb4_bin'], [node])
}
