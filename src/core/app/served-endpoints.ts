import type { Settings } from '../ports/settings/settings.ts'
import type { ServiceFacts } from '../ports/service-facts.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { compileEndpoint } from '../pipeline/kernel.ts'
import type { CompiledEndpoint } from '../pipeline/context.ts'
import { NO_ENDPOINT } from '../pipeline/observation.ts'
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

/** Gives every address its endpoint: each exactly one, none left over. */
export function serveEndpoints(
  routes: readonly Route[],
  { endpoints, declared }: GivenEndpoints,
  around: Surroundings,
): Served[] {
  const byName = definitionsByName(endpoints)
  const names = new Set(routes.flatMap(({ name }) => [name, withoutFirstNamespace(name)]))
  for (const name of byName.keys()) {
    if (names.has(name)) continue
    // An address that has its endpoint is not what was meant.
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
  for (const { name, '~definition': definition } of endpoints) {
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
    versions: folded.settings.versioning === null ? null : knownVersions(folded.settings),
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
