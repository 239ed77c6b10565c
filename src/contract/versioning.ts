import type { ApiRequest, Incoming, MaybePromise } from './request.ts'

/** What `reverse` is asked for. */
export interface Lookup {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Where a request says which version it wants, and how links stay in it. */
export interface VersioningScheme<out Implied extends string = string> {
  /** `null`: the request carries no version and there is no default. Throws where the version is not allowed. */
  readonly determineVersion: (request: Incoming) => MaybePromise<string | null>
  /**
   * Wraps the plain reverse, as `super` would: change the lookup before it, or the absolute URL after it.
   * `next` throws `NoReverseMatch` where no route fits.
   */
  reverse?(lookup: Lookup, request: ApiRequest, next: (lookup: Lookup) => string): string
  /** Type only: the route parameter that `reverse` fills in by itself. */
  readonly '~implied'?: Implied
}
