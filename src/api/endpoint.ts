import type { Behaviour, Verb } from '../contract/kernel.ts'
import type { Answering, Endpoint, EndpointDefinition, EndpointOptions } from './types.ts'

interface Named {
  readonly name: string
  readonly values: object
}

/** Makes the endpoint of a name, inside the layers of its groups. */
export function createEndpoint(
  name: string,
  groups: readonly Named[],
  { title, description = '', ...values }: EndpointOptions & object,
): Endpoint<never> {
  const layers = [...groups, { name: `endpoint ${name}`, values }]
  return toEndpoint({ name, title: title ?? titleOf(name), description, layers, behaviours: {} })
}

function toEndpoint(definition: EndpointDefinition): Endpoint<never> {
  const on = (verb: Verb) => (handler: Answering<never>) =>
    toEndpoint(withVerb(definition, verb, handler))
  return {
    name: definition.name,
    '~definition': definition,
    get: on('get'),
    post: on('post'),
    put: on('put'),
    patch: on('patch'),
    delete: on('delete'),
  }
}

function withVerb(
  definition: EndpointDefinition,
  verb: Verb,
  handler: Answering<never>,
): EndpointDefinition {
  const behaviour: Behaviour<never> = typeof handler === 'function' ? { handle: handler } : handler
  return { ...definition, behaviours: { ...definition.behaviours, [verb]: behaviour } }
}

/** `v1:article-list` → `Article List` (W4). */
function titleOf(name: string): string {
  const words = name.slice(name.lastIndexOf(':') + 1).split(/[-_]/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ')
}
