import type { CountedPage } from '../contract/pagination.ts'
import type { Window, ListSource } from '../contract/list-source.ts'

/** How a style comes to the count of a list (I16). */
export type CountPolicy = 'exact' | 'capped' | 'estimated' | 'none'

/** Options of a style that counts. */
export interface CountOptions {
  /**
   * `exact`: every row is counted for every page. `capped`: up to `countCap`, beyond it "at least".
   * `estimated`: what the database believes. `none`: nothing is counted. Only with `exact` is there
   * always a last page to ask for.
   *
   * @default 'exact'
   */
  readonly count?: CountPolicy
  /** How far `capped` counts. @default 10000 */
  readonly countCap?: number
}

type Counting = Required<CountOptions>

/** What is known of the number of rows. */
type Counted = Pick<CountedPage, 'count' | 'precision'>

/** The rows of a page, with what is known of the list around them. */
export interface CountedRows {
  readonly rows: readonly unknown[]
  readonly counted: Counted
  /** Are there rows behind them? */
  readonly more: boolean
}

/** How a style finds the rows of a page. What it throws is the answer, and then nothing more is read. */
interface PageFinder {
  /** The rows to read, in a list of `count` rows; `null`: the rows are read before they are counted. */
  readonly at: (count: number | null) => Window
  /** Are there rows behind this page of a list of `count` rows? */
  readonly more: (count: number) => boolean
  /** There is no row behind the offset. Called before anything is counted. */
  readonly foundNone?: () => void
}

/** Reads a page, and counts the list as far as the policy asks for it. */
export function readCounted(
  source: ListSource<unknown>,
  counting: Counting,
  finder: PageFinder,
): Promise<CountedRows> {
  return counting.count === 'exact'
    ? readExactly(source, finder)
    : readThenCount(source, counting, finder)
}

/** Count and rows of one snapshot where the source can; no rows are read for a page that is none (P19). */
async function readExactly(source: ListSource<unknown>, finder: PageFinder): Promise<CountedRows> {
  const { count, rows } = await (source.page?.(finder.at) ?? countThenSlice(source, finder))
  return { rows, counted: { count }, more: finder.more(count) }
}

async function countThenSlice(
  source: ListSource<unknown>,
  finder: PageFinder,
): Promise<{ readonly count: number; readonly rows: readonly unknown[] }> {
  const count = await source.count()
  const { offset, limit } = finder.at(count)
  return { count, rows: await source.slice(offset, limit) }
}

async function readThenCount(
  source: ListSource<unknown>,
  { count: policy, countCap }: Counting,
  finder: PageFinder,
): Promise<CountedRows> {
  const { offset, limit } = finder.at(null)
  // One row more than the page has shows whether there is a next one.
  const found = await source.slice(offset, Math.min(limit + 1, Number.MAX_SAFE_INTEGER))
  if (found.length === 0) finder.foundNone?.()
  const more = found.length > limit
  const rows = more ? found.slice(0, limit) : found
  if (policy === 'none') return { rows, more, counted: UNKNOWN }
  if (policy === 'estimated') return { rows, more, counted: estimated(await source.estimate?.()) }
  const seen = found.length > 0 || offset === 0 ? offset + found.length : null
  // Rows that show where the list ends, or that it goes on beyond the cap, need no counting.
  const shown = seen !== null && (!more || seen > countCap)
  return { rows, more, counted: capped(shown ? seen : await source.count(countCap), countCap) }
}

const UNKNOWN: Counted = Object.freeze({ count: null })

function estimated(count: number | null = null): Counted {
  return count === null ? UNKNOWN : { count, precision: 'estimated' }
}

function capped(count: number, cap: number): Counted {
  return count > cap ? { count: cap, precision: 'at_least' } : { count }
}
