import type { ForTwo, Handler, ShownList } from '../../contract/kernel.ts'
import type { ActedFor, Reply } from '../../contract/answers.ts'
import { PermissionDenied } from '../../errors/api-errors.ts'
import { Message } from '../../messages/message.ts'
import { BytesReply, reply, toReply, withControls } from '../../replies/reply.ts'
import { toJSONText } from '../../std/json/json-text.ts'
import type { Context } from '../context.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The answer that both would be given, and nothing of it that one of them would not: the request is answered for the
 * user, who may be refused, then for the other, who may be refused too, and what both answers have in common is shown.
 */
export async function answerForBoth(
  handle: Handler<Context>,
  acting: ActedFor<Context>,
  request: Context,
): Promise<Reply> {
  await mayAct(acting, request)
  const { method, endpoint } = request
  const { user, auth } = acting
  const lists: ShownList[] = []
  const other = request.as(method)
  Object.assign(other, { user, auth, forTwo: { client: 'other', lists } satisfies ForTwo })
  const asked = async (): Promise<Reply> => {
    await endpoint.checkPermissions?.(other)
    return asReply(await handle(other))
  }
  // First, so that one's own lists are cut like those of the other; but the own refusal is the one that is shown.
  const [theirs] = await Promise.allSettled([asked()])
  const isList = lists.length > 0
  const forTwo: ForTwo = { client: 'own', lists }
  const own = asReply(await handle(Object.assign(request.as(method), { forTwo })))
  if (theirs.status === 'rejected') throw theirs.reason
  return shared(own, theirs.value, isList)
}

/** Who may not act for others is refused, and so is writing in the belief to be another. */
async function mayAct({ name, permits }: ActedFor<Context>, request: Context): Promise<void> {
  const { id, method, path, user, service } = request
  if (!READING.has(method)) throw new PermissionDenied(Message.of('permission_denied.acting_reads'))
  const isPermitted: unknown = await permits(request)
  // Only a plain yes: a forgotten `return` must not open a door.
  if (isPermitted !== true) throw new PermissionDenied(Message.of('permission_denied.acting'))
  const by = (Object(user) as { readonly username?: unknown }).username ?? null
  service.logger.info?.({ event: 'act_as.shown', id, method, path, by, as: name })
}

function asReply(value: unknown): Reply {
  const made = toReply(value)
  if (!(made instanceof BytesReply)) return made
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
  return isList && own.controls ? withControls(made, own.controls) : made
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
