import type { PaginatorImplementation } from '../contract/pagination.ts'
import type { ListSource, Window } from '../contract/list-source.ts'
import type { Incoming, MaybePromise, Settings } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { TEXT, TEXTS, able } from '../settings/options.ts'
import { type Changes, readInteger } from '../std/http/query.ts'
import {
  COUNTED_RULES,
  type CountedOptions,
  CountedPagination,
  type Place,
  type PlaceIn,
} from './counted.ts'
import { PAGE_SIZE_RULES, type PageSizeOptions } from './limit-and-page-size.ts'
import type { JSONSchema, ParameterFacts } from '../types/documents.ts'
import { envelopeOf } from './limit-and-page-size.ts'

/** The options of the style. */
export interface PageNumberOptions extends CountedOptions, PageSizeOptions {
  /** @default 'page' */
  readonly pageQueryParam?: string
  /** Values of the page parameter that mean the last page. @default ['last'] */
  readonly lastPageStrings?: readonly string[]
  /** What cuts the list into pages; one of your own goes with `count: 'exact'`. @default StandardPaginator */
  readonly paginator?: PaginatorImplementation
  /** Answer to a page that does not exist. @default the message `not_found.page` */
  readonly invalidPageMessage?: string
}

const RULES = {
  pageQueryParam: TEXT,
  ...PAGE_SIZE_RULES,
  lastPageStrings: TEXTS,
  paginator: able('numPages', 'window'),
  ...COUNTED_RULES,
}

/** Pages of equal size, the last one with what is left; an empty list has one empty page (P35, P36). */
export class StandardPaginator implements PaginatorImplementation {
  static readonly options: readonly string[] = []

  numPages(count: number, pageSize: number): number {
    return Math.max(1, Math.ceil(count / pageSize))
  }

  window(number: number, _count: number, pageSize: number): Window {
    return { offset: Math.min((number - 1) * pageSize, Number.MAX_SAFE_INTEGER), limit: pageSize }
  }
}

/**
 * `?page=2`: numbered pages of one size (P30–P40).
 *
 * @throws ConfigurationError an option has the wrong type or names no template, or a `paginator` of
 *   your own meets a `count` that is not exact
 * @example
 * new PageNumberPagination({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 100 })
 */
export class PageNumberPagination extends CountedPagination {
  static readonly options: readonly string[] = Object.keys(RULES)

  readonly #parameter: string
  readonly #lastPageStrings: readonly string[]
  readonly #paginator: PaginatorImplementation
  readonly #isStandard: boolean
  readonly #refusal: string | Message

  constructor(options: PageNumberOptions = {}) {
    const rules = { ...RULES, invalidPageMessage: TEXT }
    super(options, { name: 'PageNumberPagination', rules })
    this.#parameter = options.pageQueryParam ?? 'page'
    this.#lastPageStrings = options.lastPageStrings ?? ['last']
    this.#paginator = options.paginator ?? new StandardPaginator()
    this.#isStandard = this.#paginator.constructor === StandardPaginator
    this.#refusal = options.invalidPageMessage ?? Message.of('not_found.page')
    if (this.policy === 'exact' || this.#isStandard) return
    throw new ConfigurationError(
      `PageNumberPagination: a "paginator" of your own cuts a list whose rows are all counted. Leave it out, or "count: '${this.policy}'".`,
    )
  }

  override queryParams(): readonly string[] {
    return [...super.queryParams(), this.#parameter]
  }

  override parameters(settings: Settings): readonly ParameterFacts[] {
    const isLast = this.policy === 'exact' || this.policy === 'capped'
    const words = isLast ? this.#lastPageStrings : []
    const number = { type: 'integer', minimum: 1, default: 1 }
    const schema =
      words.length === 0 ? number : { anyOf: [number, { type: 'string', enum: [...words] }] }
    const description = `Number of the page${isLast ? ', or a word for the last one' : ''}.`
    return [{ name: this.#parameter, description, schema }, ...super.parameters(settings)]
  }

  protected override envelope(results: JSONSchema): JSONSchema {
    const link = (page: number): string => `${this.#parameter}=${page}`
    return envelopeOf(results, { next: link(4), previous: link(2) }, this.counts())
  }

  /** The first page where the parameter is empty or missing (P32, P33). */
  protected override placing(
    request: Incoming,
    size: number,
    source: ListSource,
  ): MaybePromise<PlaceIn> {
    const text = request.query.get(this.#parameter) || '1'
    if (this.#lastPageStrings.includes(text)) return this.#placingLast(source, size, request)
    const number = readInteger(text) ?? 0
    if (this.#isStandard) this.checkDepth((number - 1) * size, request)
    return (count) => this.#existing(number, size, count, request)
  }

  protected override lastPage(count: number, size: number): number {
    return this.#paginator.numPages(count, size)
  }

  /** The link to page 1 has no page parameter (P37). */
  protected override numbered(number: number): Changes {
    return { [this.#parameter]: number === 1 ? null : number }
  }

  /** Only a count that reaches the end of the list knows it. */
  async #placingLast(source: ListSource, size: number, request: Incoming): Promise<PlaceIn> {
    const { policy, countCap: limit } = this
    if (policy === 'estimated' || policy === 'none')
      throw new NotFound(Message.of('not_found.uncounted'))
    const capped = policy === 'capped' ? await source.count(limit) : null
    if (capped !== null && capped > limit)
      throw new NotFound(Message.of('not_found.capped', { limit }))
    return (count) => this.#existing(this.lastPage(capped ?? count!, size), size, count, request)
  }

  /** The place of a page that there is, as far as a count shows (P34). */
  #existing(number: number, size: number, count: number | null, request: Incoming): Place {
    const last = count === null ? Infinity : this.lastPage(count, size)
    if (number < 1 || number > last) throw new NotFound(this.#refusal)
    const { offset, limit } = this.#paginator.window(number, count ?? 0, size)
    this.checkDepth(offset, request)
    const next = this.numbered(number + 1)
    const previous = number > 1 ? this.numbered(number - 1) : null
    return { offset, limit, number, next, previous }
  }
}
