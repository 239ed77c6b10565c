import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DoorRequest } from '../contract/door.ts'

/** A request on its way, with the answer that it gets. */
export interface Exchange {
  readonly request: DoorRequest
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}
