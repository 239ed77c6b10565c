import type {
  ColumnDefinitionBuilder,
  Compilable,
  CompiledQuery,
  CreateTableBuilder,
  Expression,
  Dialect as KyselyDialect,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  OperationNode,
  RawNode,
  SelectQueryBuilder,
  SelectQueryNode,
  ValueNode,
} from 'kysely'
import type { MaybePromise } from '../../core/std/after.ts'
import type { PositionValue } from '../../core/ports/list-source.ts'
import type { ColumnFacts, Executor, Statement } from '../../core/ports/database.ts'
import type { ViolationKind } from '../../core/errors/storage-errors.ts'
import type { ForeignKey, ReadCatalogue } from './schema-reader.ts'
import type { ColumnDefinition } from './migrations/column-kinds.ts'
import type { Truth } from './nodes.ts'

/**
 * The part of SQL that differs between kinds of databases; the rest of `sql/` is common to all. Each folder of `storage/`
 * implements it, and `test/contract/dialect.ts` tests its promises.
 */
export interface Dialect {
  /** The usual name of the database, for messages: `PostgreSQL`. */
  readonly name: string
  /** The query builder's dialect without a driver, which the database brings. */
  readonly queryBuilder: Omit<KyselyDialect, 'createDriver'>
  readonly nulls: NullOrder
  /** SQL for the time of the statement, in milliseconds since 1970. */
  readonly clock: string
  readonly text: TextOperators

  /** The kind of a column's values, by the answer of `describe`. */
  kindOf(column: Omit<ColumnFacts, 'name' | 'table' | 'nullable'>): ValueKind

  /**
   * The steps that read rows, one after the other until there are enough: rows behind a position, or all. Each step should be
   * one range of an index. See `docs/pagination.md`. `asWhole`: each statement computes the rows anew, so few steps matter more
   * than ranges.
   */
  seek(keys: readonly SeekKey[], asWhole?: boolean): readonly SeekStep[]
  /**
   * Joins several statements with one limit into one: rows of the first, then of the next while rows are missing. Absent: they
   * are sent one by one, at the cost of a trip each.
   */
  inTurn?(ranges: readonly SelectQueryNode[]): RawNode

  /** Estimates the rows of a query without order and limit, at the cost of planning it. */
  estimate(query: SelectQueryNode, compile: Compile): Estimate

  /**
   * A text about the tables that the database reads for a query, equal for two queries only if they read the same. It leaves
   * out tables that change nothing. `null`: the database does not tell.
   */
  walked(reader: Reader, query: Statement): MaybePromise<string | null>

  /** The catalogue's facts about a table; without columns if the table does not exist. */
  facts(reader: Reader, table: TableName): Promise<TableFacts>
  /** Locks the rows of a query until the transaction ends. */
  locked(query: AnyRows, verb: Attempt['verb']): AnyRows
  /** An INSERT of a row in which every column has its default. */
  insertDefaults(into: AnyInsert): AnyInsert

  /** The constraint behind an error, with its columns; `null`: the error has another cause. */
  violation(error: Error, attempt: Attempt): MaybePromise<Violation | null>
  /** Is the error about a value that no column of its type could hold, or about a wrong pattern? */
  refusesValue(error: Error): boolean
  /** Was the transaction given up in favour of a waiting one? It may then run again. */
  gaveUp(error: object): boolean

  /** The way to find rows by many keys at once; `null`: in a database of this process, one by one is as fast. */
  readonly manyKeys: ManyKeys | null
  /** Keeps the rows of the query unchanged until the transaction ends. */
  lockShared<DB, Table extends keyof DB, Output>(
    query: SelectQueryBuilder<DB, Table, Output>,
  ): SelectQueryBuilder<DB, Table, Output>
  /** The migrations of its tables, loaded on demand: a service that only serves does not need them. */
  migrations(): Promise<MigrationDialect>
  /** The reader of a whole database for `colophon inspect`, also loaded on demand. */
  catalogue(): Promise<ReadCatalogue>
}

export type Compile = (node: SelectQueryNode | RawNode) => CompiledQuery

/** A database, or one of its transactions. */
export type Reader = Pick<Executor, 'rows'>

/** `null`: the database has no estimate. */
export type Estimate = (reader: Reader) => MaybePromise<number | null>

