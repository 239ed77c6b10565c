import type { MaybePromise } from './request.ts'
import type { ListSource } from './list-source.ts'

/**
 * Rows that can be listed, found by a key, and changed: what a resource is kept in. Writing gives the row
 * as it is kept, and throws `ConstraintViolation`, or `ChangedMeanwhile` with nothing changed where the
 * row is no more `seen`, the row as it was found.
 */
export interface RowStore<
  out Row,
  in Key = never,
  in Values = never,
  in Changes = never,
  out Source extends ListSource<Row> = ListSource<Row>,
> {
  /** Name of the field of the rows that they are found by. */
  readonly key: string
  readonly source: Source
  /** `null`: no row has this key, or none can have it. */
  readonly find: (key: Key) => MaybePromise<Row | null>
  readonly insert: (values: Values) => MaybePromise<Row>
  /** `null`: there is none. */
  readonly update: (key: Key, values: Changes, seen?: unknown) => MaybePromise<Row | null>
  /** `false`: there is none. A row that others need is a `ConstraintViolation` (`protected`). */
  readonly remove: (key: Key, seen?: unknown) => MaybePromise<boolean>
}
