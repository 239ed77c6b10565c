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
 * @example field.choice({ d: 'Draft', p: 'Public' })
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

/** How many may be chosen. */
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
  type V = ValueOf<C>
  const find = finderOf<V>(choices)
  const { allowEmpty = true } = (options ?? {}) as MultipleChoiceOptions<V>
  return fieldOf('multiple choice', options, {
    inForms: 'all',
    absentInForms: [],
    read(value) {
      if (!Array.isArray(value)) return NOT_A_LIST
      if (value.length === 0) return allowEmpty ? [] : EMPTY
      return findAll(value, find)
    },
    facts: () => factsOf(choices, options),
  })
}

const NO_CHOICE = refused('invalid_choice')

/** Wrong type of a list (E27). */
export const NOT_A_LIST: Refused = refused('not_a_list')
/** A list that must not be empty (E27). */
export const EMPTY: Refused = refused('empty')

/** Values are found by their texts, as forms send them. */
function finderOf<V>(choices: Choices): (value: unknown) => V | Refused {
  const values = new Map(valuesOf(choices).map((value) => [String(value), value as V]))
  return (value) => (PLAIN.has(typeof value) ? values.get(String(value)) : undefined) ?? NO_CHOICE
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

/** Stops at the first that is none: a list of anything is no list of choices. */
function findAll<V>(
  values: readonly unknown[],
  find: (value: unknown) => V | Refused,
): V[] | Refused {
  const found = new Set<V>()
  for (const value of values) {
    const one = find(value)
    if (one instanceof Refused) return one
    found.add(one)
  }
  return [...found]
}

function valuesOf(choices: Choices): readonly (string | number | boolean)[] {
  return Array.isArray(choices) ? choices : Object.keys(choices)
}

/** M3: choices of writable fields only. */
function factsOf(choices: Choices, options: AnyFieldOptions | undefined): FieldFacts {
  if (options?.readOnly) return {}
  const names = choices as Readonly<Record<string, string>>
  return {
    choices: valuesOf(choices).map((value) => ({
      value,
      display_name: Array.isArray(choices) ? String(value) : names[String(value)]!,
    })),
  }
}
