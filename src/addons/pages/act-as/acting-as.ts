import type { CutList, Handler, ListsForTwo, WholeList } from '../../../core/ports/kernel.ts'
import type { Condition, ListSource, QuerySource } from '../../../core/ports/list-source.ts'
import type { ActedFor } from '../../../core/ports/policies/authentication.ts'
import type { LinkedPage, Page, PageControls } from '../../../core/ports/policies/pagination.ts'
import type { Reply } from '../../../core/ports/representations.ts'
import type { ApiRequest } from '../../../core/ports/request.ts'
import { NotFound, PermissionDenied } from '../../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { Message } from '../../../core/messages/message.ts'
import { contextOf } from '../../../core/pipeline/context.ts'
import { reply, toReply } from '../../../core/replies/reply.ts'
import type { MaybePromise } from '../../../core/std/after.ts'
import { toJSONText } from '../../../core/representations/json.ts'

/** In whose place staff see pages, and who may. */
export interface ActingAs {
  /** What a page calls it. */
  readonly name: string
  readonly user: unknown
  readonly auth: unknown
  /** May the user of this request do that? Asked at each request, before anything is answered. */
  permits(request: ApiRequest): MaybePromise<boolean>
}

type Context = ReturnType<typeof contextOf>

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * What a scheme names as `acting`, so that pages show the view of another: the answer that both would be given, and
 * nothing of it that one of them would not. The request is answered for the user, who may be refused, then for the other,
 * who may be refused too, and what both answers have in common is shown.
 *
 * @throws PermissionDenied (403) at the request: `permits` says no, or the request changes something
 * @example
 * const acting = actingAs({ name: 'bob', user: bob, auth: null, permits: ({ user }) => user.isStaff })
 */
export function actingAs(other: ActingAs): ActedFor {
  return {
    name: other.name,
    answer: (handle, request) => answerForBoth(handle, other, contextOf(request)),
  }
}

async function answerForBoth(handle: Handler, acting: ActingAs, request: Context): Promise<Reply> {
  await mayAct(acting, request)
  const { method, endpoint } = request
  const { user, auth } = acting
  const lists: ShownList[] = []
  const other = request.as(method)
  // Rows above are those that the other finds, too: they are looked up for the root.
  Object.assign(other, { user, auth, root: other, '~lists': noting(lists) })
  const asked = async (): Promise<Reply> => {
    await endpoint.checkPermissions?.(other)
    return asReply(await handle(other))
  }
  // First, so that one's own lists are cut like those of the other; but the own refusal is the one that is shown.
  const [theirs] = await Promise.allSettled([asked()])
  const isList = lists.length > 0
  const own = Object.assign(request.as(method), { '~lists': cutLike(lists) })
  const shown = asReply(await handle(own))
  if (theirs.status === 'rejected') throw theirs.reason
  return shared(shown, theirs.value, isList)
}

/** Who may not act for others is refused, and so is writing in the belief to be another. */
async function mayAct({ name, permits }: ActingAs, request: Context): Promise<void> {
  const { id, method, path, user, service } = request
  if (!READING.has(method)) throw new PermissionDenied(Message.of('permission_denied.acting_reads'))
  const isPermitted: unknown = await permits(request)
  // Only a plain yes: a forgotten `return` must not give access.
  if (isPermitted !== true) throw new PermissionDenied(Message.of('permission_denied.acting'))
  const by = (Object(user) as { readonly username?: unknown }).username ?? null
  service.logger.info?.({ event: 'act_as.shown', id, method, path, by, as: name })
}

function asReply(value: unknown): Reply {
  const made = toReply(value)
  if (!('body' in made)) return made
  if (made.body instanceof ReadableStream) made.body.cancel().catch(() => undefined)
  throw new PermissionDenied(Message.of('permission_denied.acting_file'))
}

