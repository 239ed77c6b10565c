import type { CountedPage, Window } from '../contract/pagination.ts'
import type { Reply } from '../contract/reply.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { ListSource } from '../contract/source.ts'
import { reply } from '../replies/reply.ts'
import { type OptionRule, SIZE, oneOf } from '../settings/options.ts'
import { after } from '../std/after.ts'

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

export type Counting = Required<CountOptions>

export const COUNTING: Counting = Object.freeze({ count: 'exact', countCap: 10_000 })

export const COUNT_RULES: Readonly<Record<keyof CountOptions, OptionRule>> = {
  count: oneOf('exact', 'capped', 'estimated', 'none'),
  countCap: SIZE,
}

/** What is known of the number of rows. */
export type Counted = Pick<CountedPage, 'count' | 'precision'>

/** Is this the number of all rows? */
export function isExact<Page extends Counted>(page: Page): page is Page & { count: number } {
  return page.count !== null && page.precision === undefined
}

/** Count and rows, of one snapshot where the source can; no rows are read for a page that is none (P19). */
export function readCounted(
  source: ListSource<unknown>,
  at: (count: number) => Window,
): MaybePromise<{ readonly count: number; readonly rows: readonly unknown[] }> {
  if (source.page) return source.page(at)
  return after(source.count(), (count) => {
    const { offset, limit } = at(count)
    return after(source.slice(offset, limit), (rows) => ({ count, rows }))
  })
}

/** Rows that were read without counting. */
export interface Uncounted {
  readonly offset: number
  readonly rows: readonly unknown[]
  /** Are there rows behind them? */
  readonly more: boolean
}

/** One row more than the page is read: it tells whether there is a next one. */
export function readUncounted(
  source: ListSource<unknown>,
  { offset, limit }: Window,
): MaybePromise<Uncounted> {
  const enough = Math.min(limit + 1, Number.MAX_SAFE_INTEGER)
  return after(source.slice(offset, enough), (found) => {
    const more = found.length > limit
    return { offset, rows: more ? found.slice(0, limit) : found, more }
  })
}

/** What a policy says of the count, with these rows read. */
export function countOf(
  source: ListSource<unknown>,
  read: Uncounted,
  { count, countCap }: Counting,
): MaybePromise<Counted> {
  if (count === 'none') return UNKNOWN
  if (count === 'estimated') return after(source.estimate?.() ?? null, estimated)
  return after(seenBy(read, countCap) ?? source.count(countCap), (rows) => capped(rows, countCap))
}

const UNKNOWN: Counted = Object.freeze({ count: null })

function estimated(count: number | null): Counted {
  return count === null ? UNKNOWN : { count, precision: 'estimated' }
}

export function capped(count: number, cap: number): Counted {
  return count > cap ? { count: cap, precision: 'at_least' } : { count }
}

/** Nobody needs to count where the rows show where the list ends, or that it goes on beyond the cap. */
function seenBy({ offset, rows, more }: Uncounted, cap: number): number | null {
  if (rows.length === 0 && offset > 0) return null
  const seen = offset + rows.length + (more ? 1 : 0)
  return !more || seen > cap ? seen : null
}

/** The envelope (P5), with `count_precision` where the count is not exact. */
export function countedReply(
  { count, precision, next, previous }: CountedPage,
  results: readonly unknown[],
): Reply {
  if (precision === undefined) return reply({ count, next, previous, results })
  return reply({ count, count_precision: precision, next, previous, results })
}
