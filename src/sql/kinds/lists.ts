// A list of values in as few texts of SQL as can be: each text is planned and kept by the database, and
// how long a list is, clients decide.
import { type OperationNode, RawNode, ValueNode } from 'kysely'
import { cast, enclosed } from '../query/nodes.ts'
import { integer } from '../../lists/meanings.ts'

/** From here on, powers of two would waste too many parameters of what a database takes. */
const STEP = 1024

/** As long as the next power of two, or the next 1,024 values: the last one fills up, and changes nothing. */
export function filledUp<T>(values: readonly T[]): readonly T[] {
  const { length } = values
  const size = length > STEP ? Math.ceil(length / STEP) * STEP : 2 ** Math.ceil(Math.log2(length))
  return [...values, ...Array<T>(size - length).fill(values.at(-1)!)]
}

/** PostgreSQL: an array. `type` where it is not to be that of the column; an index is used as for one value. */
export function inArray(
  column: OperationNode,
  values: readonly unknown[],
  type?: string,
): OperationNode {
  const array = ValueNode.create(values)
  const typed = type === undefined ? array : cast(array, `${type}[]`)
  return RawNode.create(['', ' = any(', ')'], [enclosed(column), typed])
}

/**
 * SQLite: a text of JSON. What comes out of it has no affinity, as a parameter has none, so it is
 * compared like one: with the affinity and the collation of the column, through its index.
 * `null`: JSON, or the way SQLite reads it, does not carry the values exactly.
 */
export function inJSON(column: OperationNode, values: readonly unknown[]): OperationNode | null {
  const list = exactJSON(values)
  if (list === null) return null
  const sides = [enclosed(column), ValueNode.create(list)]
  return RawNode.create(['', ' in (select value from json_each(', '))'], sides)
}

/**
 * MySQL and MariaDB: a comparison for each value. In one list, values that the character set of the column does
 * not have are an error (1270); alone, each is compared in a character set that has both. The ranges that are
 * read are the same.
 */
export function inComparisons(column: OperationNode, values: readonly unknown[]): OperationNode {
  const sides = filledUp(values).flatMap((value) => [enclosed(column), ValueNode.create(value)])
  const between = sides.slice(1).map((_, i) => (i % 2 === 0 ? ' = ' : ' or '))
  return RawNode.create(['(', ...between, ')'], sides)
}

/** Texts, and integers of 64 bits. Other numbers may lose their last digit when SQLite reads them. */
export function exactJSON(values: readonly unknown[]): string | null {
  if (!values.every(isCarried)) return null
  const items = values.map((value) =>
    typeof value === 'string' ? JSON.stringify(value) : String(value),
  )
  return `[${items.join(',')}]`
}

function isCarried(value: unknown): boolean {
  return typeof value === 'string' || integer(value) !== undefined
}
