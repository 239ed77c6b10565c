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

/** The identity whose view staff see, and the permission for it. */
export interface ActingAs {
  /** Its name on pages. */
  readonly name: string
  readonly user: unknown
  readonly auth: unknown
  /** May the user of this request see that view? Asked at each request, before anything is answered. */
  permits(request: ApiRequest): MaybePromise<boolean>
}

type Context = ReturnType<typeof contextOf>

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Makes the `acting` of a scheme, so that pages show the view of another identity: the part of the answer that both may see.
 * The request is answered for the user and for the other; either may be refused. The page shows what both answers have in
 * common.
 *
 * @throws PermissionDenied (403) at the request: `permits` refuses, or the request changes something
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
  // With this `root`, rows above are looked up as the other user, too.
  Object.assign(other, { user, auth, root: other, '~lists': noting(lists) })
  const asked = async (): Promise<Reply> => {
    await endpoint.checkPermissions?.(other)
    return asReply(await handle(other))
  }
  // The other answer comes first, because one's own lists are cut like its lists. If both are refused, one's own refusal is
  // shown.
  const [theirs] = await Promise.allSettled([asked()])
  const isList = lists.length > 0
  const own = Object.assign(request.as(method), { '~lists': cutLike(lists) })
  const shown = asReply(await handle(own))
  if (theirs.status === 'rejected') throw theirs.reason
  return shared(shown, theirs.value, isList)
}

/** Refuses users who may not act for others, and every change: users must not write in the belief that they are another. */
async function mayAct({ name, permits }: ActingAs, request: Context): Promise<void> {
  const { id, method, path, user, service } = request
  if (!READING.has(method)) throw new PermissionDenied(Message.of('permission_denied.acting_reads'))
  const isPermitted: unknown = await permits(request)
  // Only `true` permits: a forgotten `return` must not give access.
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
  // A list has built its controls from what both users may see.
  return isList && own.controls ? Object.assign(made, { controls: own.controls }) : made
}

const NOTHING: unique symbol = Symbol('nothing')

/** The common part of two values: equal members of objects, and of lists the common parts of the rows with the same key. */
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

/** The identity of a row: its address, its id, or all of its content. */
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

/** A list as the other user sees it: the rows of its source, and their page. */
interface ShownList {
  readonly rows: readonly unknown[]
  /** `null`: the list is not divided into pages. */
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

/** Records the lists that the other user is shown, in order. */
function noting(lists: ShownList[]): ListsForTwo {
  return {
    async cut(list) {
      const found = await cutAlone(list)
      lists.push({ rows: found.portion.rows, page: found.page })
      return found
    },
  }
}

/** Cuts one's own lists to the rows that the other user was shown. */
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

/** The most rows that are searched in a list without a key, or in one that cannot be narrowed. */
const MOST_ROWS = 10_000

/** The rows of one's own list that the other user sees, or may see. */
interface RowsOfBoth<Row> {
  readonly rows: readonly Row[]
  /** Does one's own list contain each of the other's rows? */
  readonly isWhole: boolean
}

/** Finds the rows that the other user is shown in one's own list, in any place. */
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

/** Without a key, only the shown data can tell which of the rows the other user sees. */
async function rowsWithoutKey<Row>(
  own: ListSource<Row>,
  theirs: readonly unknown[],
): Promise<RowsOfBoth<Row>> {
  const rows = await own.slice(0, MOST_ROWS)
  const known = new Set<unknown>(rows)
  const isWhole = theirs.every((row) => known.has(row))
  return { rows: isWhole ? (theirs as readonly Row[]) : rows, isWhole }
}

/** `null`: the list has no key, or its rows do not show it. */
function uniqueKeyOf(
  { unique = [] }: ListSource,
  rows: readonly unknown[],
): readonly string[] | null {
  const isShown = rows.every((row) => unique.every((name) => Object(row)[name] !== undefined))
  return unique.length > 0 && isShown ? unique : null
}

/** Narrows the list to these rows; a list with a limit of its own cannot be narrowed. */
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
 * The page that both users may see. Links to neighbours are the other's, if the user may see all of its rows, because a cursor
 * holds values of a row; counts and numbers are one's own. `null`: the style does not divide one's own list.
 *
 * @throws NotFound one's own list has no such page, and the page of this style may have unknown members
 */
async function pageOfBoth<Row>(
  list: WholeList<Row>,
  { page: theirs }: ShownList,
  isWhole: boolean,
) {
  if (theirs === null) return null
  const page = await pageOf(list).catch((error: unknown): Page<Row> => {
    if (error instanceof NotFound && Object.keys(theirs).every((name) => KNOWN.has(name)))
      return NO_PAGE
    throw error
  })
  if (page === null) return null
  // A page of its own class may have more than these members.
  const isPlain = Object.getPrototypeOf(page) === Object.prototype
  const { next, previous } = theirs as LinkedPage
  const neighbours = isPlain && isWhole && 'next' in page ? { next, previous } : {}
  const controls = (): PageControls | null =>
    controlsOfBoth(page.controls?.() ?? null, theirs.controls?.() ?? null, isWhole)
  return { page: isPlain ? { ...page, ...neighbours } : page, controls }
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

/** Page numbers tell the size of the other's list, so they are shown only if one's own list gives the same numbers. */
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
