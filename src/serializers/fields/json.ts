import { parseExactly } from '../../std/json/exact-json.ts'
import type { FieldOptions } from '../declaration.ts'
import { type Refused, refused } from '../refused.ts'
import { type Kind, kind } from '../field-of.ts'

/** Any value of JSON. */
export type JSONValue =
  | string
  | number
  | boolean
  | null
  | readonly JSONValue[]
  | { readonly [name: string]: JSONValue }

/**
 * Any value of JSON, as it is: numbers are those of JavaScript. In a form it is a text of JSON. At most
 * 100 levels deep.
 *
 * @example field.json({ required: false })
 */
export const json: Kind<FieldOptions<JSONValue>, unknown, unknown, JSONValue> = kind(
  'field',
  () => ({ read: (value, { form }) => (form ? readText(value) : readValue(value)) }),
)

const INVALID = refused('invalid.json')
const DEPTH_LIMIT = 100

function readText(text: unknown): JSONValue | Refused {
  if (typeof text !== 'string') return INVALID
  try {
    return readValue(parseExactly(text))
  } catch {
    return INVALID
  }
}

function readValue(value: unknown): JSONValue | Refused {
  return isJson(value, DEPTH_LIMIT) ? (value as JSONValue) : INVALID
}

/** Other parsers than ours may give what JSON has no form for. */
function isJson(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return PLAIN.has(typeof value) || value === null
  return levels > 0 && Object.values(value).every((part) => isJson(part, levels - 1))
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'boolean'])
