import type { RemoteUserHeader, RemoteUserSource } from '../contract/service-facts.ts'
import type { SessionSettings } from '../contract/sessions.ts'
import { cookiesProblem } from './cookies.ts'
import { type OptionRule, TEXT } from './options.ts'
import { formatNetwork, parseNetwork } from '../std/http/network.ts'

/** Settings of the whole service: what one endpoint cannot have otherwise than another. */
export interface ServiceSettings extends SessionSettings {
  /** `sqlite:PATH`, relative to the working directory or absolute. */
  readonly databaseUrl: string
  /** Seals tokens and signs what leaves the service. `null`: there is none. */
  readonly secretKey: string | null
  /** Secrets that came before it, newest first: what they sealed still opens. */
  readonly secretKeyFallbacks: readonly string[]
  /** Hosts this service answers to; `.example.com` admits every subdomain too, `*` admits all. */
  readonly allowedHosts: readonly string[]
  /** What generated links begin with, instead of the scheme and host of the request. */
  readonly publicUrl: string | null
  /** Networks and addresses whose forwarded headers count; `unix` for peers of a unix socket. */
  readonly trustedProxies: readonly string[]
  /** The channel that `REMOTE_USER` comes from. `null`: there is none. */
  readonly remoteUserSource: RemoteUserSource | null
  /** Largest request body, in bytes. */
  readonly dataUploadMaxMemorySize: number
  /** Address to listen on, or `unix:/path/to.sock`. */
  readonly host: string
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
}

/** A key of the whole service, and what it may be. */
interface ServiceKey<T> extends OptionRule {
  readonly key: Uppercase<string>
  readonly default: T
  /** Also read from the environment without the prefix. */
  readonly plain?: boolean
  /** A text in place of a list is a list of one, or of its comma-separated parts. */
  readonly list?: boolean
  /** Read as JSON from the environment, where it parses. */
  readonly structured?: boolean
  /** What is wrong with a value of the right form, as a sentence that may show it; `null`: nothing. */
  problem?(value: unknown): string | null
}

type Rule = Pick<ServiceKey<never>, 'wants' | 'fits' | 'structured' | 'list'>

const whole =
  (from: number, to: number) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value)

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const isDomain = matches(/^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/)

const listOf = (wants: string, fits: (value: unknown) => boolean): Rule => ({
  list: true,
  wants,
  fits: (value) => Array.isArray(value) && value.every(fits),
})
const COOKIE_NAME: Rule = { wants: 'the name of a cookie', fits: matches(NAME) }
const AGE: Rule = { wants: 'a number of seconds from 1 on', fits: whole(1, 1e10) }
const SECURE: Rule = {
  wants: 'true, false or "auto"',
  structured: true,
  fits: (value) => typeof value === 'boolean' || value === 'auto',
}
const SAME_SITE: Rule = {
  wants: '"Lax", "Strict" or "None"',
  fits: (value) => value === 'Lax' || value === 'Strict' || value === 'None',
}
const COOKIE_DOMAIN: Rule = {
  wants: 'a domain such as "example.com", or null for the host that sets the cookie',
  fits: (value) => value === null || isDomain(value),
}
const COOKIE_PATH: Rule = {
  wants: 'a path that begins with "/"',
  fits: matches(/^\/[\x21-\x3a\x3c-\x7e]*$/),
}
const PLACE: Rule = {
  wants: 'a path or an address, percent-encoded',
  fits: matches(/^[\x21-\x5b\x5d-\x7e]+$/),
}

