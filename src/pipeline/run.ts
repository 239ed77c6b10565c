import type { Reply } from '../contract/reply.ts'
import { toReply } from '../replies/reply.ts'
import type { CompiledEndpoint } from './compile.ts'
import type { Context } from './context.ts'
import { answer } from './exceptions.ts'

/**
 * Everything that happens to a request, in the order of R1. Negotiation and version come first,
 * because they decide how an error is shown; they name nobody and deny nobody. A step that has
 * nothing to wait for is not awaited.
 */
export async function run(endpoint: CompiledEndpoint, request: Context): Promise<Reply> {
  try {
    endpoint.negotiate(request)
    const version = endpoint.determineVersion(request)
    if (version) await version
    const identity = endpoint.authenticate(request)
    if (identity) await identity
    const permission = endpoint.checkPermissions(request)
    if (permission) await permission
    const throttle = endpoint.checkThrottles(request)
    if (throttle) await throttle
    const answered = endpoint.handle(request)
    return toReply(answered instanceof Promise ? await answered : answered)
  } catch (error) {
    return answer(error, request)
  }
}
