import {
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  type OperationNode,
  RawNode,
  ValueNode,
  sql,
} from 'kysely'
import type { Opener, OwnTables } from '../database.ts'
import type { CounterStatements } from '../pooled/counters.ts'
import { PooledDatabase, type PooledDialect } from '../pooled/database.ts'
import { type ServerTimes, type ServerUrlOptions, poolOptions } from '../pooled/open.ts'
import type { NullOrder, SeekKey, SeekStep } from '../sql/dialect.ts'
import { NULL_NODE, type Truth, and, call, filledUp, isNull, operation, or } from '../sql/nodes.ts'
import { isNative } from '../sql/order.ts'
import { behindIn, fromStart, inHalves, sameIn } from '../sql/seek-steps.ts'
import type { ServerDatabase } from '../sql/sql-database.ts'
import { type MysqlPool, createPool, createServerPool, ownPartsOf } from './driver.ts'
import { gaveUp, refusesValue, violation } from './failures.ts'
import { kindOf } from './value-kinds.ts'
import { estimate, facts, walked } from './table-facts.ts'

/** A MySQL or MariaDB database. */
export interface MysqlDatabase extends ServerDatabase {}

/** The database: its address, or an existing pool of `mysql2/promise`. */
export type MysqlOptions = ServerTimes & OwnTables & (MysqlUrlOptions | MysqlPoolOption)

/** A pool of connections that belongs to the database. */
export interface MysqlUrlOptions extends ServerUrlOptions {
  /**
   * `mysql://user:password@host:port/database` or `mariadb://…`, with options of the package `mysql2` behind `?`, and
   * `wsrep_sync_wait=1` for a cluster of Galera: each read waits until its node has what others have committed before.
   */
  readonly url: string
}

/** A pool that the application has made, with `supportBigNumbers` and `timezone: 'Z'`. `close()` ends it. */
export interface MysqlPoolOption {
  readonly pool: MysqlPool
}

const schemes = ['mysql', 'mariadb']

/**
 * A MySQL or MariaDB database. It needs the package `mysql2`. Nothing is loaded or opened before it is used.
 *
 * @example
 * const database = openMysql({ url: 'mysql://app:secret@db.example/app' })
 * await database.migrate()
 *
 * @example openMysql('mysql://app:secret@db.example/app')
 *
 * @throws ConfigurationError the address is none of MySQL or MariaDB; on use: `mysql2` is not installed
 * @throws DatabaseUnavailable on use: not reachable, refused, read-only, locked, or not migrated
 */
export function openMysql(given: MysqlOptions | string): MysqlDatabase {
  const options: MysqlOptions = typeof given === 'string' ? { url: given } : given
  if ('url' in options) ownPartsOf(options.url)
  const sizeOf = (own: MysqlPool) => own.pool?.config?.connectionLimit
  const pool = poolOptions(options, { name: 'MySQL', schemes, create: createPool, sizeOf })
  return new PooledDatabase(mysqlDialect, createServerPool(pool), options)
}

export const mysqlOpener: Opener = {
  schemes,
  addresses: 'mysql://… (or mariadb://…)',
  open: (url, _folder, own) => openMysql({ ...own, url }),
}

/** Characters of a number, so that the routine finds each by its place. */
const WIDTH = 17

const counterStatements: CounterStatements = {
  count({ ids, numbers }) {
    const names = ids.map((id) => Buffer.from(id))
    let end = 0
    const ends = names.map(({ length }) => (end += length))
    const parameters = [Buffer.concat(names), list(ends), list(numbers)]
    return { sql: 'call colophon_count(?, ?, ?)', parameters }
  },
  sweep: (at, most) => ({ sql: 'call colophon_sweep(?, ?)', parameters: [at, most] }),
}

function list(numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.map((number) => String(number).padStart(WIDTH)).join(''))
}

const NULLS: NullOrder = { smallest: true, placeable: false }

export const mysqlDialect: PooledDialect = {
  name: 'MySQL',
  queryBuilder: {
    createAdapter: () => new MysqlAdapter(),
    createIntrospector: (kysely) => new MysqlIntrospector(kysely),
    createQueryCompiler: () => new MysqlQueryCompiler(),
  },
  nulls: NULLS,
  mostConnections: '@@max_connections',
  clock: "timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000",
  text: {
    like: (node, pattern) =>
      RawNode.create(['', ' like ', " escape '!'"], [lower(node), lower(pattern)]),
    contains: (node, value) =>
      operation(call('locate', lower(value), lower(node)), '>', ValueNode.createImmediate(0)),
    iregex: (node, pattern) =>
      operation(asText(node), 'regexp', ValueNode.create(`(?i)${String(pattern.value)}`)),
    search: (node, words) => RawNode.create(['match(', ') against (', ')'], [node, words]),
  },
  kindOf,
  seek,
  estimate,
  walked,
  facts,
  locked: (query) => query.forUpdate(),
  // Reads behind a lock must see the latest commit, and not the state of the first read.
  isolation: 'read committed',
  insertDefaults: (into) => into.values({}),
  violation,
  refusesValue,
  gaveUp,
  manyKeys: {
    // A text for 1, 2, 4, 8 … keys, so that there are few to be prepared.
    parametersFor: filledUp,
    isOneOf: (column, keys) => sql<boolean>`${column} in (${sql.join(keys)})`,
  },
  counters: counterStatements,
  // MariaDB does not know `for share`.
  lockShared: (query) => query.modifyEnd(sql`lock in share mode`),
  migrations: async () => (await import('./migrations.ts')).migrations,
  catalogue: async () => (await import('./schema-reader.ts')).readCatalogue,
}

const lower = (node: OperationNode): OperationNode => call('lower', asText(node))

/** A text in a collation that distinguishes accents, as that of the column may not. */
function asText(node: OperationNode): OperationNode {
  return RawNode.create(['convert(', ' using utf8mb4) collate utf8mb4_bin'], [node])
}

// MariaDB sorts by a key in ORDER BY even if it is NULL in all rows. `n < NULL`, which no row fulfils, makes a range of them,
// so that rows are read from the position on in both directions, and not from the last one.
const HALVES = {
  behind: alternatives,
  ordersNulls: false,
  nullsBehind: (node: OperationNode) => or(isNull(node), operation(node, '<', NULL_NODE)),
}

/** One statement, if its index has the NULLs of the first key in the right place; else two. */
function seek(keys: readonly SeekKey[]): readonly SeekStep[] {
  const [first] = keys as readonly [SeekKey]
  if (first.value === undefined) return fromStart(NULLS, keys, HALVES)
  return isOneRange(first)
    ? [{ condition: alternatives(keys), terms: keys }]
    : inHalves(keys, HALVES)
}

/** NULLs that are behind NULLs would be sorted, where nothing else is in the condition. */
function isOneRange(first: SeekKey): boolean {
  return isNative(NULLS, first) && (!first.nullable || first.nullsFirst || first.value !== null)
}

/** `a < x OR (a = x AND (b < y OR …))`: MariaDB and MySQL make ranges of it, and none of row values. */
function alternatives([first, ...rest]: readonly SeekKey[]): Truth {
  if (rest.length === 0) return behindIn([first!])
  return or(behindIn([first!]), and(sameIn(first!), alternatives(rest)))
}
