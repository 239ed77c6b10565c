import type { ControlsData, PaginatorImplementation } from '../contract/pagination.ts'
import type { Window, ListSource } from '../contract/list-source.ts'
import type { Incoming } from '../contract/request.ts'
import { NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { TEXT, TEXTS, able, checkOptions } from '../settings/options.ts'
import { readInteger } from '../std/text/integer.ts'
import {
  COUNTED_DEFAULTS,
  COUNTED_RULES,
  type CountedOptions,
  CountedPagination,
  type FoundPage,
} from './counted-pagination.ts'
import { type CountedRows, readCounted } from './counting.ts'
import { PAGE_SIZE_RULES, type PageSizeOptions, pageSizeRules } from './limit-and-page-size.ts'
import { checkDepth, pagesLeft } from './max-offset.ts'
import { type Neighbours, arrowsOnly, pageLinks, pageUrl } from './page-links.ts'

/** Attributes of the style, named as in the document (4.2). */
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

type Options = Required<
  Omit<PageNumberOptions, keyof PageSizeOptions | 'template' | 'invalidPageMessage'>
> &
  Pick<PageNumberOptions, 'invalidPageMessage'>

const RULES = {
  pageQueryParam: TEXT,
  ...PAGE_SIZE_RULES,
  lastPageStrings: TEXTS,
  paginator: able('numPages', 'window'),
  ...COUNTED_RULES,
}

/** A page number, or the last page, or `null` for anything else that was sent. */
type Asked = number | 'last' | null

/** The page that is shown, in a list of `count` rows. */
interface Place {
  readonly number: number
  readonly size: number
  readonly count: number
}

/** Pages of equal size, the last one with what is left; an empty list has one empty page (P35, P36). */
export class StandardPaginator implements PaginatorImplementation {
  static readonly options: readonly string[] = []

  numPages(count: number, pageSize: number): number {
    return Math.max(1, Math.ceil(count / pageSize))
  }

  window(number: number, _count: number, pageSize: number): Window {
    return { offset: (number - 1) * pageSize, limit: pageSize }
  }
}

/**
 * `?page=2`: numbered pages of one size (chapter 12 of the behaviour rules, P30–P40).
 *
 * @throws ConfigurationError an option has the wrong type or names no template, or a `paginator` of
 *   your own meets a `count` that is not exact
 * @example
 * new PageNumberPagination({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 100 })
 */
export class PageNumberPagination extends CountedPagination {
  static readonly options: readonly string[] = Object.keys(RULES)

  readonly #options: Options

  constructor({ template = 'numbers', ...options }: PageNumberOptions = {}) {
    const rules = { ...RULES, invalidPageMessage: TEXT }
    checkOptions('PageNumberPagination', { template, ...options }, rules)
    super('PageNumberPagination', template, pageSizeRules(options))
    this.#options = {
      pageQueryParam: 'page',
      lastPageStrings: ['last'],
      paginator: new StandardPaginator(),
      ...COUNTED_DEFAULTS,
      ...options,
    }
    checkCountable(this.#options)
  }

  protected override async find(
    source: ListSource<unknown>,
    request: Incoming,
    size: number,
  ): Promise<FoundPage> {
    const { count: policy, paginator, maxOffset } = this.#options
    let asked = this.#asked(request)
    if (asked === 'last' && policy !== 'exact') asked = await this.#lastOfCapped(source, size)
    // A page that lies too deep is refused before anything is counted.
    if (maxOffset !== null && isStandard(paginator)) checkDepth(offsetOf(asked, size), maxOffset)
    let [number, last] = [1, Infinity]
    const read = await readCounted(source, this.#options, {
      at: (count) => {
        last = count === null ? Infinity : paginator.numPages(count, size)
        number = this.#existing(asked, last)
        const standard = { offset: offsetOf(number, size), limit: size }
        const window = count === null ? standard : paginator.window(number, count, size)
        checkDepth(window.offset, maxOffset)
        return window
      },
      more: () => number < last,
      foundNone: () => {
        if (number > 1) throw this.#noPage()
      },
    })
    return this.#found(request, number, size, read)
  }

  #found(request: Incoming, number: number, size: number, read: CountedRows): FoundPage {
    const links = {
      next: read.more ? this.#link(request, number + 1) : null,
      previous: number > 1 ? this.#link(request, number - 1) : null,
    }
    const numbered = (count: number) => this.#numbered(request, links, { number, size, count })
    return { ...read, links, numbered }
  }

  /** The number of the last page, which only a count that reaches the end of the list knows. */
  async #lastOfCapped(source: ListSource<unknown>, size: number): Promise<number> {
    const { count, countCap, paginator } = this.#options
    if (count !== 'capped') throw new NotFound(Message.of('not_found.uncounted'))
    const rows = await source.count(countCap)
    if (rows <= countCap) return paginator.numPages(rows, size)
    throw new NotFound(Message.of('not_found.capped', { limit: countCap }))
  }

  /** What the client asks for: the first page where the parameter is empty or missing (P32, P33). */
  #asked(request: Incoming): Asked {
    const { pageQueryParam, lastPageStrings } = this.#options
    const asked = request.query.get(pageQueryParam) || '1'
    return lastPageStrings.includes(asked) ? 'last' : readInteger(asked)
  }

  /** The number of the page asked for, in a list whose last page has the number `last` (P34). */
  #existing(asked: Asked, last: number): number {
    const number = asked === 'last' ? last : asked
    if (number !== null && number >= 1 && number <= last) return number
    throw this.#noPage()
  }

  #noPage(): NotFound {
    return new NotFound(this.#options.invalidPageMessage ?? Message.of('not_found.page'))
  }

  /** The link to page 1 has no page parameter (P37). */
  #link(request: Incoming, number: number): string {
    return pageUrl(request, { [this.#options.pageQueryParam]: number === 1 ? null : number })
  }

  /** Controls are shown where there is another page (H1). */
  #numbered(
    request: Incoming,
    links: Neighbours,
    { number, size, count }: Place,
  ): ControlsData | null {
    const { paginator, maxOffset } = this.#options
    const arrows = arrowsOnly(links)
    const reach = number + pagesLeft(offsetOf(number, size), size, maxOffset)
    const final = Math.min(paginator.numPages(count, size), reach)
    const urlOf = (page: number): string => this.#link(request, page)
    return arrows && { ...arrows, pageLinks: pageLinks(number, final, urlOf) }
  }
}

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
