import { LimitNode, type OperationNode, OrderByNode, type SelectQueryNode, ValueNode } from 'kysely'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type {
  Cut,
  Position,
  PositionValue,
  SeekRequest,
  Stretch,
  Rows,
} from '../../core/ports/list-source.ts'
import type { Statement } from '../../core/ports/database.ts'
import { InvalidPosition } from '../../core/errors/api-errors.ts'
import { isSameList } from '../../resources/lists/from-table.ts'
import { hasWhole } from '../../resources/lists/order.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { keptIn } from '../../core/std/once.ts'
import { rowCount, pickRows, portionOf, rowAt } from '../../core/std/row-objects.ts'
import type { Compile, Dialect, Reader, SeekStep, Term, ValueKind } from './dialect.ts'
import { withAlias, withWhere } from './nodes.ts'
import { orderItems, reversedTerms } from './order.ts'
import { catchRefusal } from './query/conditions.ts'
import { FIRST_VALUE, GivenValue, LIMIT, withValues, listStatement } from './query/sql-list.ts'
import { sameBut } from './seek-steps.ts'
import { isReadFromTables } from './query/row-by-row.ts'

export interface SeekTerm extends Term {
  readonly kind: ValueKind
  /** A column that is selected for the position's sake; `null`: the rows show the value. */
  readonly hidden: OperationNode | null
  /** The column of the rows that shows the value; beside a hidden one, where rows come as written. */
  readonly output: string | null
  readonly isKey: boolean
}

interface SeekOptions {
  readonly database: Reader & { readonly dialect: Dialect }
  /** The query without an order. */
  readonly query: SelectQueryNode
  /** The total order. */
  readonly terms: readonly SeekTerm[]
  readonly compile: Compile
  /** The number of values that the conditions of the query have places for. */
  readonly places: number
}

type Values = readonly unknown[]

/** Rows that are looked through to find the one with a long unique key. */
const LOOKED_AT = 100

/** Ways to read one order: two directions, and for each key of a position whether it is NULL. */
const WAYS = 128

/** Columns that are selected for positions beside the rows, and all that follows from them. */
interface Selected {
  readonly query: SelectQueryNode
  /** For each term: is it in a hidden column? */
  readonly hides: readonly boolean[]
  /** Statements that are read one after the other, by where a position has NULLs. */
  readonly reads: BoundedMap<string, readonly Statement[]>
  layout: Layout | null
}

/** Reads stretches of a list in one order. The dialect decides in how many statements. */
export class Seek<Row> {
  readonly #options: SeekOptions
  /** The selection with every hidden column. */
  readonly #whole: Selected
  /** The selection without columns that rows show where they come as written; `null`: there are none, or not all rows do. */
  #lean: Selected | null
  /** The selection in use: the lean one, as soon as rows have come as written. */
  #current: Selected

  /**
   * Is a plan for all values as good as one for those that are given? Then the database plans once, if the text says
   * how many rows are read at most. Filters may be by values that many rows have, or few.
   */
  readonly #plansForAll: boolean

  constructor(options: SeekOptions) {
    const { query, terms } = options
    this.#options = options
    this.#whole = selected(query, terms, ({ hidden }) => hidden !== null)
    this.#lean = terms.some(isShownAsWritten)
      ? selected(query, terms, (term) => term.hidden !== null && !isShownAsWritten(term))
      : null
    this.#current = this.#whole
    const { database, compile } = options
    this.#plansForAll =
      database.dialect.inTurn !== undefined && compile(query).parameters.length === 0
  }

  /** One row more than requested tells whether there are more. `given`: the values of the conditions of the query. */
  stretch(
    { cut, ...request }: Omit<SeekRequest, 'keys'>,
    given: Values = [],
  ): MaybePromise<Stretch<Row>> {
    const { position, reverse, limit } = request
    if (position !== null) this.#check(position)
    if (position !== null && cut !== undefined)
      return after(this.#wholeOf(position, cut, given), (whole) =>
        this.stretch({ ...request, position: whole }, given),
      )
    const requested = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
    const selection = this.#current
    const found = this.#found(selection, { position, reverse, limit: requested + 1 }, given)
    return after(found, (rows) => {
      if (rowCount(rows) === 0) return { rows: [], more: false, first: null, last: null }
      if (rows.written !== undefined) this.#current = this.#lean ?? this.#whole
      else if (selection !== this.#whole) {
        this.#lean = null
        this.#current = this.#whole
        return this.stretch(request, given)
      }
      return this.#toStretch(rows, this.#layoutOf(rows, selection), requested, reverse)
    })
  }

