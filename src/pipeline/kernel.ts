import type { DoorReply, DoorRequest, Failure, Kernel } from '../contract/door.ts'
import type { Reply } from '../contract/reply.ts'
import type { Match } from '../types/routes.ts'
import { ApiError, MethodNotAllowed, NotFound } from '../errors/api-errors.ts'
import { ReplyValue, reply } from '../replies/reply.ts'
import { randomToken } from '../std/crypto/random.ts'
import { errorText } from '../std/text/error-text.ts'
import { type CompiledEndpoint, Context, type Service } from './context.ts'
import { answer, logFailure, unforeseen } from './exceptions.ts'
import type { Origins } from './origins.ts'
import { LAST_RESORT, respond } from './respond.ts'

/** An application, compiled. */
interface Application {
  readonly service: Service
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
  /** Shows what goes wrong before an endpoint is found. */
  readonly fallback: CompiledEndpoint
  readonly origins: Origins
}

/** The kernel: finds the endpoint, runs the request, renders the answer. */
export function createKernel({
  service,
  endpoints,
  fallback,
  origins,
}: Application): Required<Kernel> {
  const nextId = createRequestIds()

  function handle(door: DoorRequest): Promise<DoorReply> {
    const id = nextId()
    const path = pathOf(door)
    try {
      if (door.refusal) throw door.refusal
      const origin = origins.of(door)
      const match = service.urls.match(path)
      if (match === null) throw new NotFound()
      const endpoint = endpoints.get(match.route.name)!
      return answered(new Context(door, service, endpoint, match, origin, id))
    } catch (error) {
      return refused(error, new Context(door, service, fallback, null, origins.fallback(door), id))
    }
  }

  // The last resort shows it: nothing was negotiated. A fault of the door is for no `exceptionHandler`.
  function refuse(error: unknown, door: DoorRequest): DoorReply {
    const request = found(door, nextId())
    request.accepted = LAST_RESORT
    const foreseen = error instanceof ApiError
    return respond(foreseen ? answer(error, request) : unforeseen(error, request), request)
  }

  function report({ event, error, request, headers = [] }: Failure): void {
    if (request === null) return service.logger.error({ event, error: errorText(error) })
    logFailure(event, error, found(request, idOf(headers) ?? nextId()))
  }

  /** The request as far as it can be known, for what happens after it was handled. */
  function found(door: DoorRequest, id: string): Context {
    const match = matchOf(door)
    const endpoint = match === null ? fallback : endpoints.get(match.route.name)!
    return new Context(door, service, endpoint, match, origins.fallback(door), id)
  }

  function matchOf(door: DoorRequest): Match | null {
    try {
      return service.urls.match(pathOf(door))
    } catch {
      return null
    }
  }

  return { handle, nextId, refuse, report }
}

/**
 * Makes the values of `X-Request-Id`: unique in this process by counting, across processes by a
 * random beginning. They tell nothing about clients and cost next to nothing.
 */
function createRequestIds(): () => string {
  const prefix = `${randomToken(6, 'hex')}-`
  let count = 0
  return () => prefix + (++count).toString(36)
}

function idOf(headers: readonly string[]): string | undefined {
  const at = headers.indexOf('X-Request-Id')
  return at < 0 ? undefined : headers[at + 1]
}

function pathOf({ target }: DoorRequest): string {
  const cut = target.indexOf('?')
  return cut < 0 ? target : target.slice(0, cut)
}

async function answered(request: Context): Promise<DoorReply> {
  return respond(await run(request), request)
}

/**
 * Everything that happens to a request, in this order (R1). Negotiation and version come first, because
 * they decide how an error is shown; they name no user and deny nothing. A step that has nothing to wait
 * for is not awaited.
 */
async function run(request: Context): Promise<Reply> {
  const { endpoint, method } = request
  try {
    negotiate(request)
    const version = endpoint.determineVersion?.(request)
    if (version) await version
    const identity = endpoint.authenticate(request)
    if (identity) await identity
    const permission = endpoint.checkPermissions?.(request)
    if (permission) await permission
    const throttle = endpoint.checkThrottles?.(request)
    if (throttle) await throttle
    // 405 comes after all checks (R9). The method is the real one, even where a header names another (R13).
    const handler = endpoint.handlers.get(method)
    if (handler === undefined) throw new MethodNotAllowed(method)
    const handled = handler.handle(request)
    const value = handled instanceof Promise ? await handled : handled
    return value instanceof ReplyValue ? value : reply(value === undefined ? null : value)
  } catch (error) {
    return answer(error, request)
  }
}

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
function negotiate(request: Context): void {
  const { accept, endpoint } = request
  request.accepted = endpoint.negotiation.select({ accept, format: formatOf(request) })
}

function formatOf(request: Context): string | null {
  const { urlFormatOverride } = request.settings
  if (request.suffixed) return request.params['format'] as string
  if (urlFormatOverride === null || request.queryText === '') return null
  return request.query.get(urlFormatOverride) || null
}

/** No endpoint, or no right to ask for one: the answer is still negotiated (I12). */
async function refused(error: unknown, request: Context): Promise<DoorReply> {
  try {
    negotiate(request)
  } catch {
    // The first failure is the answer; the first renderer shows it (E15).
  }
  return respond(answer(error, request), request)
}
