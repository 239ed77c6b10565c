import type { RemoteUserHeader, RemoteUserSource } from '../contract/service-facts.ts'
import type { SessionSettings } from '../contract/sessions.ts'
import { cookiesProblem } from './cookies.ts'
import {
  type OptionRule,
  TEXT,
  isPlain,
  listOf,
  matching,
  oneOf,
  orNull,
  snakeCase,
  whole,
} from './options.ts'
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

/** A key of the whole service, and what it may be: `csrfCookieName` is the key `CSRF_COOKIE_NAME`. */
interface ServiceKey<T> extends OptionRule {
  readonly default: T
  /** Also read from the environment without the prefix. */
  readonly plain?: boolean
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const ORIGIN = matching(
  'an origin',
  /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i,
)
const COOKIE_NAME = matching('the name of a cookie', NAME)
const AGE = whole('a number of seconds from 1 on', 1, 1e10)
const SECURE = { ...oneOf(true, false, 'auto'), wants: 'true, false or "auto"' }
const SAME_SITE = matching('"Lax", "Strict" or "None"', /^(?:Lax|Strict|None)$/)
const DOMAIN = matching('a domain', /^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/)
const COOKIE_DOMAIN = {
  ...orNull(DOMAIN),
  wants: 'a domain such as "example.com", or null for the host that sets the cookie',
}
const COOKIE_PATH = matching('a path that begins with "/"', /^\/[\x21-\x3a\x3c-\x7e]*$/)
const PLACE = matching('a path or an address, percent-encoded', /^[\x21-\x5b\x5d-\x7e]+$/)

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
  secretKey: { default: null, plain: true, ...TEXT },
  secretKeyFallbacks: { default: [], ...listOf('a list of texts that are not empty', TEXT) },
  allowedHosts: {
    default: ['localhost', '.localhost', '127.0.0.1', '[::1]'],
    ...listOf('a list of host names', TEXT),
  },
  publicUrl: {
    default: null,
    reads: 'text',
    wants: 'an address without a path, such as "https://api.example.com"',
    fits: (value) => value === null || (typeof value === 'string' && isOrigin(value)),
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
  dataUploadMaxMemorySize: { default: 2_621_440, ...whole('a number of bytes', 0) },
  host: {
    ...TEXT,
    default: '127.0.0.1',
    plain: true,
    wants: 'an address to listen on',
    problem: (value) => hostProblem(value as string),
  },
  port: { default: 8000, plain: true, ...whole('a number from 0 to 65535', 0, 65_535) },
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
  csrfHeaderName: {
    default: 'X-CSRFToken',
    // `HTTP_X_CSRFTOKEN`, as some frameworks spell it, is a header that no browser sends.
    ...matching(
      'the name of a header as it is sent, such as "X-CSRFToken"',
      /^[!#$%&'*+\-.^`|~0-9A-Za-z]+$/,
    ),
  },
  csrfTrustedOrigins: {
    default: [],
    ...listOf(
      'a list of origins such as "https://app.example.com" or "https://*.example.com"',
      ORIGIN,
    ),
  },
  csrfUseSessions: { default: false, ...oneOf(true, false), wants: 'true or false' },
  loginUrl: { default: '/login/', ...PLACE },
  loginRedirectUrl: { default: '/', ...PLACE },
}

export const SERVICE_NAMES = Object.keys(SERVICE_KEYS) as readonly (keyof ServiceSettings)[]

/** The key by which a configuration sets it. */
export const serviceKey = (name: keyof ServiceSettings): string => snakeCase(name).toUpperCase()

/** What holds where no key is set. */
export const SERVICE_DEFAULTS = Object.freeze(
  Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, Object.freeze(SERVICE_KEYS[name].default)]),
  ),
) as unknown as ServiceSettings

/** What is wrong between two keys, each of which is right; `null`: nothing. */
export function serviceProblem(settings: ServiceSettings): string | null {
  const { remoteUserSource: source, trustedProxies } = settings
  if (source === null || source === 'environ' || (source.proxies ?? trustedProxies).length > 0)
    return cookiesProblem(settings)
  return `REMOTE_USER_SOURCE names the header ${source.header} and no peer that may send it: set "proxies" there, or TRUSTED_PROXIES.`
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, href } = new URL(text)
  return /^https?:$/.test(protocol) && href === `${protocol}//${host}/`
}

/** What is wrong with a list of proxies, as a sentence; `null`: nothing. */
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

/** What is wrong with a header of the right form, as a sentence; `null`: nothing. */
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

/** What is wrong with an address to listen on, as far as can be seen from here. */
function hostProblem(host: string): string | null {
  if (!host.startsWith(SOCKET)) return null
  const path = host.slice(SOCKET.length)
  if (!path.startsWith('/'))
    return 'the path of a unix socket is absolute: "unix:/run/api/api.sock".'
  if (Buffer.byteLength(path) <= LONGEST_PATH) return null
  return `the path of a unix socket has at most ${LONGEST_PATH} bytes.`
}