/** Types of queries and INSERTs for a table with unknown columns. */
export type AnyTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>
export type AnyRows = SelectQueryBuilder<AnyTables, string, Record<string, unknown>>
export type AnyInsert = InsertQueryBuilder<AnyTables, string, InsertResult>

export interface NullOrder {
  /** Does NULL sort below every value, or above, if ORDER BY does not say? */
  readonly smallest: boolean
  /** Does ORDER BY accept `nulls first` and `nulls last`? */
  readonly placeable: boolean
}

/** Operators on the text of a value of any type, without case. `null`: the database cannot. */
export interface TextOperators {
  /** LIKE, in which `!` escapes the next character. */
  readonly like: TextOperator
  /** Searches for plain text, if LIKE could take the product of both lengths in the process of the service. */
  readonly contains?: TextOperator
  /** The number of characters from which `contains` replaces LIKE, which may use an index. @default 0 */
  readonly containsFrom?: number
  readonly iregex: TextOperator | null
  readonly search: TextOperator | null
}

export type TextOperator = (text: OperationNode, value: ValueNode) => OperationNode

/** The way of a type's values out of the database without loss, and back into comparisons. */
export interface ValueKind {
  /** The expression for orders and comparisons, if the column itself compares in two ways. */
  readonly ordered?: (column: OperationNode) => OperationNode
  /** A second expression for the order of a unique key, if `ordered` may be equal for different values. */
  readonly apart?: (column: OperationNode) => OperationNode
  /** A lossless form of the value, if the driver does not give one. */
  readonly read?: (ordered: OperationNode) => OperationNode
  /** Is that form equal to the text that a statement `asWritten` gives for the column? @default false */
  readonly readsAsWritten?: boolean
  /** The value in the form that a position keeps. @throws Error the driver is set to lose digits */
  readonly kept?: (value: unknown) => PositionValue
  /** May a position hold this value? NULL is checked elsewhere. */
  readonly fits: (value: PositionValue) => boolean
  /** The parameter in a form that is compared as a value of the type. */
  readonly bound?: (parameter: OperationNode) => OperationNode
  /** The parameter in a condition, if that differs. `values` are all values of the condition. */
  readonly boundInCondition?: (
    parameter: ValueNode,
    column: OperationNode,
    values: readonly unknown[],
  ) => OperationNode
  /** Does the result of `boundInCondition` depend on the values? @default false */
  readonly boundByValue?: boolean
  /** Lists of values in one parameter, so that one SQL text serves all of them. */
  readonly list?: ListKind
  /** A condition for a list in another form. `null`, or absent: it takes a parameter for each value. */
  readonly oneOf?: (column: OperationNode, values: readonly unknown[]) => OperationNode | null
  /** The expression that scopes compare too: a collation may equate different texts. Absent: the column alone is enough. */
  readonly exact?: (column: OperationNode) => readonly [node: OperationNode, kind: ValueKind]
  /** Has the column exactly this value, or NULL for NULL? Absent: only the row itself can tell. */
  readonly same?: (column: OperationNode, parameter: OperationNode) => OperationNode
  /** The value for INSERT and UPDATE, if the database needs another form. @throws Error the database cannot keep it */
  readonly stored?: (value: unknown) => unknown
  /** Does the driver write lists and objects in the form of the type? @default false */
  readonly takesObjects?: boolean
  /** The value that a condition means; `undefined`: no value of this type. */
  readonly meant: (value: unknown) => unknown
}

interface ListKind {
  /** `null`: these values cannot be one parameter. */
  readonly of: (values: readonly unknown[]) => unknown
  readonly has: (column: OperationNode, list: ValueNode) => OperationNode
}

/** The part of an order that a sort key makes. */
export interface Term {
  /** The expression that orders and compares rows. */
  readonly node: OperationNode
  readonly descending: boolean
  readonly nullsFirst: boolean
  readonly nullable: boolean
}

/** A sort key of a total order, with the value after which rows begin. */
export interface SeekKey extends Term {
  /** `null`: the value is NULL. Absent from all keys: the list begins at its start. */
  readonly value?: OperationNode | null
}

/** One statement: the rows that fulfil `condition`, in the order of `terms`. */
export interface SeekStep {
  readonly condition: Truth
  readonly terms: readonly Term[]
}

export interface TableName {
  readonly name: string
  /** `null`: the schema that the connection searches first. */
  readonly schema: string | null
}

