import type { Behaviour, ServedEndpoint } from '../ports/kernel.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { versionParams } from '../versions/link-in-version.ts'
import { actAround } from '../settings/around.ts'
import { type Reads, withReads } from '../std/statements.ts'
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
  const { behaviours, settings, hasReplicas = false } = endpoint
  const handlers = new Map<string, AskedBehaviour>(
    Object.entries(behaviours).map(([verb, each]) => [
      verb.toUpperCase(),
      compiled(each, settings, hasReplicas && verb),
    ]),
  )
  // HEAD is GET whose body the adapter keeps back (R11).
  if (behaviours.get !== undefined) handlers.set('HEAD', handlers.get('GET')!)
  if (settings.metadata !== null)
    handlers.set('OPTIONS', { handle: compileMetadata(endpoint, permitted) })
  return handlers
}

/** Compiles a behaviour. `verb`: its reads may go to replicas, or replicas have to follow its writes. */
function compiled(behaviour: Behaviour, settings: Settings, verb: string | false): AskedBehaviour {
  const { around, strictQuery } = settings
  const asked: AskedBehaviour =
    around === null
      ? behaviour
      : { handle: (request) => actAround(around, request, () => behaviour.handle(request)) }
  const placed =
    verb === false ? asked : inPlace(asked, verb === 'get' && settings.reads === 'replica')
  return strictQuery ? strictly(behaviour, placed, settings) : placed
}

/** States where the handler may read, and notes the place up to which it has written. */
function inPlace(asked: AskedBehaviour, fromReplica: boolean): AskedBehaviour {
  return {
    async handle(request) {
      const after = fromReplica ? request.header('read-after') : null
      const reads: Reads = { fromReplica, after, written: null }
      try {
        return await withReads<unknown>(reads, () => asked.handle(request))
      } finally {
        // This also counts for a handler that failed after a write.
        request.original.written = await reads.written
      }
    },
  }
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

/** The most unknown parameters that a refusal names. */
const MOST_NAMED = 1000
