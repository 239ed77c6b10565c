import type { Position, Stretch } from '../contract/source.ts'
import type { Start } from './cursor-text.ts'

/** What needs no cursor. */
export const FIRST_PAGE: Start = Object.freeze({ reverse: false, position: null })
const LAST_PAGE: Start = Object.freeze({ reverse: true, position: null })

/** Where the pages around one begin; `null`: there is none. */
export interface Neighbours {
  readonly next: Start | null
  readonly previous: Start | null
}

/**
 * The links of a page (in place of C35, C36 and C40–C45). In the direction of reading the source knows
 * whether there is more. In the other there is, where the page was found from a row there; if that row
 * was deleted since, the page behind the link may be empty, and its own link leads back.
 */
export function neighbours({ reverse, position }: Start, stretch: Stretch<unknown>): Neighbours {
  const { more, first, last } = stretch
  if (first === null || last === null) return aroundNothing(reverse, position)
  const [behind, before] = [from(last, false), from(first, true)]
  const other = position !== null
  return reverse
    ? { next: other ? behind : null, previous: more ? before : null }
    : { next: more ? behind : null, previous: other ? before : null }
}

/**
 * An empty page has no row to go back from, and what it was found from may be just the row that is
 * wanted: back leads to the end of the list that was left (in place of C63).
 */
function aroundNothing(reverse: boolean, position: Position | null): Neighbours {
  if (position === null) return { next: null, previous: null }
  return reverse ? { next: FIRST_PAGE, previous: null } : { next: null, previous: LAST_PAGE }
}

function from(position: Position, reverse: boolean): Start {
  return { reverse, position }
}
