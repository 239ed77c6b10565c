import type { Permission } from '../contract/permission.ts'
import { Composition } from './composition.ts'
import { treesOf } from './operands.ts'
import { negated } from './tree.ts'

/** What the refusal of a negation says: the words of the permission inside would say the contrary. */
export interface NotOptions {
  /** @default the usual text of a refusal */
  readonly message?: string | object
  /** @default 'permission_denied' */
  readonly code?: string
}

/**
 * Refuses where the permission agrees and agrees where it refuses, about the request and about the
 * object alike; where it has no opinion, there is none (I14, D21). It proves nothing about the user.
 *
 * @throws ConfigurationError it is no permission
 * @example
 * not(new IsSuspended(), { message: 'This account is suspended.' })
 */
export function not<Target>(
  permission: Permission<Target>,
  words: NotOptions | null = null,
): Permission<Target> {
  const [tree] = treesOf([permission], 'not')
  return new Composition(negated(tree!, words))
}