  /** @throws InvalidPosition it is none of this order */
  #check(position: Position): void {
    const { terms } = this.#options
    if (position.length !== terms.length) throw new InvalidPosition()
    for (let place = 0; place < terms.length; place++) {
      const value = position[place]
      const { nullable, kind } = terms[place]!
      if (value === undefined || !(value === null ? nullable : kind.fits(value)))
        throw new InvalidPosition()
    }
  }

  /**
   * Nearly always the unique key is not cut, and there is one such row. Where it is, those behind its beginning are
   * looked at. There may be more of them, and then it is not known whether the row is gone.
   *
   * @throws InvalidPosition that, or it is gone and its first digits are another number
   */
  #wholeOf(position: Position, cut: Cut, given: Values): MaybePromise<Position> {
    const { database, compile, terms } = this.#options
    const selection = this.#whole
    const read = listStatement(compile(this.#candidates(selection.query, position, cut)))
    const found = catchRefusal(
      database.dialect,
      () => database.rows(withValues(read, [LOOKED_AT, 0, ...given, ...position])),
      () => new InvalidPosition(),
    )
    return after(found, (rows) => {
      const positions = rows.values.map((row) => {
        const { places } = this.#layoutOf(rows, selection)
        return this.#positionOf(row, places, rows.written)!
      })
      const whole = positions.find((each) => hasWhole(each, cut))
      const isNumber = terms.some(({ kind }, place) => place in cut && kind.readsAsWritten)
      if (!whole && (isNumber || positions.length === LOOKED_AT)) throw new InvalidPosition()
      return whole ?? position
    })
  }

  #candidates(query: SelectQueryNode, position: Position, cut: Cut): SelectQueryNode {
    const keys = this.#options.terms.map((term, place) => ({
      ...term,
      value: this.#valueAt(place, position, term),
      isCut: place in cut,
    }))
    return this.#textOf(query, sameBut(keys), LIMIT)
  }

  #found(
    selection: Selected,
    { position, reverse, limit }: Omit<SeekRequest, 'keys' | 'cut'>,
    given: Values,
  ): MaybePromise<Rows> {
    const most = this.#plansForAll ? 2 ** Math.ceil(Math.log2(limit)) : null
    const way = `${wayOf(position, reverse)}${most}`
    const reads = keptIn(selection.reads, way, () =>
      this.#compiled(selection.query, position, reverse, most),
    )
    if (position === null) return this.#read(reads, given, limit)
    const { database } = this.#options
    const read = (): MaybePromise<Rows> => this.#read(reads, [...given, ...position], limit)
    return catchRefusal(database.dialect, read, () => new InvalidPosition())
  }

  #compiled(
    query: SelectQueryNode,
    position: Position | null,
    reverse: boolean,
    most: number | null,
  ): readonly Statement[] {
    const { database, terms, compile } = this.#options
    const { dialect } = database
    const keys = (reverse ? reversedTerms(terms) : terms).map((term, place) =>
      position === null ? term : { ...term, value: this.#valueAt(place, position, term) },
    )
    const limit = most === null ? LIMIT : LimitNode.create(ValueNode.createImmediate(most))
    const ranges = dialect
      .seek(keys, !isReadFromTables(query))
      .filter(({ condition }) => condition !== false)
      .map((step) => this.#textOf(query, step, limit))
    const inTurn = ranges.length > (most === null ? 1 : 0) && dialect.inTurn
    const texts = inTurn ? [inTurn(ranges)] : ranges
    return texts.map((text) => listStatement(compile(text)))
  }

  #textOf(query: SelectQueryNode, { condition, terms }: SeekStep, limit: LimitNode) {
    const { nulls } = this.#options.database.dialect
    const orderBy = OrderByNode.create(orderItems(nulls, terms))
    return { ...withWhere(query, condition), orderBy, limit }
  }

  /** The values of the position come behind those of the conditions. */
  #valueAt(place: number, position: Position, { kind }: SeekTerm): OperationNode | null {
    if (position[place] === null) return null
    const first = FIRST_VALUE + this.#options.places
    const value = ValueNode.create(new GivenValue(first + place))
    return kind.bound?.(value) ?? value
  }

  /** Reads statements one after the other; the next one runs only where those before gave too few rows. */
  #read(
    [read, ...others]: readonly Statement[],
    values: Values,
    limit: number,
  ): MaybePromise<Rows> {
    if (read === undefined) return { columns: [], values: [] }
    return after(this.#options.database.rows(withValues(read, [limit, 0, ...values])), (rows) => {
      const missing = limit - rowCount(rows)
      if (missing === 0 || others.length === 0) return rows
      return after(this.#read(others, values, missing), (more) =>
        rowCount(rows) === 0 ? more : joined(rows, more),
      )
    })
  }

  #toStretch(
    found: Rows,
    { shown, written, places }: Layout,
    requested: number,
    reverse: boolean,
  ): Stretch<Row> {
    const table = pickRows<Rows>(
      found,
      (rows) => {
        const kept = rows.slice(0, requested)
        return reverse ? kept.toReversed() : kept
      },
      { columns: shown, written },
    )
    return Object.assign(portionOf<Row, Rows>(table), {
      more: rowCount(found) > requested,
      first: this.#positionOf(rowAt(table, 0), places, found.written),
      last: this.#positionOf(rowAt(table, -1), places, found.written),
    })
  }

  #positionOf(
    values: Values | undefined,
    places: readonly number[],
    written: Rows['written'],
  ): Position | null {
    if (values === undefined) return null
    return this.#options.terms.map(({ kind }, index) => {
      const place = places[index]!
      const value = values[place] as PositionValue
      const column = kind.readsAsWritten || value === null ? null : written?.[place]
      const given = column ? column.read(value as string) : value
      return kind.kept === undefined ? (given as PositionValue) : kind.kept(given)
    })
  }

  /**
   * The layout of these columns. It is the same object for the same columns, because others keep by it what they made for
   * them.
   */
  #layoutOf({ columns, written }: Rows, selection: Selected): Layout {
    const { layout } = selection
    if (layout !== null && isSameList(layout.columns, columns) && isSameList(layout.all, written))
      return layout
    return (selection.layout = layoutOf(columns, written, this.#options.terms, selection.hides))
  }
}

