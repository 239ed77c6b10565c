import type { Condition, Operator, PositionValue } from '../contract/list-source.ts'
import { ConfigurationError, unfitValue } from '../errors/configuration-error.ts'
import { fieldOf } from './fields.ts'
import { integer, moment, real, truth } from './meanings.ts'
import { comparable, compare } from './order.ts'

/** What decides by comparing with one value, or with one of several. */
const COMPARISONS: Partial<Record<Operator, (difference: number) => boolean>> = {
  equals: (difference) => difference === 0,
  in: (difference) => difference === 0,
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
  if (operator === 'isNull' || operator in COMPARISONS || operator in TEXT_TESTS) return
  throw new ConfigurationError(`A list in memory cannot compare with "${operator}".`)
}

/** Rows that fulfil one condition of each group. @throws `unfitValue` a text is of another type */
export function rowsWhere<Row>(
  rows: readonly Row[],
  groups: readonly (readonly Condition[])[],
): readonly Row[] {
  const tests = groups.map((group) =>
    group.map((condition) => ({ ...condition, isFulfilled: testOf(condition, rows) })),
  )
  return rows.filter((row) =>
    tests.every((group) =>
      group.some(({ field, isFulfilled }) => isFulfilled(fieldOf(row, field))),
    ),
  )
}

/** Whether a value of the field fulfils the condition; what is no value fulfils `isNull` only. */
function testOf(condition: Condition, rows: readonly unknown[]): (value: unknown) => boolean {
  const { operator, value: wanted } = condition
  if (operator === 'isNull') return (value) => (comparable(value) === null) === wanted
  const matches = TEXT_TESTS[operator]
  if (matches !== undefined) {
    const wantedText = textOf(wanted)
    return (value) => {
      const text = textOf(value)
      return text !== null && wantedText !== null && matches(text, wantedText)
    }
  }
  const isWanted = COMPARISONS[operator]!
  const each = (operator === 'in' ? (wanted as readonly unknown[]) : [wanted])
    .map((one) => typed(one, condition, rows))
    .filter((one) => one !== null)
  return (value) => {
    const found = comparable(value)
    return found !== null && each.some((one) => isWanted(compare(found, one)))
  }
}

/** A text is read as the type that the field has in the rows. */
function typed(value: unknown, condition: Condition, rows: readonly unknown[]): PositionValue {
  if (typeof value !== 'string') return comparable(value)
  const values = rows.map((row) => fieldOf(row, condition.field))
  const sample = values.find((each) => comparable(each) !== null)
  const made = typedText(value, sample)
  if (made === undefined) throw unfitValue(condition)
  return made
}

/** In lower case as far as ASCII goes, as databases have it; `null`: there is no value. */
function textOf(value: unknown): string | null {
  const found = value instanceof Date && comparable(value) !== null ? value.toISOString() : value
  const text = comparable(found)
  return text === null ? null : String(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** `undefined`: it writes out no value of this type. */
function typedText(text: string, sample: unknown): PositionValue | undefined {
  if (typeof sample === 'number' || typeof sample === 'bigint') return integer(text) ?? real(text)
  if (typeof sample === 'boolean') return truth(text)
  if (!(sample instanceof Date)) return text
  // A time without a zone is UTC, as in databases.
  const utc = moment(text)
  return utc === undefined ? undefined : Date.parse(`${utc.replace(' ', 'T')}Z`)
}
