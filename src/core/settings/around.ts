import type { Wrapper } from '../ports/policies/observing.ts'
import type { Reply } from '../ports/representations.ts'
import { BytesReply, toReply } from '../replies/reply.ts'

/** Joins two wrappers: the inner one acts within the outer one. */
export function bothAround<Rq>(outer: Wrapper<Rq>, inner: Wrapper<Rq>): Wrapper<Rq> {
  return (request, next) => outer(request, () => actAround(inner, request, next))
}

/** Lets a wrapper act around `next`. @throws TypeError the wrapper gave no answer */
export async function actAround<Rq>(
  around: Wrapper<Rq>,
  request: Rq,
  handle: () => unknown,
): Promise<Reply> {
  let given: Reply | null = null
  const answer: unknown = await around(request, async () => (given = toReply(await handle())))
  if (answer === undefined)
    throw new TypeError(
      'The setting "around" gave no answer. Return what next() gives: return await next().',
    )
  const instead = toReply(answer)
  if (given !== null && given !== instead) letGo(given, instead)
  return instead
}

/** Ends the stream of an answer that a wrapper replaced, because no adapter will end it. */
function letGo(given: Reply, instead: Reply): void {
  if (!(given instanceof BytesReply) || !(given.body instanceof ReadableStream)) return
  if (instead instanceof BytesReply && instead.body === given.body) return
  given.body.cancel().catch(() => {})
}
