import { parseCookie, stringifySetCookie } from 'cookie'

/** When a browser sends a cookie along with requests that other sites made it send. */
export type SameSite = 'Strict' | 'Lax' | 'None'

export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds until the browser forgets it; 0: at once. */
  readonly maxAge: number
  readonly path: string
  /** `null`: for the host that set it, and no other. */
  readonly domain: string | null
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly sameSite: SameSite
}

/**
 * The value of a cookie as it was sent; `null`: it was not sent. Of two with one name the first counts: browsers send that of
 * the longer path first (RFC 6265 §5.4).
 *
 * @example readCookie(request.header('cookie'), 'theme')
 */
export function readCookie(header: string | null, name: string): string | null {
  return header === null ? null : (parseCookie(header, { decode: asSent })[name] ?? null)
}

/** Our own values need no decoding, and other values are never compared. */
const asSent = (value: string): string => value

/**
 * A value for `Set-Cookie`. `maxAge` is in seconds; 0 makes the browser forget the cookie.
 *
 * @throws TypeError the value has characters that cookies cannot hold
 * @example writeCookie({ ...settings, name: 'theme', value: 'dark', maxAge: 60, path: '/' })
 */
export function writeCookie({ domain, sameSite, ...cookie }: Cookie): string {
  return stringifySetCookie({
    ...cookie,
    ...(domain === null ? {} : { domain }),
    sameSite: sameSite.toLowerCase() as Lowercase<SameSite>,
  })
}
