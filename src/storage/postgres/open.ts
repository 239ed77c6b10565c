import {
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  type SelectQueryNode,
  ValueListNode,
  ValueNode,
  sql,
} from 'kysely'
import type { Opener, OwnTables } from '../database.ts'
import type { CounterStatements } from '../pooled/counters.ts'
import { PooledDatabase, type PooledDialect } from '../pooled/database.ts'
import type { ConnectionPool } from '../pooled/server-pool.ts'
import { type ServerTimes, type ServerUrlOptions, poolOptions } from '../pooled/open.ts'
import type { NullOrder, SeekKey, SeekStep } from '../sql/dialect.ts'
import { type Truth, and, call, operation, or } from '../sql/nodes.ts'
import { LIMIT } from '../sql/query/sql-list.ts'
import { behindIn, fromStart, inHalves, rangesBehind, sameIn } from '../sql/seek-steps.ts'
import type { ServerDatabase } from '../sql/sql-database.ts'
import { StatementNames, createServerPool } from './driver.ts'
import { gaveUp, refusesValue, violation } from './failures.ts'
import { kindOf } from './value-kinds.ts'
import { type PostgresPool, createPool, readAddress } from './pool.ts'
import { type ReplicaLimits, ReplicatedDatabase } from './replicas.ts'
import { estimate, facts, walked } from './table-facts.ts'

/** A PostgreSQL database. */
export interface PostgresDatabase extends ServerDatabase {}

interface CommonOptions extends ServerTimes, OwnTables {
  /**
   * Are statements that come again prepared on the server? A pool of your own that leads to a pooler with a connection for
   * each transaction needs `false`.
   *
   * @default true; `false` where the address says `?pooler=transaction`
   */
  readonly prepare?: boolean
}

/** The database: its address, or an existing pool of `pg`. */
export type PostgresOptions = CommonOptions & (PostgresUrlOptions | PostgresPoolOption)

/** A pool of connections that belongs to the database. */
export interface PostgresUrlOptions extends ServerUrlOptions, ReplicaLimits {
  /** `postgres://user:password@host:port/database`, with the parameters of the package `pg` behind `?`. */
  readonly url: string
  /**
   * Addresses of streaming replicas, each with a pool like that of the primary. They answer reads of handlers where the setting
   * `reads` is `replica`.
   *
   * @default none
   */
  readonly replicas?: readonly string[]
}

/** A pool that the application has made. `close()` ends it. */
export interface PostgresPoolOption {
  readonly pool: PostgresPool
}

const schemes = ['postgres', 'postgresql']

/**
 * A PostgreSQL database. It needs the package `pg`. Nothing is loaded or opened before it is used.
 *
 * @example
 * const database = openPostgres({ url: 'postgres://app:secret@db.example/app' })
 * await database.migrate()
 *
 * @example openPostgres('postgres://app:secret@db.example/app')
 *
 * @throws ConfigurationError the address is none of PostgreSQL; on use: `pg` is not installed
 * @throws DatabaseUnavailable on use: not reachable, refused, read-only, locked, or not migrated
 */
export function openPostgres(given: PostgresOptions | string): PostgresDatabase {
  const { prepare = true, ...options } = typeof given === 'string' ? { url: given } : given
  const sizeOf = (own: PostgresPool) => own.options?.max
  const kind = { name: 'PostgreSQL', schemes, create: createPool, sizeOf }
  const poolOf = (its: typeof options): ConnectionPool => {
    const isPooled = 'url' in its && readAddress(its.url).isPooled
    const names = prepare && !isPooled ? new StatementNames() : null
    return createServerPool({ ...poolOptions(its, kind), names })
  }
  const replicas = 'replicas' in options ? (options.replicas ?? []) : []
  if (replicas.length === 0) return new PooledDatabase(postgresDialect, poolOf(options), options)
  const copies = replicas.map(
    (url) => new PooledDatabase(postgresDialect, poolOf({ ...options, url })),
  )
  return new ReplicatedDatabase(postgresDialect, poolOf(options), copies, options)
}

export const postgresOpener: Opener = {
  schemes,
  addresses: 'postgres://…',
  open: (url, _folder, own) => openPostgres({ ...own, url }),
  openReplicated: (url, replicas, own) => openPostgres({ ...own, url, replicas }),
}

const counterStatements: CounterStatements = {
  count: ({ ids, numbers }) => ({
    sql: 'select colophon_count($1, $2)',
    // An array of numbers in the form of the database: the driver would quote each of them.
    parameters: [ids, `{${numbers.join(',')}}`],
  }),
  // Locked rows are in use, and are left for another sweep, so that no hit waits for it.
  sweep: (at, most) => ({
    sql: `delete from colophon_counter where id in (select id from colophon_counter where expires <= $1
      order by expires limit $2 for update skip locked)`,
    parameters: [at, most],
  }),
}

