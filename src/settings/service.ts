import type { RemoteUserHeader, RemoteUserSource } from '../contract/remote-user.ts'
import type { SessionSettings } from '../contract/sessions.ts'
import { hostProblem, isRemoteUserSource, proxiesProblem, remoteUserProblem } from './proxies.ts'
import { SESSION_DEFAULTS, SESSION_KEYS, cookiesProblem } from './session-keys.ts'

/** Settings of the whole service: what one endpoint cannot have otherwise than another. */
export interface ServiceSettings extends SessionSettings {
  /** `sqlite:PATH`, relative to the working directory or absolute. */
  readonly databaseUrl: string
  /** Seals tokens and signs what leaves the service. `null`: not said. */
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

export interface ServiceKey {
  readonly key: Uppercase<string>
  /** Also read from the environment without the prefix. */
  readonly plain?: boolean
  /** A text in place of a list is a list of one, or of its comma-separated parts. */
  readonly list?: boolean
  /** Read as JSON from the environment, where it parses. */
  readonly structured?: boolean
  readonly wants: string
  fits(value: unknown): boolean
  /** What is wrong with a value of the right form, as a sentence that may show it; `null`: nothing. */
  problem?(value: unknown): string | null
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535
const isBytes = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

/** Keys of the whole service, and what each may say. */
export const SERVICE_KEYS: { readonly [K in keyof ServiceSettings]: ServiceKey } = {
  databaseUrl: {
    key: 'DATABASE_URL',
    plain: true,
    wants: 'a text such as "sqlite:colophon.sqlite"',
    fits: isText,
  },
  secretKey: { key: 'SECRET_KEY', plain: true, wants: 'a text that is not empty', fits: isText },
  secretKeyFallbacks: {
    key: 'SECRET_KEY_FALLBACKS',
    list: true,
    wants: 'a list of texts that are not empty',
    fits: isTexts,
  },
  allowedHosts: { key: 'ALLOWED_HOSTS', list: true, wants: 'a list of host names', fits: isTexts },
  publicUrl: {
    key: 'PUBLIC_URL',
    wants: 'an address without a path, such as "https://api.example.com"',
    fits: (value) => value === null || (isText(value) && isOrigin(value as string)),
  },
  trustedProxies: {
    key: 'TRUSTED_PROXIES',
    list: true,
    wants: 'a list of networks such as "10.0.0.0/8", addresses, or "unix"',
    fits: isTexts,
    problem: (value) => proxiesProblem(value as readonly string[]),
  },
  remoteUserSource: {
    key: 'REMOTE_USER_SOURCE',
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
    wants: 'a number of bytes',
    fits: isBytes,
  },
  host: {
    key: 'HOST',
    plain: true,
    wants: 'an address to listen on',
    fits: isText,
    problem: (value) => hostProblem(value as string),
  },
  port: { key: 'PORT', plain: true, wants: 'a number from 0 to 65535', fits: isPort },
  ...SESSION_KEYS,
}

export const SERVICE_DEFAULTS: ServiceSettings = Object.freeze({
  databaseUrl: 'sqlite:colophon.sqlite',
  secretKey: null,
  secretKeyFallbacks: Object.freeze([]),
  allowedHosts: Object.freeze(['localhost', '.localhost', '127.0.0.1', '[::1]']),
  publicUrl: null,
  trustedProxies: Object.freeze([]),
  remoteUserSource: null,
  dataUploadMaxMemorySize: 2_621_440,
  host: '127.0.0.1',
  port: 8000,
  ...SESSION_DEFAULTS,
})

/** What is wrong between two keys, each of which is right; `null`: nothing. */
export function serviceProblem(settings: ServiceSettings): string | null {
  return channelProblem(settings) ?? cookiesProblem(settings)
}

function channelProblem(settings: ServiceSettings): string | null {
  const { remoteUserSource: source, trustedProxies } = settings
  if (source === null || source === 'environ') return null
  if ((source.proxies ?? trustedProxies).length > 0) return null
  return `REMOTE_USER_SOURCE names the header ${source.header} and nobody who may send it: say "proxies" there, or TRUSTED_PROXIES.`
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
