import type { DoorReply, DoorRequest, Failure, Kernel } from '../contract/door.ts'
import type { Rehearsal, RehearsedStep } from '../contract/kernel.ts'
import type { Match } from '../types/routes.ts'
import { ApiError, NotFound } from '../errors/api-errors.ts'
import type { MaybePromise } from '../std/after.ts'
import { randomToken } from '../std/crypto/random.ts'
import { errorText } from '../std/text/error-text.ts'
import { type CompiledEndpoint, Context, type Service } from './context.ts'
import { answer, logFailure, unforeseen } from './exceptions.ts'
import type { Origins } from './origins/allowed-hosts.ts'
import { LAST_RESORT } from './problem-details.ts'
import { respond } from './respond.ts'
import { refused, rehearse, run } from './run.ts'

interface Application {
  readonly service: Service
  /** Shows what goes wrong before an endpoint is found. */
  readonly fallback: CompiledEndpoint
  readonly origins: Origins
}

/** What `createKernel` makes: all of a kernel that needs no databases. */
interface Answering extends Required<Omit<Kernel, 'open' | 'close'>> {
  rehearse(door: DoorRequest, last?: RehearsedStep): Promise<Rehearsal>
}

export function createKernel(application: Application): Answering {
  const { service, fallback, origins } = application
  const { endpoints } = service
  // Unique in this process by counting, across processes by a random beginning.
  const prefix = `${randomToken(6, 'hex')}-`
  let count = 0
  const nextId = (): string => prefix + (++count).toString(36)

  function handle(door: DoorRequest): MaybePromise<DoorReply> {
    const id = nextId()
    let request: Context
    try {
      request = arrived(door, id)
    } catch (error) {
      return refused(error, strayed(door, id))
    }
    return run(request)
  }

  async function rehearsal(door: DoorRequest, last?: RehearsedStep): Promise<Rehearsal> {
    const id = nextId()
    let request: Context
    try {
      request = arrived(door, id)
    } catch (error) {
      request = strayed(door, id)
      return { request, refusal: { by: 'address', answer: await refused(error, request) } }
    }
    return { request, refusal: await rehearse(request, last) }
  }

  /** The request at its endpoint. @throws ApiError there is none, or the host is not ours */
  function arrived(door: DoorRequest, id: string): Context {
    if (door.refusal) throw door.refusal
    const origin = origins.of(door)
    const match = service.urls.match(door.target)
    if (match === null) throw new NotFound()
    return new Context(door, service, endpoints.get(match.route.name)!, match, origin, id)
  }

  function strayed(door: DoorRequest, id: string): Context {
    return new Context(door, service, fallback, null, origins.fallback(door), id)
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
    const at = headers.indexOf('X-Request-Id')
    logFailure(event, error, found(request, at < 0 ? nextId() : headers[at + 1]!))
  }

  /** The request as far as it can be known, for what happens after it was handled. */
  function found(door: DoorRequest, id: string): Context {
    let match: Match | null = null
    try {
      match = service.urls.match(door.target)
    } catch {
      // Its percent-encoding is broken: it has no endpoint.
    }
    const endpoint = match === null ? fallback : endpoints.get(match.route.name)!
    return new Context(door, service, endpoint, match, origins.fallback(door), id)
  }

  return { handle, rehearse: rehearsal, nextId, refuse, report }
}
