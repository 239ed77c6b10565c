import type { FieldOptions } from '../declaration.ts'
import { type Refused, refused } from '../refused.ts'
import { type Kind, kind } from '../field-of.ts'

/**
 * `true` or `false`; the usual words and digits for them are taken too (`"yes"`, `"off"`, 1). A form
 * that does not name it means `false`: that is how it sends an unchecked box.
 *
 * @example field.boolean({ default: false })
 */
export const boolean: Kind<FieldOptions<boolean>, boolean | number, boolean> = kind(
  'boolean',
  (options: FieldOptions<boolean>) => ({
    // SQLite and MySQL keep 0 and 1.
    show: (value) => (typeof value === 'number' ? value !== 0 : value),
    read: (value) => (typeof value === 'boolean' ? value : fromWord(value)),
    absentInForms: options.nullable ? null : false,
  }),
)

const INVALID = refused('invalid.boolean')

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** Longer than any of the words. */
const LONGEST = 20

function fromWord(value: unknown): boolean | Refused {
  const word = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return WORDS.get(word.length > LONGEST ? '' : word.trim().toLowerCase()) ?? INVALID
}
