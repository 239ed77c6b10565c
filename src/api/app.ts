import type { Accounts } from '../accounts/create-accounts.ts'
import type { ServiceFacts } from '../contract/authentication.ts'
import type { Kernel } from '../contract/door.ts'
import type { Logger, ServedEndpoint } from '../contract/kernel.ts'
import type { UrlFor } from '../types/reverse.ts'
import type { UrlTable } from '../types/routes.ts'
import type { Settings } from '../contract/settings.ts'
import { type Fetch, toFetch } from '../doors/fetch.ts'
import { headerOf } from '../doors/remote-user-header.ts'
import { compileEndpoint } from '../pipeline/compile-endpoint.ts'
import { type CompiledEndpoint, Context, type Service } from '../pipeline/context.ts'
import { createKernel } from '../pipeline/kernel.ts'
import { Origins } from '../pipeline/origins.ts'
import { createUrlFor } from '../links/url-for.ts'
import type { Registry } from '../settings/class-values.ts'
import {
  type Configuration,
  layerFromKeys,
  layersOf,
  readConfiguration,
} from '../settings/configuration.ts'
import { type Folded, type NamedLayer, fold } from '../settings/fold.ts'
import type { ServiceSettings } from '../settings/service.ts'
import { type FormatSuffixes, compileUrls } from '../links/compile-urls.ts'
import { assignEndpoints } from './assign-endpoints.ts'
import {
  checkBehaviours,
  checkPolicies,
  checkSettings,
  checkVersions,
  tellWholeLists,
} from './checks.ts'
import { defaultsFor } from './defaults.ts'
import { createRegistry } from './registry.ts'
import { safeLogger, seldomLogger, standardErrorLogger } from './logger.ts'
import { NO_SEALS, checkSecrets, sealsFor } from './secret-key.ts'
import type { Endpoint, EndpointDefinition } from './types.ts'
import { checkVersioning } from './version-checks.ts'

/** One address with what is served there, for `routes`, `explain` and documents. */
export interface DescribedEndpoint {
  readonly name: string
  readonly path: string
  readonly methods: readonly string[]
  readonly title: string
  readonly description: string
  readonly settings: Settings
  /** Which layer said each setting. */
  readonly provenance: Folded['provenance']
}

/**
 * An application, compiled and frozen: hand it to a door, or ask it directly. `R` is its address table,
 * `Implied` and `P` what its versioning scheme fills in: what `urlFor` goes by.
 */
export interface App<
  R = unknown,
  Implied extends string = string,
  P extends string = never,
> extends Kernel {
  /** Answers a web-standard request: for runtimes with a fetch-style server, and for mounting elsewhere. */
  readonly fetch: Fetch
  /** Every address with its endpoint, in the order of the table. */
  describe(): readonly DescribedEndpoint[]
  /**
   * The address of a named route, outside of every request: for mails, jobs and tests. A path, or with an
   * origin absolute. The version goes where the scheme of that endpoint keeps it: a parameter or
   * namespace of the path, the query, the first label of the host; a scheme that reads headers has none in links.
   *
   * @throws NoReverseMatch no path takes these parameters, or none has a place for the `version` that was said
   * @throws ConfigurationError `origin` is more than scheme and host, or less
   * @example
   * app.urlFor('article-detail', { id: 7 }) // '/articles/7/'
   * app.urlFor('article-detail', { id: 7 }, { origin: 'https://api.example.com', version: 'v2' })
   */
  readonly urlFor: UrlFor<R, Implied, P>
  /** What the operator said for the whole service. */
  readonly service: ServiceSettings
  readonly accounts: Accounts | null
}

interface AppOptions {
  readonly urls: UrlTable
  readonly accounts: Accounts | undefined
  readonly classes: Readonly<Record<string, unknown>> | undefined
  readonly formatSuffixes: FormatSuffixes | undefined
  readonly logger: Logger | undefined
  readonly now: (() => number) | undefined
  readonly layer: NamedLayer
  readonly endpoints: readonly Endpoint<never>[]
  readonly configuration: Configuration | undefined
}

/** What is around every endpoint. */
interface Surroundings {
  readonly defaults: Settings
  /** What the application says, then the operator. */
  readonly outer: readonly NamedLayer[]
  readonly registry: Registry
  readonly service: ServiceFacts
}

