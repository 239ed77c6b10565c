import type { MaybePromise } from './request.ts'
import type { ListSource } from './list-source.ts'

/** Rows that can be listed, found by a key, and changed: what a resource is kept in. */
export interface RowStore<
  out Row,
  in Key = never,
  in Values = never,
  in Changes = never,
  out Source extends ListSource<Row> = ListSource<Row>,
> {
  /** Name of the field of the rows that they are found by. */
  readonly key: string
  /** All of them. */
  readonly source: Source
  /** `null`: none has this key, or none can have it. */
  readonly find: (key: Key) => MaybePromise<Row | null>
  /**
   * Adds a row, and gives it as it is kept.
   *
   * @throws ConstraintViolation
   */
  readonly insert: (values: Values) => MaybePromise<Row>
  /**
   * Changes a row, and gives it as it is kept; `null`: there is none. `seen` is the row as it was found: where
   * it is another by now, nothing is changed.
   *
   * @throws ChangedMeanwhile, ConstraintViolation
   */
  readonly update: (key: Key, values: Changes, seen?: unknown) => MaybePromise<Row | null>
  /**
   * Deletes a row; `false`: there is none. `seen` as for `update`.
   *
   * @throws ChangedMeanwhile, ConstraintViolation (`protected`)
   */
  readonly remove: (key: Key, seen?: unknown) => MaybePromise<boolean>
}
