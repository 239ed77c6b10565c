import type { ControlsData, LinkedPage, PageLink } from '../contract/pagination.ts'
import type { Incoming } from '../contract/request.ts'

/**
 * The address of the current request with some query parameters set, or removed where they are
 * `null` (P7, P8): absolute, everything else kept, sorted by name.
 */
export function pageUrl(
  request: Incoming,
  changes: Readonly<Record<string, string | number | null>>,
): string {
  const query = request.query.with(changes).toString()
  return request.origin + request.path + (query === '' ? '' : `?${query}`)
}

/** The links of a page. */
export type Neighbours = Pick<LinkedPage, 'next' | 'previous'>

/** Controls of a list without page numbers; `null` where it has only this page. */
export function arrowsOnly({ next, previous }: Neighbours): ControlsData | null {
  if (next === null && previous === null) return null
  return { previousUrl: previous, nextUrl: next, pageLinks: [] }
}

/** The links of the numbers around page `current` of `final`, and the breaks between them (H14). */
export function pageLinks(
  current: number,
  final: number,
  urlOf: (page: number) => string,
): readonly PageLink[] {
  return shownNumbers(current, final).map((number) =>
    number === null
      ? BREAK
      : { url: urlOf(number), number, isActive: number === current, isBreak: false },
  )
}

const BREAK: PageLink = Object.freeze({ url: null, number: null, isActive: false, isBreak: true })

/**
 * The page numbers that controls show around page `current` of `final` (H10–H13): the first, the last
 * and the neighbours, `null` for a break. A break hides at least two pages.
 */
export function shownNumbers(current: number, final: number): readonly (number | null)[] {
  if (final <= 5) return Array.from({ length: final }, (_, index) => index + 1)
  const numbers: (number | null)[] = withoutBreaks(current, final)
  if (current > 4) numbers.splice(1, 0, null)
  if (current < final - 3) numbers.splice(-1, 0, null)
  return numbers
}

/** Close to an end, where a break would hide a single page, its number is shown instead (H11). */
function withoutBreaks(current: number, final: number): number[] {
  const shown = new Set([1, current - 1, current, current + 1, final])
  if (current <= 4) shown.add(2).add(3)
  if (current >= final - 3) shown.add(final - 1).add(final - 2)
  return [...shown].filter((page) => page >= 1 && page <= final).toSorted((a, b) => a - b)
}
