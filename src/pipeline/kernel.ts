import type { DoorReply, DoorRequest, Failure, Kernel } from '../contract/door.ts'
import type { Accepted } from '../contract/rendering.ts'
import type { Match } from '../types/routes.ts'
import { ApiError } from '../errors/api-error.ts'
import { NotFound } from '../errors/client-errors.ts'
import type { CompiledEndpoint } from './compile.ts'
import { Context } from './context.ts'
import { errorText } from '../std/text/error-text.ts'
import { answer, logFailure, unforeseen } from './exceptions.ts'
import type { Origins } from './origins.ts'
import { respond } from './respond.ts'
import { run } from './run.ts'
import type { Service } from './service.ts'

/** An application, compiled. */
export interface Application {
  readonly service: Service
  /** By full name of the route. */
  readonly endpoints: ReadonlyMap<string, CompiledEndpoint>
  /** Shows what goes wrong before an endpoint is found. */
  readonly fallback: CompiledEndpoint
  readonly origins: Origins
  /** Makes the value of `X-Request-Id`. */
  readonly nextId: () => string
}

/** The kernel: finds the endpoint, runs the request, renders the answer. */
export function createKernel(application: Application): Required<Kernel> {
  const { service, fallback, endpoints, origins, nextId } = application

  function handle(door: DoorRequest): Promise<DoorReply> {
    const id = nextId()
    try {
      if (door.refusal) throw door.refusal
      const origin = origins.of(door)
      const match = service.urls.match(pathOf(door.target))
      if (match === null) throw new NotFound()
      return answered(
        new Context(door, service, endpoints.get(match.route.name)!, match, origin, id),
      )
    } catch (error) {
      return refused(error, new Context(door, service, fallback, null, origins.fallback(door), id))
    }
  }

  // The last resort shows it: nothing was negotiated. A fault of the door is for no `exceptionHandler`.
  function refuse(error: unknown, door: DoorRequest): DoorReply {
    const request = found(door, nextId())
    request.accepted = LAST_RESORT
    const foreseen = error instanceof ApiError
    return finish(foreseen ? answer(error, request) : unforeseen(error, request), request)
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

  function matchOf({ target }: DoorRequest): Match | null {
    try {
      return service.urls.match(pathOf(target))
    } catch {
      return null
    }
  }

  return { handle, nextId, refuse, report }
}

function idOf(headers: readonly string[]): string | undefined {
  const at = headers.indexOf('X-Request-Id')
  return at < 0 ? undefined : headers[at + 1]
}

function pathOf(target: string): string {
  const cut = target.indexOf('?')
  return cut < 0 ? target : target.slice(0, cut)
}

async function answered(request: Context): Promise<DoorReply> {
  return finish(await run(request.endpoint, request), request)
}

/** No endpoint, or no right to ask for one: the answer is still negotiated (I12). */
async function refused(error: unknown, request: Context): Promise<DoorReply> {
  try {
    request.endpoint.negotiate(request)
  } catch {
    // The first failure is the answer; the first renderer shows it (E15).
  }
  return finish(answer(error, request), request)
}

/** A renderer that fails is answered like a handler that fails, in a form that cannot. */
function finish(reply: ReturnType<typeof answer>, request: Context): DoorReply {
  try {
    return respond(reply, request)
  } catch (error) {
    request.accepted = LAST_RESORT
    return lastly(answer(error, request), request)
  }
}

/** Where an `exceptionHandler` of the application answers with what nothing can render, ours answers. */
function lastly(reply: ReturnType<typeof answer>, request: Context): DoorReply {
  try {
    return respond(reply, request)
  } catch (error) {
    return respond(unforeseen(error, request), request)
  }
}

const LAST_RESORT: Accepted = {
  renderer: {
    mediaType: 'application/json',
    format: 'json',
    render: ({ data }) => JSON.stringify(data),
  },
  mediaType: 'application/json',
  parameters: {},
}
