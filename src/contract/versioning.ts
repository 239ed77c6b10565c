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