export interface TableFacts {
  readonly columns: ReadonlyMap<string, ColumnOfTable>
  readonly constraints: readonly Constraint[]
  /** References of the table, for a database whose errors do not name the constraint. */
  readonly references: readonly ForeignKey[]
  /** A statement for the key that the last INSERT counted; `null`: an INSERT returns its row. */
  readonly lastNumber: Statement | null
  /** Can the end of a transaction refuse a write? Writes then do not share one. @default false */
  readonly checksAtEnd?: boolean
  /** Does a write return the row in its final state? Triggers may change it afterwards. */
  readonly givesBack: { readonly insert: boolean; readonly update: boolean }
}

export interface ColumnOfTable {
  readonly name: string
  readonly kind: ValueKind
  /** The type as the database writes it. */
  readonly type: string
  /** The most characters of a text; `null`: no limit is known. */
  readonly maxLength: number | null
  /** Must an insert give a value? True for NOT NULL columns that the database does not fill. */
  readonly isNeeded: boolean
}

export interface Constraint {
  readonly name: string
  readonly kind: 'unique' | 'foreign' | 'check'
  readonly columns: readonly string[]
}

/** A change of a table that the database refused. */
export interface Attempt {
  readonly verb: 'insert' | 'update' | 'delete'
  readonly table: string
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: TableFacts
  /** Reads further facts that the error does not tell. */
  readonly reader: Reader
}

/** What is to be written, and how. */
export type AttemptedWrite = Pick<Attempt, 'verb' | 'values'>

export interface Violation {
  readonly kind: ViolationKind
  readonly columns: readonly string[]
  /** The table that refers to a `protected` row, if the database tells. */
  readonly referring?: string
}

export interface ManyKeys {
  /** The keys as parameters. Their number takes few values, as each number makes another statement. */
  parametersFor(keys: readonly string[]): readonly unknown[]
  isOneOf(
    column: Expression<string>,
    parameters: readonly Expression<unknown>[],
  ): Expression<boolean>
}

/** A statement, or work on the rows with the same connection. */
export type StepPart = Compilable | { work(database: Kysely<unknown>): Promise<unknown> }

export interface MigrationDialect {
  /** The type of keys that count up. */
  readonly integer: 'integer' | 'bigint'
  /** Makes a primary key that never gives the number of a deleted row again. */
  growing(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** Runs the work while no other process migrates. @throws DatabaseUnavailable another one has migrated for ten minutes */
  exclusively<T>(
    database: Kysely<unknown>,
    work: (connection: Kysely<unknown>) => Promise<T>,
  ): Promise<T>
  /** Runs the parts of a step. If it breaks off, the next run finishes it. */
  run(database: Kysely<unknown>, step: string, parts: readonly StepPart[]): Promise<void>
  /** Forgets the progress of a step that is recorded as done. */
  forget?(database: Kysely<unknown>, step: string): Promise<void>
  /**
   * Called before a table is dropped. Absent: the database itself refuses to drop a table that others refer to.
   *
   * @throws MigrationFailed other tables refer to it
   */
  refuseDrop?(database: Kysely<unknown>, table: string): Promise<void>
  /** Does a failed step undo all steps of the run? */
  readonly undone: boolean
  /** The type of a column in SQL. @throws ConfigurationError the database cannot keep such values */
  type(column: ColumnDefinition): string
  /** A check for values that the type would wrongly accept; `null`: none is needed. */
  check(column: ColumnDefinition, name: string): string | null
  /** Is a reference written with its column? Otherwise it is a constraint of the table. */
  readonly inlineReferences: boolean
  /** Does each table have its own names of indexes? */
  readonly indexesOfTables: boolean
  /** SQL for the current moment, as a column with that default stores it. */
  readonly now: string
  /** The name of this database in `column.of` and `plainSql`. */
  readonly own: string
  /**
   * Each request writes this table, and its loss does no harm: it is as cheap as can be, with a column `state` for numbers.
   */
  counters(table: CreateTableBuilder<'colophon_counter'>): CreateTableBuilder<'colophon_counter'>
  /** Creates missing or changed routines, each time that migrations run. */
  routines?(database: Kysely<unknown>): Promise<void>
  /** The schema of new tables that are named without one. Absent: the database has only one. */
  schema?(database: Kysely<unknown>): Promise<string | null>
}
