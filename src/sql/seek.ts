import { type OperationNode, OrderByNode, type SelectQueryNode, ValueNode } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type {
  Position,
  PositionValue,
  SeekRequest,
  Stretch,
  Rows,
} from '../contract/list-source.ts'
import type { Statement } from '../contract/database.ts'
import { InvalidPosition } from '../errors/api-errors.ts'
import { after } from '../std/after.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { toRowObjects } from '../std/row-objects.ts'
import type { Compile, Dialect, Reader, Term, ValueKind } from './dialect.ts'
import { aliased, narrowed } from './nodes.ts'
import { orderItems, turned } from './order.ts'
import { Given, LIMIT, filled } from './prepared.ts'
import { refusing } from './query/conditions.ts'

export interface SeekTerm extends Term {
  readonly kind: ValueKind
  /** A column that is selected for the position's sake; `null`: the rows show the value. */
  readonly hidden: OperationNode | null
  /** The column of the rows that shows the value. */
  readonly output: string | null
}

interface SeekOptions {
  readonly database: Reader & { readonly dialect: Dialect }
  /** Without an order. */
  readonly query: SelectQueryNode
  /** The total order. */
  readonly terms: readonly SeekTerm[]
  readonly compile: Compile
}

type Values = readonly unknown[]

/** Ways to read one order: two directions, and NULL or not for each key of a position. */
const WAYS = 128

/** Stretches of a list in one order. In how many statements they are read, the dialect decides. */
export class Seek<Row> {
  readonly #options: SeekOptions
  /** What to read one after the other, by where a position has NULLs. */
  readonly #reads = new BoundedMap<string, readonly Statement[]>(WAYS)
  #layout: Layout | null = null

  constructor({ query, ...options }: SeekOptions) {
    this.#options = { ...options, query: withHidden(query, options.terms) }
  }

  /** One row more than requested tells whether there are more. */
  stretch({ position, reverse, limit }: Omit<SeekRequest, 'keys'>): MaybePromise<Stretch<Row>> {
    if (position !== null) this.#check(position)
    const requested = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
    const found = this.#found(position, reverse, requested + 1)
    return after(found, (rows) => this.#toStretch(rows, requested, reverse))
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

  #found(position: Position | null, reverse: boolean, limit: number): MaybePromise<Rows> {
    const way = wayOf(position, reverse)
    const reads = this.#reads.get(way) ?? this.#compiled(way, position, reverse)
    if (position === null) return this.#read(reads, [], limit)
    const { terms, database } = this.#options
    const read = (): MaybePromise<Rows> => {
      const values = position.map((value, place) => sent(value, terms[place]!))
      return this.#read(reads, values, limit)
    }
    return refusing(database.dialect, read, () => new InvalidPosition())
  }

  #compiled(way: string, position: Position | null, reverse: boolean): readonly Statement[] {
    const { database, query, terms, compile } = this.#options
    const keys = (reverse ? turned(terms) : terms).map((term, place) =>
      position === null ? term : { ...term, value: valueAt(place, position, term) },
    )
    const steps = database.dialect.seek(keys).filter(({ condition }) => condition !== false)
    const reads = steps.map((step) =>
      compile({
        ...narrowed(query, step.condition),
        orderBy: OrderByNode.create(orderItems(database.dialect.nulls, step.terms)),
        limit: LIMIT,
      }),
    )
    this.#reads.set(way, reads)
    return reads
  }

  /** The next statement runs only where those before gave too few rows. */
  #read(
    [read, ...others]: readonly Statement[],
    values: Values,
    limit: number,
  ): MaybePromise<Rows> {
    if (read === undefined) return { columns: [], values: [] }
    return after(this.#options.database.rows(filled(read, [limit, ...values])), (rows) => {
      const missing = limit - rows.values.length
      if (missing === 0 || others.length === 0) return rows
      return after(this.#read(others, values, missing), (more) =>
        rows.values.length === 0
          ? more
          : { columns: more.columns, values: [...rows.values, ...more.values] },
      )
    })
  }

  #toStretch({ columns, values: found }: Rows, requested: number, reverse: boolean): Stretch<Row> {
    const more = found.length > requested
    const kept = more ? found.slice(0, requested) : found
    const values = reverse ? kept.toReversed() : kept
    if (this.#layout?.columns !== columns) this.#layout = layoutOf(columns, this.#options.terms)
    const layout = this.#layout
    return {
      rows: toRowObjects<Row>({ columns: layout.shown, values }),
      more,
      first: this.#positionOf(values[0], layout),
      last: this.#positionOf(values.at(-1), layout),
    }
  }

  #positionOf(values: Values | undefined, { places }: Layout): Position | null {
    if (values === undefined) return null
    return this.#options.terms.map(({ kind }, index) => {
      const value = values[places[index]!]
      return kind.kept === undefined ? (value as PositionValue) : kind.kept(value)
    })
  }
}

interface Layout {
  readonly columns: readonly string[]
  readonly shown: readonly string[]
  readonly places: readonly number[]
}

function layoutOf(columns: readonly string[], terms: readonly SeekTerm[]): Layout {
  const hidden = terms.filter((term) => term.hidden !== null).length
  const shown = columns.slice(0, columns.length - hidden)
  let next = shown.length
  const places = terms.map((term) =>
    term.hidden === null ? shown.lastIndexOf(term.output!) : next++,
  )
  return { columns, shown, places }
}

/** Positions with NULLs in the same places are compared by the same statements. */
function wayOf(position: Position | null, reverse: boolean): string {
  let name = reverse ? '<' : '>'
  for (const value of position ?? []) name += value === null ? '0' : '1'
  return name
}

function withHidden(query: SelectQueryNode, terms: readonly SeekTerm[]): SelectQueryNode {
  const more = terms.flatMap(({ hidden }, place) =>
    hidden === null ? [] : [aliased(hidden, `~${place}`)],
  )
  return { ...query, selections: [...(query.selections ?? []), ...more] }
}

/** The values of the position come behind LIMIT. */
function valueAt(place: number, position: Position, { kind }: SeekTerm): OperationNode | null {
  if (position[place] === null) return null
  const value = ValueNode.create(new Given(place + 1))
  return kind.bound?.(value) ?? value
}

function sent(value: PositionValue, { kind }: SeekTerm): unknown {
  return value === null || kind.sent === undefined ? value : kind.sent(value)
}
