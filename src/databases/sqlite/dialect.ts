import {
  type LimitNode,
  RawNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import type { Dialect, NullOrder, SeekKey, SeekStep, Term } from '../../sql/dialect.ts'
import { enclosed } from '../../sql/nodes.ts'
import { behindIn, fromStart, rangesBehind, sameIn } from '../../sql/seek-steps.ts'
import { estimate, facts, walked } from './catalogue.ts'
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

class Compiler extends SqliteQueryCompiler {
  /** SQLite plans a statement anew whenever a bare parameter of LIMIT is bound, and that costs as much as ten rows. */
  protected override visitLimit(node: LimitNode): void {
    if (!ValueNode.is(node.limit)) return super.visitLimit(node)
    this.append('limit +')
    this.visitNode(node.limit)
  }
}

export const sqliteDialect: Dialect = {
  name: 'SQLite',
  queryBuilder: {
    createAdapter: () => new Adapter(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new Compiler(),
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
  walked,
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

/** Of `(a, id) > (x, y)` SQLite makes no range beyond `a`, where `id` is its rowid: so each key is a run. */
function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  if (keys[0]!.value === undefined)
    return fromStart(NULLS, keys, { behind: behindIn, ordersNulls: true })
  const termsOf = (equal: number): readonly Term[] => {
    const [key, ...rest] = keys.slice(equal) as [SeekKey, ...SeekKey[]]
    return [{ ...key, nullable: false }, ...rest]
  }
  const runs = keys.map((key) => [key])
  return rangesBehind(runs, { tiesOf: (equal) => equal.map(sameIn), termsOf })
}
