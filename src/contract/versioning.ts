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

/** How a version changes a link. What is left out stays as in the plain link. */
export interface LinkForm {
  /**
   * The namespace that the name is looked for in. In another version than that of the request, the full
   * name of a route beside the request's own stands for its counterpart.
   */
  readonly namespace?: string
  /**
   * A parameter that the route gets where the caller gives none; into another version than that of
   * the request, also in place of the one given.
   */
  readonly param?: readonly [name: string, value: string]
  /** A query parameter that the link carries. */
  readonly query?: readonly [name: string, value: string]
  /** Scheme and host in place of those of the request. */
  readonly origin?: string
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
   * What `reverse` does, as data; where there is this, `reverse` is not asked. The forms are tried in
   * order, and behind them the plain link. They must follow from the request and the version alone:
   * one request asks for those of its own version once, and makes all links from them.
   */
  readonly linkForms?: ((version: string, request: ApiRequest) => readonly LinkForm[]) | undefined
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
