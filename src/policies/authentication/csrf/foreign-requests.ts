import type { Incoming } from '../../../core/ports/request.ts'
import type { SessionSettings } from '../../../core/ports/sessions.ts'
import { PermissionDenied } from '../../../core/errors/api-errors.ts'
import { Message } from '../../../core/messages/message.ts'

/** Why a request failed the CSRF check, as a code (S20). */
export type CsrfReason =
  | 'origin-mismatch'
  | 'referer-missing'
  | 'referer-malformed'
  | 'referer-insecure'
  | 'referer-mismatch'
  | 'cookie-missing'
  | 'cookie-malformed'
  | 'token-missing'
  | 'token-malformed'
  | 'token-incorrect'

/**
 * 403: the request may have been made by another site in the name of the user (S4). Its `code` is that
 * of every denial; `reason` says which check failed, and stands at the end of the text in brackets.
 * Nothing that was sent is repeated (S20, D17).
 */
export class CsrfFailed extends PermissionDenied {
  readonly reason: CsrfReason

  constructor(reason: CsrfReason, text: CsrfReason | 'cookie-withheld' = reason) {
    super(Message.of(`permission_denied.${text}`, { reason }))
    this.reason = reason
  }
}

/** Methods whose requests change nothing (S3, RFC 9110 §9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * For schemes whose credentials a browser attaches by itself, also to what a page of another site makes
 * it send: refuses such a request before anything of it is read, if it may change something (I18).
 * Origins in `CSRF_TRUSTED_ORIGINS` are excepted. Programs send no origin, and pass.
 *
 * @throws CsrfFailed (403)
 * @example
 * class CertificateAuthentication implements Authenticator<User, null> {
 *   authenticate(request: Incoming) {
 *     const name = request.environ['SSL_CLIENT_S_DN_CN']
 *     if (name === undefined) return null
 *     refuseForeign(request)
 *     return { user: userOf(name), auth: null }
 *   }
 * }
 */
export function refuseForeign(request: Incoming): void {
  if (SAFE_METHODS.has(request.method)) return
  if (isForeign(request, request.trustedOrigins)) throw new CsrfFailed('origin-mismatch')
}

/** The reason why a request counts as foreign, by headers that pages cannot change. Called before the body is read (I17). */
export function foreignReason(request: Incoming, settings: SessionSettings): CsrfReason | null {
  if (isForeign(request, settings.csrfTrustedOrigins)) return 'origin-mismatch'
  // Over plain HTTP a Referer cannot be relied on anyway (S15).
  const silent = request.header('origin') === null
  return silent && request.origin.startsWith('https:') ? wrongReferer(request, settings) : null
}

function isForeign(request: Incoming, trusted: readonly string[]): boolean {
  const origin = request.header('origin')
  if (origin !== null && isTrusted(origin, trusted)) return false
  if (origin !== null && origin !== request.origin) return true
  return FOREIGN_SITES.has(request.header('sec-fetch-site') ?? '')
}

/** A site is more than an origin: a neighbour under the same domain is foreign too. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** Checks the Referer: over HTTPS, a browser that hides where it comes from is not trusted (S15). */
function wrongReferer(request: Incoming, settings: SessionSettings): CsrfReason | null {
  const referer = request.header('referer')
  if (referer === null || referer === '') return 'referer-missing'
  const url = URL.parse(referer)
  if (url === null || url.host === '') return 'referer-malformed'
  if (url.protocol !== 'https:') return 'referer-insecure'
  const { csrfUseSessions, sessionCookieDomain, csrfCookieDomain, csrfTrustedOrigins } = settings
  const fits =
    url.host === new URL(request.origin).host ||
    isWithin(url.host, csrfUseSessions ? sessionCookieDomain : csrfCookieDomain) ||
    isTrusted(url.origin, csrfTrustedOrigins)
  return fits ? null : 'referer-mismatch'
}

/** `.example.com` holds the domain and all below it; without the dot it is one host. */
function isWithin(host: string, domain: string | null): boolean {
  if (domain === null) return false
  return host === domain || (domain.startsWith('.') && isBelow(host, domain.slice(1)))
}

/** Is the origin listed exactly, or below a wildcard of the same scheme (S14)? */
function isTrusted(origin: string, trusted: readonly string[]): boolean {
  return trusted.some((entry) => {
    const [scheme, domain] = entry.split('://*.')
    if (domain === undefined) return entry === origin
    const start = `${scheme}://`
    return origin.startsWith(start) && isBelow(origin.slice(start.length), domain)
  })
}

const isBelow = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)
