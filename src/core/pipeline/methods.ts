import type { Behaviour, ServedEndpoint } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { versionParams } from '../versions/link-in-version.ts'
import type { AskedBehaviour, CompiledEndpoint, Slot } from './context.ts'
import { compileMetadata } from './metadata.ts'

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
  const handlers = new Map<string, AskedBehaviour>(
    Object.entries(behaviours).map(([verb, each]) => [
      verb.toUpperCase(),
      settings.strictQuery ? strictly(each, settings) : each,
    ]),
  )
  // HEAD is GET whose body the door keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', handlers.get('GET')!)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}

/** Refuses parameters of the query that nothing reads, before anything is done. */
function strictly(behaviour: Behaviour, settings: Settings): AskedBehaviour {
  const { urlFormatOverride, queryParams } = settings
  const always = [
    ...(urlFormatOverride === null ? [] : [urlFormatOverride]),
    ...versionParams(settings),
    ...queryParams,
  ]
  return {
    ...behaviour,
    handle(request) {
      const shown = request.accepted.renderer.queryParams ?? []
      const own = behaviour.queryParams?.(request) ?? []
      const known = new Set([...always, ...shown, ...own])
      const unknown = request.query.unknown(known)
      if (unknown.length === 0) return behaviour.handle(request)
      const refusal = [ErrorDetail.of('unknown_parameter')]
      const first = unknown.slice(0, MOST_NAMED).map((name) => [name, refusal] as const)
      throw new ValidationError(Object.fromEntries(first))
    },
  }
}

/** A refusal names no more of what was sent. */
const MOST_NAMED = 1000
