import type { Window } from './pagination.ts'
import type { MaybePromise } from './request.ts'

/** A list of rows that can count and slice itself. Nothing is read before it is asked. */
export interface ListSource<out Row> {
  count(): MaybePromise<number>
  /** At most `limit` rows, after leaving out `offset`. */
  slice(offset: number, limit: number): MaybePromise<readonly Row[]>
  /** Count and rows of one snapshot, where the source can give both in one trip. */
  page?(
    at: (count: number) => Window,
  ): MaybePromise<{ readonly count: number; readonly rows: readonly Row[] }>
}
