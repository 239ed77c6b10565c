import type { Incoming } from '../../contract/request.ts'
import type { SessionSettings } from '../../contract/sessions.ts'
import type { CsrfReason } from './csrf-failed.ts'

/**
 * Where the request comes from, as browsers say it and pages cannot change it; `null`: nothing wrong.
 * Asked before the body is read (I17).
 */
export function foreignness(request: Incoming, settings: SessionSettings): CsrfReason | null {
  const origin = request.header('origin')
  if (origin !== null && isTrusted(origin, settings.csrfTrustedOrigins)) return null
  if (origin !== null && origin !== request.origin) return 'origin-mismatch'
  if (FOREIGN_SITES.has(request.header('sec-fetch-site') ?? '')) return 'origin-mismatch'
  // S15: over plain HTTP nobody can rely on a Referer anyway.
  if (origin !== null || !request.origin.startsWith('https:')) return null
  return wrongReferer(request, settings)
}

/** A site is more than an origin: a neighbour under the same domain is not us. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** S15: over HTTPS a browser that hides where it comes from is not believed. */
function wrongReferer(request: Incoming, settings: SessionSettings): CsrfReason | null {
  const referer = request.header('referer')
  if (referer === null || referer === '') return 'referer-missing'
  const url = URL.parse(referer)
  if (url === null || url.host === '') return 'referer-malformed'
  if (url.protocol !== 'https:') return 'referer-insecure'
  const fits =
    url.host === new URL(request.origin).host ||
    isWithin(url.host, cookieDomain(settings)) ||
    isTrusted(url.origin, settings.csrfTrustedOrigins)
  return fits ? null : 'referer-mismatch'
}

/** The domain of the cookie that holds the secret. */
function cookieDomain(settings: SessionSettings): string | null {
  return settings.csrfUseSessions ? settings.sessionCookieDomain : settings.csrfCookieDomain
}

/** `.example.com` holds the domain and all below it; without the dot it is one host. */
function isWithin(host: string, domain: string | null): boolean {
  if (domain === null) return false
  return host === domain || (domain.startsWith('.') && isBelow(host, domain.slice(1)))
}

/** S14: exactly, or below a wildcard of the same scheme. */
function isTrusted(origin: string, trusted: readonly string[]): boolean {
  return trusted.some((entry) => entry === origin || fitsWildcard(origin, entry))
}

function fitsWildcard(origin: string, entry: string): boolean {
  const star = entry.indexOf('://*.')
  if (star < 0) return false
  const start = star + '://'.length
  return (
    origin.slice(0, start) === entry.slice(0, start) &&
    isBelow(origin.slice(start), entry.slice(start + '*.'.length))
  )
}

const isBelow = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)