/** The length from which LIKE could compare with each place of a text: shorter words may have an index of `pg_trgm`. */
const LONG = 64

const NULLS: NullOrder = { smallest: false, placeable: true }

export const postgresDialect: PooledDialect = {
  name: 'PostgreSQL',
  queryBuilder: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  nulls: NULLS,
  mostConnections: "current_setting('max_connections')",
  clock: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  text: {
    like: (node, pattern) =>
      RawNode.create(['', ' ilike ', " escape '!'"], [asText(node), pattern]),
    contains: (node, value) =>
      operation(call('strpos', lower(node), lower(value)), '>', ValueNode.createImmediate(0)),
    containsFrom: LONG,
    iregex: (node, pattern) => operation(asText(node), '~*', pattern),
    search: (node, words) =>
      operation(call('to_tsvector', asText(node)), '@@', call('plainto_tsquery', words)),
  },
  kindOf,
  seek,
  inTurn,
  estimate,
  walked,
  facts,
  // An update lets other rows go on to refer to the row.
  locked: (query, verb) => (verb === 'update' ? query.forNoKeyUpdate() : query.forUpdate()),
  insertDefaults: (into) => into.defaultValues(),
  violation,
  refusesValue,
  gaveUp,
  manyKeys: {
    // One SQL text for any number of keys.
    parametersFor: (keys) => [keys],
    isOneOf: (column, [keys]) => sql<boolean>`${column} = any(${keys})`,
  },
  counters: counterStatements,
  lockShared: (query) => query.forShare(),
  migrations: async () => (await import('./migrations.ts')).migrations,
  catalogue: async () => (await import('./schema-reader.ts')).readCatalogue,
}

/** Lower case in the way of ILIKE. */
const lower = (node: OperationNode): OperationNode => call('lower', asText(node))

/** A text in a collation that can match parts of it, as that of the column may not. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['cast(', ' as text) collate "default"'], [node])
}

// PostgreSQL recognizes the order of an index only if the first key is named, NULL or not.
const HALVES = { behind: nested, ordersNulls: true }

function seek(keys: readonly SeekKey[], asWhole = false): readonly SeekStep[] {
  const [first, ...rest] = keys as readonly [SeekKey, ...SeekKey[]]
  if (first.value === undefined) return fromStart(NULLS, keys, HALVES)
  if (!asWhole) {
    const terms = [{ ...first, nullable: false }, ...rest]
    return rangesBehind(runsOf(keys), { tiesOf, termsOf: () => terms })
  }
  return first.nullable ? inHalves(keys, HALVES) : [{ condition: nested(keys), terms: keys }]
}

/**
 * PostgreSQL runs the parts of a UNION ALL one after the other, and a part only where rows are missing. Parallel
 * workers take no parts that have a limit.
 */
function inTurn(ranges: readonly SelectQueryNode[]): RawNode {
  const between = ranges.slice(1).map(() => ' union all ')
  const parts = ['select * from (', ...between, ') as stretch ', '']
  return RawNode.create(parts, [...ranges, LIMIT])
}

/** `a <= x AND (a < x OR …)`: one condition, which begins at the first tie of the first run. */
function nested(keys: readonly SeekKey[]): Truth {
  const [run, ...others] = runsOf(keys) as [readonly SeekKey[], ...(readonly SeekKey[])[]]
  const rest = others.flat()
  if (rest.length === 0) return behindIn(run)
  return and(behindIn(run, true), or(behindIn(run), nested(rest)))
}

/**
 * Makes `a in (x, x) and b = y` of ties. From `a = x`, PostgreSQL concludes that `a` needs no order; then an index of the other
 * keys, such as the primary key, would do too, and all of its rows could be read to find the ties.
 */
function tiesOf(keys: readonly SeekKey[]): readonly Truth[] {
  return keys.map((key, place) => {
    const { node, value } = key
    if (place > 0 || value == null) return sameIn(key)
    return operation(node, 'in', ValueListNode.create([value, value]))
  })
}

/**
 * The first keys of one direction are compared as one row value, `(a, b) < (x, y)`. Only the first may be NULL in a row, which
 * then fulfils no comparison. Behind ties each key is alone: PostgreSQL estimates the rows of a row value by its first column,
 * and takes another index if it expects few.
 */
function runsOf(keys: readonly SeekKey[]): readonly (readonly SeekKey[])[] {
  const [first] = keys as readonly [SeekKey]
  const end = keys.findIndex(
    ({ nullable, descending }, place) =>
      place > 0 && (nullable || first.value === null || descending !== first.descending),
  )
  const size = end === -1 ? keys.length : end
  return [keys.slice(0, size), ...keys.slice(size).map((key) => [key])]
}
