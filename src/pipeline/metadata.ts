import type { Handler, ServedEndpoint } from '../contract/kernel.ts'

/** OPTIONS: what the endpoint is, reads and writes (M1). */
export function compileMetadata({ facts, settings, fields }: ServedEndpoint): Handler {
  const { metadata, renderers, parsers } = settings
  const { title, description } = facts
  const answer = metadata!.describe({
    title,
    description,
    renderers,
    parsers,
    actions: actionsOf(fields),
  })
  return () => answer
}

function actionsOf(fields: ServedEndpoint['fields']): Record<string, object> | null {
  const actions = Object.entries(fields).filter(([verb]) => verb === 'post' || verb === 'put')
  if (actions.length === 0) return null
  return Object.fromEntries(actions.map(([verb, info]) => [verb.toUpperCase(), info]))
}
