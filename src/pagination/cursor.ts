import type { KnownList, LinkedPage, ListView } from '../contract/pagination.ts'
import type {
  ListSource,
  Position,
  PositionValue,
  QuerySource,
  SeekableSource,
  SortKey,
  Stretch,
} from '../contract/list-source.ts'
import type { Incoming, MaybePromise, Reply } from '../contract/request.ts'
import type { ServiceFacts } from '../contract/service-facts.ts'
import { InvalidPosition, NotFound } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Message } from '../messages/message.ts'
import { reply } from '../replies/reply.ts'
import { TEXT } from '../settings/options.ts'
import { type FieldsOf, type Ordering, sortKeys } from '../settings/ordering-terms.ts'
import { urlWith } from '../std/http/query.ts'
import { arrowsOnly } from './page-controls.ts'
import { PAGE_SIZE_RULES, type PageSizeOptions, PageStyle } from './limit-and-page-size.ts'

/** Attributes of the style, named as in the document (4.2). */
export interface CursorOptions<O extends Ordering = Ordering> extends PageSizeOptions {
  /** @default 'cursor' */
  readonly cursorQueryParam?: string
  /** What rows are sorted by, where no filter decides on an order (C20). @default '-created' */
  readonly ordering?: O
  /** Answer to a cursor that is not valid. @default the message `not_found.cursor` */
  readonly invalidCursorMessage?: string
}

const RULES = { cursorQueryParam: TEXT, ...PAGE_SIZE_RULES }

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
export class CursorPagination<const O extends Ordering = '-created'> extends PageStyle<
  SeekableSource<unknown, FieldsOf<O>>,
  LinkedPage
