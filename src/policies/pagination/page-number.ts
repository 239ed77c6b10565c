import type {
  ControlsData,
  ControlsTemplate,
  ListView,
  Page,
  PageBounds,
  PageControls,
  Paginator,
  CountedPage,
  PaginatorImplementation,
} from '../../core/ports/policies/pagination.ts'
import type { ListSource, Portion, Rows, Window } from '../../core/ports/list-source.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { ValidationError, ApiError, NotFound } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import {
  type OptionRule,
  SIZE_OR_NULL,
  TEXT_OR_NULL,
  checkOptions,
  COUNT,
  oneOf,
  checkNames,
  TEXT,
  TEXTS,
  able,
} from '../../core/settings/options.ts'
import type { JSONSchema, ParameterFacts } from '../../core/types/documents.ts'
import { Query, type Changes, urlWith } from '../../core/std/http/query.ts'
import {
  TEMPLATE,
  type TemplateOption,
  templateOf,
  arrowsOnly,
  pageLinks,
} from './page-controls.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { Message } from '../../core/messages/message.ts'
import { reply } from '../../core/replies/reply.ts'
import { rowCount, cutOf, pickRows, portionFrom, portionOf } from '../../core/std/row-objects.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** Options of a style whose pages have a size of their own. */
export interface PageSizeOptions extends TemplateOption {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly pageSize?: number | null
  /** Parameter with which a client sets the page size. @default null: it cannot */
  readonly pageSizeQueryParam?: string | null
  /** Largest size a client may ask for. @default null: any */
  readonly maxPageSize?: number | null
}

export type Rules<Options> = Readonly<Record<keyof Options, OptionRule>>

export const PAGE_SIZE_RULES: Rules<PageSizeOptions> = {
  template: TEMPLATE,
  pageSize: SIZE_OR_NULL,
  pageSizeQueryParam: TEXT_OR_NULL,
  maxPageSize: SIZE_OR_NULL,
}

export interface StyleFacts {
  readonly name: string
  readonly rules: Readonly<Record<string, OptionRule>>
  /** The parameter that says which page. */
  readonly parameter: string
  /** The template if the options name none. */
  readonly template: string
}

/** The options under the common names; a style may have names of its own for them. */
export type StyleOptions = { readonly [K in keyof PageSizeOptions]: PageSizeOptions[K] | undefined }

/** The common part of all styles: the size of a page, and the template of its controls. */
export abstract class PageStyle<
  in Source extends ListSource,
  in out P extends Page,
