import type { Permission, Refusal } from '../contract/permission.ts'

/** What a refusal says, where it is not for the refusing permission to say it. */
export type Words = Omit<Refusal, 'allowed'>

/** One permission, as it is or negated. */
export interface Leaf {
  readonly permission: Permission
  readonly negated: boolean
  readonly words: Words | null
}

/** Permissions of which all must agree, or any. */
export interface Branch {
  readonly operator: 'all' | 'any'
  readonly operands: readonly Tree[]
  readonly words: Words | null
}

/** What was composed. Negations stand at the leaves alone: see `negated`. */
export type Tree = Leaf | Branch

export function isLeaf(tree: Tree): tree is Leaf {
  return 'permission' in tree
}

/**
 * The opposite, by De Morgan's laws, so that only leaves are ever negated: not all is any not, not any
 * is all not. What the operands say of themselves would explain the contrary, so it is left out.
 */
export function negated(tree: Tree, words: Words | null): Tree {
  if (isLeaf(tree)) return { ...tree, negated: !tree.negated, words }
  const operands = tree.operands.map((operand) => negated(operand, null))
  return { operator: tree.operator === 'all' ? 'any' : 'all', operands, words }
}

/** The permissions at the ends, each as often as it stands there. */
export function leavesOf(tree: Tree): readonly Permission[] {
  return isLeaf(tree) ? [tree.permission] : tree.operands.flatMap(leavesOf)
}
