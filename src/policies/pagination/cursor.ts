import type {
  KnownList,
  LinkedPage,
  ListView,
  PageControls,
} from '../../core/ports/policies/pagination.ts'
import type {
  Cut,
  ListSource,
  NamedFields,
  PositionValue,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from '../../core/ports/list-source.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import { InvalidPosition, NotFound } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import { reply } from '../../core/replies/reply.ts'
import { checkNames, TEXT, oneOf } from '../../core/settings/options.ts'
import { type OrderedFields, type Ordering, sortKeys } from '../../core/settings/ordering-terms.ts'
import { shortDigest } from '../../core/secrets/digest.ts'
import { urlWith } from '../../core/std/http/query.ts'
import { oncePer } from '../../core/std/once.ts'
import { portionFrom } from '../../core/std/row-objects.ts'
import { arrowsOnly } from './page-controls.ts'
import { PAGE_SIZE_RULES, type PageSizeOptions, PageStyle, envelopeOf } from './page-number.ts'
import type { JSONSchema, ParameterFacts } from '../../core/types/documents.ts'

/** The options of the style. */
export interface CursorOptions<O extends Ordering = Ordering> extends PageSizeOptions {
  /** @default 'cursor' */
  readonly cursorQueryParam?: string
  /** The order of the rows, if no filter chooses one (C20). @default '-created' */
  readonly ordering?: O
  /** `'user'`: a cursor is good only for the user who got it. Requests without a user share theirs. @default null */
  readonly bindTo?: 'user' | null
  /** Answer to a cursor that is not valid. @default the message `not_found.cursor` */
  readonly invalidCursorMessage?: string
}

const RULES = { cursorQueryParam: TEXT, bindTo: oneOf('user', null), ...PAGE_SIZE_RULES }

/**
 * `?cursor=…`: a page begins right behind the row that the one before it ended with, whatever was
 * inserted or deleted meanwhile, at a cost that does not grow with the depth (I1). Links lead to the
 * next and the previous page only, and rows are not counted.
 *
 * The ordering needs no unique field: the source adds its key. A cursor holds the values of the last
 * row, encrypted, and is one of this service, endpoint, path parameters, ordering and filters, and with
 * `bindTo` of this user; every other is answered with 404, and nothing is read. The filters are whatever was read
 * of the query before the page. A walk may change its page size, its format and its version.
 *
 * @throws ConfigurationError an option has the wrong type, or the ordering names nothing (C22); when
 *   the service starts, there is no `SECRET_KEY`, or the source cannot begin at a row
 * @example
 * new CursorPagination({ pageSize: 20, ordering: ['-created', 'title'] })
 */
export class CursorPagination<const O extends Ordering = '-created'> extends PageStyle<
  SeekableSource<unknown, OrderedFields<O>>,
  LinkedPage
> {
  static readonly options: readonly string[] = [...Object.keys(RULES), 'ordering']

  readonly #keys: readonly SortKey[]
  /** The keys with the field names of the source, for lists that have names of their own. */
  readonly #named = oncePer((names: NamedFields) => namedKeys(this.#keys, names))
  readonly #isOfUser: boolean
  readonly #refusal: string | Message

  constructor(options: CursorOptions<O> = {}) {
    checkNames(new.target, options, ['invalidCursorMessage'])
    super(options, {
      name: 'CursorPagination',
      rules: { ...RULES, invalidCursorMessage: TEXT },
      parameter: options.cursorQueryParam ?? 'cursor',
      template: 'previous-and-next',
    })
    this.#keys = sortKeys(options.ordering === undefined ? '-created' : options.ordering)
    this.#isOfUser = options.bindTo === 'user'
    this.#refusal = options.invalidCursorMessage ?? Message.of('not_found.cursor')
  }

  override parameters(settings: Settings): readonly ParameterFacts[] {
    const description = 'Where the page begins: a text out of the link of another page.'
    const cursor = { name: this.placeParameter, description, schema: { type: 'string' } }
    return [cursor, ...super.parameters(settings)]
  }

  protected override envelope(results: JSONSchema): JSONSchema {
    const link = (text: string): string => `${this.placeParameter}=${text}`
    return envelopeOf(results, { next: link('cD00ODY'), previous: link('cj0xJnA9NDg3') })
  }

  override respond({ next, previous }: LinkedPage, results: readonly unknown[]): Reply {
    return reply({ next, previous, results })
  }

  check({ hasSecret }: ServiceFacts, list?: KnownList): string | null {
    if (!hasSecret) return 'needs SECRET_KEY, a long random text that its cursors are sealed with.'
    return list === undefined
      ? null
      : sourceProblem(list.source, list.ordering ?? this.orderedBy(list.names))
  }

  /** The order is that of the filters, else that of the style (C20). */
  protected override async page(
    source: SeekableSource<unknown, OrderedFields<O>>,
    request: ApiRequest,
    size: number,
    view?: ListView,
  ): Promise<LinkedPage> {
    const { endpointName, seals } = request
    if (!canSeek(source))
      throw new ConfigurationError(`endpoint ${endpointName}: CursorPagination ${CANNOT_SEEK}`)
    const keys = (view?.ordering ?? this.orderedBy(view?.names?.())) as readonly SortKey<
      OrderedFields<O>
    >[]
    const context = this.#contextOf(request, keys)
    const start = this.#start(request, context)
    const stretch = await this.#orRefused(() => source.seek({ keys, ...start, limit: size }))
    const links = startsAround(start, stretch)
    const urlOf = (to: Start | null): string | null => {
      const isFirst = to === null || to === FIRST_PAGE
      const cursor = isFirst ? null : seals.seal(context, writeStart(to, source.takesCut === true))
      return to && urlWith(request, { [this.placeParameter]: cursor })
    }
    const neighbours = { next: urlOf(links.next), previous: urlOf(links.previous) }
    const controls = (): PageControls | null => this.controls(() => arrowsOnly(neighbours))
    return Object.assign(portionFrom(stretch), neighbours, { controls })
  }

  orderedBy(names: NamedFields | undefined): readonly SortKey[] {
    return names === undefined ? this.#keys : this.#named(names)
  }

  /**
   * The context to which a cursor is bound: list and ordering, and with `bindTo` the user. Page size, format and version are
   * not part of it.
   */
  #contextOf(request: ApiRequest, keys: readonly SortKey[]): string {
    const order = orderText(keys).text
    const { name, params, shownBy } = listOf(request)
    const { urlFormatOverride: format } = request.settings
    const own = [this.placeParameter, this.sizeParameter, format, ...shownBy]
    const filters = request.query.readSoFar(own)
    const asker = this.#isOfUser ? askerOf(request) : null
    return `cursor 3 ${order}${JSON.stringify([name, params, filters, asker])}`
  }

  /** @throws NotFound (404) the cursor is not one of this list in this order (C13, C14) */
  #start(request: Incoming, context: string): Start {
    const sealed = request.query.get(this.placeParameter)
    if (!sealed) return FIRST_PAGE
    const text = request.seals.unseal(context, sealed)
    const start = text && readStart(text)
    if (!start) throw new NotFound(this.#refusal)
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

/** An endpoint with its path parameters, but without version and format, which only decide how the list is shown. */
interface List {
  readonly name: string
  readonly params: readonly (readonly [name: string, value: unknown])[]
  /** Names of query parameters that carry the version. */
  readonly shownBy: readonly string[]
}

function listOf(request: ApiRequest): List {
  const { endpointName, settings, version, params, suffixed } = request
  const forms = version === null ? [] : (settings.versioning?.linkForms?.(version, request) ?? [])
  const [shown, shownBy] = [suffixed ? ['format'] : [], [] as string[]]
  let name = endpointName
  for (const { param, query, namespace } of forms) {
    if (param !== undefined) shown.push(param[0])
    if (query !== undefined) shownBy.push(query[0])
    if (namespace !== undefined) name = nameWithout(version!, request)
  }
  const own = Object.keys(params).filter((param) => !shown.includes(param))
  // The paths of an endpoint may have the same parameters in different orders.
  return { name, params: own.toSorted().map((param) => [param, params[param]]), shownBy }
}

/** `library:v1:book-list` → `library:book-list`. */
function nameWithout(version: string, { endpointName, namespace }: Incoming): string {
  const at = namespace.indexOf(version)
  const local = endpointName.slice(namespace.join(':').length + 1)
  return at < 0 ? endpointName : [...namespace.toSpliced(at, 1), local].join(':')
}

/** The user to whom cursors are bound. Requests without a user share their cursors. */
function askerOf({ user, authenticator, endpointName }: ApiRequest): string {
  if (authenticator === null) return 'anonymous'
  const { id } = (user ?? {}) as { readonly id?: unknown }
  if (typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint')
    return `user ${id}`
  throw new ConfigurationError(
    `endpoint ${endpointName}: CursorPagination binds its cursors to the user, who needs an "id", a text or a number. Give users one, or leave "bindTo" out.`,
  )
}

const orderText = oncePer((keys: readonly SortKey[]) => ({
  text: JSON.stringify(keys.map(({ field, descending, nulls }) => [field, descending, nulls])),
}))

/**
 * The keys with the names of the source. A style serves all kinds of lists, so a name that the serializer does not know is a
 * field of the source.
 */
function namedKeys(keys: readonly SortKey[], names: NamedFields): readonly SortKey[] {
  return sortKeys(
    keys.map((key) => {
      const { column, problem } = names.get(key.field) ?? {}
      return problem === undefined && column !== undefined ? { ...key, field: column } : key
    }),
  )
}

/** Can the source seek? Types do not see every case, such as a style in a configuration file. */
function canSeek(source: ListSource): boolean {
  return typeof (source as Partial<SeekableSource<unknown>>).seek === 'function'
}

const CANNOT_SEEK =
  'needs a source with seek(): take sqlSource, or arraySource with a key, or another style.'

/** The capability that a source lacks for an order, as the rest of a sentence; `null`: none. Nothing is read. */
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

/** The beginning of a page: strictly behind the position, or before it. `null`: at the very end of that side. */
export type Start = Pick<SeekRequest, 'reverse' | 'position' | 'cut'>

/** The start of the page without a cursor. */
const FIRST_PAGE: Start = Object.freeze({ reverse: false, position: null })
const LAST_PAGE: Start = Object.freeze({ reverse: true, position: null })

/**
 * The beginnings of the pages around one; `null`: no such page (in place of C35, C36 and C40–C45). In the direction of reading,
 * the source knows whether more rows follow. In the other direction there is a page if this one was found from a row there; if
 * that was deleted since, the page may be empty, and its own link leads back.
 *
 * An empty page has no row to go back from, and the row that it was found from may be just the
 * wanted one: back leads to the end of the list that was left (in place of C63).
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

/** JSON has a form for texts, numbers, booleans and `null`; other values are written as a letter and texts. */
type Written = string | number | boolean | null | readonly [kind: string, ...texts: string[]]

/** The most bytes of a start that is not cut. Sealing makes it a third longer, and servers take addresses of 8,000 bytes. */
const MOST = 2400

/** The bytes that each value of a start may always have, however many values there are. */
const SHORT = 200

/**
 * A start as text, without loss: reading gives the same values and types (I2). Clients decide how long texts are, and a link
 * must not be too long to be followed, so only the beginnings of long texts are written.
 */
export function writeStart({ reverse, position }: Start, mayCut: boolean = true): string {
  const written = (position ?? []).map(write)
  const text = JSON.stringify([Number(reverse), ...written])
  if (!mayCut || Buffer.byteLength(text) <= MOST) return text
  return JSON.stringify([Number(reverse), ...cut(written)])
}

function cut(values: readonly Written[]): readonly Written[] {
  const isLong = (value: Written): value is string =>
    typeof value === 'string' && Buffer.byteLength(JSON.stringify(value)) > SHORT
  const room = Math.max(SHORT, MOST / 2 / values.filter(isLong).length)
  return values.map((value) =>
    isLong(value) ? [CUT, beginningIn(room, value), shortDigest(value)] : value,
  )
}

/** The beginning of a text that takes at most so many bytes in JSON, without half a character at its end. */
function beginningIn(bytes: number, text: string): string {
  let beginning = text.slice(0, bytes)
  while (Buffer.byteLength(JSON.stringify(beginning)) > bytes)
    beginning = beginning.slice(0, beginning.length * 0.8)
  return beginning.replace(/[\ud800-\udbff]$/, '')
}

/** `null`: the text is not that of a start. */
export function readStart(text: string): Start | null {
  try {
    const [direction, ...values] = JSON.parse(text) as [unknown, ...Written[]]
    if (direction !== 0 && direction !== 1) return null
    const position = values.length === 0 ? null : values.map(read)
    const ends = values.flatMap((value, place) =>
      Array.isArray(value) && value[0] === CUT ? [[place, value[2]]] : [],
    )
    const start = { reverse: direction === 1, position }
    return ends.length === 0 ? start : { ...start, cut: Object.fromEntries(ends) as Cut }
  } catch {
    return null
  }
}

const CUT = 'c'

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
  if (kind === CUT) return text
  if (kind === 'i') return BigInt(text)
  if (kind === 'n') return Number(text)
  if (kind === 'b') return new Uint8Array(Buffer.from(text, 'base64url'))
  throw new RangeError(kind)
}
