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

/** What is known of a version's life. */
export interface VersionFacts {
  /**
   * From when on clients should not build on it: `Deprecation` (RFC 9745). A date, or ISO 8601 as text:
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
