import type { MaybePromise } from '../../contract/request.ts'
import type { Position, PositionValue, Stretch } from '../../contract/source.ts'
import type { Rows } from '../../contract/storage.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { InvalidPosition } from '../../errors/api-errors.ts'
import { after } from '../../std/after.ts'
import { toRowObjects } from '../../std/row-objects.ts'
import { refusing } from '../query/refusals.ts'
import type { Read, SeekStatements } from './seek-statements.ts'
import type { ComparedTerm } from './terms.ts'

type Reader = Pick<SqlDatabase, 'dialect' | 'rows'>
type Values = readonly unknown[]

/** What a stretch is read from. */
export interface StretchRequest {
  readonly position: Position | null
  readonly reverse: boolean
  readonly limit: number
}

/** Reads stretches in one order of one list. */
export class SeekPlan<Row> {
  readonly #database: Reader
  readonly #terms: readonly ComparedTerm[]
  readonly #statements: SeekStatements
  readonly #hidden: number
  #layout: Layout | null = null

  constructor(database: Reader, terms: readonly ComparedTerm[], statements: SeekStatements) {
    this.#database = database
    this.#terms = terms
    this.#statements = statements
    this.#hidden = terms.filter(({ hidden }) => hidden !== null).length
  }

  /** One row more than wanted tells whether there are more. */
  stretch({ position, reverse, limit }: StretchRequest): MaybePromise<Stretch<Row>> {
    if (position !== null) this.#check(position)
    const wanted = Math.min(limit, Number.MAX_SAFE_INTEGER - 1)
    const reads = this.#statements.reads(position, reverse)
    const found =
      position === null
        ? this.#read(reads, wanted + 1)
        : refusing(this.#database.dialect, () => this.#read(reads, wanted + 1), invalid)
    return after(found, ({ columns, values }) => this.#toStretch(columns, values, wanted, reverse))
  }

  #check(position: Position): void {
    const terms = this.#terms
    if (position.length !== terms.length) throw invalid()
    for (let place = 0; place < terms.length; place++) {
      const value = position[place]
      const { nullable, kind } = terms[place]!
      if (value === undefined || !(value === null ? nullable : kind.fits(value))) throw invalid()
    }
  }

  /** The next statement is asked only where those before gave too few rows. */
  #read([read, ...others]: readonly Read[], limit: number): MaybePromise<Rows> {
    if (read === undefined) return NOTHING
    return after(this.#database.rows(read(limit)), (rows) => {
      const missing = limit - rows.values.length
      if (missing === 0 || others.length === 0) return rows
      return after(this.#read(others, missing), (more) =>
        rows.values.length === 0
          ? more
          : { columns: more.columns, values: [...rows.values, ...more.values] },
      )
    })
  }

  #toStretch(
    columns: readonly string[],
    found: readonly Values[],
    wanted: number,
    reverse: boolean,
  ): Stretch<Row> {
    const more = found.length > wanted
    const kept = more ? found.slice(0, wanted) : found
    const values = reverse ? kept.toReversed() : kept
    const layout = this.#layoutOf(columns)
    return {
      rows: toRowObjects(layout.shown, values) as readonly unknown[] as readonly Row[],
      more,
      first: this.#positionOf(values[0], layout),
      last: this.#positionOf(values.at(-1), layout),
    }
  }

  #layoutOf(columns: readonly string[]): Layout {
    if (this.#layout?.columns !== columns) {
      this.#layout = layoutOf(columns, this.#terms, this.#hidden)
    }
    return this.#layout
  }

  #positionOf(values: Values | undefined, { places }: Layout): Position | null {
    if (values === undefined) return null
    return this.#terms.map(({ kind }, index) => {
      const value = values[places[index]!]
      return kind.kept === undefined ? (value as PositionValue) : kind.kept(value)
    })
  }
}

const NOTHING: Rows = { columns: [], values: [] }

function invalid(): InvalidPosition {
  return new InvalidPosition()
}

/** Where things stand in the rows; the same for all rows with these columns. */
interface Layout {
  readonly columns: readonly string[]
  readonly shown: readonly string[]
  /** Where the value of each term stands. */
  readonly places: readonly number[]
}

function layoutOf(
  columns: readonly string[],
  terms: readonly ComparedTerm[],
  hidden: number,
): Layout {
  const shown = columns.slice(0, columns.length - hidden)
  let next = shown.length
  const places = terms.map((term) =>
    term.hidden === null ? shown.lastIndexOf(term.output!) : next++,
  )
  return { columns, shown, places }
}
