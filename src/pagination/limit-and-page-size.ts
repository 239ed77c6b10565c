import type {
  ControlsData,
  ControlsTemplate,
  ListView,
  Page,
  PageBounds,
  PageControls,
} from '../contract/pagination.ts'
import type { ListSource } from '../contract/list-source.ts'
import type { ApiRequest, Incoming, Paginator, Settings, Reply } from '../contract/request.ts'
import { type OptionRule, SIZE_OR_NULL, TEXT_OR_NULL, checkOptions } from '../settings/options.ts'
import type { JSONSchema, ParameterFacts } from '../types/documents.ts'
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
  /** Where the options name none. */
  readonly template: string
}

/** By whatever names a style has them. */
export type StyleOptions = { readonly [K in keyof PageSizeOptions]: PageSizeOptions[K] | undefined }

/** What all styles share: the size of a page, and the template of its controls. */
export abstract class PageStyle<
  in Source extends ListSource,
  in out P extends Page,
> implements Paginator<Source, P> {
  static readonly named: readonly string[] = ['template']

  readonly #template: ControlsTemplate | null
  /** `undefined`: the setting `pageSize`. */
  readonly #ownSize: number | null | undefined
  protected readonly sizeParameter: string | null
  readonly #largest: number

  constructor(options: StyleOptions, { name, rules, template }: StyleFacts) {
    checkOptions<object>(name, options, rules)
    this.#template = templateOf(name, options.template === undefined ? template : options.template)
    this.#ownSize = options.pageSize
    this.sizeParameter = options.pageSizeQueryParam ?? null
    this.#largest = options.maxPageSize || Infinity
  }

  // No promise of its own, which every page would wait for, and every refusal twice.
  paginate(source: Source, request: ApiRequest, view?: ListView): Promise<P | null> {
    const size = this.#sizeFor(request)
    return size === null ? Promise.resolve(null) : this.page(source, request, size, view)
  }

  queryParams(): readonly string[] {
    return this.sizeParameter === null ? [] : [this.sizeParameter]
  }

  /** A client that asks for more gets the most. */
  parameters(settings: Settings): readonly ParameterFacts[] {
    const name = this.sizeParameter
    if (name === null) return []
    const [size, most] = [this.#sizeUnder(settings), this.#largest].map((each) =>
      bounded(each, settings),
    )
    const schema = { type: 'integer', minimum: 1, ...defined({ maximum: most, default: size }) }
    return [{ name, description: 'How many rows a page has at most.', schema }]
  }

  /** Where no size holds, the answer is the bare array (P3, O1). A style with another `respond` says itself what it makes. */
  schema(results: JSONSchema, settings: Settings): JSONSchema {
    const isOurs = depthOf(this, 'envelope') <= depthOf(this, 'respond')
    const paged = isOurs ? this.envelope(results) : {}
    if (bounded(this.#sizeUnder(settings), settings) !== null) return paged
    return this.sizeParameter === null ? results : { oneOf: [paged, results] }
  }

  /** What `respond` makes of results. */
  protected abstract envelope(results: JSONSchema): JSONSchema

  abstract respond(page: P, results: readonly unknown[]): Reply

  bounds(settings: Settings): PageBounds {
    const asked = this.sizeParameter === null ? 0 : this.#largest
    const rows = bounded(Math.max(this.#sizeUnder(settings), asked), settings)
    // Without any size there are no pages, and nothing is left out or counted.
    const hasPages = rows !== null || this.sizeParameter !== null
    return { rows, ...(hasPages ? this.work(settings) : { offset: 0, count: 0 }) }
  }

  /** What a page costs beside its own rows. @default nothing, as with cursors */
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

  /** What the client asks for, at most the maximum (P13), else what the style sets; `null`: the whole list. */
  #sizeFor({ query, settings }: Incoming): number | null {
    const parameter = this.sizeParameter
    const asked = parameter === null ? null : readInteger(query.get(parameter))
    // Nonsense such as `limit=0` asks for nothing.
    const isAsked = asked !== null && asked > 0
    return bounded(isAsked ? Math.min(asked, this.#largest) : this.#sizeUnder(settings), settings)
  }

  #sizeUnder({ pageSize }: Settings): number {
    return (this.#ownSize === undefined ? pageSize : this.#ownSize) || Infinity
  }
}

/** Never more than the setting `maxPageSize` (I20). `null`: any number of rows. */
function bounded(size: number, { maxPageSize }: Settings): number | null {
  const bound = Math.min(size, maxPageSize || Infinity)
  return bound === Infinity ? null : bound
}

function defined(limits: Readonly<Record<string, number | null | undefined>>): JSONSchema {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit != null))
}

/** A page with its neighbours (O3, O4). `parameters`: those of an example of each. */
export function envelopeOf(
  results: JSONSchema,
  parameters: { readonly next: string; readonly previous: string },
  count: JSONSchema = {},
): JSONSchema {
  const link = (query: string): JSONSchema => ({
    type: ['string', 'null'],
    format: 'uri',
    examples: [`https://api.example.org/accounts/?${query}`],
  })
  const links = { next: link(parameters.next), previous: link(parameters.previous) }
  const properties = { ...count, ...links, results }
  const required = Object.keys(properties).filter((name) => name !== 'count_precision')
  return { type: 'object', properties, required }
}

/** How far up the chain of its prototypes an object has a member of its own. */
function depthOf(object: object | null, member: string): number {
  if (object === null || Object.hasOwn(object, member)) return 0
  return 1 + depthOf(Object.getPrototypeOf(object) as object | null, member)
}
