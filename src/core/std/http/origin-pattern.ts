/** The origin of an address that has nothing but one, as browsers write it; `null`: it is none of http. */
export function originIn(address: string): string | null {
  const url = URL.parse(address)
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  return isOrigin ? url.origin : null
}

/** A set of origins: one, or those of a host and all below it, at one port or at any. */
export interface OriginPattern {
  /** With its colon: `https:`. */
  readonly scheme: string
  /** In lower case, Punycode. */
  readonly host: string
  readonly withHostsBelow: boolean
  /** Empty: the scheme's own. `null`: any. */
  readonly port: string | null
}

const PATTERN =
  /^([a-z][a-z0-9+.-]*):\/\/(\*\.)?([^/?#@:*\s[\]\\%]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}|\*))?$/i
/** Labels that are not empty, with or without a dot at the end, or an address of IPv6. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i
const ADDRESS = /^\[|^[\d.]+$/

/** Reads `https://app.example.com`, `https://*.example.com` or `http://localhost:*`. `null`: it is none of these. */
export function parseOriginPattern(text: string): OriginPattern | null {
  const found = PATTERN.exec(text)
  if (found === null) return null
  const [, scheme, star, host, port = ''] = found
  const url = URL.parse(`${scheme}://${host}${port === '' || port === '*' ? '' : `:${port}`}`)
  if (url === null || !HOST.test(url.hostname)) return null
  // An address has no hosts below it.
  if (star !== undefined && ADDRESS.test(url.hostname)) return null
  return {
    scheme: url.protocol,
    host: url.hostname.toLowerCase(),
    withHostsBelow: star !== undefined,
    port: port === '*' ? null : url.port,
  }
}

/** The one origin that a pattern means, as browsers write it. `null`: it means many. */
export function singleOrigin({ scheme, host, withHostsBelow, port }: OriginPattern): string | null {
  if (withHostsBelow || port === null) return null
  return `${scheme}//${host}${port === '' ? '' : `:${port}`}`
}

/** A name has at most 253 characters: what is longer than this is no origin, and is not looked at. */
const LONGEST = 300
const ORIGIN =
  /^([a-z][a-z0-9+.-]*:)\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/

/** Ports that go without saying. */
const NEEDLESS = { 'http:80': true, 'https:443': true }

/** `null` for what no browser sends as `Origin`: `null` itself, several origins, a path, capital letters. */
export function parseOrigin(text: string): Origin | null {
  const found = text.length > LONGEST ? null : ORIGIN.exec(text)
  if (found === null) return null
  const [, scheme, host, port = ''] = found
  if (port !== '' && `${scheme}${port}` in NEEDLESS) return null
  return { scheme: scheme!, host: host!, port }
}

/**
 * A name of a host as it is compared: hosts know no case (RFC 3986, 3.2.2), and with a dot at its end it is the same.
 *
 * @example hostName('V2.example.com.') // 'v2.example.com'
 */
export function hostName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

interface Origin {
  readonly scheme: string
  readonly host: string
  readonly port: string
}

export function isWithin(origin: Origin, pattern: OriginPattern): boolean {
  const { scheme, host, withHostsBelow, port } = pattern
  if (origin.scheme !== scheme || (port !== null && origin.port !== port)) return false
  // The dot counts: `evilexample.com` is not below `example.com`.
  return origin.host === host || (withHostsBelow && origin.host.endsWith(`.${host}`))
}
