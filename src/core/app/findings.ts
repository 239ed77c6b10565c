import type { Finding, Logger, ServedEndpoint } from '../ports/kernel.ts'
import type { Authenticator } from '../ports/policies/authentication.ts'
import type { Settings } from '../ports/settings/settings.ts'
import type { ServiceSettings } from '../settings/service.ts'
import type { Served } from './checks.ts'

/** A finding, and the endpoint that it is about. */
export interface EndpointFinding extends Finding {
  /** Full name of the address: `v1:article-list`. */
  readonly endpoint: string
}

/** Every endpoint's findings, in the order of the address table; each kind once for an endpoint. */
export function findingsOf(served: readonly Served[]): readonly EndpointFinding[] {
  return served.flatMap(({ facts, settings, behaviours }) => {
    const found = Object.values(behaviours).flatMap((each) => each.findings?.(settings) ?? [])
    const once = new Map(found.map((finding) => [finding.kind, finding]))
    return [...once.values()].map((finding) => ({ endpoint: facts.name, ...finding }))
  })
}

/** One line for the operator about each thing that was found, with the lists that it is about (I20). */
export function logFindings(served: readonly Served[], logger: Logger): void {
  for (const [message, found] of Map.groupBy(findingsOf(served), ({ message: text }) => text)) {
    const { kind, fix } = found[0]!
    const endpoints = found.map(({ endpoint }) => endpoint)
    logger.info?.({ event: 'lists.unbounded', kind, endpoints, message: `${message} ${fix}` })
  }
}

/** Schemes whose credentials come with each request, and can be used by a reader on the way. */
const READABLE = [
  {
    sent: 'password',
    event: 'basic.unencrypted',
    message:
      'These endpoints take Basic credentials, and nothing tells the service that they come by HTTPS. Put a proxy with HTTPS in front and name it in TRUSTED_PROXIES, or give programs tokens.',
  },
  {
    sent: 'token',
    event: 'tokens.unencrypted',
    message:
      'These endpoints take tokens, and nothing tells the service that they come by HTTPS. Put a proxy with HTTPS in front and name it in TRUSTED_PROXIES, or set PUBLIC_URL to the https:// address that clients use.',
  },
] as const

/**
 * One line for each scheme whose credentials can be read on the way, where nothing says that they come by HTTPS:
 * neither the address of the service nor a proxy that could say so (5.2 rules 1 and 2).
 */
export function logUnencrypted(
  served: readonly Served[],
  { publicUrl, trustedProxies }: ServiceSettings,
  logger: Logger,
): void {
  if (trustedProxies.length > 0 || publicUrl?.startsWith('https:')) return
  for (const { sent, event, message } of READABLE) {
    const endpoints = namesOf(served, (endpoint) => isSent(endpoint, sent))
    if (endpoints.length > 0) logger.info?.({ event, endpoints, message })
  }
}

type Examined = Pick<ServedEndpoint, 'settings' | 'behaviours'>

/** A setting that services in production switch on, and where it is missed. */
export interface Safeguard extends Pick<Finding, 'message' | 'fix'> {
  readonly setting: keyof Settings
  readonly isMissing: (endpoint: Examined) => boolean
}

export type SafeguardKind = 'unlimited-guesses' | 'lenient-query' | 'silent-limits'

/** For the log, and for `colophon doctor`; a ceiling of pages is a finding of lists. */
export const SAFEGUARDS: Readonly<Record<SafeguardKind, Safeguard>> = {
  'unlimited-guesses': {
    setting: 'credentialFailures',
    isMissing: letsGuess,
    message: 'Clients can try passwords as fast as the service can check them.',
    fix: 'Set CREDENTIAL_FAILURES, such as "10/10m".',
  },
  'lenient-query': {
    setting: 'strictQuery',
    isMissing: ({ settings, behaviours }) =>
      !settings.strictQuery && behaviours['get']?.parameters !== undefined,
    message: 'A filter whose name is misspelt is ignored, and the answer has all rows.',
    fix: 'Set STRICT_QUERY to true: then it is 400.',
  },
  'silent-limits': {
    setting: 'rateLimitHeaders',
    isMissing: (endpoint) => !endpoint.settings.rateLimitHeaders && isThrottled(endpoint),
    message: 'Clients learn of a limit when they have used it up.',
    fix: 'Set RATE_LIMIT_HEADERS to true: then answers say what is left.',
  },
}

/** One line for each safeguard that endpoints in production do without. */
export function logSafeguards(served: readonly Served[], logger: Logger): void {
  for (const [kind, { isMissing, message, fix }] of Object.entries(SAFEGUARDS)) {
    const endpoints = namesOf(served, isMissing)
    const record = { event: 'safeguard.missing', kind, endpoints, message: `${message} ${fix}` }
    if (endpoints.length > 0) logger.info?.(record)
  }
}

function namesOf(served: readonly Served[], has: (endpoint: Examined) => boolean): string[] {
  return served.filter(has).map(({ facts }) => facts.name)
}

/** Do clients send such a credential with each request? */
export function isSent(
  { settings }: Pick<Examined, 'settings'>,
  credential: Authenticator['sends'],
): boolean {
  return settings.authentication.some(({ sends }) => sends === credential)
}

/** In a body. */
export function takesPasswords({ behaviours }: Pick<Examined, 'behaviours'>): boolean {
  return Object.values(behaviours).some((behaviour) => behaviour.takesPasswords)
}

/** Does an endpoint count requests? */
export function isThrottled({ settings }: Pick<Examined, 'settings'>): boolean {
  return settings.throttles.some((throttle) => throttle.limits && !throttle.isIdle?.(settings))
}

export function limitsGuesses({ settings }: Pick<Examined, 'settings'>): boolean {
  return settings.credentialFailures !== null
}

/** Throttles come after authentication: wrong Basic credentials never meet them. */
function letsGuess(endpoint: Examined): boolean {
  if (limitsGuesses(endpoint)) return false
  return isSent(endpoint, 'password') || (takesPasswords(endpoint) && !isRated(endpoint))
}

function isRated({ settings }: Pick<Examined, 'settings'>): boolean {
  return settings.throttles.some(
    (throttle) => !throttle.isIdle?.(settings) && throttle.isRate !== false,
  )
}
