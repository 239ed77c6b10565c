import type { MaybePromise } from '../std/after.ts'
import type { JSONSchema } from '../types/documents.ts'

/** Rows from `offset` on, at most `limit` of them. */
export interface Window {
  readonly offset: number
  readonly limit: number
}

/**
 * What a statement found: rows as arrays, values in the order of the columns. A row may have more values, which
 * belong to no column.
 */
export interface Rows {
  readonly values: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
  /** By column: how its texts are to be understood; `null`, or nothing at all: values are what rows have. */
  readonly written?: readonly (WrittenColumn | null)[]
}

/** A column whose values, but for NULL, are texts as the database writes them. */
export interface WrittenColumn {
  readonly kind: WrittenKind
  /** What rows have in place of the text. */
  readonly read: (text: string) => unknown
}

/**
 * What the texts say. `moment`: `2024-01-25 16:00:00.5+00`; without an offset it is in UTC. `boolean`: `t` or `f`.
 * `other`: only `read` knows.
 */
export type WrittenKind = 'integer' | 'float' | 'decimal' | 'boolean' | 'date' | 'moment' | 'other'

/** Rows that were read together. */
export interface Portion<out Row = unknown> {
  /** Made on first use where there is a table. */
  readonly rows: readonly Row[]
  /** The same rows as the database gave them, for those who need no objects. Gone when there are objects. */
  readonly table?: Rows | undefined
}

/** A list of rows that can count and slice itself. Nothing is read before it is asked. */
export interface ListSource<out Row = unknown> {
  /** How many rows there are. With a `cap`: exactly, or `cap + 1`, at the cost of counting so far. */
  count(cap?: number): MaybePromise<number>
  /** At most `limit` rows, after leaving out `offset`. */
  slice(offset: number, limit: number): MaybePromise<readonly Row[]>
  /** Count and rows of one snapshot, in one trip. */
  page?(at: (count: number) => Window): MaybePromise<Portion<Row> & { readonly count: number }>
  /** As `slice`, with the table. */
  cut?(offset: number, limit: number): MaybePromise<Portion<Row>>
  /** About how many rows there are, from what is known without counting; `null`: nothing is. */
  estimate?(): MaybePromise<number | null>
  /** Fields that no two rows share, all together. @default none are known */
  readonly unique?: readonly string[]
}

/** One key of an order: a field of the rows, the direction, and where rows without a value stand. */
export interface SortKey<out Field extends string = string> {
  readonly field: Field
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
}

/** How the value of a field is compared with that of a condition. Texts in `i…` ignore case. */
export type FilterOperator =
  | 'equals'
  | 'in'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'isNull'
  | 'iequals'
  | 'icontains'
  | 'istartsWith'
  /** A regular expression of the database's own, ignoring case. */
  | 'iregex'
  /** Full text search of the database. */
  | 'search'

/**
 * What a row must fulfil; `value` is only ever bound, never pasted into a query. For `in` it is a list, for
 * `isNull` a boolean. A text stands for the value that it writes out: `'7'` for a number; where that is none
 * of the field's type, reading throws what `unfitValue(condition)` makes.
 */
export interface Condition<out Field extends string = string> {
  readonly field: Field
  readonly operator: FilterOperator
  readonly value: unknown
  /** The query parameter that the value came with; absent: it is the program's own. */
  readonly parameter?: string
  /** Are texts the same only with the same characters, whatever the field itself compares by? Scopes are so. @default false */
  readonly exact?: boolean
}

/**
 * A list that can be narrowed and ordered before it is split into pages; each call gives another source. A
 * name or operator that it does not know throws `ConfigurationError`: what clients may name is decided before.
 */
export interface QuerySource<out Row, in Field extends string = never> extends ListSource<Row> {
  /**
   * Only rows that fulfil one of these conditions. At start-up it is tried with each declared field, and with values that
   * fit no type (`null`; for `in`, `[]`): it reads nothing and leaves the check of values to the reading.
   */
  readonly where: (anyOf: readonly Condition<Field>[]) => this
  /** Another order, in place of the one it had; a unique key makes it total. Tried at start-up like `where`. */
  readonly orderBy: (keys: readonly SortKey<Field>[]) => this
}

/** A list as filters see it: of rows and fields that only the endpoint knows. */
export type AnyQuery = QuerySource<unknown, string>

/** The value of a sort key as the database has it, without loss. It goes back as it came. */
export type PositionValue = string | number | bigint | boolean | Uint8Array | null

/** Where a row stands in an order: its values for the sort keys, and behind them for the unique key. */
export type Position = readonly PositionValue[]

/** The places at which a position has the beginning of a long text in place of the text, each with `shortDigest` of the text. */
export type Cut = Readonly<Record<number, string>>

/** Where to read from and how far, for `seek`. */
export interface SeekRequest<out Field extends string = string> {
  readonly keys: readonly SortKey<Field>[]
  /** Rows strictly behind it, or before it where `reverse`; `null`: from the end of that side. */
  readonly position: Position | null
  /**
   * The long texts are those of the row that has the rest of the position. Is there none, or has it other texts, the
   * beginnings are the position. @default none
   */
  readonly cut?: Cut
  readonly reverse: boolean
  readonly limit: number
}

/** Neighbouring rows, always in the order of the keys, whichever way they were read. */
export interface Stretch<out Row> extends Portion<Row> {
  /** Are there more in the direction of reading? */
  readonly more: boolean
  /** `null` where there are no rows. */
  readonly first: Position | null
  readonly last: Position | null
}

