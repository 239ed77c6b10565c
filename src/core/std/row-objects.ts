import { type MaybePromise, after } from './after.ts'

interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
  readonly written?: readonly ({ readonly read: (text: string) => unknown } | null)[]
}

/** A row as a server sent it: `places` has where the text of each column begins and ends in `bytes`, which are UTF-8. NULL ends before it begins. */
export abstract class SentRow {
  abstract readonly bytes: Buffer
  abstract readonly places: readonly number[]
  #values: unknown[] | null = null

  /** The values are made once, because other code keeps results by them. */
  get values(): unknown[] {
    return (this.#values ??= this.#texts())
  }

  #texts(): unknown[] {
    const texts = new Array<unknown>(this.places.length / 2)
    for (let column = 0; column < texts.length; column++) texts[column] = this.textAt(column)
    return texts
  }

  textAt(column: number): string | null {
    const from = this.places[2 * column]!
    const end = this.places[2 * column + 1]!
    return end < from ? null : this.bytes.toString('utf8', from, end)
  }
}

/** A table whose texts stay bytes until they are read: a list that is written as JSON copies most. */
export class SentRows<Column> {
  readonly columns: readonly string[]
  readonly written: readonly Column[]
  readonly sent: readonly SentRow[]

  constructor(columns: readonly string[], written: readonly Column[], sent: readonly SentRow[]) {
    this.columns = columns
    this.written = written
    this.sent = sent
  }

  get values(): readonly (readonly unknown[])[] {
    return this.sent.map(({ values }) => values)
  }
}

export function rowCount(table: Pick<Table, 'values'>): number {
  return table instanceof SentRows ? table.sent.length : table.values.length
}

/** The row at this place; `undefined`: no row. */
export function rowAt(table: Pick<Table, 'values'>, at: number): readonly unknown[] | undefined {
  return table instanceof SentRows ? table.sent.at(at)?.values : table.values.at(at)
}

/** The table with the rows that `pick` leaves of it, in its order, and with other names for its columns, or fewer of them. */
export function pickRows<T extends Table>(
  table: T,
  pick: <Row>(rows: readonly Row[]) => readonly Row[],
  {
    columns,
    written,
  }: { readonly columns: T['columns']; readonly written?: T['written'] | undefined } = table,
): T {
  if (table instanceof SentRows)
    return new SentRows(columns, written!, pick(table.sent)) as Table as T
  const values = pick(table.values)
  return (written === undefined ? { columns, values } : { columns, values, written }) as T
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

// Functions that all portions share. An object's own functions belong to its hidden class, which lives until the next full
// garbage collection, and with it the enclosed tables and rows.
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

/**
 * The rows as objects. The same order gives all of them one hidden class, which is fast to read. Of equal names the last one
 * shows.
 */
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

/**
 * Keeps members that are made of the whole row, which share one object for it and are made once. The application's function
 * may count or be costly, and a table is gone through again if a value has no bytes, or the rows are looked at.
 */
export class MadeOfRows {
  readonly #made = new Map<object, Map<readonly unknown[], unknown>>()
  #last: readonly unknown[] | null = null
  #row: unknown

  once(
    member: object,
    table: Pick<Table, 'columns' | 'written'>,
    values: readonly unknown[],
    make: (row: unknown) => unknown,
  ): unknown {
    let made = this.#made.get(member)
    if (made === undefined) this.#made.set(member, (made = new Map()))
    if (made.has(values)) return made.get(values)
    if (values !== this.#last) this.#row = toRowObject(table, values)
    this.#last = values
    const shown = make(this.#row)
    made.set(values, shown)
    return shown
  }
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

/** Rows as JSON has them, brackets included, and how many they are. */
interface RowsJSON {
  readonly bytes: Uint8Array
  readonly count: number
}

/**
 * The shown rows of a list whose JSON exists: an array like any other, whose objects are made at the first look. Handing it on
 * needs none. Only a `structuredClone` of it is not allowed.
 */
export function shownAsJSON(json: RowsJSON, show: () => readonly unknown[]): readonly unknown[] {
  const looks = new LooksAtRows(json, show)
  // `console.log` looks behind proxies.
  const array = Object.defineProperty([], INSPECT, { value: () => [...looks.filled(array)] })
  return new Proxy<unknown[]>(array, looks)
}

/** `null`: the value is no such array, or its objects are made. */
export function jsonOfRows(value: unknown): Uint8Array | null {
  if (!Array.isArray(value)) return null
  return (value as { readonly [UNTOUCHED]?: Uint8Array | null })[UNTOUCHED] ?? null
}

const UNTOUCHED: unique symbol = Symbol('untouched')
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Handlers for every operation on an array, except asking for its length and asking whether it is a promise. */
class LooksAtRows implements ProxyHandler<unknown[]> {
  #json: RowsJSON | null
  readonly #show: () => readonly unknown[]

  constructor(json: RowsJSON, show: () => readonly unknown[]) {
    this.#json = json
    this.#show = show
  }

  /** Fills the array, which is like any other from now on. If a row cannot be shown, each look fails. */
  filled(array: unknown[]): unknown[] {
    if (this.#json === null) return array
    for (const object of this.#show()) array.push(object)
    this.#json = null
    return array
  }

  get(array: unknown[], name: string | symbol, receiver: unknown): unknown {
    if (name === UNTOUCHED) return this.#json?.bytes ?? null
    if (this.#json !== null && name === 'length') return this.#json.count
    if (name === 'then') return undefined
    return Reflect.get(this.filled(array), name, receiver)
  }
}

const OTHER_LOOKS = [
  'set',
  'has',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'defineProperty',
  'deleteProperty',
  'preventExtensions',
] as const

/** These handlers are made once for all rows, because every list of a request needs them. */
for (const look of OTHER_LOOKS) {
  const act = Reflect[look] as (array: unknown[], ...given: readonly unknown[]) => unknown
  Object.defineProperty(LooksAtRows.prototype, look, {
    value(this: LooksAtRows, array: unknown[], ...given: readonly unknown[]) {
      return act(this.filled(array), ...given)
    },
  })
}