/** Keys of the whole service, what each may be, and what holds without it. */
export const SERVICE_KEYS: {
  readonly [K in keyof ServiceSettings]: ServiceKey<ServiceSettings[K]>
} = {
  databaseUrl: {
    key: 'DATABASE_URL',
    default: 'sqlite:colophon.sqlite',
    plain: true,
    wants: 'a text such as "sqlite:colophon.sqlite"',
    fits: TEXT.fits,
  },
  secretKey: { key: 'SECRET_KEY', default: null, plain: true, ...TEXT },
  secretKeyFallbacks: {
    key: 'SECRET_KEY_FALLBACKS',
    default: [],
    ...listOf('a list of texts that are not empty', TEXT.fits),
  },
  allowedHosts: {
    key: 'ALLOWED_HOSTS',
    default: ['localhost', '.localhost', '127.0.0.1', '[::1]'],
    ...listOf('a list of host names', TEXT.fits),
  },
  publicUrl: {
    key: 'PUBLIC_URL',
    default: null,
    wants: 'an address without a path, such as "https://api.example.com"',
    fits: (value) => value === null || (typeof value === 'string' && isOrigin(value)),
  },
  trustedProxies: {
    key: 'TRUSTED_PROXIES',
    default: [],
    ...listOf('a list of networks such as "10.0.0.0/8", addresses, or "unix"', TEXT.fits),
    problem: (value) => proxiesProblem(value as readonly string[]),
  },
  remoteUserSource: {
    key: 'REMOTE_USER_SOURCE',
    default: null,
    structured: true,
    wants: 'null, "environ", or an object such as {"header": "X-Remote-User", "proxies": ["unix"]}',
    fits: isRemoteUserSource,
    problem: (value) =>
      typeof value === 'object' && value !== null
        ? remoteUserProblem(value as RemoteUserHeader)
        : null,
  },
  dataUploadMaxMemorySize: {
    key: 'DATA_UPLOAD_MAX_MEMORY_SIZE',
    default: 2_621_440,
    wants: 'a number of bytes',
    fits: whole(0, Infinity),
  },
  host: {
    key: 'HOST',
    default: '127.0.0.1',
    plain: true,
    wants: 'an address to listen on',
    fits: TEXT.fits,
    problem: (value) => hostProblem(value as string),
  },
  port: {
    key: 'PORT',
    default: 8000,
    plain: true,
    wants: 'a number from 0 to 65535',
    fits: whole(0, 65_535),
  },
  sessionCookieName: { key: 'SESSION_COOKIE_NAME', default: 'sessionid', ...COOKIE_NAME },
  sessionCookieAge: { key: 'SESSION_COOKIE_AGE', default: 1_209_600, ...AGE },
  sessionCookieSecure: { key: 'SESSION_COOKIE_SECURE', default: 'auto', ...SECURE },
  sessionCookieSamesite: { key: 'SESSION_COOKIE_SAMESITE', default: 'Lax', ...SAME_SITE },
  sessionCookieDomain: { key: 'SESSION_COOKIE_DOMAIN', default: null, ...COOKIE_DOMAIN },
  sessionCookiePath: { key: 'SESSION_COOKIE_PATH', default: '/', ...COOKIE_PATH },
  csrfCookieName: { key: 'CSRF_COOKIE_NAME', default: 'csrftoken', ...COOKIE_NAME },
  csrfCookieAge: { key: 'CSRF_COOKIE_AGE', default: 31_449_600, ...AGE },
  csrfCookieSecure: { key: 'CSRF_COOKIE_SECURE', default: 'auto', ...SECURE },
  csrfCookieSamesite: { key: 'CSRF_COOKIE_SAMESITE', default: 'Lax', ...SAME_SITE },
  csrfCookieDomain: { key: 'CSRF_COOKIE_DOMAIN', default: null, ...COOKIE_DOMAIN },
  csrfCookiePath: { key: 'CSRF_COOKIE_PATH', default: '/', ...COOKIE_PATH },
  csrfHeaderName: {
    key: 'CSRF_HEADER_NAME',
    default: 'X-CSRFToken',
    // `HTTP_X_CSRFTOKEN`, as some frameworks spell it, is a header that no browser sends.
    wants: 'the name of a header as it is sent, such as "X-CSRFToken"',
    fits: (value) => matches(NAME)(value) && !(value as string).includes('_'),
  },
  csrfTrustedOrigins: {
    key: 'CSRF_TRUSTED_ORIGINS',
    default: [],
    ...listOf(
      'a list of origins such as "https://app.example.com" or "https://*.example.com"',
      matches(ORIGIN),
    ),
  },
  csrfUseSessions: {
    key: 'CSRF_USE_SESSIONS',
    default: false,
    structured: true,
    wants: 'true or false',
    fits: (value) => typeof value === 'boolean',
  },
  loginUrl: { key: 'LOGIN_URL', default: '/login/', ...PLACE },
  loginRedirectUrl: { key: 'LOGIN_REDIRECT_URL', default: '/', ...PLACE },
}

