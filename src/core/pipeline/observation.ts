import type { AnswerEnd, DoorReply } from '../ports/door.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { isPromise } from '../std/after.ts'
import { failureOf } from '../std/text/error-text.ts'
import { Context, type Service } from './context.ts'

/** What came in place of a request, as far as its answer is about it. */
export interface NoRequest {
  readonly id: string
  readonly settings: Settings
  readonly service: Service
  readonly began: number
  readonly failure: unknown
  readonly counted: null
  readonly tasks: null
  isAnswered: boolean
}

/** The name of what answers where no address fits. */
export const NO_ENDPOINT = 'no endpoint'

/** The same answer, which calls the observer once its door says how it ended. In-process questions have no door. */
export function observed(sent: DoorReply, about: Context | NoRequest): DoorReply {
  const { status, headers, body } = sent
  return { status, headers, body, ended: (end) => tell(status, end, about) }
}

/** An observer that fails is no reason for an answer to. */
function tell(
  status: number,
  { bytes, aborted, error }: AnswerEnd,
  about: Context | NoRequest,
): void {
  const { id, began, failure, settings, service } = about
  const request = about instanceof Context ? about : null
  const failed = (reason: unknown): void =>
    service.logSeldom('observe.failed', { event: 'observe.failed', id, ...failureOf(reason) })
  try {
    const returned = settings.observe!(
      {
        id,
        method: request?.method ?? null,
        endpoint: endpointOf(request),
        version: request?.version ?? null,
        user: request?.user ?? null,
        scheme: schemeOf(request),
        status,
        duration: performance.now() - began,
        bytes,
        aborted,
        error: error ?? failure,
      },
      request,
    )
    if (isPromise(returned)) Promise.resolve(returned).catch(failed)
  } catch (reason) {
    failed(reason)
  }
}

function endpointOf(request: Context | null): string | null {
  const name = request?.endpointName ?? NO_ENDPOINT
  return name === NO_ENDPOINT ? null : name
}

function schemeOf(request: Context | null): string | null {
  const authenticator = request?.authenticator ?? null
  if (authenticator === null) return null
  const { name } = authenticator.constructor
  return name === 'Object' ? 'Custom' : name
}
