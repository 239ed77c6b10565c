import type { ControlsData, CountedPage, PageLink } from '../contract/pagination.ts'
import { shownNumbers } from './shown-numbers.ts'

/** Numbered pages, one of which is open. */
export interface NumberedPages {
  readonly current: number
  readonly final: number
  readonly urlOf: (page: number) => string
}

/** The links of the numbers and the breaks between them (H14). */
export function pageLinks({ current, final, urlOf }: NumberedPages): readonly PageLink[] {
  return shownNumbers(current, final).map((number) =>
    number === null
      ? BREAK
      : { url: urlOf(number), number, isActive: number === current, isBreak: false },
  )
}

const BREAK: PageLink = Object.freeze({ url: null, number: null, isActive: false, isBreak: true })

/** Where nobody knows how many pages there are; `null` where there is only this one. */
export function arrowsOnly({
  next,
  previous,
}: Pick<CountedPage, 'next' | 'previous'>): ControlsData | null {
  if (next === null && previous === null) return null
  return { previousUrl: previous, nextUrl: next, pageLinks: [] }
}
