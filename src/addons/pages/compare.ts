import { type ArrayChange, diffArrays } from 'diff'

/** The most lines of a text that are compared; the rest is left out. */
const MOST_LINES = 3000

/** The most changes that are searched for, at quadratic cost; with more, the texts count as wholly different. */
const MOST_CHANGES = 1500

/** A row of two texts side by side, as HTML; `null`: this side has no such line. */
interface ComparedLine {
  readonly mark: 'same' | 'changed' | 'removed' | 'added'
  readonly left: string | null
  readonly right: string | null
}

/** Two versions of one resource. */
export interface Comparison {
  readonly left: Side
  readonly right: Side
  readonly lines: readonly ComparedLine[]
  /** The number of different lines. */
  readonly count: number
  /** Some lines were left out. */
  readonly isCut: boolean
}

/** A side: its version, and its answer as HTML. */
export interface Side {
  readonly version: string
  readonly status: number
  /** `null`: the side is the page itself, or its version has no address of its own. */
  readonly url: string | null
  readonly html: string
}

/** Compares line by line, with equal lines side by side. Tokens of JSON never span lines, so each line is HTML by itself. */
export function compareSides(left: Side, right: Side): Comparison {
  const [before, after] = [left.html.split('\n'), right.html.split('\n')]
  const lines = sideBySide(before.slice(0, MOST_LINES), after.slice(0, MOST_LINES))
  return {
    left,
    right,
    lines,
    count: lines.filter(({ mark }) => mark !== 'same').length,
    isCut: before.length > MOST_LINES || after.length > MOST_LINES,
  }
}

/** Puts removed lines beside the added lines that replace them. */
export function sideBySide(left: string[], right: string[]): readonly ComparedLine[] {
  const options = { maxEditLength: MOST_CHANGES, comparator: isSameLine }
  const found = diffArrays(left, right, options)
  const runs = found ?? [run(left, 'removed'), run(right, 'added')]
  const rows: ComparedLine[] = []
  let at = 0
  let [removed, added]: string[][] = [[], []]
  for (const { value, ...is } of [...runs, run([])]) {
    if (!is.added) at += value.length
    if (is.removed) removed = value
    else if (is.added) added = value
    else {
      const lines = left.slice(at - value.length, at)
      rows.push(...inPlaceOf(removed!, added!), ...lines.map((line, i) => same(line, value[i]!)))
      ;[removed, added] = [[], []]
    }
  }
  return rows
}

/** A comma at the end only says that more follows, so it makes no difference. */
function isSameLine(left: string, right: string): boolean {
  return left === right || bare(left) === bare(right)
}

const bare = (line: string): string => (line.endsWith(',') ? line.slice(0, -1) : line)

function run(value: string[], what?: 'removed' | 'added'): ArrayChange<string> {
  return { value, count: value.length, removed: what === 'removed', added: what === 'added' }
}

const same = (left: string, right: string): ComparedLine => ({ mark: 'same', left, right })

function inPlaceOf(removed: readonly string[], added: readonly string[]): readonly ComparedLine[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, at) => {
    const [left, right] = [removed[at] ?? null, added[at] ?? null]
    return { mark: left === null ? 'added' : right === null ? 'removed' : 'changed', left, right }
  })
}
