import type { ApiRequest, Incoming } from '../request.ts'
import type { ServiceFacts } from '../service-facts.ts'
import type { Settings } from '../settings/settings.ts'
import type { MaybePromise } from '../../std/after.ts'
import type { VersionCarrier } from '../../types/documents.ts'
import type { Route } from '../../types/routes.ts'
/** The link that `reverse` is asked for. */
export interface Lookup {
  readonly name: string
  readonly params: Readonly<Record<string, unknown>>
  /** The version that the link is to be in: that of the request, or another one of the same resource. */
  readonly version: string | null
}

/** The plain reverse: absolute URLs in no version. Throws `NoReverseMatch` if no route fits. */
export interface PlainReverse {
  (lookup: Pick<Lookup, 'name' | 'params'>): string
  /** `null` where no route fits, without the cost of an error. */
  find(lookup: Pick<Lookup, 'name' | 'params'>): string | null
}

/** The changes that a version makes to a link. Absent members stay as in the plain link. */
export interface LinkForm {
  /**
   * The namespace where the name is looked up. A full name from the request's own namespace stands for the same name of
   * another version.
   */
  readonly namespace?: string
  /**
   * A parameter that is added if the caller gives none. In a link to another version, it also replaces the caller's value.
   */
  readonly param?: readonly [name: string, value: string]
  readonly query?: readonly [name: string, value: string]
  /** Scheme and host in place of those of the request. */
  readonly origin?: string
}

/** The known dates and facts of a version's life. */
export interface VersionFacts {
  /** `Deprecation` (RFC 9745). Text is ISO 8601: `2027-01-31`, or with a time and its zone. */
  readonly deprecatedAt?: Date | string
  /** From when on it may not answer: `Sunset` (RFC 8594). Not before `deprecatedAt`. */
  readonly sunsetAt?: Date | string
  /** The version that clients should go to: `Link` with `rel="successor-version"`, if it has an address of its own. */
  readonly successor?: string
  /** The address or path of a text about it: `Link` with `rel="deprecation"` and `rel="sunset"`. */
  readonly link?: string
  /** Answers 410 from `sunsetAt` on. @default false */
  readonly gone?: boolean
}

/** The place of the version in requests, and the way that links stay in it. */
export interface VersioningScheme<out Implied extends string = string> {
  /** `null`: the request carries no version and there is no default. Throws where the version is not allowed. */
  readonly determineVersion: (request: Incoming) => MaybePromise<string | null>
  /** The version that the request carries, allowed or not; `null`: none. `firstOf` chooses by it. */
  find?(request: Incoming): MaybePromise<string | null>
  /**
   * Wraps the plain reverse, as `super` would: change the lookup before it, or the absolute URL after it.
   * `next` throws `NoReverseMatch` where no route fits; the plain reverse is tried then.
   */
  reverse?(lookup: Lookup, request: ApiRequest, next: PlainReverse): string
  /**
   * The links of `reverse` as data, which are asked for in its place. The forms are tried in order, and behind them the plain
   * link. They must follow from the request and the version alone: a request asks for them once.
   */
  readonly linkForms?: ((version: string, request: ApiRequest) => readonly LinkForm[]) | undefined
  /**
   * The places of the version in requests, in the order of precedence, for documents and `strictQuery`.
   * @default null: it is not known, and `strictQuery` admits the parameter `versionParam`
   */
  carriers?(settings: Settings): readonly VersionCarrier[] | null
  /** The versions there are under these settings, at one address or anywhere; `null`: they are not known, any may be one. */
  versions?(settings: Settings, address?: VersionedAddress): readonly string[] | null
  /** Checks the scheme at the start: a problem as the rest of a sentence (`needs …`). `null`: none. */
  check?(facts: VersioningFacts): string | null
  /** Called then too: a possible mistake as the rest of a sentence, which is logged. */
  doubt?(facts: VersioningFacts): string | null
  /** Type only: the route parameter that `reverse` fills in by itself. */
  readonly '~implied'?: Implied
}

/** The parts of an address that could carry a version. */
export type VersionedAddress = Pick<Route, 'namespace' | 'parameters'>

/** The facts that a scheme may check when the service starts. */
export interface VersioningFacts
  extends Pick<ServiceFacts, 'routes'>, Pick<Incoming, 'endpointName' | 'settings'> {
  /** The beginning of generated links for every request. */
  readonly publicUrl: string | null
  /** `false`: other schemes are asked if this one finds no version. */
  readonly alone: boolean
  /** The settings without what the operator says, who may switch versions off. */
  readonly inCode: Settings
}
