import type { InputFields, ServedEndpoint } from '../ports/kernel.ts'
import type { Metadata } from '../ports/metadata.ts'
import { ApiError } from '../errors/api-errors.ts'
import type { Context, Slot } from './context.ts'

/** What OPTIONS answers by default (M1): name, description, media types, and input fields where known. */
export class SimpleMetadata implements Metadata {
  static readonly options: readonly string[] = []

  describe(endpoint: Parameters<Metadata['describe']>[0]): object {
    const { title: name, description, renderers, parsers, actions, versions } = endpoint
    return {
      name,
      description,
      renders: renderers.map(({ mediaType }) => mediaType),
      parses: parsers.map(({ mediaType }) => mediaType),
      ...(versions && { versions }),
      ...(actions && { actions }),
    }
  }
}

/** OPTIONS: what the endpoint is, reads and writes (M1). `permitted`: the check that a request passes first. */
export function compileMetadata(
  { facts, settings, versions, behaviours }: ServedEndpoint,
  permitted: Slot | null,
): (request: Context) => object | Promise<object> {
  const { metadata, renderers, parsers } = settings
  const { title, description } = facts
  const describe = (actions: Actions): object =>
    metadata!.describe({ title, description, renderers, parsers, actions, versions })
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
