/**
 * The page numbers that controls show around page `current` of `final` (H10–H13): the first, the last
 * and the neighbours, `null` for a break. A break hides at least two pages.
 */
export function shownNumbers(current: number, final: number): readonly (number | null)[] {
  if (final <= 5) return Array.from({ length: final }, (_, index) => index + 1)
  const numbers: (number | null)[] = shownOf(current, final)
  if (current > 4) numbers.splice(1, 0, null)
  if (current < final - 3) numbers.splice(-1, 0, null)
  return numbers
}

// H11
function shownOf(current: number, final: number): number[] {
  const shown = new Set([1, current - 1, current, current + 1, final])
  if (current <= 4) shown.add(2).add(3)
  if (current >= final - 3) shown.add(final - 1).add(final - 2)
  return [...shown].filter((page) => page >= 1 && page <= final).toSorted((a, b) => a - b)
}
