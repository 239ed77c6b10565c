import type { Behaviour, InputFields, ServedEndpoint } from '../contract/kernel.ts'
import type { Settings } from '../contract/request.ts'
import { ApiError, ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import type { Answering, CompiledEndpoint, Context, Slot } from './context.ts'

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
  const handlers = new Map<string, Answering>(
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
function strictly(behaviour: Behaviour, settings: Settings): Answering {
  const { urlFormatOverride, versioning, queryParams } = settings
  const always = [
    ...(urlFormatOverride === null ? [] : [urlFormatOverride]),
    ...(versioning?.queryParams?.(settings) ?? []),
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

/** OPTIONS: what the endpoint is, reads and writes (M1). `permitted`: the check that a request passes first. */
function compileMetadata(
  { facts, settings, behaviours }: ServedEndpoint,
  permitted: Slot | null,
): (request: Context) => object | Promise<object> {
  const { metadata, renderers, parsers } = settings
  const { title, description } = facts
  const describe = (actions: Actions): object =>
    metadata!.describe({ title, description, renderers, parsers, actions })
  const inputs = (['post', 'put'] as const).flatMap((verb) => {
    const fields = behaviours[verb]?.fields
    return fields === undefined ? [] : [{ method: verb.toUpperCase(), fields }]
  })
  if (inputs.length > 0)
    return async (request) => describe(await actionsFor(request, inputs, permitted))
  const answer = describe(null)
  return () => answer
}

type Actions = Readonly<Record<string, object>> | null

/** A client without permission, or one that asks for no object, is shown no fields (M2). */
async function actionsFor(
  request: Context,
  inputs: readonly { readonly method: string; readonly fields: InputFields }[],
  permitted: Slot | null,
): Promise<Actions> {
  const actions: Record<string, object> = {}
  for (const { method, fields } of inputs) {
    const asked = request.as(method)
    try {
      await permitted?.(asked)
      const found = typeof fields === 'function' ? await fields(asked) : fields
      if (found !== null) actions[method] = found
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return Object.keys(actions).length === 0 ? null : actions
}
