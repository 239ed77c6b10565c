import type { Behaviour, ServedEndpoint } from '../ports/kernel.ts'
import type { Metadata } from '../ports/metadata.ts'
import { ApiError } from '../errors/api-errors.ts'
import type { Context, Slot } from './context.ts'

/** The default answer to OPTIONS (M1): name, description, media types, and input fields if known. */
export class SimpleMetadata implements Metadata {
  static readonly options: readonly string[] = []

  describe(endpoint: Parameters<Metadata['describe']>[0]): object {
    const { title: name, description, renderers, parsers, actions, versions } = endpoint
    return {
      name,
      description,
      renders: renderers.map(({ mediaType }) => mediaType),
      parses: parsers.map(({ mediaType }) => mediaType),
      ...(versions?.length && { versions }),
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
  const inputs = [behaviours.post, behaviours.put].map((each) => (each?.form ? each : null))
  if (inputs.some(Boolean))
    return async (request) => describe(await actionsFor(request, inputs, permitted))
  const answer = describe(null)
  return () => answer
}

type Actions = Readonly<Record<string, object>> | null

/** A client without permission, or one that asks for no object, is shown no fields (M2). */
async function actionsFor(
  request: Context,
  [post, put]: readonly (Behaviour | null)[],
  permitted: Slot | null,
): Promise<Actions> {
  const actions: Record<string, object> = {}
  for (const [method, behaviour] of Object.entries({ POST: post, PUT: put })) {
    if (!behaviour) continue
    const asked = request.as(method)
    try {
      await permitted?.(asked)
      await behaviour.looksUp?.(asked)
      const form = behaviour.form!(asked, undefined)
      if (form !== null) actions[method] = form.fields
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return Object.keys(actions).length === 0 ? null : actions
}
