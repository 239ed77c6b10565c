import type { CorsPolicy } from '../ports/settings/cors.ts'
import { parseOriginPattern } from '../std/http/origin-pattern.ts'
import {
  type OptionRule,
  camelCase,
  isPlain,
  isFilledText,
  listOf,
  membersProblem,
  oneOf,
  whole,
} from './options.ts'
import { TOKEN } from '../std/http/header-value.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const HEADERS = listOf('a list of header names such as "X-Request-Id"', {
  wants: '',
  // A star is not the name of a header: it stands for all headers, and even that only if no credentials are sent.
  fits: (value) => typeof value === 'string' && value !== '*' && TOKEN.test(value),
})

const MEMBERS: { readonly [K in keyof CorsPolicy]-?: OptionRule } = {
  origins: {
    wants: 'a list of origins such as "https://app.example.com", "*", or in code a function',
    fits: (value) => value === '*' || typeof value === 'function' || Array.isArray(value),
  },
  credentials: { ...oneOf(true, false), wants: 'true or false' },
  exposedHeaders: HEADERS,
  allowedHeaders: HEADERS,
  methods: listOf(`a list of methods: ${METHODS.join(', ')}`, oneOf(...METHODS)),
  maxAge: whole('a number of seconds from 0 to 86400', 0, 86_400),
}

/** A list is one of origins; `exposed_headers` of a file is `exposedHeaders`. */
export function corsFromValue(value: unknown): unknown {
  if (Array.isArray(value)) return { origins: value }
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camelCase(name), each]))
}

/** Every origin, as a text or as the only one of a list. */
export function admitsAll({ origins }: CorsPolicy): boolean {
  return origins === '*' || (Array.isArray(origins) && origins.length === 1 && origins[0] === '*')
}

/** The problem with a policy, as the end of a sentence; `null`: none. */
export function corsProblem(policy: CorsPolicy): string | null {
  return membersProblem(policy, MEMBERS, 'origins') ?? originsProblem(policy)
}

function originsProblem(policy: CorsPolicy): string | null {
  const { origins, credentials = false } = policy
  if (admitsAll(policy)) return credentials ? TOO_OPEN : null
  // A function is called for each request, and never with `null` if credentials are sent.
  if (!Array.isArray(origins)) return null
  if (origins.length === 0) return 'lists no origin: say null to switch it off.'
  if (origins.includes('null') && credentials) return NULL_WITH_CREDENTIALS
  const named = origins.filter((origin) => origin !== 'null')
  return named.map(originProblem).find((problem) => problem !== null) ?? null
}

const TOO_OPEN =
  'admits every origin ("*") with credentials: any site could act in the name of your users. List the origins, or leave "credentials" out.'
const NULL_WITH_CREDENTIALS =
  'admits the origin "null" with credentials, and any site can make a page of that origin. Take "null" out of the list, or leave "credentials" out.'

function originProblem(origin: unknown): string | null {
  const shown = `lists ${JSON.stringify(origin)},`
  if (!isFilledText(origin)) return `${shown} which is no text.`
  if (origin === '*') return `${shown} which makes the other origins needless: say "*" alone.`
  const pattern = parseOriginPattern(origin)
  if (pattern === null) return `${shown} ${malformed(origin)}`
  const { scheme, host, withHostsBelow } = pattern
  const isWide = withHostsBelow && !host.includes('.') && !RESERVED.has(host)
  const fix = `name the domain that is yours, such as "${scheme}//*.example.${host}".`
  return isWide ? `${shown} which admits every site that ends in ".${host}": ${fix}` : null
}

/** Names that are for sale to no one (RFC 2606, RFC 6762, RFC 9476 and the `internal` of ICANN). */
const RESERVED: ReadonlySet<string> = new Set([
  'alt',
  'example',
  'internal',
  'invalid',
  'local',
  'localhost',
  'test',
])

function malformed(text: string): string {
  if (!text.includes('://')) return `which has no scheme: write "https://${text}".`
  if (/^[^/]*:\/\/\*(?::|\/|$)/.test(text))
    return 'which admits every host: name one, such as "https://*.example.com".'
  if (text.includes('*'))
    return 'where "*" stands in the wrong place: before a host, "https://*.example.com", or for the port, "http://localhost:*".'
  const url = URL.parse(text)
  if (url === null || url.host === '')
    return 'which is no origin such as "https://app.example.com".'
  return `which is more than an origin: write "${url.protocol}//${url.host}".`
}
