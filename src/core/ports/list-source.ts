import type { MaybePromise } from '../std/after.ts'
import type { JSONSchema } from '../types/documents.ts'

/** Rows from `offset` on, at most `limit` of them. */
export interface Window {
  readonly offset: number
  readonly limit: number
}

/**
 * The rows that a statement found, as arrays in the order of the columns. A row may have further values that belong to no
 * column.
 */
export interface Rows {
  readonly values: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
  /** The readers of each column's texts; `null` or absent: the values need no reading. */
  readonly written?: readonly (WrittenColumn | null)[]
}

/** A column whose values, but for NULL, are texts as the database writes them. */
export interface WrittenColumn {
  readonly kind: WrittenKind
  /** Reads the text into the value that rows have. */
  readonly read: (text: string) => unknown
}

/**
 * The kind of value that the texts write. `moment`: `2024-01-25 16:00:00.5+00`, in UTC if it has no offset. `boolean`: `t`
 * or `f`. `other`: only `read` knows.
 */
export type WrittenKind = 'integer' | 'float' | 'decimal' | 'boolean' | 'date' | 'moment' | 'other'

/** Rows that were read together. */
export interface Portion<out Row = unknown> {
  /** The rows as objects; if there is a table, they are made on first use. */
  readonly rows: readonly Row[]
  /** The rows as the database gave them, for code that needs no objects. Gone once the objects are made. */
  readonly table?: Rows | undefined
}

/** A list of rows that can count and slice itself. It reads nothing before that. */
export interface ListSource<out Row = unknown> {
  /** The number of rows. With a `cap`, counting stops there: the number is exact, or `cap + 1`. */
  count(cap?: number): MaybePromise<number>
  /** At most `limit` rows, after leaving out `offset`. */
  slice(offset: number, limit: number): MaybePromise<readonly Row[]>
  /** Reads the count and the rows of one snapshot, in one round trip. */
  page?(at: (count: number) => Window): MaybePromise<Portion<Row> & { readonly count: number }>
  /** Like `slice`, with the table of the rows. */
  cut?(offset: number, limit: number): MaybePromise<Portion<Row>>
  /** An approximate number of rows, known without counting; `null`: no number is known. */
  estimate?(): MaybePromise<number | null>
  /** Fields whose values, taken together, no two rows share. @default none are known */
  readonly unique?: readonly string[]
}

/** One key of an order: a field of the rows, the direction, and where rows without a value stand. */
export interface SortKey<out Field extends string = string> {
  readonly field: Field
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
}

/** The comparison of a field with the value of a condition. Texts in `i…` ignore case. */
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
 * A condition on rows; `value` is only ever bound, never pasted into a query. For `in` it is a list, for `isNull` a boolean. A
 * text stands for the value that it writes out: `'7'` for a number; if the field's type has no such value, reading throws
 * `unfitValue(condition)`.
 */
export interface Condition<out Field extends string = string> {
  readonly field: Field
  readonly operator: FilterOperator
  readonly value: unknown
  /** The query parameter that brought the value; absent: the program gave the value. */
  readonly parameter?: string
  /** Do only identical texts match, in any collation? Scopes compare this way. @default false */
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
  /** Replaces the order; a unique key makes the new order total. Tried at start-up like `where`. */
  readonly orderBy: (keys: readonly SortKey<Field>[]) => this
}

/** A list as filters see it: of rows and fields that only the endpoint knows. */
export type AnyQuery = QuerySource<unknown, string>

/** The value of a sort key as the database has it, without loss. It goes back as it came. */
export type PositionValue = string | number | bigint | boolean | Uint8Array | null

/** The place of a row in an order: its values for the sort keys, followed by its unique key. */
export type Position = readonly PositionValue[]

/**
 * The long texts of a position that were cut to their beginning, by index, each with the `shortDigest` of the whole text.
 */
export type Cut = Readonly<Record<number, string>>