> implements Paginator<Source, P> {
  static readonly named: readonly string[] = ['template']

  readonly #template: ControlsTemplate | null
  /** The style's own page size; `undefined`: the setting `pageSize` decides. */
  readonly pageSize: number | null | undefined
  protected readonly placeParameter: string
  protected readonly sizeParameter: string | null
  readonly #largest: number

  constructor(options: StyleOptions, { name, rules, parameter, template }: StyleFacts) {
    checkOptions<object>(name, options, rules)
    this.#template = templateOf(name, options.template === undefined ? template : options.template)
    this.pageSize = options.pageSize
    this.placeParameter = parameter
    this.sizeParameter = options.pageSizeQueryParam ?? null
    if (parameter === this.sizeParameter)
      throw new ConfigurationError(
        `${name}: two parameters are named "${parameter}". Give one of them another name.`,
      )
    this.#largest = options.maxPageSize || Infinity
  }

  // This method adds no promise of its own, which every page would wait for, and every refusal twice.
  paginate(source: Source, request: ApiRequest, view?: ListView): Promise<P | null> {
    const size = this.#sizeFor(request)
    return size === null ? Promise.resolve(null) : this.page(source, request, size, view)
  }

  /** The parameter of the page size. A client that asks for more than the maximum gets the maximum. */
  parameters(settings: Settings): readonly ParameterFacts[] {
    const name = this.sizeParameter
    if (name === null) return []
    const [size, most] = [this.#sizeUnder(settings), this.#largest].map((each) =>
      bounded(each, settings),
    )
    // The maximum bounds what clients ask for; a page without the parameter may have more rows.
    const isLarger = most !== null && most !== undefined && (size ?? Infinity) > most
    const known = { maximum: most, ...(!isLarger && { default: size }) }
    const more = isLarger ? ` Without it: ${size ?? 'all'}.` : ''
    const schema = { type: 'integer', minimum: 1, ...defined(known) }
    return [{ name, description: `How many rows a page has at most.${more}`, schema }]
  }

  /**
   * The schema of an answer. Without a page size, the answer is the bare array (P3, O1). A style with its own `respond`
   * describes its answers itself.
   */
  schema(results: JSONSchema, settings: Settings): JSONSchema {
    const paged = isDescribed(this) ? this.envelope(results) : {}
    if (bounded(this.#sizeUnder(settings), settings) !== null) return paged
    return this.sizeParameter === null ? results : { oneOf: [paged, results] }
  }

  /** The schema that `respond` makes of results. */
  protected abstract envelope(results: JSONSchema): JSONSchema

  abstract respond(page: P, results: readonly unknown[]): Reply

  bounds(settings: Settings): PageBounds {
    const asked = this.sizeParameter === null ? 0 : this.#largest
    const rows = bounded(Math.max(this.#sizeUnder(settings), asked), settings)
    // Without any size, the list has no pages, and rows are neither skipped nor counted.
    const hasPages = rows !== null || this.sizeParameter !== null
    return { rows, ...(hasPages ? this.work(settings) : { offset: 0, count: 0 }) }
  }

  /** The rows that a page skips and counts beside its own. @default none, as with cursors */
  protected work(_settings: Settings): Omit<PageBounds, 'rows'> {
    return { offset: 0, count: 0 }
  }

  /** Reads at most `size` rows. */
  protected abstract page(
    source: Source,
    request: ApiRequest,
    size: number,
    view?: ListView,
  ): Promise<P>

  protected controls(data: () => ControlsData | null): PageControls | null {
    if (this.#template === null) return null
    const shown = data()
    return shown && { template: this.#template, data: shown }
  }

  /**
   * The size that the client asks for, up to the maximum (P13), else the size that the style sets; `null`: the whole list.
   */
  #sizeFor(request: Incoming): number | null {
    const { settings } = request
    const name = this.sizeParameter
    const most = bounded(this.#largest, settings) ?? Infinity
    const asked = name === null ? null : this.numberIn(request, name, 1, most)
    return bounded(asked ?? this.#sizeUnder(settings), settings)
  }

  /**
   * The number that the client asks for; `null`: none, or nonsense such as `limit=0`. A number above the maximum becomes the
   * maximum.
   *
   * @throws ValidationError (400) nonsense, or more than the most, where queries are strict
   */
  protected numberIn(
    { query, settings }: Incoming,
    name: string,
    least: number,
    most: number = Infinity,
  ): number | null {
    const text = query.get(name)
    const number = readInteger(text)
    if (settings.strictQuery && text) refuseNonsense(number, name, least, most)
    return number === null || number < least ? null : Math.min(number, most)
  }

  #sizeUnder({ pageSize }: Settings): number {
    return (this.pageSize === undefined ? pageSize : this.pageSize) || Infinity
  }
}

function refuseNonsense(number: number | null, name: string, least: number, most: number): void {
  const refusal = (detail: ErrorDetail) => new ValidationError({ [name]: [detail] })
  if (number === null) throw refusal(ErrorDetail.of('invalid.integer'))
  if (number < least) throw refusal(ErrorDetail.of('min_value', { limit: least }))
  if (number > most) throw refusal(ErrorDetail.of('max_value', { limit: most }))
}

/** Never more than the setting `maxPageSize` (I20). `null`: any number of rows. */
function bounded(size: number, { maxPageSize }: Settings): number | null {
  const bound = Math.min(size, maxPageSize || Infinity)
  return bound === Infinity ? null : bound
}

function defined(limits: Readonly<Record<string, number | null | undefined>>): JSONSchema {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit != null))
}

/** The schema of a page with its neighbours (O3, O4). `parameters`: queries for the examples of both links. */
export function envelopeOf(
  results: JSONSchema,
  parameters: { readonly next: string; readonly previous: string },
  count: JSONSchema = {},
): JSONSchema {
  const link = (query: string): JSONSchema => ({
    type: ['string', 'null'],
    format: 'uri',
    examples: [`https://api.example.org/accounts/?${Query.parse(query).toString()}`],
  })
  const links = { next: link(parameters.next), previous: link(parameters.previous) }
  const properties = { ...count, ...links, results }
  const required = Object.keys(properties).filter((name) => name !== 'count_precision')
  return { type: 'object', properties, required }
}

/** Does the class with `respond`, or a class below it, describe what `respond` makes? */
function isDescribed(style: object): boolean {
  if (Object.hasOwn(style, 'envelope')) return true
  return !Object.hasOwn(style, 'respond') && isDescribed(Object.getPrototypeOf(style) as object)
}

/** The ways in which a style counts a list (I16). */
export type CountPolicy = 'exact' | 'capped' | 'estimated' | 'none'

/** Options of a style that counts. */
export interface CountOptions {
  /**
   * `exact`: every row is counted for every page. `capped`: up to `countCap`, beyond it "at least".
   * `estimated`: what the statistics of the database say. `none`: nothing is counted. Only with `exact` is there
   * always a last page to ask for. @default 'exact'
   */
  readonly count?: CountPolicy
  /** The number up to which `capped` counts. @default 10000 */
  readonly countCap?: number
}

/** The option of a style that reads by offset. */
export interface DepthOptions {
  /** The largest offset that is read; a larger one is 400, because a database reads every row before it. @default null: the setting `maxOffset` alone */
  readonly maxOffset?: number | null
}

export interface CountedOptions extends CountOptions, DepthOptions, TemplateOption {}

export const COUNTED_RULES: Rules<CountedOptions> = {
  template: TEMPLATE,
  count: oneOf('exact', 'capped', 'estimated', 'none'),
  countCap: COUNT,
  maxOffset: SIZE_OR_NULL,
}

/** 400: the page begins behind the `maxOffset` of its style or of the settings. */
export class OffsetTooLarge extends ApiError {
  static override readonly status = 400
  static override readonly code = 'max_offset'

  constructor(maxOffset: number) {
    super(Message.of('max_offset', { limit: maxOffset }))
  }
}

/** The place of a page, and the parameters of its neighbours. */
export interface PagePlace extends Window {
  /** From 1. */
  readonly number: number
  readonly next: Changes
  /** `null`: it is the first page. */
  readonly previous: Changes | null
}

/**
 * Gives the place of the requested page in a list of `count` rows; `null`: the rows are counted later. Its error is the
 * answer, and nothing more is read.
 */
export type PagePlaceIn = (count: number | null) => PagePlace

interface FoundRows extends Portion, Pick<CountedPage, 'count' | 'precision'> {
  /** Do more rows follow? Absent: the count tells. */
  readonly more?: boolean
}

/** The common part of page numbers and of limit with offset: counting, the envelope, links and controls. */
export abstract class CountedPagination extends PageStyle<ListSource, CountedPage> {
  protected readonly policy: CountPolicy
  protected readonly countCap: number
  readonly #maxOffset: number

  constructor(options: CountedOptions & StyleOptions, facts: Omit<StyleFacts, 'template'>) {
    super(options, { ...facts, template: 'numbers' })
    this.policy = options.count ?? 'exact'
    this.countCap = options.countCap ?? 10_000
    this.#maxOffset = options.maxOffset ?? Infinity
  }

  /** The envelope (P5), with `count_precision` where the count is not exact. */
  override respond(
    { count, precision, next, previous }: CountedPage,
    results: readonly unknown[],
  ): Reply {
    if (precision === undefined) return reply({ count, next, previous, results })
    return reply({ count, count_precision: precision, next, previous, results })
  }

  /** The schema of `count`, which may be `null` with an estimate or without counting. */
  protected counts(): JSONSchema {
    const isKnown = this.policy === 'exact' || this.policy === 'capped'
    const type = isKnown ? 'integer' : ['integer', 'null']
    const precision = { capped: 'at_least', estimated: 'estimated', exact: null, none: null }
    const worth = precision[this.policy]
    return {
      count: { type, ...(isKnown && { minimum: 0 }), examples: [123] },
      ...(worth && { count_precision: { type: 'string', enum: [worth] } }),
    }
  }

  /** Places the page. Called before anything is counted. */
  protected abstract placing(
    request: Incoming,
    size: number,
    source: ListSource,
  ): MaybePromise<PagePlaceIn>

  /** The number of the last page of a list of `count` rows that has this page. */
  protected abstract lastPage(count: number, size: number, place: PagePlace): number

  /** Parameters of page `number` for page controls. */
  protected abstract numbered(number: number, place: PagePlace): Changes

  /** The page whose controls are shown; `null`: none are. */
  protected shown(place: PagePlace, _size: number, _count: number): PagePlace | null {
    return place
  }

  /** @throws OffsetTooLarge (400) it lies deeper than the style or the setting `maxOffset` allows (I20) */
  protected checkDepth(offset: number, { settings }: Pick<Incoming, 'settings'>): void {
    const deepest = this.#deepest(settings)
    if (offset > deepest) throw new OffsetTooLarge(deepest)
  }

  protected override work(settings: Settings): Omit<PageBounds, 'rows'> {
    const deepest = this.#deepest(settings)
    const counts = { exact: null, capped: this.countCap, estimated: 0, none: 0 }
    return { offset: deepest === Infinity ? null : deepest, count: counts[this.policy] }
  }

  #deepest({ maxOffset }: Settings): number {
    return Math.min(this.#maxOffset, maxOffset ?? Infinity)
  }

  protected override async page(
    source: ListSource,
    request: Incoming,
    size: number,
  ): Promise<CountedPage> {
    const placeIn = await this.placing(request, size, source)
    const isExact = this.policy === 'exact'
    const found: FoundRows = await (isExact
      ? (source.page?.(placeIn) ?? countThenSlice(source, placeIn))
      : this.#readThenCount(source, placeIn))
    const { count, precision } = found
    const place = placeIn(isExact ? count : null)
    const more = found.more ?? place.number < this.lastPage(count!, size, place)
    const links = {
      next: more ? urlWith(request, place.next) : null,
      previous: place.previous && urlWith(request, place.previous),
    }
    const data = (): ControlsData | null =>
      count === null || precision !== undefined
        ? arrowsOnly(links)
        : this.#numbers(request, place, size, count)
    const counted = precision === undefined ? { count } : { count, precision }
    return Object.assign(portionFrom(found), counted, links, {
      controls: () => this.controls(data),
    })
  }

  async #readThenCount(source: ListSource, placeIn: PagePlaceIn): Promise<FoundRows> {
    const { offset, limit } = placeIn(null)
    // One row more than the page has shows whether there is a next one.
    const found = await cutOf(source, offset, Math.min(limit + 1, Number.MAX_SAFE_INTEGER))
    const size = found.table ? rowCount(found.table) : found.rows.length
    // No rows: an empty list has only a first page, and any other is 404 (P34).
    if (size === 0) placeIn(0)
    const more = size > limit
    const counted = await this.#countBehind(source, offset, size, more)
    return Object.assign(firstOf(found, limit), { more }, counted)
  }

  async #countBehind(
    source: ListSource,
    offset: number,
    size: number,
    more: boolean,
  ): Promise<Pick<CountedPage, 'count' | 'precision'>> {
    if (this.policy === 'none') return { count: null }
    if (this.policy === 'estimated') {
      const count = (await source.estimate?.()) ?? null
      return { count, ...(count !== null && { precision: 'estimated' }) }
    }
    const seen = size > 0 || offset === 0 ? offset + size : null
    // The count is known without counting if the rows show the end of the list, or that it goes on beyond the cap.
    const isShown = seen !== null && (!more || seen > this.countCap)
    const count = isShown ? seen : await source.count(this.countCap)
    if (count <= this.countCap) return { count }
    return { count: this.countCap, precision: 'at_least' }
  }

  /** Controls with page numbers, as far as `maxOffset` lets clients go; `null`: there is only this page. */
  #numbers(request: Incoming, asked: PagePlace, size: number, count: number): ControlsData | null {
    const place = this.shown(asked, size, count)
    if (place === null) return null
    const { number, offset, next, previous } = place
    const last = this.lastPage(count, size, place)
    const reached = number + Math.floor((this.#deepest(request.settings) - offset) / size)
    const arrows = arrowsOnly({
      next: number < last ? urlWith(request, next) : null,
      previous: previous && urlWith(request, previous),
    })
    const urlOf = (page: number): string => urlWith(request, this.numbered(page, place))
    return arrows && { ...arrows, pageLinks: pageLinks(number, Math.min(last, reached), urlOf) }
  }
}

/** Counts first, so that no rows are read for a page that does not exist (P19). */
async function countThenSlice(source: ListSource, placeIn: PagePlaceIn): Promise<FoundRows> {
  const count = await source.count()
  const { offset, limit } = placeIn(count)
  return Object.assign(portionFrom(await cutOf(source, offset, limit)), { count })
}

function firstOf(portion: Portion, limit: number): Portion {
  const { table } = portion
  if (table === undefined) return { rows: portion.rows.slice(0, limit) }
  return portionOf<unknown, Rows>(pickRows(table, (rows) => rows.slice(0, limit)))
}

/** The options of the style. */
export interface PageNumberOptions extends CountedOptions, PageSizeOptions {
  /** @default 'page' */
  readonly pageQueryParam?: string
  /** Values of the page parameter that mean the last page. @default ['last'] */
  readonly lastPageStrings?: readonly string[]
  /** Cuts the list into pages; your own needs `count: 'exact'`. @default StandardPaginator */
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

  readonly #lastPageStrings: readonly string[]
  readonly #paginator: PaginatorImplementation
  readonly #isStandard: boolean
  readonly #refusal: string | Message

  constructor(options: PageNumberOptions = {}) {
    checkNames(new.target, options, ['invalidPageMessage'])
    const rules = { ...RULES, invalidPageMessage: TEXT }
    super(options, {
      name: 'PageNumberPagination',
      rules,
      parameter: options.pageQueryParam ?? 'page',
    })
    this.#lastPageStrings = options.lastPageStrings ?? ['last']
    this.#paginator = options.paginator ?? new StandardPaginator()
    this.#isStandard = this.#paginator.constructor === StandardPaginator
    this.#refusal = options.invalidPageMessage ?? Message.of('not_found.page')
    if (this.policy === 'exact' || this.#isStandard) return
    throw new ConfigurationError(
      `PageNumberPagination: a "paginator" of your own cuts a list whose rows are all counted. Leave it out, or "count: '${this.policy}'".`,
    )
  }

  override parameters(settings: Settings): readonly ParameterFacts[] {
    const isLast = this.policy === 'exact' || this.policy === 'capped'
    const words = isLast ? this.#lastPageStrings : []
    const number = { type: 'integer', minimum: 1, default: 1 }
    const schema =
      words.length === 0 ? number : { anyOf: [number, { type: 'string', enum: [...words] }] }
    const description = `Number of the page${isLast ? ', or a word for the last one' : ''}.`
    return [{ name: this.placeParameter, description, schema }, ...super.parameters(settings)]
  }

  protected override envelope(results: JSONSchema): JSONSchema {
    const link = (page: number): string => `${this.placeParameter}=${page}`
    return envelopeOf(results, { next: link(4), previous: link(2) }, this.counts())
  }

  /** The first page where the parameter is empty or missing (P32, P33). */
  protected override placing(
    request: Incoming,
    size: number,
    source: ListSource,
  ): MaybePromise<PagePlaceIn> {
    const text = request.query.get(this.placeParameter) || '1'
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
    return { [this.placeParameter]: number === 1 ? null : number }
  }

  /** Places the last page, which only a count to the end of the list can find. */
  async #placingLast(source: ListSource, size: number, request: Incoming): Promise<PagePlaceIn> {
    const { policy, countCap: limit } = this
    if (policy === 'estimated' || policy === 'none')
      throw new NotFound(Message.of('not_found.uncounted'))
    const capped = policy === 'capped' ? await source.count(limit) : null
    if (capped !== null && capped > limit)
      throw new NotFound(Message.of('not_found.capped', { limit }))
    return (count) => this.#existing(this.lastPage(capped ?? count!, size), size, count, request)
  }

  /** Places a page that exists, as far as the count shows (P34). */
  #existing(number: number, size: number, count: number | null, request: Incoming): PagePlace {
    const last = count === null ? Infinity : this.lastPage(count, size)
    if (number < 1 || number > last) throw new NotFound(this.#refusal)
    const { offset, limit } = this.#paginator.window(number, count ?? 0, size)
    this.checkDepth(offset, request)
    const next = this.numbered(number + 1)
    const previous = number > 1 ? this.numbered(number - 1) : null
    return { offset, limit, number, next, previous }
  }
}

const INTEGER = /^\s*([+-]?)(\d{1,4300})\s*$/

/** A whole number in decimal digits (P12): not `2.0` or `1e3`. Beyond ±(2^53 − 1) it becomes that. */
export function readInteger(text: string | null): number | null {
  const found = text && INTEGER.exec(text)
  if (!found) return null
  const size = Math.min(Number(found[2]), Number.MAX_SAFE_INTEGER)
  // Taken from 0, because -0 is not the number that people mean.
  return found[1] === '-' ? 0 - size : size
}
