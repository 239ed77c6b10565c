import type { Permission } from '../contract/permission.ts'
import { Composition } from './composition.ts'
import type { Grants, Targets } from './grants.ts'
import { treesOf } from './operands.ts'

/**
 * All of these permissions must agree (Z20, I14), asked from left to right until one refuses. The
 * refusal is that permission's, with its message and code. Each one's proof about the user counts.
 *
 * @throws ConfigurationError an operand is no permission, or there is none
 * @example
 * anyOf(new IsAdminUser(), allOf(new IsAuthenticated(), new IsOwner()))
 */
export function allOf<const L extends readonly Permission[]>(
  ...permissions: L
): Permission<Targets<L>, Grants<L>> {
  const operands = treesOf(permissions, 'allOf')
  return new Composition({ operator: 'all', operands, words: null })
}
