import type { Statement } from '../core/ports/database.ts'
import type { WrittenColumn } from '../core/ports/list-source.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { columnOfJSON, withDigits } from '../core/std/json/exact-json.ts'
import { keptIn } from '../core/std/once.ts'
import { toJSONText } from '../core/representations/json.ts'

/** Refuses what no database could store, before the driver makes something else of it. */
export function checkedValues(statement: Statement): readonly unknown[] {
  const { parameters } = statement
  for (let index = 0; index < parameters.length; index++) {
    const problem = problemOf(parameters[index])
    if (problem !== null) throw unfit(statement, index, problem)
  }
  return parameters
}

function problemOf(value: unknown): string | null {
  if (value === undefined) return 'undefined (NULL is null)'
  if (typeof value === 'function' || typeof value === 'symbol')
    return `a value of type ${typeof value}`
  return value instanceof Date && Number.isNaN(value.getTime()) ? 'an invalid date' : null
}

/** Characters of the statement in an error, which says what the value was for. */
const SHOWN = 300

export function unfit({ sql }: Statement, index: number, what: string): TypeError {
  const text = sql.length > SHOWN ? `${sql.slice(0, SHOWN)}…` : sql
  return new TypeError(
    `Parameter ${index + 1} of this statement is ${what}, which a database cannot store: ${text}`,
  )
}

/** The reader of a column's texts. */
type Reading = Pick<WrittenColumn, 'read'>

/** Numbers or bigints for integers of 64 bits. */
export const INTEGERS: Reading = { read: exactInteger }
export const JSON_TEXTS: Reading = { read: columnOfJSON }

/** Reads the texts of columns, in these rows. `null`: the texts stay. */
export function readIn<Column>(
  rows: unknown[][],
  columns: readonly Column[],
  readingOf: (column: Column) => Reading | null,
): unknown[][] {
  columns.forEach((column, place) => {
    const reading = readingOf(column)
    if (reading === null) return
    for (const row of rows) {
      const value = row[place]
      if (typeof value === 'string') row[place] = reading.read(value)
    }
  })
  return rows
}

/** The text that a column of JSON stores. A value without a form in JSON stays, and is refused later. */
export function storedJSON(value: unknown): unknown {
  return value === null ? null : toJSONText(withDigits(value)) || value
}

/** The integer in a text; a value that is no text stays. */
export function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' ? exactInteger(value) : value
}

/** A number where a number holds it exactly, else a bigint. */
export function exactInteger(integer: string | bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : BigInt(integer)
}

/** Columns as a statement found them, with what their texts mean. */
export interface TextColumns {
  readonly columns: readonly string[]
  readonly written: readonly (WrittenColumn | null)[]
}

/** Tables whose columns stay known. */
const KNOWN = 500

/** The meaning of columns' texts: the same object for the same columns, because others keep their results by it. */
export class TextLayouts<Column extends { readonly name: string }> {
  readonly #layouts = new BoundedMap<string, TextColumns>(KNOWN)
  readonly #typeOf: (column: Column) => number | undefined

  constructor(typeOf: (column: Column) => number | undefined) {
    this.#typeOf = typeOf
  }

  of(
    found: readonly Column[],
    columnOf: (type: number | undefined) => WrittenColumn | null,
  ): TextColumns {
    let key = ''
    for (const column of found) key += `${this.#typeOf(column)} ${column.name}\0`
    return keptIn(this.#layouts, key, () => ({
      columns: found.map(({ name }) => name),
      written: found.map((column) => columnOf(this.#typeOf(column))),
    }))
  }
}
