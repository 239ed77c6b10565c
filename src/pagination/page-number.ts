import type {
  ControlsTemplate,
  CountedPage,
  PageControls,
  Paginator,
  PaginatorImplementation,
  Window,
} from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { Incoming, MaybePromise } from '../contract/request.ts'
import type { Settings } from '../contract/settings.ts'
import type { ListSource } from '../contract/source.ts'
import { NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { SIZE_OR_NULL, TEXT, TEXTS, TEXT_OR_NULL, able, checkOptions } from '../settings/options.ts'
import { after } from '../std/after.ts'
import { readInteger } from '../std/text/integer.ts'
import { arrowsOnly, pageLinks } from './controls.ts'
import {
  COUNTING,
  COUNT_RULES,
  type CountOptions,
  type Counted,
  type Uncounted,
  countOf,
  countedReply,
  isExact,
  readCounted,
  readUncounted,
} from './counting.ts'
import { DEPTH_RULES, type DepthOptions, checkDepth, pagesLeft } from './depth.ts'
import { pageUrl } from './links.ts'
import { type SizeRules, largestPage, sizeOfPage } from './page-size.ts'
import { StandardPaginator } from './standard-paginator.ts'
import { TEMPLATE, type TemplateOption, templateOf } from './template.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface PageNumberOptions extends CountOptions, DepthOptions, TemplateOption {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly pageSize?: number | null
  /** @default 'page' */
  readonly pageQueryParam?: string
  /** Parameter with which a client sets the page size. @default null: it cannot */
  readonly pageSizeQueryParam?: string | null
  /** Largest size a client may ask for. @default null: any */
  readonly maxPageSize?: number | null
  /** Values of the page parameter that mean the last page. @default ['last'] */
  readonly lastPageStrings?: readonly string[]
  /** What cuts the list into pages; one of your own goes with `count: 'exact'`. @default StandardPaginator */
  readonly paginator?: PaginatorImplementation
  /** Answer to a page that is none. @default 'There is no such page.' */
  readonly invalidPageMessage?: string
}

type Options = Required<Omit<PageNumberOptions, 'pageSize' | 'template'>> &
  Pick<PageNumberOptions, 'pageSize'>

const RULES = {
  pageSize: SIZE_OR_NULL,
  pageQueryParam: TEXT,
  pageSizeQueryParam: TEXT_OR_NULL,
  maxPageSize: SIZE_OR_NULL,
  lastPageStrings: TEXTS,
  paginator: able('numPages', 'window'),
  template: TEMPLATE,
  ...COUNT_RULES,
  ...DEPTH_RULES,
}

/** A page number, or the words for the last page, or nothing that could be one. */
type Asked = number | 'last' | null

/** One request for a page of a list. */
interface Visit {
  readonly source: ListSource<unknown>
  readonly request: Incoming
  readonly asked: Asked
  readonly size: number
}

/**
 * `?page=2`: numbered pages of one size (chapter 12 of the behaviour rules, P30–P40).
 *
 * @throws ConfigurationError an option has the wrong type or names no template, or a `paginator` of
 *   your own meets a `count` that is not exact
 * @example
 * new PageNumberPagination({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 100 })
 */
export class PageNumberPagination implements Paginator<ListSource<unknown>, CountedPage> {
  static readonly options: readonly string[] = Object.keys(RULES)
  static readonly named: readonly string[] = ['template']

  readonly #options: Options
  /** P31: a size that the client gives switches paging on; otherwise the style's own, else the setting. */
  readonly #sizes: SizeRules
  readonly #template: ControlsTemplate | null

  constructor({ template = 'numbers', ...options }: PageNumberOptions = {}) {
    checkOptions(
      'PageNumberPagination',
      { template, ...options },
      { ...RULES, invalidPageMessage: TEXT },
    )
    this.#template = templateOf('PageNumberPagination', template)
    this.#options = {
      pageQueryParam: 'page',
      pageSizeQueryParam: null,
      maxPageSize: null,
      maxOffset: null,
      lastPageStrings: ['last'],
      paginator: new StandardPaginator(),
      invalidPageMessage: 'There is no such page.',
      ...COUNTING,
      ...options,
    }
    checkCountable(this.#options)
    const { pageSize: own, pageSizeQueryParam: parameter, maxPageSize: maximum } = this.#options
    this.#sizes = { own, parameter, maximum }
  }

