import type { Condition, Operator, PositionValue } from '../contract/list-source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { unfitValue } from '../errors/unfit-value.ts'
import { fieldOf } from './fields.ts'
import { integer, moment, real, truth } from './meanings.ts'
import { comparable, compare } from './order.ts'

/** Says of a value of the field whether it fulfils a condition. */
type Fulfils = (value: unknown) => boolean

/** What decides by comparing with one value; `null` is no value to compare with. */
const COMPARISONS: Partial<Record<Operator, (difference: number) => boolean>> = {
  equals: (difference) => difference === 0,
  lt: (difference) => difference < 0,
  lte: (difference) => difference <= 0,
  gt: (difference) => difference > 0,
  gte: (difference) => difference >= 0,
}

/** What decides by looking at texts, once both are in lower case. */
const TEXT_TESTS: Partial<Record<Operator, (text: string, wanted: string) => boolean>> = {
  iequals: (text, wanted) => text === wanted,
  icontains: (text, wanted) => text.includes(wanted),
  istartsWith: (text, wanted) => text.startsWith(wanted),
}

/** @throws ConfigurationError arrays have no such operator: a regular expression of a client could run for ever */
export function checkOperator({ operator }: Condition): void {
  if (operator === 'isNull' || operator === 'in') return
  if (COMPARISONS[operator] !== undefined || TEXT_TESTS[operator] !== undefined) return
  throw new ConfigurationError(`A list in memory cannot compare with "${operator}".`)
}

/**
 * The rows that fulfil one condition of each group.
 *
 * @throws what `unfitValue` makes for a text that writes out no value of the field's type
 */
export function* rowsWhere<Row>(
  rows: readonly Row[],
  groups: readonly (readonly Condition[])[],
): Generator<Row, void> {
  const tests = groups.map((group) => group.map((condition) => testOf(condition, rows)))
  for (const row of rows) {
    if (tests.every((group) => group.some((fulfils) => fulfils(row)))) yield row
  }
}

function testOf(condition: Condition, rows: readonly unknown[]): Fulfils {
  const { field } = condition
  const fulfils = fulfilling(condition, () => sampleOf(field, rows))
  return (row) => fulfils(fieldOf(row, field))
}

function fulfilling(condition: Condition, sample: () => unknown): Fulfils {
  const { operator, value } = condition
  if (operator === 'isNull') return (found) => (comparable(found) === null) === value
  const matches = TEXT_TESTS[operator]
  if (matches !== undefined) return looksLike(matches, textOf(value))
  const isWanted = COMPARISONS[operator === 'in' ? 'equals' : operator]!
  const wanted = operator === 'in' ? (value as readonly unknown[]) : [value]
  return comparesWith(
    wanted.map((each) => typed(each, condition, sample)),
    isWanted,
  )
}

function looksLike(
  matches: (text: string, wanted: string) => boolean,
  wanted: string | null,
): Fulfils {
  if (wanted === null) return () => false
  return (found) => {
    const text = textOf(found)
    return text !== null && matches(text, wanted)
  }
}

function comparesWith(
  wanted: readonly PositionValue[],
  isWanted: (difference: number) => boolean,
): Fulfils {
  return (value) => {
    const found = comparable(value)
    return found !== null && wanted.some((each) => each !== null && isWanted(compare(found, each)))
  }
}

function typed(value: unknown, condition: Condition, sample: () => unknown): PositionValue {
  const made = typeof value === 'string' ? typedText(value, sample()) : comparable(value)
  if (made === undefined) throw unfitValue(condition)
  return made
}

/** A value of the field, which tells the type that texts are read as. */
function sampleOf(field: string, rows: readonly unknown[]): unknown {
  const row = rows.find((each) => comparable(fieldOf(each, field)) !== null)
  return fieldOf(row, field)
}

/** In lower case as far as ASCII goes, as databases have it; `null`: there is no value. */
function textOf(value: unknown): string | null {
  const found = value instanceof Date && comparable(value) !== null ? value.toISOString() : value
  const text = comparable(found)
  return text === null ? null : String(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * The value that a text writes out, of the type that `sample` has; `undefined`: it writes out none.
 * A time without a zone is UTC, as in databases.
 */
function typedText(text: string, sample: unknown): PositionValue | undefined {
  switch (typeof sample) {
    case 'number':
    case 'bigint':
      return integer(text) ?? real(text)
    case 'boolean':
      return truth(text)
    default:
      return sample instanceof Date ? timeFrom(text) : text
  }
}

function timeFrom(text: string): number | undefined {
  const utc = moment(text)
  return utc === undefined ? undefined : Date.parse(`${utc.replace(' ', 'T')}Z`)
}
