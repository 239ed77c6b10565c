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

/** Of two with one name the first counts: browsers send that of the longer path first (RFC 6265 §5.4). */
export function readCookie(header: string | null, name: string): string | null {
  return header === null ? null : (parseCookie(header, { decode: asSent })[name] ?? null)
}

/** Our own values need no decoding, and those of others are compared with nothing. */
const asSent = (value: string): string => value

export function writeCookie({ domain, sameSite, ...cookie }: Cookie): string {
  return stringifySetCookie({
    ...cookie,
    ...(domain === null ? {} : { domain }),
    sameSite: sameSite.toLowerCase() as Lowercase<SameSite>,
  })
}
