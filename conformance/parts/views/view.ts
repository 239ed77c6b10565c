import type { Endpoint, Settings } from 'colophon'
import type { ServiceGroup } from '../../api.ts'
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

/** A kind that is declared as a resource. */
export interface ResourceView {
  readonly settings?: undefined
  endpoint(group: ServiceGroup, name: string, config: EntryConfig, world: World): Endpoint<never>
}
