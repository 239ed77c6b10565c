import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  AnyQuery,
  Condition,
  FilterChoice,
  FilterControl,
  FilterParameter,
  ListFields,
  FilterOperator,
} from '../../core/ports/list-source.ts'
import { unfitValue } from '../../core/errors/configuration-error.ts'
import { COUNT, checkNames, checkOptions } from '../../core/settings/options.ts'
import { LONGEST_PATTERN, LONGEST_TEXT, invalidParameter, refuseLongText } from './text-limits.ts'
import type { JSONSchema, ParameterFacts } from '../../core/types/documents.ts'

/** Limits on filtering by clients. */
export interface FieldFilterOptions {
  /** Different values of one `in`; more are 400. @default 100 */
  readonly maxValues?: number
  /** Characters of one value; more are 400. What `icontains` and `iregex` look for has at most 200. @default 1000 */
  readonly maxLength?: number
}

/**
 * `?author=3&pages__gte=100`: rows with these values. Parameters are what the list declares in
 * `filterFields`, and nothing else; all that are sent must hold.
 *
 * `'author'` is equal; a lookup behind the field compares in another way: `exact`, `in` (a comma list),
 * `lt`, `lte`, `gt`, `gte`, `isnull` (`true` or `false`), and for texts of any case `iexact`, `icontains`,
 * `istartswith`, `iregex`, `search`. A parameter that is not declared, or is empty, filters nothing; of
 * one that comes twice the last counts. A value that the field cannot have, one that is too long and too
 * many of them are 400, under the parameter's name.
 *
 * @example
 * api
 *   .endpoint('book-list', { filters: [new FieldFilter()] })
 *   .get(list({ source: books, filterFields: ['author', 'pages__gte'] }))
 */
export class FieldFilter implements FilterBackend {
  static readonly options: readonly string[] = ['maxValues', 'maxLength']

  readonly #maxValues: number
  readonly #maxLength: number

  /** @throws ConfigurationError an option is no whole number of at least 1 */
  constructor(options: FieldFilterOptions = {}) {
    checkNames(new.target, options)
    checkOptions('FieldFilter', options, { maxValues: COUNT, maxLength: COUNT })
    this.#maxValues = options.maxValues ?? 100
    this.#maxLength = options.maxLength ?? LONGEST_TEXT
  }

  applies({ filterFields }: ListFields): boolean {
    return filterFields !== null && filterFields.length > 0
  }

  searches({ filterFields }: ListFields): boolean {
    return (filterFields ?? []).some(({ operator }) => SEARCHING.has(operator))
  }

