import type { Settings } from '../contract/settings.ts'
import { Negotiation } from '../negotiation/negotiate.ts'
import type { Context } from './context.ts'

/** Chooses the renderer: the path's suffix, then the format parameter (N2), then `Accept`. */
export function compileNegotiate({
  renderers,
  urlFormatOverride,
}: Settings): (request: Context) => void {
  const negotiation = new Negotiation(renderers)
  return (request) => {
    const accept = request.peek('accept')
    request.accepted = negotiation.select({ accept, format: formatOf(request, urlFormatOverride) })
  }
}

function formatOf(request: Context, parameter: string | null): string | null {
  const suffix = request.params['format']
  if (request.suffixed && typeof suffix === 'string') return suffix
  if (parameter === null || request.queryText === '') return null
  return request.query.get(parameter) || null
}
