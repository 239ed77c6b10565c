import type { ApiRequest, Incoming } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { Settings } from '../settings/settings.ts'
import type { MaybePromise } from '../../std/after.ts'
import type { VersionCarrier } from '../../types/documents.ts'
import type { Route } from '../../types/routes.ts'
/** What `reverse` is asked for. */
export interface Lookup {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
  /** The version that the link is to be in: that of the request, or another one of the same resource. */
  readonly version: string | null
}

/** The plain reverse: absolute URLs whatever the version. Throws `NoReverseMatch` where no route fits. */
export interface PlainReverse {
  (lookup: Pick<Lookup, 'name' | 'params'>): string
  /** `null` where no route fits, without the cost of an error. */
  find(lookup: Pick<Lookup, 'name' | 'params'>): string | null
}

/** How a version changes a link. What is left out stays as in the plain link. */
export interface LinkForm {
  /** Where the name is looked up; a full name beside the request's own stands for that of another version. */
  readonly namespace?: string
  /** A parameter for where the caller gives none; into another version, also in place of the one given. */
  readonly param?: readonly [name: string, value: string]
  readonly query?: readonly [name: string, value: string]
  /** Scheme and host in place of those of the request. */
  readonly origin?: string
}

/** What is known of a version's life. */
export interface VersionFacts {
  /** `Deprecation` (RFC 9745). Text is ISO 8601: `2027-01-31`, or with a time and its zone. */
  readonly deprecatedAt?: Date | string
  /** From when on it may not answer: `Sunset` (RFC 8594). Not before `deprecatedAt`. */
  readonly sunsetAt?: Date | string
  /** The version to go to: `Link` with `rel="successor-version"`, where it has an address of its own. */
  readonly successor?: string
  /** What to read about it, an address or a path: `Link` with `rel="deprecation"` and `rel="sunset"`. */
  readonly link?: string
  /** Answers 410 from `sunsetAt` on. @default false */
  readonly gone?: boolean
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
   * What `reverse` does, as data, and asked in its place. The forms are tried in order, and behind them the
   * plain link. They must follow from the request and the version alone: a request asks for them once.
   */
  readonly linkForms?: ((version: string, request: ApiRequest) => readonly LinkForm[]) | undefined
  /**
   * Where requests carry the version, the first place that counts first, for documents and `strictQuery`.
   * @default null: it is not known, and `strictQuery` admits the parameter `versionParam`
   */
  carriers?(settings: Settings): readonly VersionCarrier[] | null
  /** The versions there are under these settings, at one address or anywhere; `null`: they are not known, any may be one. */
  versions?(settings: Settings, address?: VersionedAddress): readonly string[] | null
  /** Asked when the service starts: what is wrong, as the rest of a sentence (`needs …`). `null`: nothing. */
  check?(facts: VersioningFacts): string | null
  /** Asked then too: what looks like a mistake and may not be one, as the rest of a sentence too. It is logged. */
  doubt?(facts: VersioningFacts): string | null
  /** Type only: the route parameter that `reverse` fills in by itself. */
  readonly '~implied'?: Implied
}

/** Where an address could say a version. */
export type VersionedAddress = Pick<Route, 'namespace' | 'parameters'>

/** Where a scheme is to work: what it may look at when the service starts. */
export interface VersioningFacts
  extends Pick<ServiceFacts, 'routes'>, Pick<Incoming, 'endpointName' | 'settings'> {
  /** What generated links begin with, whatever the request says. */
  readonly publicUrl: string | null
  /** `false`: other schemes are asked where this one finds no version. */
  readonly alone: boolean
  /** The settings without what the operator says, who may switch versions off. */
  readonly inCode: Settings
}
