import type {
  ControlsData,
  ControlsTemplate,
  CountedPage,
  PageControls,
} from '../contract/pagination.ts'
import type { Paginator, Incoming, Settings } from '../contract/request.ts'
import type { Reply } from '../contract/reply.ts'
import type { ListSource } from '../contract/list-source.ts'
import { reply } from '../replies/reply.ts'
import { type OptionRule, SIZE, SIZE_OR_NULL, oneOf } from '../settings/options.ts'
import { TEMPLATE, type TemplateOption, templateOf } from './controls-template.ts'
import type { CountOptions, CountedRows } from './counting.ts'
import { type SizeRules, largestPage, sizeOfPage } from './limit-and-page-size.ts'
import type { DepthOptions } from './max-offset.ts'
import { type Neighbours, arrowsOnly } from './page-links.ts'

/** Options of every style that counts. */
export interface CountedOptions extends CountOptions, DepthOptions, TemplateOption {}

export const COUNTED_RULES: Readonly<Record<keyof CountedOptions, OptionRule>> = {
  template: TEMPLATE,
  count: oneOf('exact', 'capped', 'estimated', 'none'),
  countCap: SIZE,
  maxOffset: SIZE_OR_NULL,
}
export const COUNTED_DEFAULTS: Required<Omit<CountedOptions, 'template'>> = {
  count: 'exact',
  countCap: 10_000,
  maxOffset: null,
}

/** What a style finds out about a page. */
export interface FoundPage extends CountedRows {
  readonly links: Neighbours
  /** Controls with page numbers, for a list of so many rows; `null`: there is only this page. */
  readonly numbered: (count: number) => ControlsData | null
}

/** What page numbers and limit with offset share: the size of a page, the envelope and the controls. */
export abstract class CountedPagination implements Paginator<ListSource<unknown>, CountedPage> {
  static readonly named: readonly string[] = ['template']

  readonly #sizes: SizeRules
  readonly #template: ControlsTemplate | null

  /** @throws ConfigurationError no template has this name */
  constructor(style: string, template: string | ControlsTemplate | null, sizes: SizeRules) {
    this.#sizes = sizes
    this.#template = templateOf(style, template)
  }

  async paginate(source: ListSource<unknown>, request: Incoming): Promise<CountedPage | null> {
    const size = sizeOfPage(request, this.#sizes)
    if (size === null) return null
    const found = await this.find(source, request, size)
    const { rows, counted, links } = found
    return { rows, ...counted, ...links, controls: () => this.#controls(found) }
  }

  /** The envelope (P5), with `count_precision` where the count is not exact. */
  respond({ count, precision, next, previous }: CountedPage, results: readonly unknown[]): Reply {
    if (precision === undefined) return reply({ count, next, previous, results })
    return reply({ count, count_precision: precision, next, previous, results })
  }

  largestPage(settings: Settings): number | null {
    return largestPage(settings, this.#sizes)
  }

  /** Reads the page that the request asks for, of `size` rows. */
  protected abstract find(
    source: ListSource<unknown>,
    request: Incoming,
    size: number,
  ): Promise<FoundPage>

  /** Page numbers where the number of all rows is known, else arrows alone. */
  #controls({ counted: { count, precision }, links, numbered }: FoundPage): PageControls | null {
    if (this.#template === null) return null
    const isExact = count !== null && precision === undefined
    const data = isExact ? numbered(count) : arrowsOnly(links)
    return data && { template: this.#template, data }
  }
}
