import type { Permission } from '../contract/permission.ts'
import { Composition } from './composition.ts'
import type { GrantOf, Targets } from './grants.ts'
import { treesOf } from './operands.ts'

/**
 * One of these permissions must agree (Z20, I14), asked from left to right until one does. Where all
 * refuse, the refusal is that of the first with a message or a code. A permission with rules for objects
 * only leaves the request open, and what refused the request does not count at the object (Z22).
 *
 * @throws ConfigurationError an operand is no permission, or there is none
 * @example
 * api.endpoint('draft', { permissions: [anyOf(new IsAdminUser(), new IsOwner())] })
 */
export function anyOf<const L extends readonly Permission[]>(
  ...permissions: L
): Permission<Targets<L>, GrantOf<L[number]>> {
  const operands = treesOf(permissions, 'anyOf')
  return new Composition({ operator: 'any', operands, words: null })
}
