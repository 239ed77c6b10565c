import type { Authenticator } from './authentication.ts'
import type { FilterBackend } from './filter.ts'
import type { Messages } from '../messages/message.ts'
import type { Paginator } from './pagination.ts'
import type { Parser } from './parsing.ts'
import type { Permission } from './permission.ts'
import type { Reply } from './reply.ts'
import type { Renderer } from './rendering.ts'
import type { Incoming } from './request.ts'
import type { Throttle } from './throttle.ts'
import type { VersionFacts, VersioningScheme } from './versioning.ts'

/** What OPTIONS answers. */
export interface Metadata {
  describe(endpoint: {
    readonly title: string
    readonly description: string
    readonly renderers: readonly Renderer[]
    readonly parsers: readonly Parser[]
    /** Input fields by method, where a handler knows them. */
    readonly actions: Readonly<Record<string, object>> | null
  }): object
}

/** One vocabulary for every layer: defaults ◁ api ◁ configuration keys ◁ group ◁ endpoint. `null` switches off. */
export interface Settings {
  /** Tried in order; the first one's challenge decides between 401 and 403. */
  readonly authentication: readonly Authenticator[]
  /** All must agree. */
  readonly permissions: readonly Permission[]
  readonly throttles: readonly Throttle[]
  readonly versioning: VersioningScheme | null
  /** The version of a request that carries none; always allowed. */
  readonly defaultVersion: string | null
  /** `null` in the list admits unversioned requests; `null` instead of a list admits every version. */
  readonly allowedVersions: readonly (string | null)[] | null
  /** Name of the version's parameter, in a path, a query or a media type. */
  readonly versionParam: string
  /** What is known of the life of versions, by version: deprecation, sunset, successor. */
  readonly versions: Readonly<Record<string, VersionFacts>> | null
  /** Name of a response header that says which version was served; `null`: none does. */
  readonly versionHeader: string | null
  // oxlint-disable-next-line no-explicit-any -- any style; serve checks that it fits the source
  readonly pagination: Paginator<any, any> | null
  /** Items per page, for styles that do not say it themselves. */
  readonly pageSize: number | null
  /** The most rows that a page of any style can have, whatever the style or a client says. */
  readonly maxPageSize: number | null
  /** What narrows and orders lists before they are split into pages, in this order (P2). */
  readonly filters: readonly FilterBackend[]
  /** Query parameter of searches. */
  readonly searchParam: string
  /** Query parameter of orderings. */
  readonly orderingParam: string
  readonly renderers: readonly Renderer[]
  readonly parsers: readonly Parser[]
  readonly metadata: Metadata | null
  /** Makes `request.user` where no scheme named one; `null` makes it `null`. */
  readonly unauthenticatedUser: (() => unknown) | null
  readonly unauthenticatedToken: (() => unknown) | null
  /** Turns an error into an answer; `null`: unforeseen, answered with 500 and logged. */
  readonly exceptionHandler: (error: unknown, request: Incoming) => Reply | null
  /** Key of validation messages that belong to no field. */
  readonly nonFieldErrorsKey: string
  /** Query parameter that overrides `Accept`; `null` switches it off. */
  readonly urlFormatOverride: string | null
  /** Sentences that clients read, replaced by language tag; `null`: the English ones that are shipped. */
  readonly messages: Messages | null
}

export type Layer = { readonly [K in keyof Settings]?: Settings[K] | undefined }
