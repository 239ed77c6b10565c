/** ` Did you mean "page_size"?`, for the end of a refusal; empty if no candidate is near. */
export function didYouMean(
  name: string,
  known: Iterable<string>,
  show: (near: string) => string = (near) => `"${near}"`,
): string {
  const near = nearest(name, known)
  return near === null ? '' : ` Did you mean ${show(near)}?`
}

/**
 * The candidate with the fewest letters to insert, drop, replace or swap, case aside; none is near that takes
 * more than two such edits and more than a third of the word. Of equally near ones, the first.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase()
  const limit = Math.max(2, word.length / 3)
  const near = Array.from(candidates, (candidate) => {
    return { candidate, edits: distance(wanted, candidate.toLowerCase(), limit) }
  }).filter(({ edits }) => edits <= limit)
  return near.toSorted((one, other) => one.edits - other.edits)[0]?.candidate ?? null
}

/** The edits between two words (Damerau-Levenshtein with adjacent swaps); `Infinity` if the lengths alone exceed `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Infinity
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let at = 1; at <= a.length; at++) rows.push(nextRow(a, b, rows))
  return rows[a.length]![b.length]!
}

function nextRow(a: string, b: string, rows: readonly number[][]): number[] {
  const at = rows.length
  const [above, twoAbove] = [rows[at - 1]!, rows[at - 2]]
  const row = [at]
  for (let column = 1; column <= b.length; column++) {
    const replaced = above[column - 1]! + (a[at - 1] === b[column - 1] ? 0 : 1)
    const isSwap = a[at - 1] === b[column - 2] && a[at - 2] === b[column - 1]
    const swapped = isSwap ? twoAbove![column - 2]! + 1 : Infinity
    row.push(Math.min(row[column - 1]! + 1, above[column]! + 1, replaced, swapped))
  }
  return row
}
