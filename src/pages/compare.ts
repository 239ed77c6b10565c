/** Lines of a text that are compared; what follows is left out. */
const MOST_LINES = 3000

/** Changes between two texts that are looked for, at a cost of their square. */
const MOST_CHANGES = 1500

/** A row of two texts side by side, as HTML; `null`: the text of that side has no such line. */
export interface ComparedLine {
  readonly mark: 'same' | 'changed' | 'removed' | 'added'
  readonly left: string | null
  readonly right: string | null
}

/** Two versions of one resource. */
export interface Comparison {
  readonly left: Side
  readonly right: Side
  readonly lines: readonly ComparedLine[]
  /** Lines that differ. */
  readonly count: number
  /** Some lines were left out. */
  readonly isCut: boolean
}

/** A side: what it is, and its answer as HTML. */
export interface Side {
  readonly version: string
  readonly status: number
  /** `null`: it is the page itself, or has no address of its own. */
  readonly url: string | null
  readonly html: string
}

/** Line by line: what both have stands side by side. Tokens of JSON never span lines, so each line is HTML by itself. */
export function compared(left: Side, right: Side): Comparison {
  const [before, after] = [left, right].map(({ html }) => html.split('\n'))
  const lines = sideBySide(before!.slice(0, MOST_LINES), after!.slice(0, MOST_LINES))
  return {
    left,
    right,
    lines,
    count: lines.filter(({ mark }) => mark !== 'same').length,
    isCut: before!.length > MOST_LINES || after!.length > MOST_LINES,
  }
}

/** Lines removed stand beside lines added in their place. */
export function sideBySide(
  left: readonly string[],
  right: readonly string[],
): readonly ComparedLine[] {
  const rows: ComparedLine[] = []
  let [at, other] = [0, 0]
  for (const [i, j] of [...common(left, right), [left.length, right.length] as const]) {
    for (; at < i || other < j; at++, other++) {
      const [before, after] = [at < i ? left[at]! : null, other < j ? right[other]! : null]
      const mark = before === null ? 'added' : after === null ? 'removed' : 'changed'
      rows.push({ mark, left: before, right: after })
    }
    ;[at, other] = [i, j]
    if (i < left.length) rows.push({ mark: 'same', left: left[at++]!, right: right[other++]! })
  }
  return rows
}

type Pair = readonly [left: number, right: number]

/** The places of lines that both have, in their order: what begins and ends alike, and Myers' shortest path between. */
function common(left: readonly string[], right: readonly string[]): readonly Pair[] {
  const shortest = Math.min(left.length, right.length)
  let start = 0
  while (start < shortest && left[start] === right[start]) start++
  let end = 0
  while (end < shortest - start && left.at(-1 - end) === right.at(-1 - end)) end++
  const middle = path(left.slice(start, left.length - end), right.slice(start, right.length - end))
  return [
    ...Array.from({ length: start }, (_, at): Pair => [at, at]),
    ...middle.map(([one, other]): Pair => [one + start, other + start]),
    ...Array.from({ length: end }, (_, at): Pair => [
      left.length - end + at,
      right.length - end + at,
    ]),
  ]
}

/**
 * E. W. Myers, An O(ND) difference algorithm (1986): how far each diagonal `k` gets with so many changes. Nothing is in
 * common where there are too many to look for.
 */
function path(left: readonly string[], right: readonly string[]): readonly Pair[] {
  const [n, m] = [left.length, right.length]
  const trace: Furthest[] = [new Furthest(0)]
  for (let changes = 0; changes <= Math.min(n + m, MOST_CHANGES); changes++) {
    const [before, now] = [trace[changes]!, new Furthest(changes)]
    trace.push(now)
    for (let k = -changes; k <= changes; k += 2) {
      let x = before.isAdded(k, changes) ? before.at(k + 1) : before.at(k - 1) + 1
      while (x < n && x - k < m && left[x] === right[x - k]) x++
      now.set(k, x)
      if (x >= n && x - k >= m) return backtracked(trace.slice(0, -1), n, m)
    }
  }
  return []
}

/** By diagonal, from `-reach - 1` to `reach + 1`. */
class Furthest {
  readonly #places: Int32Array

  constructor(reach: number) {
    this.#places = new Int32Array(2 * reach + 3)
  }

  at(k: number): number {
    return this.#places[k + (this.#places.length >> 1)] ?? 0
  }

  set(k: number, x: number): void {
    this.#places[k + (this.#places.length >> 1)] = x
  }

  /** Is the step onto `k` a line of the right side? */
  isAdded(k: number, changes: number): boolean {
    return k === -changes || (k !== changes && this.at(k - 1) < this.at(k + 1))
  }
}

function backtracked(trace: readonly Furthest[], n: number, m: number): readonly Pair[] {
  const pairs: Pair[] = []
  let [x, y] = [n, m]
  for (let changes = trace.length - 1; changes >= 0; changes--) {
    const k = x - y
    const before = trace[changes]!
    const from = before.isAdded(k, changes) ? k + 1 : k - 1
    const [beginX, beginY] = changes === 0 ? [0, 0] : [before.at(from), before.at(from) - from]
    while (x > beginX && y > beginY) pairs.push([--x, --y])
    ;[x, y] = [beginX, beginY]
  }
  return pairs.toReversed()
}
