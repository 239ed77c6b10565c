/**
 * The candidate that `word` was probably meant to be: the one with the fewest letters to insert,
 * drop, replace or swap, case aside. `null` when none is near, which is more than two such edits
 * and more than a third of the word. Of equally near ones, the first.
 *
 * @example
 * nearest('pagesize', ['page', 'page_size']) // 'page_size'
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase()
  let found: string | null = null
  let best = Math.max(2, word.length / 3)
  for (const candidate of candidates) {
    const edits = distance(wanted, candidate.toLowerCase(), best)
    if (edits > best || (edits === best && found !== null)) continue
    found = candidate
    best = edits
  }
  return found
}

/** Edits between two words (Damerau-Levenshtein with adjacent swaps); `Infinity` once it must exceed `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return Infinity
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = nextRow(a, b, row, last, beforeLast)
    if (Math.min(...current) > limit) return Infinity
    beforeLast = last
    last = current
  }
  return last[b.length] ?? Infinity
}

function nextRow(
  a: string,
  b: string,
  row: number,
  last: number[],
  beforeLast: number[],
): number[] {
  const current = [row]
  for (let column = 1; column <= b.length; column++) {
    const same = a[row - 1] === b[column - 1]
    const swapped = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
    current[column] = Math.min(
      at(current, column - 1) + 1,
      at(last, column) + 1,
      at(last, column - 1) + (same ? 0 : 1),
      swapped ? at(beforeLast, column - 2) + 1 : Infinity,
    )
  }
  return current
}

function at(row: number[], column: number): number {
  return row[column] ?? Infinity
}
