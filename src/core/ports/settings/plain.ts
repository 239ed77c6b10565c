import type { Messages } from '../../messages/message.ts'
import type { Rate, StoreErrorPolicy } from '../policies/throttling.ts'
import type { VersionFacts } from '../policies/versioning.ts'
import type { BrowsableSettings } from './browsable.ts'
import type { CorsPolicy } from './cors.ts'

/** Settings that a file can contain: names, numbers, switches and tables. */
export interface PlainSettings {
  /** The rates of throttles without their own, by scope; `null`: no limit. */
  readonly throttleRates: Readonly<Record<string, Rate | null>>
  /** The scope that `ScopedRateThrottle` counts the endpoint under; `null`: it is not limited. */
  readonly throttleScope: string | null
  /** The number of servers in front that append to `X-Forwarded-For` (T20); `'peer'`: the trusted proxies decide (I8). */
  readonly numProxies: number | null | 'peer'
  /** The bits of an IPv6 address that identify a client, 32 to 128; not with `numProxies`, which compares texts. */
  readonly ipv6Prefix: number
  readonly onStoreError: StoreErrorPolicy
  /** Do `RateLimit-Policy` and `RateLimit` in answers tell the limit, and its rest? */
  readonly rateLimitHeaders: boolean
  /**
   * Does a 401 carry the challenges of all schemes, and `error="invalid_token"` where a Bearer token was refused
   * (RFC 6750, 3)? Else that of the first scheme alone.
   */
  readonly challengeAll: boolean
  /** The wrong credentials that one client may try, and that may be tried for one account; `null`: any number. */
  readonly credentialFailures: Rate | null
  /** The pages of other origins that may call from a browser; `null`: only those that browsers allow by themselves. */
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
  /** The most rows of any page, whatever the style or a client says. */
  readonly maxPageSize: number | null
  /** The largest offset that a counted style reads. */
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
  /** The most files in a form; more are a 400. */
  readonly maxFiles: number
  /** The most fields of a form beside its files; more are a 400. */
  readonly maxFields: number
  readonly nonFieldErrorsKey: string
  /**
   * The database for handlers of GET and HEAD: `replica` allows replicas that are a little behind, but not behind the client's
   * own writes.
   */
  readonly reads: 'primary' | 'replica'
  /** Query parameter that overrides `Accept`; `null` switches it off. */
  readonly urlFormatOverride: string | null
  /** The look of pages for browsers. */
  readonly browsable: BrowsableSettings
  /** Sentences that clients read, replaced by language tag; `null`: the English ones that are shipped. */
  readonly messages: Messages | null
}
