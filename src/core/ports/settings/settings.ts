// The vocabulary of every layer. What it holds beside policies, which knows no request, is in the files beside this one.
import type { Metadata } from '../metadata.ts'
import type { Parser } from '../parsing.ts'
import type { Authenticator } from '../policies/authentication.ts'
import type { FilterBackend } from '../policies/filters.ts'
import type { Paginator } from '../policies/pagination.ts'
import type { Wrapper, Observer } from '../policies/observing.ts'
import type { Permission } from '../policies/permissions.ts'
import type { Throttle } from '../policies/throttling.ts'
import type { VersioningScheme } from '../policies/versioning.ts'
import type { Renderer, Reply } from '../representations.ts'
import type { ApiRequest, Incoming } from '../request.ts'
import type { PlainSettings } from './plain.ts'
import type { OperationPlaceUnder, SchemaPlaceUnder } from '../../types/documents.ts'

/** The settings of every layer: defaults ◁ api ◁ configuration keys ◁ group ◁ endpoint. `null` switches off. */
export interface Settings extends PlainSettings {
  /** Tried in order; the first one's challenge decides between 401 and 403. */
  readonly authentication: readonly Authenticator[]
  /** All must agree. */
  readonly permissions: readonly Permission[]
  readonly throttles: readonly Throttle[]
  readonly versioning: VersioningScheme | null
  // oxlint-disable-next-line no-explicit-any -- any style; serve checks that it fits the source
  readonly pagination: Paginator<any, any> | null
  /** Filters that narrow and order lists before pages are cut, in this order (P2). */
  readonly filters: readonly FilterBackend[]
  readonly renderers: readonly Renderer[]
  readonly parsers: readonly Parser[]
  readonly metadata: Metadata | null
  /** Makes `request.user` where no scheme named one; `null` makes it `null`. */
  readonly unauthenticatedUser: (() => unknown) | null
  readonly unauthenticatedToken: (() => unknown) | null
  /** Turns an error into an answer; `null`: unforeseen, answered with 500 and logged. */
  readonly exceptionHandler: (error: unknown, request: Incoming) => Reply | null
  /**
   * The zone in which `field.dateTime` shows points in time: an IANA name, such as `Europe/Berlin`, or a function that
   * gives one for a request, and `null` for UTC. It is asked once for each request that shows or reads one.
   */
  readonly timeZone: string | ((request: ApiRequest) => string | null)
  /** Runs around the handlers. Those of outer layers run around those of inner ones; `null` leaves all out. */
  readonly around: Wrapper | null
  /** Called with each answer; that of the api also with answers that no endpoint gave. `null`: with none. */
  readonly observe: Observer | null
}

/** The place of a schema in a document. */
export type SchemaPlace = SchemaPlaceUnder<Settings>

/** The place of an operation in a document. */
export type OperationPlace = OperationPlaceUnder<Settings>