function shared(own: Reply, theirs: Reply, isList: boolean): Reply {
  if (own.status >= 400) return own
  const data = inCommon(own.data, theirs.data)
  const headers = Object.entries(theirs.headers).filter(
    ([name, value]) => name.toLowerCase() !== 'set-cookie' && isSame(own.headers[name], value),
  )
  const made = reply(data === NOTHING ? null : data, {
    status: theirs.status,
    headers: Object.fromEntries(headers),
  })
  // What the list has made of those of both.
  return isList && own.controls ? Object.assign(made, { controls: own.controls }) : made
}

const NOTHING: unique symbol = Symbol('nothing')

/** Values that are the same in both. Of objects the members, of lists the rows of the same key, and what is in both. */
function inCommon(own: unknown, theirs: unknown): unknown {
  if (Array.isArray(own) && Array.isArray(theirs)) return commonRows(own, theirs)
  if (!isObject(own) || !isObject(theirs)) return isSame(own, theirs) ? theirs : NOTHING
  const members = Object.keys(theirs)
    .filter((name) => Object.hasOwn(own, name))
    .map((name) => [name, inCommon(own[name], theirs[name])] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== NOTHING))
}

function commonRows(own: readonly unknown[], theirs: readonly unknown[]): readonly unknown[] {
  const known = new Map(own.map((row) => [keyOf(row), row]))
  return theirs.flatMap((row) => {
    const key = keyOf(row)
    const found = known.has(key) ? inCommon(known.get(key), row) : NOTHING
    return found === NOTHING ? [] : [found]
  })
}

/** What tells a row from others: its address, its id, or all of it. */
function keyOf(row: unknown): string {
  const known = isObject(row) ? row : {}
  const key = known['url'] ?? known['id']
  return toJSONText(key === undefined ? ['value', row] : ['key', key])
}

