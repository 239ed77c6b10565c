import { type MaybePromise, after } from './after.ts'

interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
  readonly written?: readonly ({ readonly read: (text: string) => unknown } | null)[]
}

interface Given<Row, T> {
  readonly rows: readonly Row[]
  readonly table?: T | undefined
}

/**
 * A table, and its rows as objects, which are made on first use. Then the table is gone, also from a copy: these rows
 * may become others, and it would not.
 */
export function portionOf<Row, T extends Table>(
  table: T,
): { readonly rows: readonly Row[]; readonly table: T | undefined } {
  return portionFrom<Row, T>(new RowsOfTable<Row, T>(table))
}

/** A portion of its own with the rows of another, and with its table, as long as that has one. */
export function portionFrom<Row, T>(
  given: Given<Row, T>,
): { readonly rows: readonly Row[]; readonly table: T | undefined } {
  const portion = Object.defineProperty({}, HELD, { value: { given } })
  Object.defineProperty(portion, 'rows', ROWS)
  return Object.defineProperty(portion, 'table', TABLE) as Given<Row, T> & { table: T | undefined }
}

class RowsOfTable<Row, T extends Table> {
  readonly #table: T
  #rows: readonly Row[] | null = null

  constructor(table: T) {
    this.#table = table
  }

  get rows(): readonly Row[] {
    return (this.#rows ??= toRowObjects<Row>(this.#table))
  }

  get table(): T | undefined {
    return this.#rows === null ? this.#table : undefined
  }
}

const HELD: unique symbol = Symbol('held')
interface Holding {
  readonly [HELD]: { given: Given<unknown, unknown> }
}

// All portions share these functions. An object's own ones belong to its hidden class, which lives until the next
// full garbage collection, and with it what they enclose: each table, and every row of it.
const ROWS: PropertyDescriptor & ThisType<Holding> = {
  enumerable: true,
  configurable: true,
  get() {
    return this[HELD].given.rows
  },
  set(rows: readonly unknown[]) {
    this[HELD].given = { rows }
  },
}
const TABLE: PropertyDescriptor & ThisType<Holding> = {
  enumerable: true,
  configurable: true,
  get() {
    return this[HELD].given.table
  },
}

/** One order gives all rows one hidden class, which is fast to read. Of equal names the last shows. */
export function toRowObjects<Row = Record<string, unknown>>(table: Table): Row[] {
  return table.values.map((values) => toRowObject<Row>(table, values))
}

export function toRowObject<Row = Record<string, unknown>>(
  { columns, written }: Pick<Table, 'columns' | 'written'>,
  values: readonly unknown[],
): Row {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) {
    const value = values[at]
    const column = written?.[at]
    object[columns[at]!] = column && value !== null ? column.read(value as string) : value
  }
  return object as Row
}

interface Cut<Row, T> {
  readonly rows: readonly Row[]
  readonly table?: T
}

/** Rows from `offset` on, at most `limit` of them, with their table where the source has one. */
export function cutOf<Row, T>(
  source: {
    slice(offset: number, limit: number): MaybePromise<readonly Row[]>
    cut?(offset: number, limit: number): MaybePromise<Cut<Row, T>>
  },
  offset: number,
  limit: number,
): MaybePromise<Cut<Row, T>> {
  return source.cut?.(offset, limit) ?? after(source.slice(offset, limit), (rows) => ({ rows }))
}
