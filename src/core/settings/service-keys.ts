import type { RemoteUserHeader, RemoteUserSource } from '../ports/service-facts.ts'
import type { SessionSettings } from '../ports/sessions.ts'
import {
  type OptionRule,
  TEXT,
  isPlain,
  listOf,
  patternRule,
  oneOf,
  orNull,
  snakeCase,
  whole,
} from './options.ts'
import { formatNetwork, parseNetwork } from '../std/http/network.ts'
import { TOKEN } from '../std/http/header-value.ts'
import { originIn } from '../std/http/origin-pattern.ts'

/** Settings of the whole service, which cannot differ between endpoints. */
export interface ServiceSettings extends SessionSettings {
  /** `sqlite:PATH`, relative to the working directory or absolute. */
  readonly databaseUrl: string
  /** Addresses of streaming replicas of it, which answer reads where the setting `reads` says so. */
  readonly databaseReplicas: readonly string[]
  /** The secret that seals tokens and signs other texts. `null`: there is none. */
  readonly secretKey: string | null
  /** Former secrets, the newest first, which still open the texts that they sealed. */
  readonly secretKeyFallbacks: readonly string[]
  /** Hosts this service answers to; `.example.com` admits every subdomain too, `*` admits all. */
  readonly allowedHosts: readonly string[]
  /** The beginning of generated links, instead of the scheme and host of the request. */
  readonly publicUrl: string | null
  /** Networks and addresses whose forwarded headers count; `unix` for peers of a unix socket. */
  readonly trustedProxies: readonly string[]
  /** The channel that `REMOTE_USER` comes from. `null`: there is none. */
  readonly remoteUserSource: RemoteUserSource | null
  /**
   * The store that counts requests: `memory`, `database`, or the address of a Redis. `null`: the application's choice, else the
   * memory of this process.
   */
  readonly throttleStore: string | null
  /** Address to listen on, or `unix:/path/to.sock`. */
  readonly host: string
  /** Port to listen on; 0 takes any free port. */
  readonly port: number
  /** Processes in which `colophon serve` answers; `auto`: one for each core that it may use. */
  readonly workers: number | 'auto'
}

