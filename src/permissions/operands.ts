import type { Permission } from '../contract/permission.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { Composition } from './composition.ts'
import type { Tree } from './tree.ts'

/** The trees of what an operator is given; a composition brings its own. */
export function treesOf(permissions: readonly Permission[], operator: string): readonly Tree[] {
  if (permissions.length === 0)
    throw new ConfigurationError(`${operator}() wants at least one permission.`)
  return permissions.map((permission) => treeOf(permission, operator))
}

function treeOf(permission: Permission, operator: string): Tree {
  if (permission instanceof Composition) return permission.tree
  if (isPermission(permission)) return { permission, negated: false, words: null }
  throw new ConfigurationError(
    `${operator}() wants permissions, and got something without hasPermission() or hasObjectPermission(). Give objects, not classes: new IsAuthenticated().`,
  )
}

function isPermission(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { hasPermission, hasObjectPermission } = value as Permission
  return typeof (hasPermission ?? hasObjectPermission) === 'function'
}
