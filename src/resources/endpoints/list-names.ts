// The fields that filters of a list may use, by names that the compiler knows.
import type { FilterField, LookupName, SearchField } from '../../core/settings/field-lookups.ts'
import type { OrderingKey } from '../../core/settings/ordering-terms.ts'

/**
 * The names that clients know: those of a serializer, whatever the version; of one that has none (`never`), those
 * of the source. Any name where those of the source are not known: the compiler looks into a function that makes
 * it last, and would blame the function for a wrong name.
 */
export type NamesOf<Name extends string, Column extends string> = string extends Column
  ? string
  : [Name] extends [never]
    ? Column
    : Name

/** The names of a serializer, or of one that may be chosen; `never`: it has no names. */
export type NamesBy<Z> = Z extends (request: never) => infer Chosen
  ? NamesBy<Chosen>
  : Z extends { readonly '~names'?: infer Name }
    ? unknown extends Name
      ? never
      : Extract<Name, string>
    : never

/** A name for clients, and the field of the source that it stands for. */
export interface NamedColumn<Column extends string = string> {
  readonly name: string
  readonly column: Column
}

/** A query parameter that compares a field of the source: `{ name: 'closedBefore', column: 'closed_at', lookup: 'lt' }`. */
export interface FilteredColumn<Column extends string = string> extends NamedColumn<Column> {
  /** @default 'exact' */
  readonly lookup?: LookupName
}

/** A field of the source that is searched: `{ column: 'body', lookup: 'search' }`. */
export interface SearchedColumn<Column extends string = string> {
  readonly column: Column
  /** @default 'icontains' */
  readonly lookup?: Exclude<LookupName, 'in' | 'isnull'>
}

/** A field of the source with its place in an order. */
export interface OrderedColumn<Column extends string = string> extends Omit<OrderingKey, 'field'> {
  readonly column: Column
}

/** A field as an order names it: `'title'`, `'-title'`, `{ field: 'title', nulls: 'last' }`. */
export type OrderingOf<Name extends string, Column extends string = Name> =
  | Name
  | `-${Name}`
  | OrderingKey<Name>
  | OrderedColumn<Column>

/** Fields of the source with a dot in their name, such as those of relations, which no serializer has. */
type Dotted<Column extends string> = Extract<Column, `${string}.${string}`>

/**
 * The fields that filters of a list may use; each filter reads its part. `null`, or left out: none. `Name` are the names that
 * clients know, `Column` those of the source.
 */
export interface FilteredFields<Name extends string = string, Column extends string = Name> {
  /**
   * The fields of `SearchFilter`: `'title'` anywhere, `'^title'` at the beginning, `'=isbn'` all of it, `'$title'` a regular
   * expression, `'@title'` full text, `'pages__gte'` in full.
   */
  readonly searchFields?:
    | readonly (SearchField<Name | Dotted<Column>> | SearchedColumn<Column>)[]
    | null
  /** The fields that clients may order by with `OrderingFilter`. */
  readonly orderingFields?: readonly (Name | Dotted<Column> | NamedColumn<Column>)[] | null
  /** The order of `OrderingFilter` if the client names none. */
  readonly ordering?:
    | OrderingOf<Name | Dotted<Column>, Column>
    | readonly OrderingOf<Name | Dotted<Column>, Column>[]
    | null
  /** Query parameters of `FieldFilter`: `'author'` is equal, `'pages__gte'` compares in another way. */
  readonly filterFields?:
    | readonly (FilterField<Name | Dotted<Column>> | FilteredColumn<Column>)[]
    | null
}