interface ServiceKey<T> extends OptionRule {
  readonly default: T
  /** Also read from the environment without the prefix. */
  readonly plain?: boolean
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const ORIGINS = listOf(
  'a list of origins such as "https://app.example.com" or "https://*.example.com"',
  patternRule('an origin', ORIGIN),
)
// A spelling such as `HTTP_X_CSRFTOKEN`, which some frameworks use, is a header that no browser sends.
const HEADER = patternRule(
  'the name of a header as it is sent, such as "X-CSRFToken"',
  /^[!#$%&'*+\-.^`|~0-9A-Za-z]+$/,
)
const COOKIE_NAME = patternRule('the name of a cookie', TOKEN)
const AGE = whole('a number of seconds from 1 on', 1, 1e10)
const SECURE = { ...oneOf(true, false, 'auto'), wants: 'true, false or "auto"' }
const SAME_SITE = patternRule('"Lax", "Strict" or "None"', /^(?:Lax|Strict|None)$/)
const COOKIE_DOMAIN = {
  ...orNull(patternRule('a domain', /^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/)),
  wants: 'a domain such as "example.com", or null for the host that sets the cookie',
}
const COOKIE_PATH = patternRule('a path that begins with "/"', /^\/[\x21-\x3a\x3c-\x7e]*$/)
const MANY = whole('', 1, 1024)
const STORE = /^(?:memory|database|rediss?(?:\+(?:sentinel|cluster))?:\/\/.+)$/
const PLACE = patternRule('a path or an address, percent-encoded', /^[\x21-\x5b\x5d-\x7e]+$/)

/** Keys of the whole service, what each may be, and what holds without it. */
export const SERVICE_KEYS: {
  readonly [K in keyof ServiceSettings]: ServiceKey<ServiceSettings[K]>
} = {
  databaseUrl: {
    ...TEXT,
    default: 'sqlite:colophon.sqlite',
    plain: true,
    wants: 'a text such as "sqlite:colophon.sqlite"',
  },
  databaseReplicas: { default: [], ...listOf('a list of addresses', TEXT) },
  secretKey: { default: null, plain: true, ...TEXT },
  secretKeyFallbacks: { default: [], ...listOf('a list of texts that are not empty', TEXT) },
  allowedHosts: {
    default: ['localhost', '.localhost', '127.0.0.1', '[::1]'],
    ...listOf('a list of host names', TEXT),
    problem: (value) => hostsProblem(value as readonly string[]),
  },
  publicUrl: {
    default: null,
    reads: 'text',
    wants: 'an address without a path, such as "https://api.example.com"',
    fits: (value) => value === null || (typeof value === 'string' && originIn(value) !== null),
  },
  trustedProxies: {
    default: [],
    ...listOf('a list of networks such as "10.0.0.0/8", addresses, or "unix"', TEXT),
    problem: (value) => proxiesProblem(value as readonly string[]),
  },
  remoteUserSource: {
    default: null,
    wants: 'null, "environ", or an object such as {"header": "X-Remote-User", "proxies": ["unix"]}',
    fits: (value) => value === null || value === 'environ' || isRemoteUserHeader(value),
    problem: (value) => (isRemoteUserHeader(value) ? remoteUserProblem(value) : null),
  },
  throttleStore: {
    default: null,
    reads: 'text',
    wants:
      'null, "memory", "database", or the address of a Redis, such as "redis://cache.example:6379/0"',
    fits: (value) => value === null || (typeof value === 'string' && STORE.test(value)),
  },
  host: {
    ...TEXT,
    default: '127.0.0.1',
    plain: true,
    wants: 'an address to listen on',
    problem: (value) => hostProblem(value as string),
  },
  port: { default: 8000, plain: true, ...whole('a number from 0 to 65535', 0, 65_535) },
  workers: {
    default: 1,
    wants: 'a number from 1 to 1024, or "auto"',
    fits: (value) => value === 'auto' || MANY.fits(value),
  },
  sessionCookieName: { default: 'sessionid', ...COOKIE_NAME },
  sessionCookieAge: { default: 1_209_600, ...AGE },
  sessionCookieSecure: { default: 'auto', ...SECURE },
  sessionCookieSamesite: { default: 'Lax', ...SAME_SITE },
  sessionCookieDomain: { default: null, ...COOKIE_DOMAIN },
  sessionCookiePath: { default: '/', ...COOKIE_PATH },
  csrfCookieName: { default: 'csrftoken', ...COOKIE_NAME },
  csrfCookieAge: { default: 31_449_600, ...AGE },
  csrfCookieSecure: { default: 'auto', ...SECURE },
  csrfCookieSamesite: { default: 'Lax', ...SAME_SITE },
  csrfCookieDomain: { default: null, ...COOKIE_DOMAIN },
  csrfCookiePath: { default: '/', ...COOKIE_PATH },
  csrfHeaderName: { default: 'X-CSRFToken', ...HEADER },
  csrfTrustedOrigins: { default: [], ...ORIGINS },
  csrfUseSessions: { default: false, ...oneOf(true, false), wants: 'true or false' },
  loginUrl: { default: '/login/', ...PLACE },
  loginRedirectUrl: { default: '/', ...PLACE },
}

export const SERVICE_NAMES = Object.keys(SERVICE_KEYS) as readonly (keyof ServiceSettings)[]

export const serviceKey = (name: keyof ServiceSettings): string => snakeCase(name).toUpperCase()

const defaults = SERVICE_NAMES.map((name) => [name, Object.freeze(SERVICE_KEYS[name].default)])
export const SERVICE_DEFAULTS: ServiceSettings = Object.freeze(Object.fromEntries(defaults))

/** The problem between two valid keys; `null`: none. */
export function serviceProblem(settings: ServiceSettings): string | null {
  const { remoteUserSource: source, trustedProxies, sessionCookieName, csrfCookieName } = settings
  if (source !== null && source !== 'environ' && (source.proxies ?? trustedProxies).length === 0)
    return `REMOTE_USER_SOURCE names the header ${source.header} and no peer that may send it: set "proxies" there, or TRUSTED_PROXIES.`
  if (sessionCookieName === csrfCookieName)
    return `SESSION_COOKIE_NAME and CSRF_COOKIE_NAME are both "${csrfCookieName}": give them two names.`
  return cookieProblem(settings, 'session') ?? cookieProblem(settings, 'csrf')
}

const HOST_NAME = /^(?:\*|\.?[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])$/i

/** An entry that no request can have would make each of them 400. */
function hostsProblem(hosts: readonly string[]): string | null {
  const wrong = hosts.find((host) => !HOST_NAME.test(host))
  if (wrong === undefined) return null
  return `${JSON.stringify(wrong)} is no name of a host. Write "api.example.com" without scheme, port and path, ".example.com" for all hosts below, too, "[::1]", or "*".`
}

function proxiesProblem(proxies: readonly string[]): string | null {
  for (const proxy of proxies) {
    const network = parseNetwork(proxy)
    // `unix` stands for the peers of a unix socket, which have no address.
    if (proxy === 'unix' || network?.exact) continue
    const shown = JSON.stringify(proxy)
    return network === null
      ? `${shown} is no address, no network such as "10.0.0.0/8", and not "unix".`
      : `${shown} says more than its prefix. Did you mean "${formatNetwork(network)}"?`
  }
  return null
}

function isRemoteUserHeader(value: unknown): value is RemoteUserHeader {
  if (!isPlain(value)) return false
  const { header, proxies = [], ...others } = value
  const isTexts = Array.isArray(proxies) && proxies.every((text) => typeof text === 'string')
  return typeof header === 'string' && isTexts && Object.keys(others).length === 0
}

function remoteUserProblem({ header, proxies = [] }: RemoteUserHeader): string | null {
  const shown = JSON.stringify(header)
  // An underscore is refused: some servers take `X_Remote_User` and `X-Remote-User` for one name.
  if (!/^[a-z\d]+(?:-[a-z\d]+)*$/i.test(header)) {
    return `${shown} is no name for the header: write letters, digits and dashes, such as "X-Remote-User".`
  }
  if (TAKEN.test(header)) {
    return `${shown} means something else already. Choose a name of its own, such as "X-Remote-User".`
  }
  return proxiesProblem(proxies)
}

const TAKEN =
  /^(?:accept|authorization|connection|content-(?:length|type)|cookie|forwarded|host|origin|referer|transfer-encoding|x-forwarded-(?:for|host|port|proto))$/i

const SOCKET = 'unix:'
/** Bytes that the kernel keeps for the path of a socket, without the final zero; 104 on some systems. */
const LONGEST_PATH = 103

function hostProblem(host: string): string | null {
  if (!host.startsWith(SOCKET)) return null
  const path = host.slice(SOCKET.length)
  if (path[0] !== '/') return 'the path of a unix socket is absolute: "unix:/run/api/api.sock".'
  if (Buffer.byteLength(path) <= LONGEST_PATH) return null
  return `the path of a unix socket has at most ${LONGEST_PATH} bytes.`
}

/**
 * Makes cookies stay on https: `'auto'` is read as `true`. If a public address proves https, cookies get names that no
 * neighbour under the same domain can set (RFC 6265bis §4.1.3.2), unless the operator has named them.
 */
export function withCookiesFor(
  settings: ServiceSettings,
  production: boolean,
  isSet: (key: string) => boolean,
): ServiceSettings {
  const { publicUrl } = settings
  const byHttps = publicUrl !== null && new URL(publicUrl).protocol === 'https:'
  const changed = COOKIES.flatMap((cookie): [keyof SessionSettings, unknown][] => {
    const secure = settings[`${cookie}CookieSecure`]
    const isSecure = secure === 'auto' && (byHttps || production) ? true : secure
    const isOfHost =
      settings[`${cookie}CookiePath`] === '/' && settings[`${cookie}CookieDomain`] === null
    const isNamed = isSet(`${cookie.toUpperCase()}_COOKIE_NAME`)
    const prefix = byHttps && isSecure === true && isOfHost && !isNamed ? '__Host-' : ''
    return [
      [`${cookie}CookieSecure`, isSecure],
      [`${cookie}CookieName`, prefix + settings[`${cookie}CookieName`]],
    ]
  })
  return { ...settings, ...Object.fromEntries(changed) }
}

const COOKIES = ['session', 'csrf'] as const

/** Browsers hold the rest of a cookie to the promise of its name's prefix (RFC 6265bis §4.1.3). */
function cookieProblem(settings: ServiceSettings, cookie: (typeof COOKIES)[number]): string | null {
  const key = `${cookie.toUpperCase()}_COOKIE`
  const name = settings[`${cookie}CookieName`]
  const prefix = /^__(?:Host|Secure)-/i.exec(name)?.[0].toLowerCase()
  const named = `${key}_NAME "${name}"`
  const missing = (reason: string, wanted: string): string =>
    `${reason} wants ${wanted}, or browsers refuse the cookie.`
  if (settings[`${cookie}CookieSecure`] !== true) {
    if (prefix !== undefined) return missing(named, `${key}_SECURE true`)
    if (settings[`${cookie}CookieSamesite`] === 'None')
      return missing(`${key}_SAMESITE "None"`, `${key}_SECURE true`)
  }
  if (prefix !== '__host-') return null
  if (settings[`${cookie}CookiePath`] !== '/') return missing(named, `${key}_PATH "/"`)
  return settings[`${cookie}CookieDomain`] === null ? null : missing(named, `${key}_DOMAIN null`)
}
