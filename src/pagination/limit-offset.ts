import type { ControlsData } from '../contract/pagination.ts'
import type { Window, ListSource } from '../contract/list-source.ts'
import type { Incoming } from '../contract/request.ts'
import { SIZE_OR_NULL, TEXT, TEXT_OR_NULL, checkOptions } from '../settings/options.ts'
import { readInteger } from '../std/text/integer.ts'
import {
  COUNTED_DEFAULTS,
  COUNTED_RULES,
  type CountedOptions,
  CountedPagination,
  type FoundPage,
} from './counted-pagination.ts'
import { readCounted } from './counting.ts'
import { checkDepth, pagesLeft } from './max-offset.ts'
import { pageLinks, pageUrl } from './page-links.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface LimitOffsetOptions extends CountedOptions {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly defaultLimit?: number | null
  /** Parameter with which a client sets the limit; `null`: it cannot. @default 'limit' */
  readonly limitQueryParam?: string | null
  /** @default 'offset' */
  readonly offsetQueryParam?: string
  /** Largest limit a client may ask for. @default null: any */
  readonly maxLimit?: number | null
}

type Options = Required<Omit<LimitOffsetOptions, 'defaultLimit' | 'maxLimit' | 'template'>>

const RULES = {
  defaultLimit: SIZE_OR_NULL,
  limitQueryParam: TEXT_OR_NULL,
  offsetQueryParam: TEXT,
  maxLimit: SIZE_OR_NULL,
  ...COUNTED_RULES,
}

/**
 * `?limit=10&offset=20`: any stretch of a list (chapter 13 of the behaviour rules, L1–L13). An offset
 * behind the last row is an empty page, and no number is an error but one beyond `maxOffset`.
 *
 * @throws ConfigurationError an option has the wrong type, or names no template
 * @example
 * new LimitOffsetPagination({ defaultLimit: 20, maxLimit: 100, count: 'capped' })
 */
export class LimitOffsetPagination extends CountedPagination {
  static readonly options: readonly string[] = Object.keys(RULES)

  readonly #options: Options

  constructor({ template = 'numbers', ...options }: LimitOffsetOptions = {}) {
    checkOptions('LimitOffsetPagination', { template, ...options }, RULES)
    const { defaultLimit: own, limitQueryParam = 'limit', maxLimit = null } = options
    super('LimitOffsetPagination', template, { own, parameter: limitQueryParam, maximum: maxLimit })
    this.#options = { limitQueryParam, offsetQueryParam: 'offset', ...COUNTED_DEFAULTS, ...options }
  }

  protected override async find(
    source: ListSource<unknown>,
    request: Incoming,
    limit: number,
  ): Promise<FoundPage> {
    const window = { offset: this.#offset(request), limit }
    checkDepth(window.offset, this.#options.maxOffset)
    const read = await readCounted(source, this.#options, {
      at: () => window,
      more: (count) => window.offset + limit < count,
    })
    const links = {
      next: read.more ? this.#next(request, window) : null,
      previous: this.#previous(request, window),
    }
    const numbered = (count: number) => this.#numbered(request, window, count)
    return { ...read, links, numbered }
  }

  /** What no integer can hold lies behind every row that there is (L5, I15). */
  #offset(request: Incoming): number {
    return Math.max(readInteger(request.query.get(this.#options.offsetQueryParam)) ?? 0, 0)
  }

  #next(request: Incoming, window: Window): string {
    return this.#link(request, window, window.offset + window.limit)
  }

  /** Less than a whole page before the first row leads to the first page (L9). */
  #previous(request: Incoming, window: Window): string | null {
    if (window.offset === 0) return null
    return this.#link(request, window, window.offset - window.limit)
  }

  /** Links name the limit that took effect, where a client can set one (L8, L11). */
  #link(request: Incoming, { limit }: Window, offset: number): string {
    const { limitQueryParam, offsetQueryParam } = this.#options
    const changes = { [offsetQueryParam]: offset > 0 ? offset : null }
    return pageUrl(
      request,
      limitQueryParam === null ? changes : { ...changes, [limitQueryParam]: limit },
    )
  }

  /** Behind the last row, the controls are those of the last page (H1, H21, D55). */
  #numbered(request: Incoming, { offset, limit }: Window, count: number): ControlsData | null {
    if (count <= limit) return null
    const at = offset < count ? offset : Math.floor((count - 1) / limit) * limit
    const before = Math.ceil(at / limit)
    const behind = Math.ceil((count - at) / limit) - 1
    const final = before + 1 + Math.min(behind, pagesLeft(at, limit, this.#options.maxOffset))
    const urlOf = (page: number): string =>
      this.#numberLink(request, page === 1 ? 0 : at + (page - 1 - before) * limit)
    return {
      previousUrl: this.#previous(request, { offset: at, limit }),
      nextUrl: behind > 0 ? this.#next(request, { offset: at, limit }) : null,
      pageLinks: pageLinks(before + 1, final, urlOf),
    }
  }

  /** The links of numbers keep the limit as the client sent it (H22). */
  #numberLink(request: Incoming, offset: number): string {
    return pageUrl(request, { [this.#options.offsetQueryParam]: offset === 0 ? null : offset })
  }
}