function isSame(own: unknown, theirs: unknown): boolean {
  return toJSONText(own) === toJSONText(theirs)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A list as the other is shown it: the rows of its source, and the page that they are. */
interface ShownList {
  readonly rows: readonly unknown[]
  /** `null`: all there is. */
  readonly page: Page | null
}

async function cutAlone<Row>(list: WholeList<Row>): Promise<CutList<Row>> {
  const page = await pageOf(list)
  const portion = page ?? { rows: await list.source.slice(0, Number.MAX_SAFE_INTEGER) }
  return { page, portion, ...(page?.controls && { controls: () => page.controls!() }) }
}

async function pageOf<Row>(list: WholeList<Row>): Promise<Page<Row> | null> {
  const { source, paginator, request, view } = list
  return paginator && (await paginator.paginate(source, request, view))
}

/** Keeps what the lists of the other show, one after the other. */
function noting(lists: ShownList[]): ListsForTwo {
  return {
    async cut(list) {
      const found = await cutAlone(list)
      lists.push({ rows: found.portion.rows, page: found.page })
      return found
    },
  }
}

/** Shows of the own lists what the other was shown of theirs. */
function cutLike(lists: ShownList[]): ListsForTwo {
  return {
    async cut(list) {
      const theirs = lists.shift()
      if (theirs === undefined) return cutAlone(list)
      const { rows, isWhole } = await rowsOfBoth(list.source, theirs)
      const own = await pageOfBoth(list, theirs, isWhole)
      return { page: null, ...own, portion: { rows } }
    },
  }
}

/** Rows that are looked through in a list without a key, or in one that cannot be narrowed. */
const MOST_ROWS = 10_000

/** Rows of one's own list that are, or may be, among those of the other. */
interface RowsOfBoth<Row> {
  readonly rows: readonly Row[]
  /** Has one's own list each of the other's rows? */
  readonly isWhole: boolean
}

/** The rows that the other is shown, as they are in one's own list, wherever they stand there. */
async function rowsOfBoth<Row>(
  own: ListSource<Row>,
  { rows: theirs }: ShownList,
): Promise<RowsOfBoth<Row>> {
  if (theirs.length === 0) return { rows: [], isWhole: true }
  const unique = uniqueKeyOf(own, theirs)
  if (unique === null) return rowsWithoutKey(own, theirs)
  const rows = await narrowed(own, unique, theirs).slice(0, MOST_ROWS)
  const textOf = (row: unknown): string =>
    toJSONText(unique.map((name) => (row as Readonly<Record<string, unknown>>)[name]))
  const known = new Map(rows.map((row) => [textOf(row), row]))
  const found = theirs.flatMap((row) => known.get(textOf(row)) ?? [])
  return { rows: found, isWhole: found.length === theirs.length }
}

/** Which of them the other sees too is found out by what is shown of them. */
async function rowsWithoutKey<Row>(
  own: ListSource<Row>,
  theirs: readonly unknown[],
): Promise<RowsOfBoth<Row>> {
  const rows = await own.slice(0, MOST_ROWS)
  const known = new Set<unknown>(rows)
  const isWhole = theirs.every((row) => known.has(row))
  return { rows: isWhole ? (theirs as readonly Row[]) : rows, isWhole }
}

/** `null`: it has none, or its rows do not show it. */
function uniqueKeyOf(
  { unique = [] }: ListSource,
  rows: readonly unknown[],
): readonly string[] | null {
  const isShown = rows.every((row) => unique.every((name) => Object(row)[name] !== undefined))
  return unique.length > 0 && isShown ? unique : null
}

/** A list that has a limit of its own cannot be narrowed. */
function narrowed<Row>(
  own: ListSource<Row>,
  unique: readonly string[],
  rows: readonly unknown[],
): ListSource<Row> {
  const { where } = own as Partial<QuerySource<Row, string>>
  if (typeof where !== 'function') return own
  const conditions = unique.map((field): Condition => {
    const value = rows.map((row) => (row as Readonly<Record<string, unknown>>)[field])
    return { field, operator: 'in', value }
  })
  try {
    return conditions.reduce((left, each) => left.where([each]), own as QuerySource<Row, string>)
  } catch (error) {
    if (error instanceof ConfigurationError) return own
    throw error
  }
}

/**
 * What a style may say of the other's page: of its neighbours where each of its rows may be seen, as a cursor holds
 * values of a row; of counts and numbers what it says of one's own. `null`: the style does not divide one's own list.
 *
 * @throws NotFound one's own list has no such page, and the page of this style may say more than is known of it
 */
async function pageOfBoth<Row>(
  list: WholeList<Row>,
  { page: theirs }: ShownList,
  isWhole: boolean,
): Promise<PageOfBoth<Row> | null> {
  if (theirs === null) return null
  const page = await pageOf(list).catch((error: unknown): Page<Row> => {
    if (error instanceof NotFound && Object.keys(theirs).every((name) => KNOWN.has(name)))
      return NO_PAGE
    throw error
  })
  if (page === null) return null
  // A page of a class of its own may know more than its members.
  const isPlain = Object.getPrototypeOf(page) === Object.prototype
  const { next, previous } = theirs as LinkedPage
  const neighbours = isPlain && isWhole && 'next' in page ? { next, previous } : {}
  const controls = (): PageControls | null =>
    controlsOfBoth(page.controls?.() ?? null, theirs.controls?.() ?? null, isWhole)
  return { page: isPlain ? { ...page, ...neighbours } : page, controls }
}

interface PageOfBoth<Row> {
  readonly page: Page<Row>
  readonly controls: () => PageControls | null
}

const KNOWN: ReadonlySet<string> = new Set(
  'rows table count precision next previous controls'.split(' '),
)
const NO_PAGE: LinkedPage<never> & { readonly count: null } = {
  rows: [],
  count: null,
  next: null,
  previous: null,
}

/** Numbers say how many pages the other has: they are for whom has as many. */
function controlsOfBoth(
  own: PageControls | null,
  theirs: PageControls | null,
  isWhole: boolean,
): PageControls | null {
  if (theirs === null || toJSONText(own?.data ?? null) === toJSONText(theirs.data)) return theirs
  const { previousUrl, nextUrl } = theirs.data
  if (!isWhole || (previousUrl === null && nextUrl === null)) return null
  return { ...theirs, data: { previousUrl, nextUrl, pageLinks: [] } }
}