/** The place where `seek` begins to read, and the number of rows. */
export interface SeekRequest<out Field extends string = string> {
  readonly keys: readonly SortKey<Field>[]
  /** Reading gives the rows after this position, or before it with `reverse`; `null`: it begins at that end of the list. */
  readonly position: Position | null
  /**
   * The long texts are read from the row with the rest of the position. If no row has it, or its texts differ, the
   * beginnings stand for the texts. @default none
   */
  readonly cut?: Cut
  readonly reverse: boolean
  readonly limit: number
}

/** Neighbouring rows in the order of the keys, in either direction of reading. */
export interface Stretch<out Row> extends Portion<Row> {
  /** Are there more in the direction of reading? */
  readonly more: boolean
  /** `null`: the list has no rows. */
  readonly first: Position | null
  readonly last: Position | null
}

/** A list that can start right behind a position, at a cost that does not grow with the depth. */
export interface SeekableSource<out Row, in Field extends string = never> extends ListSource<Row> {
  /**
   * Reads a stretch; a unique key makes the keys total. Throws `InvalidPosition` if `position` does not belong to this
   * order.
   */
  readonly seek: (request: SeekRequest<Field>) => MaybePromise<Stretch<Row>>
  /** Does `seek` use `cut`? Otherwise positions hold whole texts, and cursors become as long as they are. @default false */
  readonly takesCut?: boolean
}

/** A field of a serializer, as lists see it. */
export interface NamedField {
  /** The field of the source that holds its value: `title`, `author.name`. */
  readonly column: string
  /** Is the field missing in the requested version? @default false */
  readonly absent?: boolean
  /** Why lists cannot be searched, ordered or filtered by the field, as the rest of a sentence. */
  readonly problem?: string
  /** The schema of its values, for documents and pages; if it lists values, clients may ask for these only. */
  readonly schema?: () => JSONSchema
  readonly normalForm?: NormalForm
}

/**
 * Gives the form in which rows hold a value that can be written in several forms; `null`: the text is no value of the field.
 */
export type NormalForm = (text: string) => string | null

/** Every field of a serializer in all versions, by the name that clients know. */
export type NamedFields = ReadonlyMap<string, NamedField>

/** A field of the source, and how its value is compared. */
export type ComparedField = Pick<Condition, 'field' | 'operator'>

/** A field that clients may order by: their name for it, and the field of the source. */
export interface OrderedField {
  readonly name: string
  readonly field: string
}

/** A query parameter that a list is filtered by. */
export interface FilterParameter extends ComparedField, Pick<NamedField, 'schema' | 'normalForm'> {
  /** The parameter, as clients know it: `closedAt__gte`. */
  readonly name: string
  /** The name in all versions, to which cursors are bound (`closed_at__gte`). @default `name` */
  readonly bound?: string
}

/** A control for narrowing or ordering a list, which a filter describes for a form. */
export type FilterControl =
  | {
      readonly kind: 'search' | 'field'
      readonly parameter: string
      readonly value: string
      /** The choices. Absent: any text. */
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
 * The fields by which clients may search, order and filter a list, in the version of the request: the endpoint's declarations
 * with the fields of the source. `null`: none.
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
   * The members that each row has, for a check at the start; `null`, or no such method: they are not known. `scoped`: the
   * columns by which every request narrows. @throws ConfigurationError it cannot compare one of these exactly
   */
  columns?(scoped?: readonly string[]): MaybePromise<readonly string[] | null>
  /** `null`: no row has this key, or none can have it. */
  readonly find: (key: Key) => MaybePromise<Row | null>
  readonly insert: (values: Values) => MaybePromise<Row>
  /** Changes the row and gives it back; `null`: the row does not exist. */
  readonly update: (key: Key, values: Changes, seen?: unknown) => MaybePromise<Row | null>
  /**
   * Deletes the row; `false`: it does not exist. Deleting a row that others need is a `ConstraintViolation` (`protected`).
   */
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

/** The value by which one row names another. */
export type RowKey = string | number | bigint

/** The column for looking rows up: the key, or a reference to other rows. */
export interface KeyedBy {
  readonly column: string
  readonly limit: number
}