/** A list that can start right behind a position, at a cost that does not grow with the depth. */
export interface SeekableSource<out Row, in Field extends string = never> extends ListSource<Row> {
  /** A unique key makes the keys total. Throws `InvalidPosition` where `position` is none of this order. */
  readonly seek: (request: SeekRequest<Field>) => MaybePromise<Stretch<Row>>
  /** Does `seek` look at `cut`? Else it is given all of each text, and a cursor is as long as they are. @default false */
  readonly takesCut?: boolean
}

/** A field of a serializer, as lists see it. */
export interface NamedField {
  /** The field of the source that its value comes from: `title`, `author.name`. */
  readonly column: string
  /** The version that was asked for does not have it. @default false */
  readonly absent?: boolean
  /** Why no list can be searched, ordered or filtered by it, as the rest of a sentence. */
  readonly problem?: string
  /** Of its values, for documents and for pages; clients may ask for those alone that it lists. */
  readonly schema?: () => JSONSchema
  readonly normalForm?: NormalForm
}

/** The text that rows have for a value that can be written in several ways; `null`: it is none of the field. */
export type NormalForm = (text: string) => string | null

/** Every field of a serializer, whatever its version, by the name that clients know. */
export type NamedFields = ReadonlyMap<string, NamedField>

/** A field of the source, and how its value is compared. */
export type ComparedField = Pick<Condition, 'field' | 'operator'>

/** What clients may order by: the name that they know, and the field of the source. */
export interface OrderedField {
  readonly name: string
  readonly field: string
}

/** A query parameter that a list is filtered by. */
export interface FilterParameter extends ComparedField {
  /** The parameter, as clients know it: `closedAt__gte`. */
  readonly name: string
  /** The same in every version: what cursors are bound to (`closed_at__gte`). @default `name` */
  readonly bound?: string
  /** Of the values of the field, for documents and for pages; clients may ask for those alone that it lists. */
  readonly schema?: () => JSONSchema
  readonly normalForm?: NormalForm
}

/** Where a list can be narrowed or ordered: what a filter says of itself, for a form. */
export type FilterControl =
  | {
      readonly kind: 'search' | 'field'
      readonly parameter: string
      readonly value: string
      /** What can be chosen. Absent: any text. */
      readonly choices?: readonly FilterChoice[]
    }
  | {
      readonly kind: 'ordering'
      readonly parameter: string
      readonly value: string
      readonly fields: readonly string[]
    }

/** A value that can be chosen, with what people call it. */
export interface FilterChoice {
  readonly value: string
  readonly label: string
}

/**
 * Where clients may search, order and filter a list, in the version of the request: what the endpoint declared,
 * with the fields of the source that its names stand for. `null`: nowhere.
 */
export interface ListFields {
  readonly searchFields: readonly ComparedField[] | null
  readonly orderingFields: readonly OrderedField[] | null
  /** The order where the client asks for none. `null`: that of the source. */
  readonly ordering: readonly SortKey[] | null
  readonly filterFields: readonly FilterParameter[] | null
}

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
  /**
   * The members that each row has, for a check at the start; `null`, or no such method: they are not known. `scoped`: those
   * that every request narrows by. @throws ConfigurationError it cannot compare one of these exactly
   */
  columns?(scoped?: readonly string[]): MaybePromise<readonly string[] | null>
  /** `null`: no row has this key, or none can have it. */
  readonly find: (key: Key) => MaybePromise<Row | null>
  readonly insert: (values: Values) => MaybePromise<Row>
  /** `null`: there is none. */
  readonly update: (key: Key, values: Changes, seen?: unknown) => MaybePromise<Row | null>
  /** `false`: there is none. A row that others need is a `ConstraintViolation` (`protected`). */
  readonly remove: (key: Key, seen?: unknown) => MaybePromise<boolean>
  /**
   * The rows that have these values, by column; a list is "one of these", and an empty one none. Nothing else is
   * listed, found, changed or deleted in it. A single value is filled in where a row is inserted without it.
   * Writing what would not be among the rows is `PermissionDenied` (`outside_scope`) with nothing changed.
   * Resources with `scope` or `parent` need it.
   *
   * @throws ConfigurationError a value is `undefined`, or a column is not known; by the first use at the latest
   */
  within?(values: Readonly<Record<string, unknown>>): RowStore<Row, Key, Values, Changes, Source>
}

/** Rows that are looked up for many others at once, so that these are shown with them. */
export interface RowsByKey<out Row = unknown> {
  /** Name of the field of the rows that they are found by. */
  readonly key: string
  /**
   * The rows that have one of these values in `column`, found together: of each value at most `limit`, the first ones in
   * the order of the store. They may come in any order among values. Each value comes once; there is at least one.
   */
  manyByKey(values: readonly RowKey[], by: KeyedBy): MaybePromise<readonly Row[] | Portion<Row>>
  /** The rows that have these values, by column. Rows of a resource with `scope` are embedded by it. */
  within?(values: Readonly<Record<string, unknown>>): RowsByKey<Row>
}

/** What one row names another by. */
export type RowKey = string | number | bigint

/** How rows are looked up: the column is the key, or one that refers to other rows. */
export interface KeyedBy {
  readonly column: string
  readonly limit: number
}
