import type { ServiceFacts } from '../contract/service-facts.ts'
import type {
  ControlsTemplate,
  KnownList,
  LinkedPage,
  ListView,
  PageControls,
} from '../contract/pagination.ts'
import type { Paginator, Incoming, Settings } from '../contract/request.ts'
import type { Reply } from '../contract/reply.ts'
import type {
  ListSource,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../contract/list-source.ts'
import { InvalidPosition, NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { reply } from '../replies/reply.ts'
import { TEXT, checkOptions } from '../settings/options.ts'
import { type FieldsOf, type Ordering, sortKeys } from '../settings/ordering.ts'
import { TEMPLATE, type TemplateOption, templateOf } from './controls-template.ts'
import { FIRST_PAGE, type Start, readStart, startsAround, writeStart } from './cursor-start.ts'
import {
  PAGE_SIZE_RULES,
  type PageSizeOptions,
  type SizeRules,
  largestPage,
  pageSizeRules,
  sizeOfPage,
} from './limit-and-page-size.ts'
import { arrowsOnly, pageUrl } from './page-links.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface CursorOptions<O extends Ordering = Ordering>
  extends TemplateOption, PageSizeOptions {
  /** @default 'cursor' */
  readonly cursorQueryParam?: string
  /** What rows are sorted by, where no filter decides on an order (C20). @default '-created' */
  readonly ordering?: O
  /** Answer to a cursor that is not valid. @default the message `not_found.cursor` */
  readonly invalidCursorMessage?: string
}

type Options = Required<Pick<CursorOptions, 'cursorQueryParam'>> &
  Pick<CursorOptions, 'invalidCursorMessage'>

const RULES = {
  cursorQueryParam: TEXT,
  template: TEMPLATE,
  ...PAGE_SIZE_RULES,
}

/** One request for a page in an order. */
interface Visit {
  readonly request: Incoming
  readonly keys: readonly SortKey[]
  /** What its cursors are bound to. */
  readonly context: string
}

/**
 * `?cursor=…`: a page begins right behind the row that the one before it ended with, whatever was
 * inserted or deleted meanwhile, at a cost that does not grow with the depth (I1). Links lead to the
 * next and the previous page only, and rows are not counted.
 *
 * The ordering needs no unique field: the source adds its key. A cursor holds the values of the last
 * row, encrypted, and is one of this service, endpoint, path parameters and ordering; every other is
 * answered with 404, and nothing is read.
 *
 * @throws ConfigurationError an option has the wrong type, or the ordering names nothing (C22); when
 *   the service starts, there is no `SECRET_KEY`, or the source cannot begin at a row
 * @example
 * new CursorPagination({ pageSize: 20, ordering: ['-created', 'title'] })
 */
export class CursorPagination<const O extends Ordering = '-created'> implements Paginator<
  SeekableSource<unknown, FieldsOf<O>>,
  LinkedPage
> {
  static readonly options: readonly string[] = [...Object.keys(RULES), 'ordering']
  static readonly named: readonly string[] = ['template']

  readonly #options: Options
  readonly #sizes: SizeRules
  readonly #template: ControlsTemplate | null
  readonly #keys: readonly SortKey[]
  readonly #order: string

  constructor({ template = 'previous-and-next', ordering, ...options }: CursorOptions<O> = {}) {
    const rules = { ...RULES, invalidCursorMessage: TEXT }
    checkOptions('CursorPagination', { template, ...options }, rules)
    this.#template = templateOf('CursorPagination', template)
    this.#keys = sortKeys(ordering === undefined ? '-created' : ordering)
    this.#order = orderText(this.#keys)
    this.#options = {
      cursorQueryParam: 'cursor',
      ...options,
    }
    this.#sizes = pageSizeRules(options)
  }

  async paginate(
    source: SeekableSource<unknown, FieldsOf<O>>,
    request: Incoming,
    view?: ListView,
  ): Promise<LinkedPage | null> {
    const limit = sizeOfPage(request, this.#sizes)
    if (limit === null) return null
    if (!canSeek(source)) throw this.#refusal(request)
    const visit = this.#visit(request, view?.ordering ?? null)
    const start = this.#start(visit)
    const keys = visit.keys as SeekRequest<FieldsOf<O>>['keys']
    return this.#page(visit, start, await this.#read(source, { keys, ...start, limit }))
  }

  respond({ next, previous }: LinkedPage, results: readonly unknown[]): Reply {
    return reply({ next, previous, results })
  }

  largestPage(settings: Settings): number | null {
    return largestPage(settings, this.#sizes)
  }

  check({ hasSecret }: ServiceFacts, list?: KnownList): string | null {
    if (!hasSecret) return 'needs SECRET_KEY, a long random text that its cursors are sealed with.'
    return list === undefined ? null : sourceProblem(list.source, list.ordering ?? this.#keys)
  }

  /** The order is that of the filters, else that of the style (C20). */
  #visit(request: Incoming, ordering: readonly SortKey[] | null): Visit {
    const keys = ordering ?? this.#keys
    const order = ordering === null ? this.#order : orderText(ordering)
    return { request, keys, context: contextOf(request, order) }
  }

  /** @throws NotFound (404) the cursor is not one of this list in this order (C13, C14) */
  #start({ request, context }: Visit): Start {
    const sealed = request.query.get(this.#options.cursorQueryParam)
    if (!sealed) return FIRST_PAGE
    const text = request.seals.unseal(context, sealed)
    const start = text === null ? null : readStart(text)
    if (start === null) throw this.#noCursor()
    return start
  }

  async #read(
    source: SeekableSource<unknown, FieldsOf<O>>,
    wanted: SeekRequest<FieldsOf<O>>,
  ): Promise<Stretch<unknown>> {
    try {
      return await source.seek(wanted)
    } catch (error) {
      throw error instanceof InvalidPosition ? this.#noCursor() : error
    }
  }

  #page(visit: Visit, start: Start, stretch: Stretch<unknown>): LinkedPage {
    const links = startsAround(start, stretch)
    const next = this.#link(visit, links.next)
    const previous = this.#link(visit, links.previous)
    const page = { rows: stretch.rows, next, previous }
    return { ...page, controls: () => this.#controls(page) }
  }

  #link({ request, context }: Visit, start: Start | null): string | null {
    if (start === null) return null
    const isFirst = start === FIRST_PAGE
    const cursor = isFirst ? null : request.seals.seal(context, writeStart(start))
    return pageUrl(request, { [this.#options.cursorQueryParam]: cursor })
  }

  #controls(page: Pick<LinkedPage, 'next' | 'previous'>): PageControls | null {
    const data = arrowsOnly(page)
    return this.#template && data && { template: this.#template, data }
  }

  #noCursor(): NotFound {
    return new NotFound(this.#options.invalidCursorMessage ?? Message.of('not_found.cursor'))
  }

  #refusal({ endpointName }: Incoming): ConfigurationError {
    return new ConfigurationError(`endpoint ${endpointName}: CursorPagination ${CANNOT_SEEK}`)
  }
}

/**
 * Cursors of another form, endpoint or order, or of another path of the endpoint, are none of ours. Filters
 * are left out, and so is the user: a cursor only says where to begin, never what may be seen there.
 */
function contextOf({ endpointName, params }: Incoming, order: string): string {
  return FORMAT + order + JSON.stringify([endpointName, params])
}

const FORMAT = 'cursor 2 '

function orderText(keys: readonly SortKey[]): string {
  return JSON.stringify(keys.map(({ field, descending, nulls }) => [field, descending, nulls]))
}

/** Can it begin at a row? What types cannot see, such as a style in a configuration file, is seen here. */
function canSeek(source: ListSource<unknown>): boolean {
  return typeof (source as Partial<SeekableSource<unknown>>).seek === 'function'
}

const CANNOT_SEEK =
  'needs a source with seek(): take sqlSource, or arraySource with a key, or another style.'

/** What a source misses for an order, as the rest of a sentence; nothing is read. `null`: nothing. */
function sourceProblem(source: ListSource<unknown>, keys: readonly SortKey[]): string | null {
  if (!canSeek(source)) return CANNOT_SEEK
  try {
    ;(source as Partial<QuerySource<unknown, string>>).orderBy?.(keys)
    return null
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return `orders by ${keys.map(({ field }) => `"${field}"`).join(', ')}: ${error.message}`
  }
}
