import {
  type Compilable,
  type OperationNode,
  type OperationNodeSource,
  SelectQueryNode,
} from 'kysely'
import type { MaybePromise } from '../../contract/request.ts'
import type { Window, ListSource } from '../../contract/list-source.ts'
import type { Rows, Statement } from '../../contract/database.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { after } from '../../std/after.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import type { Reader } from '../dialect.ts'
import { type ListDatabase, ListQuery } from './list-query.ts'
import { type ListStatements, listStatements } from './list-statements.ts'
import { reference } from '../nodes.ts'
import { SqlQuery, type SqlSource } from './sql-query.ts'
import { type OwnLimit, ownLimitOf } from './own-limit.ts'

/** What a list is read with. */
export interface SqlSourceOptions<Row, Extra extends string = never> {
  readonly database: ListDatabase
  /** A select of the Kysely query builder, without plugins; its output type is the row. */
  readonly query: Compilable<Row> & OperationNodeSource
  /** Column, or columns, that no two rows of the list share, as the query may name them: `'id'`, `'article.id'`. */
  readonly key: string | readonly string[]
  /**
   * Names for what the list may be ordered and filtered by beside its columns: an expression, or a
   * column of a table that the query reads from (`'author.name'`).
   */
  readonly fields?: Readonly<Record<Extra, string | OperationNodeSource>>
}

/**
 * The rows of an SQL query as a list.
 *
 * Without an order of its own the query is ordered by `key`; with one, `key` comes last, so that the
 * order is total and pages neither repeat nor skip rows. Pages in the second half are read from the end.
 * Make it once where the query is always the same: its statements are compiled once.
 * It is filtered, ordered and read from a place by its fields: the columns of its rows, and `fields`.
 *
 * @example
 * const db = database.kysely<{ article: { id: number; title: string } }>()
 * const articles = sqlSource({ database, query: db.selectFrom('article').select(['id', 'title']), key: 'id' })
 *
 * @throws ConfigurationError where `query` is no select, or is cut by anything but plain numbers; where a
 * field is not known, or the list is cut by its query, and asked for more than its rows
 */
export function sqlSource<Row, Extra extends string = never>({
  database,
  query,
  key,
  fields,
}: SqlSourceOptions<Row, Extra>): SqlSource<Row, (keyof Row & string) | Extra> {
  const node = query.toOperationNode()
  if (!SelectQueryNode.is(node))
    throw new ConfigurationError('The query of a list must be a select.')
  const limit = ownLimitOf(node)
  const named = { query: node, fields: toNodes(fields ?? {}), key: [key].flat() }
  return new SqlQuery(new ListQuery(database, named), (ordered, rest) => {
    const statements = listStatements(database.dialect, ordered, rest)
    return new SqlList<Row>(database, statements, limit)
  })
}

function toNodes(
  fields: Readonly<Record<string, string | OperationNodeSource>>,
): ReadonlyMap<string, OperationNode> {
  const nodes = Object.entries(fields).map(
    ([name, field]) =>
      [name, typeof field === 'string' ? reference(field) : field.toOperationNode()] as const,
  )
  return new Map(nodes)
}

type Page<Row> = { readonly count: number; readonly rows: readonly Row[] }
type Port = Pick<ListDatabase, 'rows' | 'snapshot' | 'sharedSnapshot'>

class SqlList<Row> implements ListSource<Row> {
  readonly #database: Port
  readonly #statements: ListStatements
  readonly #limit: OwnLimit

  constructor(database: Port, statements: ListStatements, limit: OwnLimit) {
    this.#database = database
    this.#statements = statements
    this.#limit = limit
  }

  count(cap: number = Infinity): MaybePromise<number> {
    const { skip, size } = this.#limit
    const rows = Math.min(cap + 1, size)
    const statement =
      cap === Infinity
        ? this.#statements.count()
        : this.#statements.cappedCount()(Math.min(skip + rows, Number.MAX_SAFE_INTEGER))
    return after(counted(this.#database, statement), (total) => this.#inWindow(total))
  }

  estimate(): MaybePromise<number | null> {
    const estimate = this.#statements.estimate()
    return after(estimate(this.#database), (total) => total && this.#inWindow(total))
  }

  slice(offset: number, limit: number): MaybePromise<readonly Row[]> {
    const { skip, size } = this.#limit
    // A client may ask for what lies behind everything: not even there is anything left of infinity.
    const start = Math.min(offset, Number.MAX_SAFE_INTEGER)
    const rows = Math.min(limit, size - start)
    if (rows <= 0) return []
    return rowsOf(this.#database, this.#statements.forwards()(skip + start, rows))
  }

  /** Two statements, because which rows are wanted may depend on the count. */
  page(at: (count: number) => Window): MaybePromise<Page<Row>> {
    const database = this.#database
    const count = this.#statements.count()
    if (database.sharedSnapshot !== undefined) {
      return database.sharedSnapshot(count, (found, reader) =>
        this.#page(reader, numberIn(found), at),
      )
    }
    const read = (reader: Reader): MaybePromise<Page<Row>> =>
      after(reader.rows(count), (found) => this.#page(reader, numberIn(found), at))
    return database.snapshot === undefined ? read(database) : database.snapshot(read)
  }

  #page(reader: Reader, total: number, at: (count: number) => Window): MaybePromise<Page<Row>> {
    const count = this.#inWindow(total)
    return after(this.#rowsAt(reader, at(count), count, total), (rows) => ({ count, rows }))
  }

  /** Whichever end is nearer: the database walks over every row that an offset leaves out. */
  #rowsAt(
    reader: Reader,
    { offset, limit }: Window,
    count: number,
    total: number,
  ): MaybePromise<readonly Row[]> {
    const size = Math.min(limit, count - offset)
    if (size <= 0) return []
    const start = this.#limit.skip + offset
    const behind = total - start - size
    const backwards = behind < start ? this.#statements.backwards() : null
    if (backwards === null) return rowsOf(reader, this.#statements.forwards()(start, size))
    return after(rowsOf<Row>(reader, backwards(behind, size)), (rows) => rows.toReversed())
  }

  #inWindow(total: number): number {
    const { skip, size } = this.#limit
    return Math.min(Math.max(total - skip, 0), size)
  }
}

/** Counts that are asked for at the same moment are one. */
function counted(database: Port, statement: Statement): MaybePromise<number> {
  if (database.sharedSnapshot !== undefined) return database.sharedSnapshot(statement, numberIn)
  return after(database.rows(statement), numberIn)
}

function numberIn({ values }: Rows): number {
  return Number(values[0]![0])
}

function rowsOf<Row>(reader: Reader, statement: Statement): MaybePromise<readonly Row[]> {
  return after(reader.rows(statement), toRows<Row>)
}

function toRows<Row>({ columns, values }: Rows): readonly Row[] {
  return toRowObjects(columns, values) as readonly Row[]
}
