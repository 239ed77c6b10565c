import type { Behaviour, ServedEndpoint } from '../contract/kernel.ts'
import type { CompiledEndpoint, Slot } from './context.ts'
import { compileMetadata } from './options-metadata.ts'

/** In the order of `Allow`. */
export const METHODS: readonly string[] = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
]

export function handlersByMethod(
  endpoint: ServedEndpoint,
  permitted: Slot | null,
): CompiledEndpoint['handlers'] {
  const { behaviours, settings } = endpoint
  const handlers = new Map<string, Pick<Behaviour, 'handle'>>(
    Object.entries(behaviours).map(([verb, each]) => [verb.toUpperCase(), each]),
  )
  // HEAD is GET whose body the door keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', behaviours.get)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}