interface Layout {
  readonly columns: readonly string[]
  readonly all: Rows['written']
  readonly shown: readonly string[]
  readonly written: Rows['written']
  readonly places: readonly number[]
}

function layoutOf(
  columns: readonly string[],
  all: Rows['written'],
  terms: readonly SeekTerm[],
  hides: readonly boolean[],
): Layout {
  const size = columns.length - hides.filter(Boolean).length
  const shown = columns.slice(0, size)
  let next = size
  const places = terms.map(({ output }, place) =>
    hides[place] ? next++ : shown.lastIndexOf(output!),
  )
  return { columns, all, shown, written: all?.slice(0, size), places }
}

/** Positions with NULLs in the same places are compared by the same statements. */
function wayOf(position: Position | null, reverse: boolean): string {
  let name = reverse ? '<' : '>'
  for (const value of position ?? []) name += value === null ? '0' : '1'
  return name
}

function isShownAsWritten({ hidden, output }: SeekTerm): boolean {
  return hidden !== null && output !== null
}

function selected(
  query: SelectQueryNode,
  terms: readonly SeekTerm[],
  isHidden: (term: SeekTerm) => boolean,
): Selected {
  const hides = terms.map(isHidden)
  const more = terms.flatMap(({ hidden }, place) =>
    hides[place] ? [withAlias(hidden!, `~${place}`)] : [],
  )
  const selections = [...(query.selections ?? []), ...more]
  return { query: { ...query, selections }, hides, reads: new BoundedMap(WAYS), layout: null }
}

/** The rows of two statements with the same columns, as one table. */
function joined(rows: Rows, more: Rows): Rows {
  if (isSameList(rows.written, more.written))
    return {
      columns: more.columns,
      values: [...rows.values, ...more.values],
      ...(more.written && { written: more.written }),
    }
  return joined(asRead(rows), asRead(more))
}

/** The same rows, with each value read and none left as it was written. */
function asRead({ columns, values, written }: Rows): Rows {
  const read = (value: unknown, at: number): unknown => {
    const column = written?.[at]
    return column && value !== null ? column.read(value as string) : value
  }
  return { columns, values: values.map((row) => row.map(read)) }
}