> {
  static readonly options: readonly string[] = [...Object.keys(RULES), 'ordering']

  readonly #parameter: string
  readonly #keys: readonly SortKey[]
  readonly #order: string
  readonly #refusal: string | Message

  constructor(options: CursorOptions<O> = {}) {
    super(options, {
      name: 'CursorPagination',
      rules: { ...RULES, invalidCursorMessage: TEXT },
      template: 'previous-and-next',
    })
    this.#parameter = options.cursorQueryParam ?? 'cursor'
    this.#keys = sortKeys(options.ordering === undefined ? '-created' : options.ordering)
    this.#order = orderText(this.#keys)
    this.#refusal = options.invalidCursorMessage ?? Message.of('not_found.cursor')
  }

  override respond({ next, previous }: LinkedPage, results: readonly unknown[]): Reply {
    return reply({ next, previous, results })
  }

  check({ hasSecret }: ServiceFacts, list?: KnownList): string | null {
    if (!hasSecret) return 'needs SECRET_KEY, a long random text that its cursors are sealed with.'
    return list === undefined ? null : sourceProblem(list.source, list.ordering ?? this.#keys)
  }

  /** The order is that of the filters, else that of the style (C20). */
  protected override async page(
    source: SeekableSource<unknown, FieldsOf<O>>,
    request: Incoming,
    size: number,
    view?: ListView,
  ): Promise<LinkedPage> {
    const { endpointName, seals } = request
    if (!canSeek(source))
      throw new ConfigurationError(`endpoint ${endpointName}: CursorPagination ${CANNOT_SEEK}`)
    const keys = (view?.ordering ?? this.#keys) as readonly SortKey<FieldsOf<O>>[]
    const context = contextOf(request, keys === this.#keys ? this.#order : orderText(keys))
    const start = this.#start(request, context)
    const stretch = await this.#orRefused(() => source.seek({ keys, ...start, limit: size }))
    const links = startsAround(start, stretch)
    const urlOf = (to: Start | null): string | null => {
      const cursor = to === null || to === FIRST_PAGE ? null : seals.seal(context, writeStart(to))
      return to && urlWith(request, { [this.#parameter]: cursor })
    }
    const page = { rows: stretch.rows, next: urlOf(links.next), previous: urlOf(links.previous) }
    return { ...page, controls: () => this.controls(() => arrowsOnly(page)) }
  }

  /** @throws NotFound (404) the cursor is not one of this list in this order (C13, C14) */
  #start(request: Incoming, context: string): Start {
    const sealed = request.query.get(this.#parameter)
    if (!sealed) return FIRST_PAGE
    const text = request.seals.unseal(context, sealed)
    const start = text === null ? null : readStart(text)
    if (start === null) throw new NotFound(this.#refusal)
    return start
  }

  async #orRefused<T>(seek: () => MaybePromise<T>): Promise<T> {
    try {
      return await seek()
    } catch (error) {
      throw error instanceof InvalidPosition ? new NotFound(this.#refusal) : error
    }
  }
}

/**
 * Cursors of another form, endpoint or order, or of another path of the endpoint, are none of ours. Filters
 * are left out, and so is the user: a cursor only says where to begin, never what may be seen there.
 */
function contextOf({ endpointName, params }: Incoming, order: string): string {
  return `cursor 2 ${order}${JSON.stringify([endpointName, params])}`
}

function orderText(keys: readonly SortKey[]): string {
  return JSON.stringify(keys.map(({ field, descending, nulls }) => [field, descending, nulls]))
}

/** What types cannot see, such as a style in a configuration file, is seen here. */
function canSeek(source: ListSource): boolean {
  return typeof (source as Partial<SeekableSource<unknown>>).seek === 'function'
}

const CANNOT_SEEK =
  'needs a source with seek(): take sqlSource, or arraySource with a key, or another style.'

/** What a source misses for an order, as the rest of a sentence; nothing is read. `null`: nothing. */
function sourceProblem(source: ListSource, keys: readonly SortKey[]): string | null {
  if (!canSeek(source)) return CANNOT_SEEK
  try {
    ;(source as Partial<QuerySource<unknown, string>>).orderBy?.(keys)
    return null
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return `orders by ${keys.map(({ field }) => `"${field}"`).join(', ')}: ${error.message}`
  }
}

/** Where a page begins: strictly behind the position, or before it. `null`: at the very end of that side. */
export interface Start {
  readonly reverse: boolean
  readonly position: Position | null
}

/** Its address has no cursor. */
const FIRST_PAGE: Start = Object.freeze({ reverse: false, position: null })
const LAST_PAGE: Start = Object.freeze({ reverse: true, position: null })

/**
 * Where the pages around one begin; `null`: there is none (in place of C35, C36 and C40–C45). In the
 * direction of reading the source knows whether there is more. In the other there is, where the page was
 * found from a row there; if that was deleted since, the page may be empty, and its own link leads back.
 *
 * An empty page has no row to go back from, and what it was found from may be just the row that is
 * wanted: back leads to the end of the list that was left (in place of C63).
 */
function startsAround(
  { reverse, position }: Start,
  { more, first, last }: Stretch<unknown>,
): { readonly next: Start | null; readonly previous: Start | null } {
  const isFound = position !== null
  if (first === null || last === null) {
    const [next, previous] = reverse ? [FIRST_PAGE, null] : [null, LAST_PAGE]
    return isFound ? { next, previous } : { next: null, previous: null }
  }
  const [hasNext, hasPrevious] = reverse ? [isFound, more] : [more, isFound]
  return {
    next: hasNext ? { reverse: false, position: last } : null,
    previous: hasPrevious ? { reverse: true, position: first } : null,
  }
}

/** JSON has a form for these; the others are written as a letter and a text. */
type Written = string | number | boolean | null | readonly [kind: string, text: string]

/** A start as text, without loss: what comes back is of the same type and has the same value (I2). */
export function writeStart({ reverse, position }: Start): string {
  return JSON.stringify([reverse ? 1 : 0, ...(position ?? []).map(write)])
}

/** `null`: the text is not that of a start. */
export function readStart(text: string): Start | null {
  try {
    const [direction, ...values] = JSON.parse(text) as [unknown, ...Written[]]
    if (direction !== 0 && direction !== 1) return null
    return { reverse: direction === 1, position: values.length === 0 ? null : values.map(read) }
  } catch {
    return null
  }
}

function write(value: PositionValue): Written {
  if (typeof value === 'bigint') return ['i', String(value)]
  if (Object.is(value, -0)) return ['n', '-0']
  if (typeof value === 'number' && !Number.isFinite(value)) return ['n', String(value)]
  if (value instanceof Uint8Array) return ['b', Buffer.from(value).toString('base64url')]
  return value
}

function read(value: Written): PositionValue {
  if (!Array.isArray(value)) return value as PositionValue
  const [kind, text] = value as [string, string]
  if (kind === 'i') return BigInt(text)
  if (kind === 'n') return Number(text)
  if (kind === 'b') return new Uint8Array(Buffer.from(text, 'base64url'))
  throw new RangeError(`No value is of the kind ${kind}.`)
}
