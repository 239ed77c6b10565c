import type { Opinion, Refusal } from '../contract/decisions.ts'
import type { Permission, MaybePromise } from '../contract/request.ts'
import { after } from '../std/after.ts'

/** What a refusal says, where it is not for the refusing permission to say it. */
type Words = Omit<Refusal, 'allowed'>

/** One permission, as it is or negated. */
export interface Leaf {
  readonly permission: Permission
  readonly negated: boolean
  readonly words: Words | null
}

/** Permissions of which all must agree, or any. */
interface Branch {
  readonly operator: 'all' | 'any'
  readonly operands: readonly Tree[]
  readonly words: Words | null
}

/** What was composed. Negations stand at the leaves alone: see `negated`. */
export type Tree = Leaf | Branch

/** What a tree says: yes, a no with its words, or `null`: nothing, for all that is known so far. */
export type Verdict = true | null | Refusal

function isLeaf(tree: Tree): tree is Leaf {
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

/**
 * What a tree says, leaves asked from left to right and only as many as are needed. Kleene's logic:
 * where it depends on a leaf without an opinion, the tree has none either.
 */
export function decide(
  tree: Tree,
  ask: (leaf: Leaf) => MaybePromise<Verdict>,
): MaybePromise<Verdict> {
  if (isLeaf(tree)) return ask(tree)
  const branch = tree
  return decideFrom(0, START[branch.operator])

  function decideFrom(index: number, sofar: Verdict): MaybePromise<Verdict> {
    const operand = branch.operands[index]
    if (operand === undefined) return inItsWords(sofar, branch)
    return after(decide(operand, ask), (verdict) =>
      settles(verdict, branch)
        ? inItsWords(verdict, branch)
        : decideFrom(index + 1, joined(sofar, verdict)),
    )
  }
}

const START: Readonly<Record<Branch['operator'], Verdict>> = { all: true, any: { allowed: false } }

/** One no is enough against all, one yes for any. */
function settles(verdict: Verdict, { operator }: Branch): boolean {
  return operator === 'all' ? isRefusal(verdict) : verdict === true
}

/** Of several refusals the first that has a message or a code counts. */
function joined(sofar: Verdict, verdict: Verdict): Verdict {
  if (sofar === null || verdict === null) return null
  const explained = isRefusal(sofar) && (sofar.message !== undefined || sofar.code !== undefined)
  return explained ? sofar : verdict
}

function inItsWords(verdict: Verdict, { words }: Branch): Verdict {
  return isRefusal(verdict) && words !== null ? { allowed: false, ...words } : verdict
}

/** What a leaf says when its permission has this opinion. No opinion has no opposite. */
export function verdictOf(opinion: Opinion, leaf: Leaf): Verdict {
  if (opinion === null) return null
  // What is neither yes nor no is a no either way: a forgotten `return` must not open a door.
  const agrees = leaf.negated ? isNo(opinion) : opinion === true
  return agrees ? true : refusalOf(opinion, leaf)
}

export function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict !== true && verdict !== null
}

function isNo(opinion: Opinion): boolean {
  return opinion === false || (typeof opinion === 'object' && opinion?.allowed === false)
}

/** The words of the composition, else of the opinion, else of the permission; those of a yes explain no refusal. */
function refusalOf(opinion: Opinion, leaf: Leaf): Refusal {
  const { permission, words } = leaf
  if (leaf.negated) return { allowed: false, ...words }
  const own = typeof opinion === 'object' ? opinion : null
  const message = words?.message ?? own?.message ?? permission.message
  const code = words?.code ?? own?.code ?? permission.code
  return {
    allowed: false,
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
  }
}
