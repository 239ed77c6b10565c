import type { FilterBackend } from '../../core/ports/policies/filters.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  AnyQuery,
  ComparedField,
  FilterControl,
  ListFields,
} from '../../core/ports/list-source.ts'
import { ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import { COUNT, checkNames, checkOptions } from '../../core/settings/options.ts'
import { LONGEST_PATTERN, invalidParameter, refuseLongText } from './text-limits.ts'
import type { ParameterFacts } from '../../core/types/documents.ts'

/** Limits on searching by clients. */
export interface SearchFilterOptions {
  /** Different terms in one search; more are 400. Each one costs the database a comparison per field and row. @default 32 */
  readonly maxTerms?: number
  /** Characters of a search; more are 400, because each may be compared with each of a text. A regular expression has at most 200. @default 200 */
  readonly maxLength?: number
}

/**
 * `?search=silent river`: rows in which every term is found, each in one of the list's `searchFields`
 * or another (F1–F6). The parameter is the setting `searchParam`.
 *
 * Terms are split at white space and commas; quotes make one of several words. A term is looked for
 * anywhere, whatever its case. In front of a field `^` asks for its beginning, `=` for all of it, `$`
 * for a regular expression and `@` for full text, where the source can; behind it a lookup says it in
 * full: `'pages__gte'`. A term that fits no field's type, too many terms, too long a search and null
 * characters are 400.
 *
 * @example
 * api
 *   .endpoint('book-list', { filters: [new SearchFilter()] })
 *   .get(list({ source: books, searchFields: ['title', '=isbn'] }))
 */
export class SearchFilter implements FilterBackend {
  static readonly options: readonly string[] = ['maxTerms', 'maxLength']

  readonly #maxTerms: number
  readonly #maxLength: number

  /** @throws ConfigurationError an option is no whole number of at least 1 */
  constructor(options: SearchFilterOptions = {}) {
    checkNames(new.target, options)
    checkOptions('SearchFilter', options, { maxTerms: COUNT, maxLength: COUNT })
    this.#maxTerms = options.maxTerms ?? 32
    this.#maxLength = options.maxLength ?? LONGEST_PATTERN
  }

  applies({ searchFields }: ListFields): boolean {
    return searchFields !== null && searchFields.length > 0
  }

  searches(fields: ListFields): boolean {
    return this.applies(fields)
  }

  parameters({ searchParam: name }: Settings): readonly ParameterFacts[] {
    const schema = { type: 'string', maxLength: this.#maxLength }
    const description = `Rows in which every term is found; at most ${this.#maxTerms} terms.`
    return [{ name, description, schema }]
  }

  controls({ query, settings: { searchParam: parameter } }: Incoming): readonly FilterControl[] {
    return [{ kind: 'search', parameter, value: query.peek(parameter) ?? '' }]
  }

  filter(source: AnyQuery, { query, settings }: Incoming, { searchFields }: ListFields): AnyQuery {
    const parameter = settings.searchParam
    const text = query.text(parameter)
    if (text === null || !searchFields?.length) return source
    return this.#termsOf(text, parameter, searchFields).reduce(
      (found, value) => found.where(searchFields.map((each) => ({ ...each, value, parameter }))),
      source,
    )
  }

  #termsOf(text: string, parameter: string, fields: readonly ComparedField[]): readonly string[] {
    refuseLongText(text, this.#maxLength, parameter)
    // Texts of databases cannot hold a null character, and some databases answer with an error of their own (F6).
    if (text.includes('\0'))
      throw new ValidationError([ErrorDetail.of('null_characters_not_allowed')])
    const terms = new Set(searchTerms(text))
    if (terms.size > this.#maxTerms)
      throw invalidParameter(parameter, 'too_many_terms', { count: this.#maxTerms })
    if (fields.some(({ operator }) => operator === 'iregex'))
      for (const term of terms) refuseLongText(term, LONGEST_PATTERN, parameter)
    return [...terms]
  }
}

const TERM = /(["'])((?:\\.|(?!\1)[^\\])*)\1(?=[\s,]|$)|[^\s,]+/gs

/**
 * The terms of a search (F2): split at white space and commas. What stands between two quotes of one
 * kind is one term, in which `\` lets a quote be a letter. A quote within a word, or one that is not
 * closed at the end of a term, is a letter anyway. Every character is looked at a fixed number of times.
 */
export function searchTerms(text: string): readonly string[] {
  const terms = [...text.matchAll(TERM)].map(([word, , quoted]) =>
    quoted === undefined ? word : quoted.replace(/\\(["'\\])/g, '$1'),
  )
  return terms.filter(Boolean)
}
