import type { DataShownBy } from '../ports/serializer.ts'

/** The answer of a verb that lists rows of a serializer, or of functions that choose one; without one, `Row` itself. */
export interface AnswersList<out Z, out Row = unknown> {
  readonly '~listed': readonly [Z, Row]
}

/** The answer about one row; the body, or a part of it, is read as `Reads`. */
export interface AnswersRow<out Z, out Row = unknown, out Reads = never, out Part = false> {
  readonly '~shown': readonly [Z, Row, Reads, Part]
}

/** Says that the known verbs of the endpoint are all: it has no others. */
export interface AllVerbs {
  readonly '~all'?: true
}

/** A page as the built-in styles answer it (P1). */
export interface PageAnswer<out Item> {
  readonly count?: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Item[]
}

/** The answer of a list: bare rows without pages. A style of your own may answer differently. */
export type ListAnswer<Item> = readonly Item[] | PageAnswer<Item>

/** The data of an answer in any version. */
export type AnswerData<Answer> =
  Answer extends AnswersList<infer Z, infer Row>
    ? ListAnswer<DataBy<Z, Row>>
    : Answer extends AnswersRow<infer Z, infer Row, unknown, unknown>
      ? DataBy<Z, Row>
      : Answer
type DataBy<Z, Row> = unknown extends Z ? Row : DataShownBy<Z>

/** The value after JSON: a `Date` becomes a text, and `undefined` disappears. */
export type AsJSON<T> = unknown extends T
  ? unknown
  : T extends { toJSON(): infer Shown }
    ? AsJSON<Shown>
    : T extends object
      ? { [K in keyof T]: AsJSON<T[K]> }
      : T

/** The types that clients know of an application beside its addresses. */
export interface AppFacts {
  readonly routes: unknown
  /** The union of the endpoints. */
  readonly endpoints: unknown
  /** The versions, in their order. */
  readonly versions: readonly (string | null)[] | null
  readonly defaultVersion: string | null
  /** Name of the parameter of the path that holds the version, or `never`. */
  readonly implied: string
}
