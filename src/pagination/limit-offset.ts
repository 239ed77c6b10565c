import type {
  ControlsData,
  ControlsTemplate,
  CountedPage,
  PageControls,
  Paginator,
  Window,
} from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { Incoming, MaybePromise } from '../contract/request.ts'
import type { Settings } from '../contract/settings.ts'
import type { ListSource } from '../contract/source.ts'
import { SIZE_OR_NULL, TEXT, TEXT_OR_NULL, checkOptions } from '../settings/options.ts'
import { after } from '../std/after.ts'
import { readInteger } from '../std/text/integer.ts'
import { arrowsOnly, pageLinks } from './controls.ts'
import {
  COUNTING,
  COUNT_RULES,
  type CountOptions,
  type Counted,
  countOf,
  countedReply,
  isExact,
  readCounted,
  readUncounted,
} from './counting.ts'
import { DEPTH_RULES, type DepthOptions, checkDepth, pagesLeft } from './depth.ts'
import { pageUrl } from './links.ts'
import { type SizeRules, largestPage, sizeOfPage } from './page-size.ts'
import { TEMPLATE, type TemplateOption, templateOf } from './template.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface LimitOffsetOptions extends CountOptions, DepthOptions, TemplateOption {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly defaultLimit?: number | null
  /** Parameter with which a client sets the limit; `null`: it cannot. @default 'limit' */
  readonly limitQueryParam?: string | null
  /** @default 'offset' */
  readonly offsetQueryParam?: string
  /** Largest limit a client may ask for. @default null: any */
  readonly maxLimit?: number | null
}

type Options = Required<Omit<LimitOffsetOptions, 'defaultLimit' | 'template'>> &
  Pick<LimitOffsetOptions, 'defaultLimit'>

const RULES = {
  defaultLimit: SIZE_OR_NULL,
  limitQueryParam: TEXT_OR_NULL,
  offsetQueryParam: TEXT,
  maxLimit: SIZE_OR_NULL,
  template: TEMPLATE,
  ...COUNT_RULES,
  ...DEPTH_RULES,
}

/**
 * `?limit=10&offset=20`: any stretch of a list (chapter 13 of the behaviour rules, L1–L13). An offset
 * behind the last row is an empty page, and no number is an error but one beyond `maxOffset`.
 *
 * @throws ConfigurationError an option has the wrong type, or names no template
 * @example
 * new LimitOffsetPagination({ defaultLimit: 20, maxLimit: 100, count: 'capped' })
 */
export class LimitOffsetPagination implements Paginator<ListSource<unknown>, CountedPage> {
  static readonly options: readonly string[] = Object.keys(RULES)
  static readonly named: readonly string[] = ['template']

  readonly #options: Options
  /** L2–L4 */
  readonly #sizes: SizeRules
  readonly #template: ControlsTemplate | null

  constructor({ template = 'numbers', ...options }: LimitOffsetOptions = {}) {
    checkOptions('LimitOffsetPagination', { template, ...options }, RULES)
    this.#template = templateOf('LimitOffsetPagination', template)
    this.#options = {
      limitQueryParam: 'limit',
      offsetQueryParam: 'offset',
      maxLimit: null,
      maxOffset: null,
      ...COUNTING,
      ...options,
    }
    const { defaultLimit: own, limitQueryParam: parameter, maxLimit: maximum } = this.#options
    this.#sizes = { own, parameter, maximum }
  }

  paginate(source: ListSource<unknown>, request: Incoming): MaybePromise<CountedPage | null> {
    const limit = sizeOfPage(request, this.#sizes)
    if (limit === null) return null
    const window = { offset: this.#offset(request), limit }
    checkDepth(window.offset, this.#options.maxOffset)
    return this.#options.count === 'exact'
      ? this.#counted(source, request, window)
      : this.#uncounted(source, request, window)
  }

  respond(page: CountedPage, results: readonly unknown[]): Reply {
    return countedReply(page, results)
  }

  largestPage(settings: Settings): number | null {
    return largestPage(settings, this.#sizes)
  }

  #counted(
    source: ListSource<unknown>,
    request: Incoming,
    window: Window,
  ): MaybePromise<CountedPage> {
    return after(
      readCounted(source, () => window),
      ({ count, rows }) => {
        const more = window.offset + window.limit < count
        return this.#page(request, window, { rows, count }, more)
      },
    )
  }

  #uncounted(
    source: ListSource<unknown>,
    request: Incoming,
    window: Window,
  ): MaybePromise<CountedPage> {
    return after(readUncounted(source, window), (read) =>
      after(countOf(source, read, this.#options), (counted) =>
        this.#page(request, window, { rows: read.rows, ...counted }, read.more),
      ),
    )
  }

  #page(
    request: Incoming,
    window: Window,
    read: Counted & { readonly rows: readonly unknown[] },
    more: boolean,
  ): CountedPage {
    const next = more ? this.#link(request, window, window.offset + window.limit) : null
    const previous = this.#previous(request, window)
    const controls = () => this.#controls(request, window, page)
    const page: CountedPage = { ...read, next, previous, controls }
    return page
  }

  // L5: what no integer can hold lies behind every row there is (I15).
  #offset(request: Incoming): number {
    return Math.max(readInteger(request.query.get(this.#options.offsetQueryParam)) ?? 0, 0)
  }

  // L9
  #previous(request: Incoming, window: Window): string | null {
    if (window.offset === 0) return null
    return this.#link(request, window, window.offset - window.limit)
  }

  // L8, L11: the limit that took effect is always said, where a client can say one.
  #link(request: Incoming, { limit }: Window, offset: number): string {
    const { limitQueryParam, offsetQueryParam } = this.#options
    const changes = { [offsetQueryParam]: offset > 0 ? offset : null }
    return pageUrl(
      request,
      limitQueryParam === null ? changes : { ...changes, [limitQueryParam]: limit },
    )
  }

  #controls(request: Incoming, window: Window, page: CountedPage): PageControls | null {
    if (this.#template === null) return null
    const data = isExact(page) ? this.#numbered(request, window, page.count) : arrowsOnly(page)
    return data && { template: this.#template, data }
  }

  // H1, H21, H22. Behind the last row, the controls are those of the last page (D55).
  #numbered(request: Incoming, { offset, limit }: Window, count: number): ControlsData | null {
    if (count <= limit) return null
    const at = offset < count ? offset : Math.floor((count - 1) / limit) * limit
    const before = Math.ceil(at / limit)
    const behind = Math.ceil((count - at) / limit) - 1
    return {
      previousUrl: this.#previous(request, { offset: at, limit }),
      nextUrl: behind > 0 ? this.#link(request, { offset: at, limit }, at + limit) : null,
      pageLinks: pageLinks({
        current: before + 1,
        final: before + 1 + Math.min(behind, pagesLeft(at, limit, this.#options.maxOffset)),
        urlOf: (page) =>
          this.#numberLink(request, page === 1 ? 0 : at + (page - 1 - before) * limit),
      }),
    }
  }

  // H22: the limit stays as the client sent it.
  #numberLink(request: Incoming, offset: number): string {
    return pageUrl(request, { [this.#options.offsetQueryParam]: offset === 0 ? null : offset })
  }
}
