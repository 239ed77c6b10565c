import type { Opinion, Refusal } from '../contract/permission.ts'
import type { Leaf } from './tree.ts'

/** What a tree says: yes, a no with its words, or `null`: nothing, for all that is known so far. */
export type Verdict = true | null | Refusal

/** What a leaf says when its permission has this opinion. No opinion has no opposite. */
export function heard(opinion: Opinion, leaf: Leaf): Verdict {
  if (opinion === null) return null
  // What is neither yes nor no is a no either way: a forgotten `return` must not open a door.
  const agrees = leaf.negated ? isNo(opinion) : opinion === true
  return agrees ? true : refusalOf(opinion, leaf)
}

export function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict !== true && verdict !== null
}

export function hasWords({ message, code }: Refusal): boolean {
  return message !== undefined || code !== undefined
}

function isNo(opinion: Opinion): boolean {
  return opinion === false || (typeof opinion === 'object' && opinion?.allowed === false)
}

/** The words of the composition, else of the opinion, else of the permission; those of a yes explain no refusal. */
function refusalOf(opinion: Opinion, { permission, negated, words }: Leaf): Refusal {
  if (negated) return { allowed: false, ...words }
  const own = typeof opinion === 'object' ? opinion : null
  const message = words?.message ?? own?.message ?? permission.message
  const code = words?.code ?? own?.code ?? permission.code
  return {
    allowed: false,
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
  }
}
