import type { FieldOptions } from '../declaration.ts'
import { refused } from '../refused.ts'
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
    read: (value) => {
      if (typeof value === 'boolean') return value
      return typeof value === 'string' || typeof value === 'number' ? fromWord(value) : INVALID
    },
    absentInForms: options.nullable ? null : false,
  }),
)

const INVALID = refused('invalid.boolean')

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** Longer than any of the words: not worth looking at. */
const LONGEST = 20

function fromWord(value: string | number): boolean | typeof INVALID {
  const word = String(value)
  if (word.length > LONGEST) return INVALID
  return WORDS.get(word.trim().toLowerCase()) ?? INVALID
}