  paginate(source: ListSource<unknown>, request: Incoming): MaybePromise<CountedPage | null> {
    const size = sizeOfPage(request, this.#sizes)
    if (size === null) return null
    const visit: Visit = { source, request, asked: this.#asked(request), size }
    return this.#options.count === 'exact' ? this.#counted(visit) : this.#uncounted(visit)
  }

  respond(page: CountedPage, results: readonly unknown[]): Reply {
    return countedReply(page, results)
  }

  largestPage(settings: Settings): number | null {
    return largestPage(settings, this.#sizes)
  }

  #counted(visit: Visit): MaybePromise<CountedPage> {
    const { source, asked, size } = visit
    const { paginator, maxOffset } = this.#options
    if (isStandard(paginator)) checkDepth(offsetOf(asked, size), maxOffset)
    let number = 1
    const at = (count: number): Window => {
      number = this.#pageNumber(asked, count, size)
      const window = paginator.window(number, count, size)
      checkDepth(window.offset, maxOffset)
      return window
    }
    return after(readCounted(source, at), (read) =>
      this.#page(visit, number, read, number < paginator.numPages(read.count, size)),
    )
  }

  #uncounted(visit: Visit): MaybePromise<CountedPage> {
    const { source, asked, size } = visit
    return after(asked === 'last' ? this.#lastPage(source, size) : asked, (number) => {
      if (number === null || number < 1) throw this.#noPage()
      const offset = offsetOf(number, size)
      checkDepth(offset, this.#options.maxOffset)
      return after(readUncounted(source, { offset, limit: size }), (read) =>
        this.#withCount(visit, number, read),
      )
    })
  }

  #withCount(visit: Visit, number: number, read: Uncounted): MaybePromise<CountedPage> {
    if (read.rows.length === 0 && number > 1) throw this.#noPage()
    return after(countOf(visit.source, read, this.#options), (counted) =>
      this.#page(visit, number, { rows: read.rows, ...counted }, read.more),
    )
  }

  // Only a count that reaches the end knows where it is.
  #lastPage(source: ListSource<unknown>, size: number): MaybePromise<number> {
    const { count, countCap, paginator } = this.#options
    if (count !== 'capped') throw new NotFound(UNCOUNTED)
    return after(source.count(countCap), (rows) => {
      if (rows <= countCap) return paginator.numPages(rows, size)
      throw new NotFound(
        `This list has more than the ${countCap} rows that are counted, so nobody knows its last page.`,
      )
    })
  }

  #page(
    visit: Visit,
    number: number,
    read: Counted & { readonly rows: readonly unknown[] },
    more: boolean,
  ): CountedPage {
    const { request } = visit
    const next = more ? this.#link(request, number + 1) : null
    const previous = number > 1 ? this.#link(request, number - 1) : null
    const controls = () => this.#controls(visit, number, page)
    const page: CountedPage = { ...read, next, previous, controls }
    return page
  }

  // P32, P33
  #asked(request: Incoming): Asked {
    const { pageQueryParam, lastPageStrings } = this.#options
    const asked = request.query.get(pageQueryParam) || '1'
    return lastPageStrings.includes(asked) ? 'last' : readInteger(asked)
  }

  // P34
  #pageNumber(asked: Asked, count: number, size: number): number {
    const last = this.#options.paginator.numPages(count, size)
    const number = asked === 'last' ? last : asked
    if (number !== null && number >= 1 && number <= last) return number
    throw this.#noPage()
  }

  #noPage(): NotFound {
    return new NotFound(this.#options.invalidPageMessage)
  }

  // P37: the link to page 1 has no page parameter.
  #link(request: Incoming, number: number): string {
    return pageUrl(request, { [this.#options.pageQueryParam]: number === 1 ? null : number })
  }

  // H1: controls are shown where there is another page.
  #controls({ request, size }: Visit, current: number, page: CountedPage): PageControls | null {
    const arrows = arrowsOnly(page)
    if (this.#template === null || arrows === null) return null
    if (!isExact(page)) return { template: this.#template, data: arrows }
    const { paginator, maxOffset } = this.#options
    const reach = current + pagesLeft(offsetOf(current, size), size, maxOffset)
    const final = Math.min(paginator.numPages(page.count, size), reach)
    const urlOf = (number: number): string => this.#link(request, number)
    return {
      template: this.#template,
      data: { ...arrows, pageLinks: pageLinks({ current, final, urlOf }) },
    }
  }
}

const UNCOUNTED = 'The rows of this list are not counted, so nobody knows its last page.'

function offsetOf(asked: Asked, size: number): number {
  if (typeof asked !== 'number' || asked < 1) return 0
  return Math.min((asked - 1) * size, Number.MAX_SAFE_INTEGER)
}

function isStandard(paginator: PaginatorImplementation): boolean {
  return paginator.constructor === StandardPaginator
}

/** @throws ConfigurationError */
function checkCountable({ count, paginator }: Options): void {
  if (count === 'exact' || isStandard(paginator)) return
  throw new ConfigurationError(
    `PageNumberPagination: a "paginator" of your own cuts a list whose rows are all counted. Leave it out, or "count: '${count}'".`,
  )
}
