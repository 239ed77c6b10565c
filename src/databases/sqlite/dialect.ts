import {
  type OperationNode,
  RawNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Dialect, NullOrder, SeekKey, SeekStep } from '../../sql/dialect.ts'
import { type Truth, and, enclosed, isNotNull, isNull } from '../../sql/nodes.ts'
import { behindIn, fromStart, sameIn } from '../../sql/seek-steps.ts'
import { estimate, facts } from './catalogue.ts'
import { violation } from './failures.ts'
import { kindOf } from './kinds.ts'

const NULLS: NullOrder = { smallest: true, placeable: true }

class Adapter extends SqliteAdapter {
  /** Several queries may be under way: the database has its own queue. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

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
  migrations: async () => (await import('./tables.ts')).migrations,
  catalogue: async () => (await import('./tables.ts')).readCatalogue,
}

/**
 * The ties of all keys but one first, then those of all but two: SQLite makes a range of each. Of
 * `(a, id) > (x, y)` it makes none beyond `a`, where `id` is its rowid, and would read over all ties.
 */
function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  if (keys[0]!.value === undefined)
    return fromStart(NULLS, keys, { behind: behindIn, ordersNulls: true })
  return keys
    .map((_, equal) => stepsBehind(keys, equal))
    .toReversed()
    .flat()
}

/** `equal`: so many keys are as in the position, and the next one is further. */
function stepsBehind(keys: readonly SeekKey[], equal: number): readonly SeekStep[] {
  const [key, ...rest] = keys.slice(equal) as [SeekKey, ...SeekKey[]]
  const ties = keys.slice(0, equal).map(sameIn)
  return rangesBehind(key).map((range) => ({
    condition: [...ties, range].reduce<Truth>(and, true),
    terms: [{ ...key, nullable: false }, ...rest],
  }))
}

/** The values and the NULLs of a key are two ranges. */
function rangesBehind(key: SeekKey): readonly OperationNode[] {
  const { node, value, nullable, nullsFirst } = key
  if (value === null) return nullsFirst ? [isNotNull(node)] : []
  const values = behindIn([{ ...key, nullable: false }]) as OperationNode
  return nullable && !nullsFirst ? [values, isNull(node)] : [values]
}
