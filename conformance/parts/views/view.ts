import type { Endpoint, Settings } from 'colophon'
import type { EntryConfig } from '../../data.ts'
import type { Request } from '../../request.ts'
import type { World } from '../../world.ts'

/** A kind of endpoint (SERVICE §4). */
export interface View {
  /** Settings that make the kind what it is. */
  readonly settings?: Partial<Settings>
  /** Gives an endpoint its verbs. */
  verbs(endpoint: Endpoint<Request>, config: EntryConfig, world: World): Endpoint<Request>
}
