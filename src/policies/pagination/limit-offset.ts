import type { Window } from '../../core/ports/list-source.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import { checkNames, SIZE_OR_NULL, TEXT, TEXT_OR_NULL } from '../../core/settings/options.ts'
import type { Changes } from '../../core/std/http/query.ts'
import {
  COUNTED_RULES,
  type CountedOptions,
  CountedPagination,
  type PagePlace,
  type PagePlaceIn,
  envelopeOf,
} from './page-number.ts'
import type { JSONSchema, ParameterFacts } from '../../core/types/documents.ts'

/** The options of the style. */
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

const RULES = {
  defaultLimit: SIZE_OR_NULL,
  limitQueryParam: TEXT_OR_NULL,
  offsetQueryParam: TEXT,
  maxLimit: SIZE_OR_NULL,
  ...COUNTED_RULES,
}

/**
 * `?limit=10&offset=20`: any stretch of a list (L1–L13). An offset
 * behind the last row is an empty page, and no number is an error but one beyond `maxOffset`.
 *
 * @throws ConfigurationError an option has the wrong type, or names no template
 * @example
 * new LimitOffsetPagination({ defaultLimit: 20, maxLimit: 100, count: 'capped' })
 */
export class LimitOffsetPagination extends CountedPagination {
  static readonly options: readonly string[] = Object.keys(RULES)

  constructor(options: LimitOffsetOptions = {}) {
    checkNames(new.target, options)
    const { limitQueryParam = 'limit', defaultLimit: pageSize, maxLimit: maxPageSize } = options
    super(
      { ...options, pageSize, pageSizeQueryParam: limitQueryParam, maxPageSize },
      {
        name: 'LimitOffsetPagination',
        rules: RULES,
        parameter: options.offsetQueryParam ?? 'offset',
      },
    )
  }

  override parameters(settings: Settings): readonly ParameterFacts[] {
    const { offset: deepest } = this.work(settings)
    const most = deepest === null ? {} : { maximum: deepest }
    const schema = { type: 'integer', minimum: 0, ...most, default: 0 }
    const description = 'How many rows are left out before the page.'
    return [...super.parameters(settings), { name: this.placeParameter, description, schema }]
  }

  protected override envelope(results: JSONSchema): JSONSchema {
    const limit = this.sizeParameter === null ? '' : `${this.sizeParameter}=100&`
    const link = (offset: number): string => `${limit}${this.placeParameter}=${offset}`
    return envelopeOf(results, { next: link(400), previous: link(200) }, this.counts())
  }

  /** An offset that no integer can hold lies behind the last row (L5, I15). */
  protected override placing(request: Incoming, limit: number): PagePlaceIn {
    const offset = this.numberIn(request, this.placeParameter, 0) ?? 0
    this.checkDepth(offset, request)
    const place = this.#place({ offset, limit })
    return () => place
  }

  /** The last page's number. Behind the last row, it is smaller than the number of the current page. */
  protected override lastPage(count: number, limit: number, { number, offset }: PagePlace): number {
    return number + Math.ceil((count - offset) / limit) - 1
  }

  /** The parameters of a page number; the links keep the limit as the client sent it (H22). */
  protected override numbered(number: number, place: PagePlace): Changes {
    return this.#to(place.offset + (number - place.number) * place.limit)
  }

  /** Behind the last row, the controls are those of the last page (H1, H21, D55). */
  protected override shown(place: PagePlace, limit: number, count: number): PagePlace | null {
    if (count <= limit) return null
    if (place.offset < count) return place
    return this.#place({ offset: Math.floor((count - 1) / limit) * limit, limit })
  }

  /** The place of a stretch. One that begins within the first page counts as the second page (L9). */
  #place({ offset, limit }: Window): PagePlace {
    return {
      offset,
      limit,
      number: Math.ceil(offset / limit) + 1,
      next: this.#neighbour(offset + limit, limit),
      previous: offset > 0 ? this.#neighbour(offset - limit, limit) : null,
    }
  }

  /** The parameters of a neighbour. If a client can set the limit, links name the limit that took effect (L8, L11). */
  #neighbour(offset: number, limit: number): Changes {
    const parameter = this.sizeParameter
    return parameter === null ? this.#to(offset) : { ...this.#to(offset), [parameter]: limit }
  }

  #to(offset: number): Changes {
    return { [this.placeParameter]: offset > 0 ? offset : null }
  }
}
