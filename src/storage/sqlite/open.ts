import { resolve } from 'node:path'
import {
  type LimitNode,
  type OperationNode,
  RawNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { Opener, OwnTables } from '../database.ts'
import type { Dialect, NullOrder, SeekKey, SeekStep, Term } from '../sql/dialect.ts'
import { inParens } from '../sql/nodes.ts'
import { behindIn, fromStart, rangesBehind, sameIn } from '../sql/seek-steps.ts'
import { namesFile, pathOf } from './address.ts'
import { FileDatabase, type SqliteDatabase } from './driver.ts'
import { violation } from './failures.ts'
import { kindOf } from './value-kinds.ts'
import { estimate, facts, walked } from './table-facts.ts'

/** The file of the database, and the times to wait for it. */
export interface SqliteOptions extends OwnTables {
  /** The file, relative to the working directory or absolute. Created at first use, readable by its owner only. */
  readonly path: string
  /** The milliseconds that a write waits for another process that writes; the event loop goes on. @default 5000 */
  readonly busyTimeout?: number
  /** The milliseconds that a write waits for other writes and transactions of this process. @default 10000 */
  readonly queueTimeout?: number
  /**
   * `'full'`: a commit waits for the disk. With `'normal'`, a loss of power may undo the last commits, but the database stays
   * sound; a crash of the process undoes nothing. https://sqlite.org/pragma.html#pragma_synchronous
   *
   * @default 'normal'
   */
  readonly synchronous?: 'normal' | 'full'
}

/**
 * An SQLite database in a file. Nothing is opened or created before it is used.
 *
 * @example
 * const database = openSqlite({ path: 'colophon.sqlite' })
 * await database.migrate()
 *
 * @example openSqlite('colophon.sqlite')
 *
 * @throws ConfigurationError `path` does not name a file (`:memory:`), or an option is of another kind
 * @throws DatabaseUnavailable on use: locked, read-only, full, damaged, not there or not migrated
 */
export function openSqlite(given: SqliteOptions | string): SqliteDatabase {
  const options: SqliteOptions = typeof given === 'string' ? { path: given } : given
  const { path, busyTimeout = 5000, queueTimeout = 10_000, synchronous = 'normal' } = options
  if (synchronous !== 'normal' && synchronous !== 'full')
    throw new ConfigurationError(
      `synchronous is "${String(synchronous)}"; it may be "normal" or "full".`,
    )
  // The reader and the writer are two connections, which only a file can serve.
  if (!namesFile(path))
    throw new ConfigurationError(
      `"${path}" is not a path of a file. Colophon keeps two connections to its database, so it needs one; for tests take a temporary directory.`,
    )
  const file = { path: resolve(path), busyTimeout, queueTimeout, synchronous }
  return new FileDatabase(sqliteDialect, { ...options, ...file })
}

export const sqliteOpener: Opener = {
  schemes: ['sqlite'],
  addresses: 'sqlite:PATH',
  open(url, folder, own) {
    const path = pathOf(url)
    if (path === '')
      throw new ConfigurationError('DATABASE_URL is "sqlite:" without a path behind it.')
    // A name that is no file stays unchanged, and is refused.
    return openSqlite({ ...own, path: path === ':memory:' ? path : resolve(folder, path) })
  },
}

const NULLS: NullOrder = { smallest: true, placeable: true }

class Adapter extends SqliteAdapter {
  /** Queries may run at the same time, because the database has its own queue. */
  override get supportsMultipleConnections(): boolean {
    return true
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Compiler extends SqliteQueryCompiler {
  /** The plus keeps SQLite from planning a statement anew whenever a parameter of LIMIT is bound, at the cost of ten rows. */
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
  clock: "cast(unixepoch('subsec') * 1000 as integer)",
  // LIKE of SQLite ignores the case of ASCII letters.
  text: {
    like: (node, pattern) =>
      RawNode.create(['', ' like ', " escape '!'"], [inParens(node), pattern]),
    contains,
    iregex: null,
    search: null,
  },
  kindOf,
  seek,
  estimate,
  walked,
  facts,
  // A single writer needs no locks.
  locked: (query) => query,
  insertDefaults: (into) => into.defaultValues(),
  violation,
  // Every column takes every value, and a waiting writer is never given up.
  refusesValue: () => false,
  gaveUp: () => false,
  manyKeys: null,
  // A single writer needs no locks.
  lockShared: (query) => query,
  migrations: async () => (await import('./migrations.ts')).migrations,
  catalogue: async () => (await import('./schema-reader.ts')).readCatalogue,
}

/**
 * LIKE begins anew at each place, so it may compare every character with every other one, but it is the fastest for short
 * terms. So LIKE looks for the beginning of a term, and `instr` for the rest. `lower` changes the letters whose case LIKE
 * ignores.
 */
function contains(text: OperationNode, term: ValueNode): OperationNode {
  const beginning = `, 1, ${BEGINNING}), '!', '!!'), '%', '!%'), '_', '!_')`
  return RawNode.create(
    [
      '(',
      " like '%' || replace(replace(replace(substr(",
      `${beginning} || '%' escape '!' and (length(`,
      `) <= ${BEGINNING} or instr(lower(`,
      '), lower(',
      ')) > 0))',
    ],
    [inParens(text), term, term, text, term],
  )
}

/** The characters that LIKE looks for: most terms are no longer. */
const BEGINNING = 6

/** For `(a, id) > (x, y)` with `id` as its rowid, SQLite uses only `a` as a range, so each key is a run. */
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
