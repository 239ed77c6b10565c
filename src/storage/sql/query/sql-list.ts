import {
  LimitNode,
  OffsetNode,
  type OperationNode,
  OrderByNode,
  RawNode,
  type SelectQueryNode,
  SelectionNode,
  ValueNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type { Portion, Rows, Window } from '../../../core/ports/list-source.ts'
import type { Statement } from '../../../core/ports/database.ts'
import { pickRows, portionOf, rowCount } from '../../../core/std/row-objects.ts'
import type { Compile, Estimate, Reader } from '../dialect.ts'
import { withAlias } from '../nodes.ts'
import { type Items, reversedOrder, totalOrder } from '../order.ts'
import type { ListDatabase } from '../sql-database.ts'
import { type OwnLimit, isOneToOne, ownLimitOf } from './row-by-row.ts'
import { type KnownTables, cutBeforeJoins, withoutSpareJoins } from './spared-joins.ts'

type Page<Row> = Portion<Row> & { readonly count: number }

/** Stands for a value that is given when the statement runs: the value at this place. */
export class GivenValue {
  readonly place: number

  constructor(place: number) {
    this.place = place
  }
}

/** The first of the values that are given. */
export const LIMIT: LimitNode = LimitNode.create(ValueNode.create(new GivenValue(0)))
const OFFSET = OffsetNode.create(ValueNode.create(new GivenValue(1)))

/** The place of the first value behind limit and offset: values of the conditions come there, and then those of a position. */
export const FIRST_VALUE = 2

/** The statement with the given values in their places; its other values stay. */
export function withValues(
  { sql, parameters, asWritten }: Statement,
  given: readonly unknown[],
): Statement {
  const values = parameters.slice()
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    if (value instanceof GivenValue) values[at] = given[value.place]
  }
  return asWritten ? { sql, parameters: values, asWritten } : { sql, parameters: values }
}

/** The statement of a list, whose values may come in the form that the database writes. */
export function listStatement({ sql, parameters }: Statement): Statement {
  return { sql, parameters, asWritten: true }
}

/**
 * Rows in the query's order, which `key` makes total. Texts are compiled when first needed. `given`: the values that the
 * conditions of the query have places for.
 */
export class SqlList<Row> {
  readonly #database: ListDatabase
  readonly #query: SelectQueryNode
  readonly #order: Items
  readonly #limit: OwnLimit
  readonly #tables: KnownTables | null
  readonly #rows: SelectQueryNode
  readonly #compile: Compile
  #counting: Statement | null = null
  #cappedCounting: Statement | null = null
  #estimating: Estimate | null = null
  #forwards: Statement | null = null
  /** The statement for the same rows from the other end; `null` where the order cannot be turned round. */
  #backwards: Statement | null | undefined

  /** `tables`: what is known of those of the query; `null`: its joins stay. `rows`: the query without what only its order needs. */
  constructor(
    database: ListDatabase,
    query: SelectQueryNode,
    key: readonly OperationNode[],
    tables: KnownTables | null,
    compile: Compile,
    rows: SelectQueryNode = query,
  ) {
    this.#rows = rows
    this.#tables = tables
    this.#database = database
    this.#query = query
    this.#order = totalOrder(query.orderBy?.items ?? [], key)
    this.#limit = ownLimitOf(query)
    this.#compile = compile
  }

