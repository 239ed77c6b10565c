import type { Incoming } from '../contract/request.ts'
import { readInteger } from '../std/integer.ts'

/**
 * The size that a client asks for with `parameter`: a whole number of at least 1, cut down to
 * `maximum` (P13). `null`: it asked for none, or for nonsense, which is ignored.
 */
export function requestedSize(
  request: Incoming,
  parameter: string | null,
  maximum: number | null,
): number | null {
  const asked = parameter === null ? null : readInteger(request.query.get(parameter))
  if (asked === null || asked < 1) return null
  return maximum ? Math.min(asked, maximum) : asked
}
