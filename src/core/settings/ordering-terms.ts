import type { SortKey } from '../ports/list-source.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { isPlain, isFilledText } from './options.ts'

/** A field with its place in an order. */
export interface OrderingKey<Field extends string = string> {
  readonly field: Field
  /** Largest first. @default false */
  readonly descending?: boolean
  /** The place of rows without a value. @default below every value */
  readonly nulls?: 'first' | 'last'
}

/** `'title'`, `'-title'` for the largest first, or an object with more (C21). */
export type OrderingTerm = string | OrderingKey

/** The order of rows: one term, or several with the most important first. */
export type Ordering = OrderingTerm | readonly OrderingTerm[]

/** The fields that an ordering names; `never` where only the running program knows them. */
export type OrderedFields<O> = O extends readonly unknown[]
  ? { readonly [At in keyof O]: FieldOf<O[At]> }[number]
  : FieldOf<O>
type FieldOf<Term> = Term extends `-${infer Field}`
  ? Known<Field>
  : Term extends string
    ? Known<Term>
    : Term extends { readonly field: infer Field }
      ? Known<Field>
      : never
type Known<Field> = string extends Field ? never : Extract<Field, string>

/**
 * The keys of an ordering. By default, rows without a value stand as if it were smaller than every
 * other (I1). A field that comes again changes nothing and is left out.
 *
 * @throws ConfigurationError it names no field, or is none of the forms that an ordering has (C22)
 */
export function sortKeys(ordering: Ordering): readonly SortKey[] {
  const terms: readonly unknown[] = Array.isArray(ordering) ? ordering : [ordering]
  if (terms.length === 0) throw refusal(ordering)
  const keys = terms.map((term) => sortKey(term, ordering))
  return keys.filter(({ field }, at) => keys.findIndex((key) => key.field === field) === at)
}

// A value from a configuration file has no types: everything is checked.
function sortKey(term: unknown, ordering: unknown): SortKey {
  const key = typeof term === 'string' ? keyOfText(term) : term
  if (!isOrderingKey(key)) throw refusal(ordering)
  const { field, descending = false, nulls = descending ? 'last' : 'first' } = key
  return { field, descending, nulls }
}

function keyOfText(text: string): OrderingKey | null {
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  return field.startsWith('-') ? null : { field, descending }
}

function isOrderingKey(term: unknown): term is OrderingKey {
  if (!isPlain(term)) return false
  const { field, descending = false, nulls = 'first' } = term
  const isPlaced = nulls === 'first' || nulls === 'last'
  return isFilledText(field) && typeof descending === 'boolean' && isPlaced
}

function refusal(ordering: unknown): ConfigurationError {
  return new ConfigurationError(
    `An ordering names fields, such as "created", "-created", { field: "created", nulls: "last" }, or a list of these. ${JSON.stringify(ordering) ?? String(ordering)} does not.`,
  )
}
