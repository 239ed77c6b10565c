import type { Behaviour, ServedEndpoint } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { versionParams } from '../versions/link-in-version.ts'
import { actAround } from '../settings/around.ts'
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
      compiled(each, settings),
    ]),
  )
  // HEAD is GET whose body the door keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', handlers.get('GET')!)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}

function compiled(behaviour: Behaviour, settings: Settings): AskedBehaviour {
  const { around, strictQuery } = settings
  const asked: AskedBehaviour =
    around === null
      ? behaviour
      : { handle: (request) => actAround(around, request, () => behaviour.handle(request)) }
  return strictQuery ? strictly(behaviour, asked, settings) : asked
}

/** Refuses parameters of the query that nothing reads, before anything is done. */
function strictly(behaviour: Behaviour, asked: AskedBehaviour, settings: Settings): AskedBehaviour {
  const { urlFormatOverride, queryParams } = settings
  const always = [
    ...(urlFormatOverride === null ? [] : [urlFormatOverride]),
    ...versionParams(settings),
    ...queryParams,
  ]
  return {
    handle(request) {
      const shown = request.accepted.renderer.queryParams ?? []
      const own = behaviour.parameters?.(request).map(({ name }) => name) ?? []
      const known = new Set([...always, ...shown, ...own])
      const unknown = request.query.unknown(known)
      if (unknown.length === 0) return asked.handle(request)
      const refusal = [ErrorDetail.of('unknown_parameter')]
      const first = unknown.slice(0, MOST_NAMED).map((name) => [name, refusal] as const)
      throw new ValidationError(Object.fromEntries(first))
    },
  }
}

/** A refusal names no more of what was sent. */
const MOST_NAMED = 1000
