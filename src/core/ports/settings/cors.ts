/** The request that a function of origins sees. It has no user: preflights bring no credentials. */
export interface CrossOriginRequest {
  readonly method: string
  /** The path as sent, percent-encoded, without the query. */
  readonly path: string
  /** Parameters of the address that was asked for, by name; empty where no address fits. */
  readonly params: Readonly<Record<string, unknown>>
  readonly url: URL
  /** A header by its name in lower case. Answers vary by the headers that are read here. */
  header(name: string): string | null
}

/**
 * The pages of other origins that may call an endpoint from a browser, and the requests and answers that they may send and read
 * (I21). It loosens the limits of browsers and protects from no program: permissions do that.
 *
 * @example
 * const api = defineApi({ urls, cors: { origins: ['https://app.example.com'], credentials: true } })
 */
export interface CorsPolicy {
  /**
   * Origins as browsers write them: `https://app.example.com`; with all hosts below one, `https://*.example.com`,
   * which is the host itself too; at any port, `http://localhost:*`. `'null'` is that of pages without
   * an origin, such as local files and sandboxed frames. `'*'` instead of a list is every origin. A function
   * is asked for each request that has an `Origin`, and only `true` lets it in; never `null` with credentials.
   */
  readonly origins:
    | readonly string[]
    | '*'
    | ((origin: string, request: CrossOriginRequest) => boolean)
  /** May they send cookies, and Basic credentials or certificates that the browser keeps? Tokens need it not. @default false */
  readonly credentials?: boolean
  /**
   * Response headers that their scripts may read, beside the seven that any script may.
   *
   * @default `Deprecation`, `Link`, `Location`, `RateLimit`, `RateLimit-Policy`, `Retry-After`, `Sunset`, `X-Request-Id`
   * and the `versionHeader`
   */
  readonly exposedHeaders?: readonly string[]
  /** Request headers that they may send. @default `Accept`, `Accept-Language`, `Authorization`, `Content-Type` and the CSRF header */
  readonly allowedHeaders?: readonly string[]
  /** The methods of the endpoint that pages may use. @default all */
  readonly methods?: readonly string[]
  /** Seconds for which a browser may keep the answer to a preflight, 0 … 86400. @default 600 */
  readonly maxAge?: number
}
