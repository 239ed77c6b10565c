import type { Chosen, AnyFieldOptions, Field, FieldFacts, FieldOptions } from '../declaration.ts'
import { Refused, refused } from '../refused.ts'
import { fieldOf } from '../field-of.ts'

/** What may be chosen: values, or values with their names for people. */
type Choices = readonly (string | number | boolean)[] | Readonly<Record<string, string>>

type ValueOf<C extends Choices> = C extends readonly (infer V)[] ? V : keyof C & string

/**
 * One of a few values. The type of rows, output and input is that of the values.
 *
 * @example field.choice(['draft', 'public'], { default: 'draft' })
 */
export function choice<const C extends Choices, const O = unknown>(
  choices: C,
  options?: Chosen<O, FieldOptions<ValueOf<C>>>,
): Field<ValueOf<C>, ValueOf<C>, ValueOf<C>, O> {
  return fieldOf('choice', options, {
    read: finderOf(choices),
    facts: () => factsOf(choices, options),
  })
}

interface MultipleChoiceOptions<V> extends FieldOptions<readonly V[]> {
  /** Whether none may be chosen. @default true */
  readonly allowEmpty?: boolean
}

/**
 * Some of a few values, each once. A form that names none has chosen none.
 *
 * @example field.multipleChoice(['news', 'offers'], { allowEmpty: false })
 */
export function multipleChoice<const C extends Choices, const O = unknown>(
  choices: C,
  options?: Chosen<O, MultipleChoiceOptions<ValueOf<C>>>,
): Field<readonly ValueOf<C>[], readonly ValueOf<C>[], ValueOf<C>[], O> {
  const find = finderOf(choices)
  return fieldOf('multiple choice', options, {
    inForms: 'all',
    absentInForms: [],
    read(value) {
      if (!Array.isArray(value)) return NOT_A_LIST
      if (value.length === 0 && options?.allowEmpty === false) return EMPTY
      const found = new Set(value.map(find))
      return found.has(NO_CHOICE) ? NO_CHOICE : ([...found] as ValueOf<C>[])
    },
    facts: () => factsOf(choices, options),
  })
}

const NO_CHOICE = refused('invalid_choice')

/** E27. */
export const NOT_A_LIST: Refused = refused('not_a_list')
export const EMPTY: Refused = refused('empty')

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

/** Values are found by their texts, as forms send them. */
function finderOf<C extends Choices>(choices: C): (value: unknown) => ValueOf<C> | Refused {
  const values = new Map(
    namesOf(choices).map(([value]) => [String(value), value as ValueOf<C>] as const),
  )
  return (value) => (PLAIN.has(typeof value) ? values.get(String(value)) : undefined) ?? NO_CHOICE
}

/** M3: choices of writable fields only. */
function factsOf(choices: Choices, options: AnyFieldOptions | undefined): FieldFacts {
  if (options?.readOnly) return {}
  return { choices: namesOf(choices).map(([value, name]) => ({ value, display_name: name })) }
}

function namesOf(choices: Choices): readonly (readonly [value: unknown, name: string])[] {
  return Array.isArray(choices)
    ? choices.map((value) => [value, String(value)])
    : Object.entries(choices as Readonly<Record<string, string>>)
}
