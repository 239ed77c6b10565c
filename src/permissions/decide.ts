import type { MaybePromise } from '../contract/request.ts'
import { after } from '../std/after.ts'
import { type Branch, type Leaf, type Tree, isLeaf } from './tree.ts'
import { type Verdict, hasWords, isRefusal } from './verdict.ts'

type Ask = (leaf: Leaf) => MaybePromise<Verdict>

/**
 * What a tree says, leaves asked from left to right and only as many as are needed. Kleene's logic:
 * where it hangs on a leaf without an opinion, the tree has none either.
 */
export function decide(tree: Tree, ask: Ask): MaybePromise<Verdict> {
  return isLeaf(tree) ? ask(tree) : decideFrom(0, tree, ask, START[tree.operator])
}

const START: Readonly<Record<Branch['operator'], Verdict>> = { all: true, any: { allowed: false } }

function decideFrom(
  index: number,
  branch: Branch,
  ask: Ask,
  sofar: Verdict,
): MaybePromise<Verdict> {
  const operand = branch.operands[index]
  if (operand === undefined) return inItsWords(sofar, branch)
  return after(decide(operand, ask), (verdict) =>
    settles(verdict, branch)
      ? inItsWords(verdict, branch)
      : decideFrom(index + 1, branch, ask, joined(sofar, verdict)),
  )
}

/** One no is enough against all, one yes for any. */
function settles(verdict: Verdict, { operator }: Branch): boolean {
  return operator === 'all' ? isRefusal(verdict) : verdict === true
}

/** Of several refusals the first that has something to say is told. */
function joined(sofar: Verdict, verdict: Verdict): Verdict {
  if (sofar === null || verdict === null) return null
  return isRefusal(sofar) && hasWords(sofar) ? sofar : verdict
}

function inItsWords(verdict: Verdict, { words }: Branch): Verdict {
  return isRefusal(verdict) && words !== null ? { allowed: false, ...words } : verdict
}
