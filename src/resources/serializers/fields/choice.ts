import type { ChoiceInfo } from '../../../core/ports/serializer.ts'
import type { JSONSchema } from '../../../core/types/documents.ts'
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { withLimits } from '../describe-fields.ts'
import { Refused, refused, Unshowable, asItIs } from '../refused.ts'
import { type FieldKind, fieldOf, kind } from '../field-of.ts'

/** The choices: values, or values with their names for people. */
type Choices = readonly (string | number | boolean)[] | Readonly<Record<string, string>>

/** Choices under headings, for lists that people choose from. */
interface Grouped {
  readonly groups: Readonly<Record<string, Choices>>
}

type ValueOf<C> = C extends readonly (infer V)[]
  ? V
  : C extends { readonly groups: infer Groups extends object }
    ? ValueOf<Groups[keyof Groups]>
    : keyof C & string

/**
 * One of a few values. The type of rows, output and input is that of the values. `groups` puts them under
 * headings, which OPTIONS shows.
 *
 * @example field.choice(['draft', 'public'], { default: 'draft' })
 * @example field.choice({ groups: { Audio: { cd: 'CD', lp: 'Record' }, Video: ['dvd'] } })
 */
export function choice<const C extends Choices | Grouped, const O = unknown>(
  choices: C,
  options?: Chosen<O, FieldOptions<ValueOf<C>>>,
): Field<ValueOf<C>, ValueOf<C>, ValueOf<C>, O> {
  const find = finderOf(choices)
  return fieldOf('choice', options, {
    show: showerOf(choices, find),
    read: find,
    choices: listed(choices),
    schema: () => schemaOf(choices),
  })
}

interface MultipleChoiceOptions<V> extends FieldOptions<readonly V[]> {
  /** Whether none may be chosen. @default true */
  readonly allowEmpty?: boolean
}

/**
 * Some of a few values, each once. A form without the name has chosen none.
 *
 * @example field.multipleChoice(['news', 'offers'], { allowEmpty: false })
 */
export function multipleChoice<const C extends Choices | Grouped, const O = unknown>(
  choices: C,
  options?: Chosen<O, MultipleChoiceOptions<ValueOf<C>>>,
): Field<readonly ValueOf<C>[], readonly ValueOf<C>[], ValueOf<C>[], O> {
  const find = finderOf(choices)
  const show = showerOf(choices, find)
  return fieldOf('multiple choice', options, {
    own: ['allowEmpty'],
    inForms: 'all',
    absentInForms: [],
    show(values) {
      if (!Array.isArray(values)) throw new Unshowable('A row holds something that is no list.')
      const shown = values.map(show)
      return shown.length > 1 && new Set(shown).size < shown.length ? [...new Set(shown)] : shown
    },
    read(value) {
      if (!Array.isArray(value)) return NOT_A_LIST
      if (value.length === 0 && options?.allowEmpty === false) return EMPTY
      const found = new Set(value.map(find))
      return found.has(NO_CHOICE) ? NO_CHOICE : ([...found] as ValueOf<C>[])
    },
    choices: listed(choices),
    schema: (place) =>
      withLimits(
        place,
        { type: 'array', items: schemaOf(choices), uniqueItems: true },
        { minItems: options?.allowEmpty === false ? 1 : undefined },
      ),
  })
}

/** Names for people are added if they differ from the values. */
function schemaOf(choices: Choices | Grouped): JSONSchema {
  const all = listed(choices)
  const types = new Set(all.map(({ value }) => typeof value))
  const named = all.some(({ value, display_name: name }) => name !== String(value))
  return {
    ...(types.size === 1 && { type: [...types][0] }),
    enum: all.map(({ value }) => value),
    ...(named && { 'x-enum-descriptions': all.map(({ display_name: name }) => name) }),
  }
}

const NO_CHOICE = refused('invalid_choice')

/** The refusal of a choice of several: the value is not a list, or is empty (E27). */
export const NOT_A_LIST: Refused = refused('not_a_list')
export const EMPTY: Refused = refused('empty')

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

type Find<C> = (value: unknown) => ValueOf<C> | Refused

/** Values are found by their texts, as forms send them. */
function finderOf<C extends Choices | Grouped>(choices: C): Find<C> {
  const values = new Map(
    listed(choices).map(({ value }) => [String(value), value as ValueOf<C>] as const),
  )
  return (value) => (PLAIN.has(typeof value) ? values.get(String(value)) : undefined) ?? NO_CHOICE
}

/** A value that is no longer a choice is shown as the row has it. */
function showerOf<C extends Choices | Grouped>(
  choices: C,
  find: Find<C>,
): (value: unknown) => ValueOf<C> {
  const values: ReadonlySet<unknown> = new Set(listed(choices).map(({ value }) => value))
  return (value) => {
    if (values.has(value)) return value as ValueOf<C>
    const found = find(value)
    return found instanceof Refused ? (asItIs(value) as ValueOf<C>) : found
  }
}

function listed(choices: Choices | Grouped): readonly ChoiceInfo[] {
  if (!isGrouped(choices)) return infosOf(choices)
  return Object.entries(choices.groups).flatMap(([group, some]) =>
    infosOf(some).map((info) => ({ ...info, group })),
  )
}

function isGrouped(choices: Choices | Grouped): choices is Grouped {
  return 'groups' in choices && typeof choices.groups === 'object'
}

function infosOf(choices: Choices): readonly ChoiceInfo[] {
  const named = Array.isArray(choices)
    ? choices.map((value) => [value, String(value)])
    : Object.entries(choices)
  return named.map(([value, name]) => ({ value, display_name: name }))
}

/**
 * `true` or `false`; the usual words and digits for them are taken too (`"yes"`, `"off"`, 1). A form
 * that does not name it means `false`: that is how it sends an unchecked box.
 *
 * @example field.boolean({ default: false })
 */
export const boolean: FieldKind<FieldOptions<boolean>, boolean | number, boolean> = kind(
  'boolean',
  (options: FieldOptions<boolean>) => ({
    show: (value) => (typeof value === 'boolean' ? value : truthOf(value)),
    read: (value) => (typeof value === 'boolean' ? value : fromWord(value)),
    meansNull: (value) => typeof value === 'string' && NO_WORD.test(value),
    absentInForms: options.nullable ? null : false,
    schema: () => ({ type: 'boolean' }),
  }),
)

/** Texts that mean `null` in forms and addresses. */
const NO_WORD = /^(?:null)?$/i
const NO_TRUTH = refused('invalid.boolean')

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** SQLite and MySQL keep 0 and 1; other programs may have written words. */
function truthOf(value: unknown): boolean {
  if (typeof value === 'number') return value !== 0
  const truth = fromWord(typeof value === 'bigint' ? String(value) : value)
  if (typeof truth === 'boolean') return truth
  throw new Unshowable('A row holds something that is neither true nor false.')
}

/** Longer than any of the words. */
const LONGEST = 20

function fromWord(value: unknown): boolean | Refused {
  const word = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return WORDS.get(word.length > LONGEST ? '' : word.trim().toLowerCase()) ?? NO_TRUTH
}