/** Fold → check → compile → freeze. */
export function createApp(options: AppOptions): App {
  const { formatSuffixes = false, accounts = null } = options
  const { now = Date.now } = options
  const logger = safeLogger(options.logger ?? standardErrorLogger())
  const configuration = options.configuration ?? readConfiguration()
  accounts?.events.logTo(logger)
  accounts?.check(configuration)
  checkSecrets(configuration, logger)
  const registry = createRegistry(options.classes ?? {}, { ...accounts })
  const seals = sealsFor(configuration, accounts)
  const { service } = configuration
  const urls = compileUrls(options.urls, { formatSuffixes })
  const { routes } = urls
  const around: Surroundings = {
    defaults: defaultsFor(accounts),
    outer: [options.layer, ...layersOf(configuration, registry)],
    registry,
    service: { hasSecret: seals !== null, remoteUserSource: service.remoteUserSource, routes },
  }
  const served = assignEndpoints(routes, options.endpoints).map(({ route, definition }) => ({
    route,
    definition,
    ...foldEndpoint(route.name, definition, around),
  }))
  checkVersioning(served, { routes, publicUrl: service.publicUrl })
  const endpoints = new Map(
    served.map(({ route, endpoint }) => [route.name, compileEndpoint(endpoint)]),
  )
  const shared: Service = {
    urls,
    bodyLimit: service.dataUploadMaxMemorySize,
    trustedOrigins: service.csrfTrustedOrigins,
    logger,
    logSeldom: seldomLogger(logger),
    seals: seals ?? NO_SEALS,
    now,
  }
  const kernel = createKernel({
    service: shared,
    endpoints,
    fallback: fallbackEndpoint(around),
    origins: new Origins({ ...service, logSeldom: shared.logSeldom }),
  })
  if (configuration.production) tellWholeLists(served, logger)
  const urlFor = createUrlFor<CompiledEndpoint>({
    urls,
    endpoints,
    contextOf: (door, endpoint, match, origin) =>
      new Context(door, shared, endpoint, match, origin, ''),
    publicUrl: service.publicUrl,
  })
  const describe = (): readonly DescribedEndpoint[] =>
    served.map(({ route, endpoint, provenance }) =>
      describeEndpoint(route.path, endpoint, provenance, endpoints),
    )
  const answer = toFetch(kernel, headerOf(service.remoteUserSource))
  return Object.freeze({ ...kernel, fetch: answer, describe, urlFor, service, accounts })
}

function foldEndpoint(
  name: string,
  definition: EndpointDefinition,
  { defaults, outer, registry, service }: Surroundings,
): { endpoint: ServedEndpoint; provenance: Folded['provenance'] } {
  const own = definition.layers as readonly NamedLayer[]
  const inner = [...own.slice(0, -1), ...behaviourLayers(definition, registry), ...own.slice(-1)]
  const layers = [...outer, ...inner]
  const inCode = fold(defaults, [...outer.slice(0, 1), ...inner]).settings
  const { settings, provenance } = fold(defaults, layers)
  checkSettings(`endpoint ${name}`, settings, provenance)
  checkPolicies(`endpoint ${name}`, settings, provenance, service)
  checkBehaviours(`endpoint ${name}`, definition.behaviours, settings, service)
  checkVersions(`endpoint ${name}`, settings, provenance, inCode)
  const { title, description } = definition
  // The types have seen to it that an endpoint gives what its behaviours ask of a request.
  const behaviours = definition.behaviours as unknown as ServedEndpoint['behaviours']
  return { endpoint: { facts: { name, title, description }, settings, behaviours }, provenance }
}

/** What the endpoint's behaviours insist on, each as a layer of its own. */
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

/** Shows what goes wrong outside every endpoint, by the settings of the outer layers. */
function fallbackEndpoint({ defaults, outer }: Surroundings): CompiledEndpoint {
  const { settings, provenance } = fold(defaults, [
    ...outer,
    { name: 'no endpoint', values: { authentication: [], versioning: null, metadata: null } },
  ])
  checkSettings('addresses without an endpoint', settings, provenance)
  const facts = { name: 'no endpoint', title: 'Not here', description: '' }
  return compileEndpoint({ facts, settings, behaviours: {} })
}

function describeEndpoint(
  path: string,
  { facts, settings }: ServedEndpoint,
  provenance: Folded['provenance'],
  endpoints: ReadonlyMap<string, CompiledEndpoint>,
): DescribedEndpoint {
  const methods = endpoints.get(facts.name)!.allow.split(', ')
  return { ...facts, path, methods, settings, provenance }
}
