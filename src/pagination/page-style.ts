import type {
  ControlsData,
  ControlsTemplate,
  ListView,
  Page,
  PageControls,
} from '../contract/pagination.ts'
import type { ListSource } from '../contract/list-source.ts'
import type { Reply } from '../contract/reply.ts'
import type { Incoming, Paginator, Settings } from '../contract/request.ts'
import { type OptionRule, SIZE_OR_NULL, TEXT_OR_NULL, checkOptions } from '../settings/options.ts'
import { readInteger } from '../std/http/query.ts'
import { TEMPLATE, type TemplateOption, templateOf } from './page-controls.ts'

/** Options of a style whose pages have a size of their own. */
export interface PageSizeOptions extends TemplateOption {
  /** Items per page. `null`: no paging unless the client asks. @default the setting `pageSize` */
  readonly pageSize?: number | null
  /** Parameter with which a client sets the page size. @default null: it cannot */
  readonly pageSizeQueryParam?: string | null
  /** Largest size a client may ask for. @default null: any */
  readonly maxPageSize?: number | null
}

/** What each option of a style may be. */
export type Rules<Options> = Readonly<Record<keyof Options, OptionRule>>

export const PAGE_SIZE_RULES: Rules<PageSizeOptions> = {
  template: TEMPLATE,
  pageSize: SIZE_OR_NULL,
  pageSizeQueryParam: TEXT_OR_NULL,
  maxPageSize: SIZE_OR_NULL,
}

/** How many rows a page has, by the options of a style: what `limit` and `page_size` mean. 0 is as good as `null`. */
interface SizeRules {
  /** Parameter with which a client sets the size, such as `limit` or `page_size`; `null`: it cannot. */
  readonly parameter: string | null
  /** `maxLimit` or `maxPageSize`: the most that a client may ask for; `null`: any. */
  readonly maximum: number | null
  /** Where the client asks for none; `undefined`: the setting `pageSize`. */
  readonly own: number | null | undefined
}

export function pageSizeRules(options: PageSizeOptions): SizeRules {
  const { pageSize: own, pageSizeQueryParam: parameter = null, maxPageSize = null } = options
  return { own, parameter, maximum: maxPageSize }
}

/** A style as its constructor describes it. */
interface StyleFacts {
  readonly name: string
  readonly rules: Readonly<Record<string, OptionRule>>
  readonly template: string
  readonly sizes: SizeRules
}

/** What all styles share: the size of a page, and the template of its controls. */
export abstract class PageStyle<
  in Source extends ListSource<unknown>,
  in out P extends Page,
> implements Paginator<Source, P> {
  static readonly named: readonly string[] = ['template']

  readonly #sizes: SizeRules
  readonly #template: ControlsTemplate | null

  /** @throws ConfigurationError an option has the wrong type, or no template has this name */
  constructor(options: TemplateOption, { name, rules, template, sizes }: StyleFacts) {
    checkOptions<object>(name, options, rules)
    this.#sizes = sizes
    this.#template = templateOf(name, options.template === undefined ? template : options.template)
  }

  // No promise of its own, which every page would wait for, and every refusal twice.
  paginate(source: Source, request: Incoming, view?: ListView): Promise<P | null> {
    const size = this.#sizeFor(request)
    return size === null ? Promise.resolve(null) : this.page(source, request, size, view)
  }

  abstract respond(page: P, results: readonly unknown[]): Reply

  largestPage(settings: Settings): number | null {
    const { parameter, maximum } = this.#sizes
    const own = this.#ownSize(settings) ?? Infinity
    const asked = parameter === null ? 0 : maximum || Infinity
    const largest = Math.min(Math.max(own, asked), settings.maxPageSize ?? Infinity)
    return largest === Infinity ? null : largest
  }

  /** Reads the page that the request asks for, of at most `size` rows. */
  protected abstract page(
    source: Source,
    request: Incoming,
    size: number,
    view?: ListView,
  ): Promise<P>

  /** Controls as the template draws them; `null`: there are none. */
  protected controls(data: () => ControlsData | null): PageControls | null {
    if (this.#template === null) return null
    const shown = data()
    return shown && { template: this.#template, data: shown }
  }

  /**
   * The size of a page: what the client asks for, else what the style sets, and never more than the
   * setting `maxPageSize` (I20). `null`: the whole list.
   */
  #sizeFor(request: Incoming): number | null {
    const { settings } = request
    const size = this.#requestedSize(request) ?? this.#ownSize(settings)
    const ceiling = settings.maxPageSize || null
    return size !== null && (ceiling === null || size < ceiling) ? size : ceiling
  }

  #ownSize({ pageSize }: Settings): number | null {
    const { own } = this.#sizes
    return (own === undefined ? pageSize : own) || null
  }

  /**
   * The size that a client asks for: a whole number of at least 1, cut down to the maximum (P13).
   * `null`: it asks for none, or for nonsense such as `limit=0`, which is ignored.
   */
  #requestedSize(request: Incoming): number | null {
    const { parameter, maximum } = this.#sizes
    const asked = parameter === null ? null : readInteger(request.query.get(parameter))
    if (asked === null || asked < 1) return null
    return maximum ? Math.min(asked, maximum) : asked
  }
}
