// Rows that are looked up for many others at once: each value at most so many of them.
import {
  type OperationNode,
  type OperationNodeSource,
  OrderByItemNode,
  OrderByNode,
  RawNode,
  type SelectQueryNode,
} from 'kysely'
import { type MaybePromise, after } from '../../../core/std/after.ts'
import type { Statement } from '../../../core/ports/database.ts'
import type { KeyedBy, RowKey, Rows } from '../../../core/ports/list-source.ts'
import { BoundedMap } from '../../../core/std/bounded-map.ts'
import { pickRows } from '../../../core/std/row-objects.ts'
import { keptIn, oncePer } from '../../../core/std/once.ts'
import type { Reader, ValueKind } from '../dialect.ts'
import { type Truth, withAlias, and, withWhere, columnRef } from '../nodes.ts'
import { totalOrder } from '../order.ts'
import { compilerOf } from '../prepared.ts'
import { type Shape, conditionNode, shapeOf } from '../query/conditions.ts'
import { LIMIT, withValues, listStatement } from '../query/sql-list.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** A table, and the column that its rows are named by. */
export interface LookedInto {
  readonly database: Pick<SqlDatabase, 'dialect'>
  /** `book`, or `library.book` with its schema. */
  readonly table: string
  readonly key: string
}

interface Columned {
  kindOf(column: string): ValueKind
  /** Compares exactly, whatever the collation: rows of another owner are not among those of this one. */
  within(column: string, value: unknown): Truth
}

/** A look-up of all rows that have one of some values. */
export interface LookUp {
  /** Reads as many rows as all values together may have, and one more. */
  readonly first: Statement
  readonly most: number
  /** Reads rows where one value has more than its share, each row with its place among those of its value. */
  readonly numbered: () => Statement
}

type Columns = readonly (readonly [column: string, value: unknown])[]

/** Texts that stay known for a query: by the columns that rows are looked up and narrowed by. */
const MOST_TEXTS = 100

/** Look-ups in a table. Those that differ in their values alone are compiled once. */
export class LookUps {
  readonly #into: LookedInto
  readonly #columns: Columned
  readonly #textsOf = oncePer((_query: object) => new BoundedMap<string, Statement>(MOST_TEXTS))

  constructor(into: LookedInto, columns: Columned) {
    this.#into = into
    this.#columns = columns
  }

  /** A look-up; `null`: no row can have any of these values. */
  of(
    query: OperationNodeSource,
    of: readonly RowKey[],
    { column, limit }: KeyedBy,
    scope: Columns,
  ): LookUp | null {
    const kind = this.#columns.kindOf(column)
    const values = of.filter((value) => kind.meant(value) !== undefined)
    const columns: Columns = [[column, values], ...scope]
    const first = this.#first(query, columns, values.length * limit + 1)
    if (first === null) return null
    const numbered = (): Statement => this.#numbered(this.#narrowed(query, columns)!, column, limit)
    return { first, most: values.length * limit, numbered }
  }

  #first(query: OperationNodeSource, columns: Columns, size: number): Statement | null {
    const [column] = columns[0]!
    const shape = columns.some(hasNull) ? null : this.#shapeOf(columns)
    if (shape !== null) {
      const make = () => this.#compiled(this.#placed(query, shape), column)
      const known = keptIn(this.#textsOf(query), shape.name, make)
      return withValues(known, [size, 0, ...shape.values])
    }
    const narrowest = this.#narrowed(query, columns)
    return narrowest && withValues(this.#compiled(narrowest, column), [size])
  }

  #shapeOf(columns: Columns): Shape | null {
    const conditions = columns.map(
      ([field, value]) => [{ field, operator: 'in', value: [value].flat(), exact: true }] as const,
    )
    return shapeOf(this.#into.database.dialect, conditions, (field) => this.#columns.kindOf(field))
  }

  #placed(query: OperationNodeSource, { conditions }: Shape): SelectQueryNode {
    const truths = conditions.flat().map((condition) => {
      const { field } = condition
      const subject = { node: this.#reference(field), kind: this.#columns.kindOf(field) }
      return conditionNode(this.#into.database.dialect, condition, subject)
    })
    return withWhere(query.toOperationNode() as SelectQueryNode, truths.reduce(and))
  }

  #narrowed(query: OperationNodeSource, columns: Columns): SelectQueryNode | null {
    const truth = columns.map(([name, value]) => this.#columns.within(name, value)).reduce(and)
    return truth === false ? null : withWhere(query.toOperationNode() as SelectQueryNode, truth)
  }

  /**
   * With a place for how many there may be. By the values first, since an index that finds rows by them gives them so, and
   * only the order of those of one value counts. Columns that keep 7 beside its digits have two values for one key.
   */
  #compiled(query: SelectQueryNode, column: string): Statement {
    const items = query.orderBy?.items ?? []
    const byValue = OrderByItemNode.create(this.#reference(column))
    const isMixed = this.#columns.kindOf(column).boundByValue
    const orderBy = this.#orderOf(isMixed ? items : [byValue, ...items])
    const compile = compilerOf(this.#into.database.dialect)
    return listStatement(compile({ ...query, orderBy, limit: LIMIT }))
  }

  #orderOf(items: readonly OrderByItemNode[]): OrderByNode {
    return OrderByNode.create(totalOrder(items, [this.#reference(this.#into.key)]))
  }

  #reference(column: string): OperationNode {
    return columnRef(`${this.#into.table}.${column}`)
  }

  #numbered(query: SelectQueryNode, column: string, limit: number): Statement {
    const { exact } = this.#columns.kindOf(column)
    const value = this.#reference(column)
    const over = [exact?.(value)[0] ?? value, this.#orderOf(query.orderBy?.items ?? [])]
    const place = RawNode.create(['row_number() over (partition by ', ' ', ')'], over)
    const { orderBy: _, ...rest } = query
    const selections = [...(query.selections ?? []), withAlias(place, PLACE)]
    const compile = compilerOf(this.#into.database.dialect)
    const { sql, parameters } = compile({ ...rest, selections })
    return listStatement({
      sql: `select * from (${sql}) as found where ${PLACE} <= ${limit} order by ${PLACE}`,
      parameters,
    })
  }
}

const PLACE = 'colophon_place'

function hasNull([, value]: Columns[number]): boolean {
  return value === null || (Array.isArray(value) && value.includes(null))
}

/**
 * The rows, in the order of the query. Mostly there are no more than all values together may have, and no database has to
 * number them; where there are, they are asked for again.
 */
export function readMany(reader: Reader, { first, most, numbered }: LookUp): MaybePromise<Rows> {
  return after(reader.rows(first), (rows) =>
    rows.values.length <= most ? rows : after(reader.rows(numbered()), withoutPlace),
  )
}

/** A row may have more values than there are columns. */
function withoutPlace(rows: Rows): Rows {
  const { columns, written } = rows
  const layout = { columns: columns.slice(0, -1), written: written?.slice(0, -1) }
  return pickRows(rows, (all) => all, layout)
}
