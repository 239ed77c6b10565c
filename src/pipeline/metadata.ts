import type { InputFields, ServedEndpoint, Verb } from '../contract/kernel.ts'
import type { FieldInfo } from '../contract/serializer.ts'
import { ApiError } from '../errors/api-error.ts'
import type { Context } from './context.ts'
import type { Slot } from './slot.ts'

type Actions = Readonly<Record<string, object>> | null

/** The verbs whose input OPTIONS tells (M1). */
const TOLD: readonly Verb[] = ['post', 'put']

/** OPTIONS: what the endpoint is, reads and writes (M1). `permitted`: the check that a request passes first. */
export function compileMetadata(
  { facts, settings, fields }: ServedEndpoint,
  permitted: Slot,
): (request: Context) => object | Promise<object> {
  const { metadata, renderers, parsers } = settings
  const { title, description } = facts
  const describe = (actions: Actions): object =>
    metadata!.describe({ title, description, renderers, parsers, actions })
  const told = TOLD.flatMap((verb) => {
    const input = fields[verb]
    return input === undefined ? [] : [{ method: verb.toUpperCase(), input }]
  })
  if (told.length > 0)
    return async (request) => describe(await actionsFor(request, told, permitted))
  const answer = describe(null)
  return () => answer
}

interface Told {
  readonly method: string
  readonly input: InputFields
}

async function actionsFor(
  request: Context,
  told: readonly Told[],
  permitted: Slot,
): Promise<Actions> {
  const actions: Record<string, object> = {}
  for (const { method, input } of told) {
    const found = await fieldsFor(request.as(method), input, permitted)
    if (found !== null) actions[method] = found
  }
  return Object.keys(actions).length === 0 ? null : actions
}

/** M2: whoever may not, or finds no object, is told nothing. */
async function fieldsFor(
  request: Context,
  input: InputFields,
  permitted: Slot,
): Promise<Readonly<Record<string, FieldInfo>> | null> {
  try {
    await permitted(request)
    return typeof input === 'function' ? await input(request) : input
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}