  /** Counts that are asked for at the same moment are one. */
  count(cap: number = Infinity, given: Given): MaybePromise<number> {
    const database = this.#database
    const statement = cap === Infinity ? this.#count(given) : this.#cappedCount(cap, given)
    const total =
      database.sharedSnapshot?.(statement, numberIn) ?? after(database.rows(statement), numberIn)
    return after(total, (rows) => this.#inWindow(rows))
  }

  estimate(): MaybePromise<number | null> {
    const { dialect } = this.#database
    this.#estimating ??= dialect.estimate(unordered(this.#rows), this.#compile)
    const estimated = this.#estimating(this.#database)
    return after(estimated, (total) => total && this.#inWindow(total))
  }

  cut(offset: number, limit: number, given: Given): MaybePromise<Portion<Row>> {
    const { skip, size } = this.#limit
    // A client may ask for what lies behind everything: not even there is anything left of infinity.
    const start = databaseInteger(offset)
    const rows = Math.min(limit, size - start)
    if (rows <= 0) return { rows: [] }
    return after(this.#forth(this.#database, [rows, skip + start, ...given]), portionIn<Row>)
  }

  /** Two statements, because which rows are wanted may depend on the count. */
  page(at: (count: number) => Window, given: Given): MaybePromise<Page<Row>> {
    const database = this.#database
    const count = this.#count(given)
    if (database.sharedSnapshot !== undefined)
      return database.sharedSnapshot(count, (found, reader) => this.#page(reader, found, at, given))
    const read = (reader: Reader): MaybePromise<Page<Row>> =>
      after(reader.rows(count), (found) => this.#page(reader, found, at, given))
    return database.snapshot === undefined ? read(database) : database.snapshot(read)
  }

  #page(
    reader: Reader,
    counted: Rows,
    at: (count: number) => Window,
    given: Given,
  ): MaybePromise<Page<Row>> {
    const total = numberIn(counted)
    const count = this.#inWindow(total)
    return after(this.#rowsAt(reader, at(count), total, given), (table) =>
      Object.assign(portionIn<Row>(table), { count }),
    )
  }

  /** Reads rows from the nearer end: the database walks over every row that an offset leaves out. */
  #rowsAt(
    reader: Reader,
    { offset, limit }: Window,
    total: number,
    given: Given,
  ): MaybePromise<Rows> {
    const size = Math.min(limit, this.#inWindow(total) - offset)
    if (size <= 0) return NOTHING
    const start = this.#limit.skip + offset
    const behind = total - start - size
    const backwards = behind < start ? this.#back() : null
    if (backwards === null) return this.#forth(reader, [size, start, ...given])
    return after(reader.rows(filledIn(backwards, [size, behind, ...given])), turned)
  }

  #forth(reader: Reader, values: LimitOffsetAnd): MaybePromise<Rows> {
    return reader.rows(filledIn((this.#forwards ??= this.#ordered(this.#order)), values))
  }

  #back(): Statement | null {
    if (this.#backwards !== undefined) return this.#backwards
    const order = reversedOrder(this.#order)
    return (this.#backwards = order && this.#ordered(order))
  }

  #ordered(order: Items): Statement {
    const orderBy = OrderByNode.create(order)
    const query = { ...this.#query, orderBy, limit: LIMIT, offset: OFFSET }
    const cut = this.#tables && cutBeforeJoins(query, this.#tables)
    return listStatement(this.#compile(cut ?? query))
  }

  #count(given: Given): Statement {
    this.#counting ??= countOf(this.#counted(), this.#compile)
    return given.length === 0 ? this.#counting : withValues(this.#counting, [0, 0, ...given])
  }

  /** The query to count by, without joins that change nothing: they cost a look-up for each row. */
  #counted(): SelectQueryNode {
    return this.#tables === null ? this.#rows : withoutSpareJoins(this.#rows, this.#tables)
  }

  #cappedCount(cap: number, given: Given): Statement {
    const { skip, size } = this.#limit
    this.#cappedCounting ??= cappedCountOf(this.#counted(), this.#compile)
    return filledIn(this.#cappedCounting, [skip + Math.min(cap + 1, size), 0, ...given])
  }

  #inWindow(total: number): number {
    const { skip, size } = this.#limit
    return Math.min(Math.max(total - skip, 0), size)
  }
}

type Given = readonly unknown[]
type LimitOffsetAnd = readonly [limit: number, offset: number, ...given: Given]

function filledIn(statement: Statement, [limit, offset, ...given]: LimitOffsetAnd): Statement {
  return withValues(statement, [databaseInteger(limit), databaseInteger(offset), ...given])
}

const NOTHING: Rows = { columns: [], values: [] }

/** A portion of rows. Without rows it has no table, which would have the columns of none. */
function portionIn<Row>(table: Rows): Portion<Row> {
  return rowCount(table) === 0 ? { rows: [] } : portionOf<Row, Rows>(table)
}

function turned(table: Rows): Rows {
  return pickRows(table, (rows) => rows.toReversed())
}

function numberIn({ values }: Rows): number {
  return Number(values[0]![0])
}

/** A number as an integer of the database. A larger number lies behind every row there is (I15). */
function databaseInteger(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER)
}

/** Counts the rows themselves where each of the table gives one, else the rows of the query as it stands. */
function countOf(query: SelectQueryNode, compile: Compile): Statement {
  const rows = unordered(query)
  if (isOneToOne(rows)) return compile({ ...rows, selections: [selection('count(*)', 'count')] })
  const { sql, parameters } = compile(rows)
  return { sql: `select count(*) from (${sql}) as counted`, parameters }
}

function cappedCountOf(query: SelectQueryNode, compile: Compile): Statement {
  const rows = unordered(query)
  const counted = isOneToOne(rows) ? { ...rows, selections: [selection('1', 'one')] } : rows
  const { sql, parameters } = compile({ ...counted, limit: LIMIT })
  return { sql: `select count(*) from (${sql}) as capped`, parameters }
}

function unordered(query: SelectQueryNode): SelectQueryNode {
  const { orderBy: _order, endModifiers: _locks, limit: _limit, offset: _offset, ...rest } = query
  return rest
}

function selection(sql: string, name: string): SelectionNode {
  return withAlias(RawNode.createWithSql(sql), name)
}
