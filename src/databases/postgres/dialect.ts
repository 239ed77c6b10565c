import {
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  sql,
} from 'kysely'
import type { PooledDialect } from '../pooled/database.ts'
import type { NullOrder, SeekKey, SeekStep } from '../../sql/dialect.ts'
import { type Truth, and, call, operation, or } from '../../sql/nodes.ts'
import { behindIn, fromStart, inHalves } from '../../sql/seek-steps.ts'
import type { CounterStatements } from '../pooled/counters.ts'
import { estimate, facts } from './catalogue.ts'
import { gaveUp, refusesValue, violation } from './failures.ts'
import { kindOf } from './kinds.ts'

const counterStatements: CounterStatements = {
  count: ({ ids, numbers }) => ({
    sql: 'select colophon_count($1, $2)',
    // An array of numbers in the form of the database: the driver would quote each of them.
    parameters: [ids, `{${numbers.join(',')}}`],
  }),
  // What is locked is in use, and is looked at another time: no hit waits for the sweep of many rows.
  sweep: (at, most) => ({
    sql: `delete from colophon_counter where id in (select id from colophon_counter where expires <= $1
      order by expires limit $2 for update skip locked)`,
    parameters: [at, most],
  }),
}

const NULLS: NullOrder = { smallest: false, placeable: true }

export const postgresDialect: PooledDialect = {
  name: 'PostgreSQL',
  queryBuilder: {
    createAdapter: () => new PostgresAdapter(),
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
  counters: counterStatements,
  lockShared: (query) => query.forShare(),
  migrations: async () => (await import('./migrations.ts')).migrations,
  catalogue: async () => (await import('./inspect.ts')).readCatalogue,
}

/** In a collation that can match parts of a text: that of the column may be another one. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['cast(', ' as text) collate "default"'], [node])
}

/** In one statement, or in one for the NULLs of the first key and one for its values. */
function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  const [first] = keys as readonly [SeekKey]
  // PostgreSQL recognizes the order of an index only where the first key is named, NULL or not.
  const halves = { behind: nested, ordersNulls: true }
  if (first.value === undefined) return fromStart(NULLS, keys, halves)
  return first.nullable ? inHalves(keys, halves) : [{ condition: nested(keys), terms: keys }]
}

/**
 * `a <= x AND (a < x OR …)`. Neighbours of one direction that are never NULL are compared as one row
 * value, `(a, b) <= (x, y)`: then the range begins at the position, and not at the first of its ties.
 */
function nested(keys: readonly SeekKey[]): Truth {
  const size = runLength(keys)
  const [run, rest] = [keys.slice(0, size), keys.slice(size)]
  if (rest.length === 0) return behindIn(run)
  return and(behindIn(run, true), or(behindIn(run), nested(rest)))
}

/** So many keys from the first on can be one row value. */
function runLength(keys: readonly SeekKey[]): number {
  const end = keys.findIndex(
    ({ nullable, descending }) => nullable || descending !== keys[0]!.descending,
  )
  return end === -1 ? keys.length : Math.max(end, 1)
}
