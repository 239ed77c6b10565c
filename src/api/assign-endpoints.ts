import type { Route } from '../types/routes.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { didYouMean } from '../std/text/did-you-mean.ts'
import type { Endpoint, EndpointDefinition } from './types.ts'

export interface Assigned {
  readonly route: Route
  readonly definition: EndpointDefinition
}

/** Gives every address its endpoint: each exactly one, none left over. */
export function assignEndpoints(
  routes: readonly Route[],
  endpoints: readonly Endpoint<never>[],
): Assigned[] {
  const byName = definitionsByName(endpoints)
  const names = new Set(routes.flatMap(({ name }) => [name, withoutFirstNamespace(name)]))
  for (const name of byName.keys()) if (!names.has(name)) throw unknownName(name, names)
  return routes.map((route) => ({ route, definition: definitionFor(route, byName) }))
}

function definitionsByName(
  endpoints: readonly Endpoint<never>[],
): ReadonlyMap<string, EndpointDefinition> {
  const byName = new Map<string, EndpointDefinition>()
  for (const { name, '~definition': definition } of endpoints) {
    if (byName.has(name)) {
      throw new ConfigurationError(
        `endpoint ${name}: given to serve() twice. Leave one of the two out.`,
      )
    }
    byName.set(name, definition)
  }
  return byName
}

/** The endpoint of the full name, else the one that serves every namespace. */
function definitionFor(
  { name, path }: Route,
  byName: ReadonlyMap<string, EndpointDefinition>,
): EndpointDefinition {
  const found = byName.get(name) ?? byName.get(withoutFirstNamespace(name))
  if (found !== undefined) return found
  throw new ConfigurationError(
    `The address ${name} (${path}) has no endpoint. Give one to serve(), or take it out of the address table.`,
  )
}

const withoutFirstNamespace = (name: string): string => name.slice(name.indexOf(':') + 1)

function unknownName(name: string, names: Iterable<string>): ConfigurationError {
  const hint = didYouMean(name, names)
  return new ConfigurationError(`endpoint ${name}: the address table has no such name.${hint}`)
}