  parameters(_settings: Settings, { filterFields }: ListFields): readonly ParameterFacts[] {
    return (filterFields ?? []).map((parameter) => this.#described(parameter))
  }

  controls({ query }: Incoming, { filterFields }: ListFields): readonly FilterControl[] {
    return (filterFields ?? []).map(({ name: parameter, operator, schema }) => {
      const value = query.peek(parameter) ?? ''
      const choices =
        operator === 'isNull' ? YES_OR_NO : operator === 'equals' && choicesIn(schema?.())
      return { kind: 'field', parameter, value, ...(choices && { choices }) }
    })
  }

  filter(
    source: AnyQuery,
    { query, settings: { strictQuery } }: Incoming,
    { filterFields }: ListFields,
  ): AnyQuery {
    let found = source
    for (const parameter of filterFields ?? []) {
      const isList = strictQuery && parameter.operator === 'in'
      const text = query.text(parameter.name, parameter.bound, isList)
      const condition = text ? this.#conditionOf(parameter, text) : null
      if (condition !== null) found = found.where([condition])
    }
    return found
  }

  /** The condition of a parameter; `null`: a list without a value filters nothing. */
  #conditionOf(parameter: FilterParameter, text: string): Condition | null {
    const { name, field, operator, schema } = parameter
    refuseLongText(text, this.#longest(operator), name)
    // Texts of databases cannot hold a null character, and some databases answer with an error of their own (F6).
    if (text.includes('\0')) throw invalidParameter(name, 'null_characters_not_allowed')
    const condition = { field, operator, parameter: name, value: text }
    if (operator === 'isNull') return { ...condition, value: yesOrNo(condition) }
    const sent = operator === 'in' ? [...new Set(text.split(',').filter(Boolean))] : [text]
    if (sent.length > this.#maxValues)
      throw invalidParameter(name, 'too_many_values', { count: this.#maxValues })
    const known = operator === 'equals' || operator === 'in' ? listedIn(schema?.()) : null
    if (known && !sent.every((value) => known.includes(value)))
      throw invalidParameter(name, 'invalid_choice')
    const values = sent.map((value) => normalIn(parameter, value))
    if (values.includes(null)) throw unfitValue(condition)
    if (operator !== 'in') return { ...condition, value: values[0] }
    return values.length === 0 ? null : { ...condition, value: values }
  }

  #described({ name, field, operator, schema }: FilterParameter): ParameterFacts {
    const description = `${LOOKUPS[operator]} \`${field}\`.`
    if (operator === 'isNull') return { name, description, schema: { type: 'boolean' } }
    const maxLength = this.#longest(operator)
    if (IN_TEXTS.has(operator)) return { name, description, schema: { type: 'string', maxLength } }
    const items = schema?.() ?? { type: 'string' }
    if (operator !== 'in') return { name, description, schema: items }
    const list = { type: 'array', items, maxItems: this.#maxValues }
    return { name, description, schema: list, commas: true }
  }

  #longest(operator: FilterOperator): number {
    if (operator === 'in') return this.#maxValues * (this.#maxLength + 1)
    return ANYWHERE.has(operator) ? Math.min(this.#maxLength, LONGEST_PATTERN) : this.#maxLength
  }
}

/**
 * The value in the form that rows have: databases compare texts as they are, and PostgreSQL alone knows all forms of a UUID.
 * `null`: it is no value of the field.
 */
function normalIn({ operator, normalForm }: FilterParameter, value: string): string | null {
  return IN_TEXTS.has(operator) || normalForm === undefined ? value : normalForm(value)
}

/** The rows that each lookup keeps, in words for documents. */
const LOOKUPS: Readonly<Record<FilterOperator, string>> = {
  equals: 'Rows with this value of',
  in: 'Rows with one of these values of',
  lt: 'Rows with less than this in',
  lte: 'Rows with at most this in',
  gt: 'Rows with more than this in',
  gte: 'Rows with at least this in',
  isNull: 'Rows without a value, or with one, of',
  iequals: 'Rows with this text, in whatever case, in',
  icontains: 'Rows with this text, in whatever case, anywhere in',
  istartsWith: 'Rows with this text, in whatever case, at the beginning of',
  iregex: 'Rows that this regular expression finds, in whatever case, in',
  search: 'Rows in which a full text search finds this, in',
}

const ANYWHERE: ReadonlySet<FilterOperator> = new Set(['icontains', 'iregex'])

const IN_TEXTS: ReadonlySet<FilterOperator> = new Set([
  'iequals',
  'icontains',
  'istartsWith',
  'iregex',
  'search',
])

/** The number of choices that a list of a form shows (W16). */
const MOST_CHOICES = 1000

const YES_OR_NO: readonly FilterChoice[] = [
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
]

/** The values of a field that lists its values, as clients write them; `null`: the field takes any value. */
function listedIn(schema: JSONSchema = {}): readonly string[] | null {
  return Array.isArray(schema['enum']) ? schema['enum'].map(String) : null
}

function choicesIn(schema: JSONSchema = {}): readonly FilterChoice[] | null {
  if (schema['type'] === 'boolean') return YES_OR_NO
  const names = (schema['x-enum-descriptions'] ?? []) as readonly string[]
  const values = listedIn(schema)?.slice(0, MOST_CHOICES) ?? null
  return values && values.map((value, at) => ({ value, label: names[at] ?? value }))
}

/** Operators that no ordinary index serves. */
const SEARCHING: ReadonlySet<FilterOperator> = new Set(['icontains', 'iregex', 'search'])

function yesOrNo(condition: Condition & { readonly value: string }): boolean {
  const text = condition.value.toLowerCase()
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw unfitValue(condition)
}
