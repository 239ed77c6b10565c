import type { Settings } from '../ports/settings/settings.ts'
import type { ServiceFacts } from '../ports/service-facts.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { compileEndpoint } from '../pipeline/kernel.ts'
import type { CompiledEndpoint } from '../pipeline/context.ts'
import { NO_ENDPOINT } from '../pipeline/observing.ts'
import type { Registry } from '../settings/class-values.ts'
import { layerFromKeys } from '../settings/configuration.ts'
import { type NamedLayer, fold } from '../settings/fold.ts'
import { didYouMean } from '../std/text/nearest.ts'
import type { Route } from '../types/routes.ts'
import { knownVersions } from '../versions/life.ts'
import {
  type Served,
  checkBehaviours,
  checkEmbedded,
  checkRules,
  checkOperatorsVersions,
  checkPolicies,
  checkSettings,
} from './checks.ts'
import type { Endpoint, EndpointDefinition } from './group.ts'
import type { Finding, Logger, ServedEndpoint } from '../ports/kernel.ts'
import type { Authenticator } from '../ports/policies/authentication.ts'
import type { ServiceSettings } from '../settings/service-keys.ts'

export interface Surroundings {
  readonly defaults: Settings
  /** The layer of the application, then those of the operator. */
  readonly outer: readonly NamedLayer[]
  readonly registry: Registry
  readonly service: ServiceFacts
}

export interface GivenEndpoints {
  readonly endpoints: readonly Endpoint<never>[]
  /** Names of all endpoints that the api has made, given or not. */
  readonly declared: ReadonlySet<string>
}

/** Gives each address exactly one endpoint, and refuses endpoints without an address. */
export function serveEndpoints(
  routes: readonly Route[],
  { endpoints, declared }: GivenEndpoints,
  around: Surroundings,
): Served[] {
  const byName = definitionsByName(endpoints)
  const names = new Set(routes.flatMap(({ name }) => [name, withoutFirstNamespace(name)]))
  for (const name of byName.keys()) {
    if (names.has(name)) continue
    // An address that already has an endpoint cannot be the one that was meant, so no hint names it.
    const free = [...names].filter((each) => !byName.has(withoutFirstNamespace(each)))
    const hint = didYouMean(name, free) || ' Give it an address there.'
    throw new ConfigurationError(`endpoint ${name}: the address table has no such name.${hint}`)
  }
  for (const definition of byName.values()) refuseLostVerbs(definition)
  for (const { name, path } of routes) {
    const general = withoutFirstNamespace(name)
    if (byName.has(name) || !declared.has(name) || !byName.has(general)) continue
    const instead = `so ${general} would answer ${path}. Give it to serve(), or take it out.`
    throw new ConfigurationError(`endpoint ${name}: not given to serve(), ${instead}`)
  }
  const assigned = routes.map((route) => [route, definitionFor(route, byName)] as const)
  const served = assigned.map(([route, definition]) => serveEndpoint(route, definition, around))
  checkEmbedded(served)
  checkRules(served)
  return served
}

type Definitions = ReadonlyMap<string, EndpointDefinition>

function definitionsByName(endpoints: readonly Endpoint<never>[]): Definitions {
  const byName = new Map<string, EndpointDefinition>()
  const how =
    'Give it a list of endpoints, and spread those of a resource: serve([...resource(…)]).'
  if (!Array.isArray(endpoints)) throw new ConfigurationError(`serve() was given no list. ${how}`)
  for (const [at, endpoint] of endpoints.entries()) {
    const definition = (endpoint as Endpoint<never> | undefined)?.['~definition']
    if (definition === undefined)
      throw new ConfigurationError(`serve(): item ${at + 1} of its list is no endpoint. ${how}`)
    const { name } = definition
    const twice = `endpoint ${name}: given to serve() twice. Leave one of the two out.`
    if (byName.has(name)) throw new ConfigurationError(twice)
    byName.set(name, definition)
  }
  return byName
}

/** A verb makes a new endpoint: where the one before it is served, nothing would answer that verb. */
function refuseLostVerbs({ name, behaviours, copied }: EndpointDefinition): void {
  const lost = [...copied].find((verb) => !(verb in behaviours))
  if (lost === undefined) return
  throw new ConfigurationError(
    `endpoint ${name}: the endpoint that .${lost}() returned is not served. Give serve() what the verb returns: const endpoint = api.endpoint('${name}').${lost}(…).`,
  )
}

