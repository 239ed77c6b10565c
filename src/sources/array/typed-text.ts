import { comparable } from './comparable.ts'
import type { PositionValue } from '../../contract/source.ts'

/**
 * The value that a text writes out, of the type that `sample` has; `undefined`: it writes out none.
 * Times may be given to the day.
 */
export function typedText(text: string, sample: unknown): PositionValue | undefined {
  switch (typeof sample) {
    case 'number':
    case 'bigint':
      return numberFrom(text)
    case 'boolean':
      return BOOLEANS[text.toLowerCase()]
    default:
      return sample instanceof Date ? timeFrom(text) : text
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  '1': true,
  false: false,
  '0': false,
})

function numberFrom(text: string): number | bigint | undefined {
  if (!NUMBER.test(text)) return undefined
  const value = Number(text)
  return WHOLE.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value
}

// Both are linear: no part can match what the part before it matched.
const NUMBER = /^-?\d{1,400}(?:\.\d{1,400})?$/
const WHOLE = /^-?\d+$/

/** ISO 8601; a time without a zone is UTC, like a day. */
function timeFrom(text: string): number | undefined {
  const [, day, time = 'T00:00', zone = 'Z'] = TIME.exec(text) ?? []
  if (day === undefined) return undefined
  const value = comparable(new Date(day + time.replace(' ', 'T') + zone))
  return typeof value === 'number' ? value : undefined
}

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:([T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/
