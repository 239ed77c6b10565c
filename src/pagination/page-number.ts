import type {
  CountedPage,
  Paginator,
  PaginatorImplementation,
  Window,
} from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { Incoming, MaybePromise } from '../contract/request.ts'
import type { ListSource } from '../contract/source.ts'
import { NotFound } from '../errors/client-errors.ts'
import { reply } from '../replies/reply.ts'
import { after } from '../std/after.ts'
import { SIZE_OR_NULL, TEXT, TEXTS, TEXT_OR_NULL, able, checkOptions } from '../settings/options.ts'
import { readInteger } from '../std/integer.ts'
import { pageUrl } from './links.ts'
import { requestedSize } from './page-size.ts'
import { StandardPaginator } from './standard-paginator.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface PageNumberOptions {
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
  /** What cuts the list into pages. @default StandardPaginator */
  readonly paginator?: PaginatorImplementation
  /** Answer to a page that is none. @default 'There is no such page.' */
  readonly invalidPageMessage?: string
}

type Options = Required<Omit<PageNumberOptions, 'pageSize'>> & Pick<PageNumberOptions, 'pageSize'>

const RULES = {
  pageSize: SIZE_OR_NULL,
  pageQueryParam: TEXT,
  pageSizeQueryParam: TEXT_OR_NULL,
  maxPageSize: SIZE_OR_NULL,
  lastPageStrings: TEXTS,
  paginator: able('numPages', 'window'),
  invalidPageMessage: TEXT,
}

/** `?page=2`: numbered pages of one size (chapter 12 of the behaviour rules, P30–P40). */
export class PageNumberPagination implements Paginator<ListSource<unknown>, CountedPage> {
  static readonly options: readonly string[] = [
    'pageSize',
    'pageQueryParam',
    'pageSizeQueryParam',
    'maxPageSize',
    'lastPageStrings',
    'paginator',
  ]

  readonly #options: Options

  constructor(options: PageNumberOptions = {}) {
    checkOptions('PageNumberPagination', options, RULES)
    this.#options = {
      pageQueryParam: 'page',
      pageSizeQueryParam: null,
      maxPageSize: null,
      lastPageStrings: ['last'],
      paginator: new StandardPaginator(),
      invalidPageMessage: 'There is no such page.',
      ...options,
    }
  }

  paginate(source: ListSource<unknown>, request: Incoming): MaybePromise<CountedPage | null> {
    const size = this.#pageSize(request)
    if (!size) return null
    let number = 1
    const at = (count: number): Window => {
      number = this.#pageNumber(request, count, size)
      return this.#options.paginator.window(number, count, size)
    }
    return after(readPage(source, at), ({ count, rows }) => ({
      rows,
      count,
      next:
        number < this.#options.paginator.numPages(count, size)
          ? this.#link(request, number + 1)
          : null,
      previous: number > 1 ? this.#link(request, number - 1) : null,
    }))
  }

  respond({ count, next, previous }: CountedPage, results: readonly unknown[]): Reply {
    return reply({ count, next, previous, results })
  }

  // P31: a size that the client gives switches paging on; otherwise the style's own, else the setting.
  #pageSize(request: Incoming): number | null {
    const { pageSize = request.settings.pageSize, pageSizeQueryParam, maxPageSize } = this.#options
    return requestedSize(request, pageSizeQueryParam, maxPageSize) ?? pageSize
  }

  // P32–P34
  #pageNumber(request: Incoming, count: number, size: number): number {
    const { pageQueryParam, lastPageStrings, paginator, invalidPageMessage } = this.#options
    const asked = request.query.get(pageQueryParam) || '1'
    const last = paginator.numPages(count, size)
    const number = lastPageStrings.includes(asked) ? last : readInteger(asked)
    if (number !== null && number >= 1 && number <= last) return number
    throw new NotFound(invalidPageMessage)
  }

  // P37: the link to page 1 has no page parameter.
  #link(request: Incoming, number: number): string {
    return pageUrl(request, { [this.#options.pageQueryParam]: number === 1 ? null : number })
  }
}

/** Count and rows, of one snapshot where the source can; no rows are read for a page that is none (P19). */
function readPage(
  source: ListSource<unknown>,
  at: (count: number) => Window,
): MaybePromise<{ count: number; rows: readonly unknown[] }> {
  if (source.page) return source.page(at)
  return after(source.count(), (count) => {
    const { offset, limit } = at(count)
    return after(source.slice(offset, limit), (rows) => ({ count, rows }))
  })
}