/** The endpoint of the full name, else the one that serves every namespace. */
function definitionFor({ name, path }: Route, byName: Definitions): EndpointDefinition {
  const found = byName.get(name) ?? byName.get(withoutFirstNamespace(name))
  if (found !== undefined) return found
  throw new ConfigurationError(
    `The address ${name} (${path}) has no endpoint. Give one to serve(), or take it out of the address table.`,
  )
}

const withoutFirstNamespace = (name: string): string => name.slice(name.indexOf(':') + 1)

function serveEndpoint(
  route: Route,
  definition: EndpointDefinition,
  { defaults, outer, registry, service }: Surroundings,
): Served {
  const { title, description, layers } = definition
  const { name } = route
  const inner = layers.toSpliced(-1, 0, ...behaviourLayers(definition, registry))
  const folded = fold(defaults, [...outer, ...inner])
  const served: Served = {
    ...folded,
    versions: folded.settings.versioning === null ? null : knownVersions(folded.settings, route),
    inCode: fold(defaults, [...outer.slice(0, 1), ...inner]).settings,
    place: `endpoint ${name}`,
    route,
    facts: { name, title, description },
    // The types have seen to it that an endpoint gives what its behaviours ask of a request.
    behaviours: definition.behaviours as unknown as Served['behaviours'],
  }
  checkSettings(served)
  checkPolicies(served, service)
  checkBehaviours(served, service)
  checkOperatorsVersions(served)
  return served
}

/** The settings that the endpoint's behaviours insist on, each behaviour as a layer of its own. */
function behaviourLayers(
  { name, behaviours }: EndpointDefinition,
  registry: Registry,
): NamedLayer[] {
  return Object.entries(behaviours).flatMap(([verb, { policy }]) => {
    if (policy === undefined) return []
    const layer = `${verb.toUpperCase()} of ${name}`
    return [{ name: layer, values: layerFromKeys(policy, registry, layer) }]
  })
}

/** The endpoint that shows errors outside of every endpoint, with the settings of the outer layers. */
export function fallbackEndpoint(
  { defaults, outer }: Surroundings,
  csrfHeader: string,
): CompiledEndpoint {
  const values = { authentication: [], versioning: null, metadata: null }
  const folded = fold(defaults, [...outer, { name: NO_ENDPOINT, values }])
  checkSettings({ place: 'addresses without an endpoint', ...folded })
  const facts = { name: NO_ENDPOINT, title: 'Not here', description: '' }
  return compileEndpoint(
    { facts, settings: folded.settings, versions: null, behaviours: {} },
    csrfHeader,
  )
}

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
    logger.warn?.({ event: 'lists.unbounded', kind, endpoints, message: `${message} ${fix}` })
  }
}

/** Schemes whose credentials come with each request, so that a reader on the way could use them. */
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
    if (endpoints.length > 0) logger.warn?.({ event, endpoints, message })
  }
}

type Examined = Pick<ServedEndpoint, 'settings' | 'behaviours'>

/** A setting that services in production switch on, and a test whether an endpoint misses it. */
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
    // Probes, which take any host, have no rows.
    isMissing: ({ settings: { strictQuery }, behaviours: { get } }) =>
      !strictQuery && get?.parameters !== undefined && !get.takesAnyHost,
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
    if (endpoints.length > 0) logger.warn?.(record)
  }
}

function namesOf(served: readonly Served[], has: (endpoint: Examined) => boolean): string[] {
  return served.filter(has).map(({ facts }) => facts.name)
}

/** Do clients send this kind of credential with each request to the endpoint? */
export function isSent(
  { settings }: Pick<Examined, 'settings'>,
  credential: Authenticator['sends'],
): boolean {
  return settings.authentication.some(({ sends }) => sends === credential)
}

/** Does the endpoint take passwords in a body? */
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

/**
 * Can clients guess passwords here without a limit? Throttles come after authentication, so wrong Basic credentials never
 * reach them.
 */
function letsGuess(endpoint: Examined): boolean {
  if (limitsGuesses(endpoint)) return false
  return isSent(endpoint, 'password') || (takesPasswords(endpoint) && !isRated(endpoint))
}

function isRated({ settings }: Pick<Examined, 'settings'>): boolean {
  return settings.throttles.some(
    (throttle) => !throttle.isIdle?.(settings) && throttle.isRate !== false,
  )
}
