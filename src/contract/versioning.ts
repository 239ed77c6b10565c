import type { ApiRequest, Incoming, MaybePromise } from './request.ts'
import type { Route } from '../types/routes.ts'
import type { Settings } from './settings.ts'

/** What `reverse` is asked for. */
export interface Lookup {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
  /** The version that the link is to be in: that of the request, or another one of the same resource. */
  readonly version: string | null
}

/** The plain reverse: absolute URLs, and no thought of versions. */
export interface PlainReverse {
  /** Throws `NoReverseMatch`, which says what is missing, where no route fits. */
  (lookup: Pick<Lookup, 'name' | 'params'>): string
  /** `null` where no route fits. Costs nothing then: use it to try. */
  find(lookup: Pick<Lookup, 'name' | 'params'>): string | null
}

/** Where a scheme is to work: what it may look at when the service starts. */
export interface VersioningFacts {
  /** Full name of the endpoint's address. */
  readonly endpointName: string
  /** The whole address table. */
  readonly routes: readonly Route[]
  readonly settings: Settings
  /** What generated links begin with, whatever the request says. */
  readonly publicUrl: string | null
  /** `false`: other schemes are asked where this one finds no version. */
  readonly alone: boolean
}

/** Where a request says which version it wants, and how links stay in it. */
export interface VersioningScheme<out Implied extends string = string> {
  /** `null`: the request carries no version and there is no default. Throws where the version is not allowed. */
  readonly determineVersion: (request: Incoming) => MaybePromise<string | null>
  /** The version that the request carries, allowed or not; `null`: none. What `firstOf` goes by. */
  find?(request: Incoming): MaybePromise<string | null>
  /**
   * Wraps the plain reverse, as `super` would: change the lookup before it, or the absolute URL after it.
   * `next` throws `NoReverseMatch` where no route fits; the plain reverse is tried then.
   */
  reverse?(lookup: Lookup, request: ApiRequest, next: PlainReverse): string
  /**
   * The `reverse` of this scheme, where it does the same to all links of a route: it looks at the names
   * of their parameters and not at the values, and asks `next` for one path only. Lists then have all
   * their links from one. Any other `reverse`, such as that of a subclass, is asked for each link.
   */
  readonly uniformReverse?: VersioningScheme['reverse']
  /** The versions there are under these settings; `null`: nobody knows, any may be one. */
  versions?(settings: Settings): readonly string[] | null
  /** Asked when the service starts: what is wrong, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(facts: VersioningFacts): string | null
  /** Type only: the route parameter that `reverse` fills in by itself. */
  readonly '~implied'?: Implied
}

/** What is known of a version's life. */
export interface VersionFacts {
  /**
   * From when on nobody should build on it: `Deprecation` (RFC 9745). A date, or ISO 8601 as text:
   * `2027-01-31`, or with a time and its zone.
   */
  readonly deprecatedAt?: Date | string
  /** From when on it may stop to answer: `Sunset` (RFC 8594). Not before `deprecatedAt`. */
  readonly sunsetAt?: Date | string
  /** The version to go to: `Link` with `rel="successor-version"`, where it has an address of its own. */
  readonly successor?: string
  /** What to read about it, an address or a path: `Link` with `rel="deprecation"` and `rel="sunset"`. */
  readonly link?: string
  /** Answers 410 from `sunsetAt` on. @default false */
  readonly gone?: boolean
}