export const SERVICE_NAMES = Object.keys(SERVICE_KEYS) as readonly (keyof ServiceSettings)[]

/** What holds where no key is set. */
export const SERVICE_DEFAULTS = Object.freeze(
  Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, Object.freeze(SERVICE_KEYS[name].default)]),
  ),
) as unknown as ServiceSettings

/** What is wrong between two keys, each of which is right; `null`: nothing. */
export function serviceProblem(settings: ServiceSettings): string | null {
  return channelProblem(settings) ?? cookiesProblem(settings)
}

function channelProblem(settings: ServiceSettings): string | null {
  const { remoteUserSource: source, trustedProxies } = settings
  if (source === null || source === 'environ') return null
  if ((source.proxies ?? trustedProxies).length > 0) return null
  return `REMOTE_USER_SOURCE names the header ${source.header} and no peer that may send it: set "proxies" there, or TRUSTED_PROXIES.`
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, pathname, search, hash, username } = new URL(text)
  return (
    /^https?:$/.test(protocol) &&
    pathname === '/' &&
    search === '' &&
    hash === '' &&
    username === ''
  )
}

/** Stands for the peers of a unix socket, which have no address. */
const UNIX = 'unix'

/** What is wrong with a list of proxies, as a sentence; `null`: nothing. */
function proxiesProblem(proxies: readonly string[]): string | null {
  for (const proxy of proxies) {
    const network = parseNetwork(proxy)
    if (proxy === UNIX || network?.exact) continue
    const shown = JSON.stringify(proxy)
    return network === null
      ? `${shown} is no address, no network such as "10.0.0.0/8", and not "unix".`
      : `${shown} says more than its prefix. Did you mean "${formatNetwork(network)}"?`
  }
  return null
}

/** Whether this has the form of a source of `REMOTE_USER`. */
function isRemoteUserSource(value: unknown): boolean {
  if (value === null || value === 'environ') return true
  if (typeof value !== 'object' || Array.isArray(value)) return false
  const { header, proxies = [], ...others } = value as Record<string, unknown>
  return typeof header === 'string' && isTexts(proxies) && Object.keys(others).length === 0
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

/** What is wrong with a source of the right form, as a sentence; `null`: nothing. */
function remoteUserProblem(source: RemoteUserHeader): string | null {
  const { header, proxies = [] } = source
  const shown = JSON.stringify(header)
  if (!HEADER.test(header)) {
    return `${shown} is no name for the header: write letters, digits and dashes, such as "X-Remote-User".`
  }
  if (TAKEN.has(header.toLowerCase())) {
    return `${shown} means something else already. Choose a name of its own, such as "X-Remote-User".`
  }
  return proxiesProblem(proxies)
}

// An underscore is refused: some servers take `X_Remote_User` and `X-Remote-User` for one name.
const HEADER = /^[a-z\d]+(?:-[a-z\d]+)*$/i

const TAKEN: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'forwarded',
  'host',
  'origin',
  'referer',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
])

const SOCKET = 'unix:'
/** Bytes that the kernel keeps for the path of a socket, without the final zero; 104 on some systems. */
const LONGEST_PATH = 103

/** What is wrong with an address to listen on, as a sentence; `null`: nothing that can be seen from here. */
function hostProblem(host: string): string | null {
  if (!host.startsWith(SOCKET)) return null
  const path = host.slice(SOCKET.length)
  if (!path.startsWith('/'))
    return 'the path of a unix socket is absolute: "unix:/run/api/api.sock".'
  if (Buffer.byteLength(path) <= LONGEST_PATH) return null
  return `the path of a unix socket has at most ${LONGEST_PATH} bytes.`
}
