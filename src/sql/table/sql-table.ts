import type {
  Compilable,
  Insertable,
  Kysely,
  OperationNodeSource,
  SelectQueryBuilder,
  Selectable,
  Updateable,
} from 'kysely'
import type { RowStore } from '../../contract/list-source.ts'
import type { Executor } from '../../contract/database.ts'
import type { RelationNames } from '../query/relations.ts'
import type { SqlSource } from '../query/sql-source.ts'
import type { ScopeOf } from '../../types/resources.ts'
import type { AnyTables } from '../dialect.ts'
import { knownTable } from './statements.ts'
import { StoredTable, type TableDatabase } from './stored-table.ts'

/** What a table is kept in, and found by. */
export interface SqlTableOptions<
  Tables,
  Table extends keyof Tables & string,
  Key extends keyof Selectable<Tables[Table]> & string,
  Relations extends TableRelations<Tables, Table> = TableRelations<Tables, Table>,
> {
  readonly database: TableDatabase
  /** The tables with their columns: `database.kysely<Tables>()`. */
  readonly db: Kysely<Tables>
  readonly table: Table
  /** A column that no two rows share. */
  readonly key: Key
  /** Only some of the rows, or in an order: those that are listed and found. */
  readonly only?: Narrow<Tables, Table>
  /** Rows of other tables that belong to a row: lists can be searched and filtered by them (`comments.body`). */
  readonly relations?: Relations
}

/** Tables whose rows belong to rows of a table, by the names that lists know them by. */
export type TableRelations<Tables, Table extends keyof Tables & string> = Readonly<
  Record<
    string,
    {
      [Other in keyof Tables & string]: {
        readonly table: Other
        readonly on: readonly [theirs: ColumnOf<Tables[Other]>, ours: ColumnOf<Tables[Table]>]
        readonly columns: readonly ColumnOf<Tables[Other]>[]
      }
    }[keyof Tables & string]
  >
>

type ColumnOf<Row> = keyof Selectable<Row> & string

/** Narrows or orders the query of a table: `(query) => query.where('deleted', '=', false)`. */
export type Narrow<Tables, Table extends keyof Tables & string> = (
  query: SelectQueryBuilder<Tables, Table, Selectable<Tables[Table]>>,
) => WholeRows<Selectable<Tables[Table]>>

/** A query that still gives all columns. */
interface WholeRows<Row> extends Compilable<Row>, OperationNodeSource {
  execute(): Promise<Row[]>
}

/** A text stands for the key that it writes out, as in an address. */
type KeyOf<Row, Key extends keyof Row> = Row[Key] | string

/** A table of an SQL database, for resources and for code of your own. */
export interface SqlTable<
  Tables,
  Table extends keyof Tables & string,
  Key extends keyof Selectable<Tables[Table]> & string,
  Related extends string = never,
> extends RowStore<
  Selectable<Tables[Table]>,
  KeyOf<Selectable<Tables[Table]>, Key>,
  Insertable<Tables[Table]>,
  Updateable<Tables[Table]>,
  SqlSource<Selectable<Tables[Table]>, (keyof Selectable<Tables[Table]> & string) | Related>
> {
  readonly key: Key
  /** Always a promise, on every database. */
  readonly find: (
    key: KeyOf<Selectable<Tables[Table]>, Key>,
  ) => Promise<Selectable<Tables[Table]> | null>
  /**
   * The same table with fewer rows, for listing, finding, changing and deleting. A row that is inserted or
   * changed must be among them afterwards, as with a view WITH CHECK OPTION: an insert costs one more
   * statement for that. What is to leave them is written in the whole table.
   *
   * @throws PermissionDenied `outside_scope`: the row would not be among them; nothing is kept
   * @example articles.only((query) => query.where('owner', '=', user.id))
   */
  only(narrow: Narrow<Tables, Table>): SqlTable<Tables, Table, Key, Related>
  /**
   * The same table within a transaction, where several things are to happen together or not at all.
   *
   * @example
   * await database.transaction(async (transaction) => {
   *   const article = await articles.in(transaction).insert({ title })
   *   await entries.in(transaction).insert({ article: article.id })
   *   return article
   * })
   */
  in(transaction: Executor): SqlTable<Tables, Table, Key, Related>
  /**
   * The rows that have these values; a list is "one of these". Compared in the database, in every statement.
   *
   * @throws PermissionDenied `outside_scope`: what is written would have other values; nothing is kept
   * @throws ConfigurationError a value is `undefined` or none of its column's type, or there is no such column
   * @example
   * const ours = tickets.within({ organisation: user.organisation })
   * await ours.insert({ title: 'Cold office' }) // the organisation is filled in
   */
  within<V extends ScopeOf<Selectable<Tables[Table]>>>(
    values: V,
  ): SqlTable<Tables, Table, Key, Related>
}

/**
 * A table of an SQL database: its rows as a list (`source`), found by a key, added, changed and deleted.
 *
 * What takes several statements is one transaction. `update` and `remove` lock the row first, where the
 * database has locks; given the row as it was found, they change it only if it is still the
 * same. A key that the column cannot hold is found nowhere (G3). What a constraint forbids is a
 * `ConstraintViolation` with the columns, which `create`, `update` and `resource` tell at the fields.
 *
 * @throws NotMigrated when used: the database has no such table
 * @example
 * const db = database.kysely<Tables>()
 * const articles = sqlTable({ database, db, table: 'article', key: 'id' })
 * await articles.insert({ title: 'On tables' })
 */
export function sqlTable<
  Tables,
  const Table extends keyof Tables & string,
  const Key extends keyof Selectable<Tables[Table]> & string,
  const Relations extends TableRelations<Tables, Table> = never,
>(
  options: SqlTableOptions<Tables, Table, Key, Relations>,
): SqlTable<Tables, Table, Key, RelationNames<Relations>> {
  const { only, relations, ...given } = options
  const untyped = { ...given, db: given.db as unknown as Kysely<AnyTables> }
  const stored = new StoredTable({
    ...untyped,
    known: knownTable(untyped),
    narrow: (only ?? null) as never,
    scopes: [],
    relations: relations ?? {},
    transaction: null,
  })
  // Which columns there are, the class does not know; what it does with them is the same for all.
  return stored as unknown as SqlTable<Tables, Table, Key, RelationNames<Relations>>
}
