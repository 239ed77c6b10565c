import type { ControlsData, CountedPage, PageBounds } from '../contract/pagination.ts'
import type { ListSource, Portion, Rows, Window } from '../contract/list-source.ts'
import type { Incoming, MaybePromise, Reply, Settings } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { reply } from '../replies/reply.ts'
import { SIZE, SIZE_OR_NULL, oneOf } from '../settings/options.ts'
import { type Changes, urlWith } from '../std/http/query.ts'
import { cutOf, portionFrom, portionOf } from '../std/row-objects.ts'
import { TEMPLATE, type TemplateOption, arrowsOnly, pageLinks } from './page-controls.ts'
import { PageStyle, type Rules, type StyleFacts, type StyleOptions } from './limit-and-page-size.ts'
import type { JSONSchema } from '../types/documents.ts'

/** How a style comes to the count of a list (I16). */
export type CountPolicy = 'exact' | 'capped' | 'estimated' | 'none'

/** Options of a style that counts. */
export interface CountOptions {
  /**
   * `exact`: every row is counted for every page. `capped`: up to `countCap`, beyond it "at least".
   * `estimated`: what the statistics of the database say. `none`: nothing is counted. Only with `exact` is there
   * always a last page to ask for. @default 'exact'
   */
  readonly count?: CountPolicy
  /** How far `capped` counts. @default 10000 */
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
  countCap: SIZE,
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

/** Where a page lies, and what the parameters of its neighbours are. */
export interface Place extends Window {
  /** From 1. */
  readonly number: number
  readonly next: Changes
  /** `null`: it is the first page. */
  readonly previous: Changes | null
}

/**
 * The place of the page that is asked for in a list of `count` rows; `null`: they are counted later.
 * What it throws is the answer, and then nothing more is read.
 */
export type PlaceIn = (count: number | null) => Place

interface FoundRows extends Portion, Pick<CountedPage, 'count' | 'precision'> {
  /** Are there rows behind them? Absent: the count tells. */
  readonly more?: boolean
}

/** What page numbers and limit with offset share: counting, the envelope, links and controls. */
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

  /** Of `count`, which an estimate or none at all may leave open. */
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

  /** Called before anything is counted. */
  protected abstract placing(
    request: Incoming,
    size: number,
    source: ListSource,
  ): MaybePromise<PlaceIn>

  /** The number of the last page of a list of `count` rows that has this page. */
  protected abstract lastPage(count: number, size: number, place: Place): number

  /** Parameters of page `number` for page controls. */
  protected abstract numbered(number: number, place: Place): Changes

  /** The page whose controls are shown; `null`: none are. */
  protected shown(place: Place, _size: number, _count: number): Place | null {
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

  async #readThenCount(source: ListSource, placeIn: PlaceIn): Promise<FoundRows> {
    const { offset, limit } = placeIn(null)
    // One row more than the page has shows whether there is a next one.
    const found = await cutOf(source, offset, Math.min(limit + 1, Number.MAX_SAFE_INTEGER))
    const size = (found.table?.values ?? found.rows).length
    // No row lies here: a page that an empty list has not is none (P34).
    if (size === 0) placeIn(0)
    const more = size > limit
    const counted = await this.#countBehind(source, offset, size, more)
    return Object.assign(more ? firstOf(found, limit) : portionFrom(found), { more }, counted)
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
    // Rows that show where the list ends, or that it goes on beyond the cap, need no counting.
    const isShown = seen !== null && (!more || seen > this.countCap)
    const count = isShown ? seen : await source.count(this.countCap)
    if (count <= this.countCap) return { count }
    return { count: this.countCap, precision: 'at_least' }
  }

  /** Controls with page numbers, as far as `maxOffset` lets clients go; `null`: there is only this page. */
  #numbers(request: Incoming, asked: Place, size: number, count: number): ControlsData | null {
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

/** No rows are read for a page that is none (P19). */
async function countThenSlice(source: ListSource, placeIn: PlaceIn): Promise<FoundRows> {
  const count = await source.count()
  const { offset, limit } = placeIn(count)
  return Object.assign(portionFrom(await cutOf(source, offset, limit)), { count })
}

function firstOf(portion: Portion, limit: number): Portion {
  const { table } = portion
  if (table === undefined) return { rows: portion.rows.slice(0, limit) }
  return portionOf<unknown, Rows>({ ...table, values: table.values.slice(0, limit) })
}
