import type { Messages } from '../../messages/message.ts'
import type { Rate, StoreErrorPolicy } from '../policies/throttling.ts'
import type { VersionFacts } from '../policies/versioning.ts'
import type { BrowsableSettings } from './browsable.ts'
import type { CorsPolicy } from './cors.ts'

/** The settings that a file can write down as they are: names, numbers, switches and tables. */
export interface PlainSettings {
  /** By scope: what throttles without a rate of their own allow; `null`: everything. */
  readonly throttleRates: Readonly<Record<string, Rate | null>>
  /** The scope that `ScopedRateThrottle` counts the endpoint under; `null`: it is not limited. */
  readonly throttleScope: string | null
  /** How many servers in front append to `X-Forwarded-For` (T20); `'peer'`: the trusted proxies decide (I8). */
  readonly numProxies: number | null | 'peer'
  /** How many bits of an IPv6 address are one client's, 32 to 128; not with `numProxies`, which takes texts as they are. */
  readonly ipv6Prefix: number
  readonly onStoreError: StoreErrorPolicy
  /** Do answers say in `RateLimit-Policy` and `RateLimit` what is allowed, and how much of it is left? */
  readonly rateLimitHeaders: boolean
  /**
   * Does a 401 carry the challenges of all schemes, and `error="invalid_token"` where a Bearer token was refused
   * (RFC 6750, 3)? Else that of the first scheme alone.
   */
  readonly challengeAll: boolean
  /** How many wrong credentials one client may try, and how many may be tried for one account; `null`: any number. */
  readonly credentialFailures: Rate | null
  /** Which pages of other origins may call from a browser; `null`: those that browsers let by themselves. */
  readonly cors: CorsPolicy | null
  /** The version of a request that carries none; always allowed. */
  readonly defaultVersion: string | null
  /** `null` in the list admits unversioned requests; `null` instead of a list admits every version. */
  readonly allowedVersions: readonly (string | null)[] | null
  /** Name of the version's parameter, in a path, a query or a media type. */
  readonly versionParam: string
  readonly versions: Readonly<Record<string, VersionFacts>> | null
  /** Name of a response header that says which version was served; `null`: none does. */
  readonly versionHeader: string | null
  /** Items per page, for styles that do not say it themselves. */
  readonly pageSize: number | null
  /** The most rows that a page of any style can have, whatever the style or a client says. */
  readonly maxPageSize: number | null
  /** The largest offset that a counted style reads, whatever the style says. */
  readonly maxOffset: number | null
  readonly searchParam: string
  readonly orderingParam: string
  /** Is a parameter of the query refused (400) that no policy names in its `queryParams`? Else it is ignored. */
  readonly strictQuery: boolean
  /** Is a member of a body refused (400) that its serializer does not have? Else it is ignored. */
  readonly strictBody: boolean
  /** Parameters of the query that handlers read themselves. */
  readonly queryParams: readonly string[]
  /** The largest body of a request, in bytes; more is 413. */
  readonly maxBodySize: number
  /** The largest file of a form, in bytes; more is 413. `null`: `maxBodySize` alone decides. */
  readonly maxFileSize: number | null
  /** How many files a form may have; more are 400. */
  readonly maxFiles: number
  /** How many fields a form may have beside its files; more are 400. */
  readonly maxFields: number
  readonly nonFieldErrorsKey: string
  /**
   * Where handlers of GET and HEAD read, if the database has replicas: `replica` allows those that are a little behind, but for what
   * the client has written.
   */
  readonly reads: 'primary' | 'replica'
  /** Query parameter that overrides `Accept`; `null` switches it off. */
  readonly urlFormatOverride: string | null
  /** How the pages look that browsers are shown in place of data. */
  readonly browsable: BrowsableSettings
  /** Sentences that clients read, replaced by language tag; `null`: the English ones that are shipped. */
  readonly messages: Messages | null
}
