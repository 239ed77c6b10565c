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
 * What one kind of database does in its own way; the rest of `sql/` is the same for all. Each folder of
 * `storage/` implements it, and `test/contract/dialect.ts` tests what is promised here.
 */
export interface Dialect {
  /** What people call the database: `PostgreSQL`. For messages only. */
  readonly name: string
  /** What the query builder needs to write SQL; the driver comes from the database. */
  readonly queryBuilder: Omit<KyselyDialect, 'createDriver'>
  readonly nulls: NullOrder
  /** SQL for the moment of the statement, in milliseconds since 1970. */
  readonly clock: string
  readonly text: TextOperators

  /** How values are compared, by what `describe` says of the column. */
  kindOf(column: Omit<ColumnFacts, 'name' | 'table' | 'nullable'>): ValueKind

  /**
   * What to read, one after the other, until there are rows enough: those behind a position, or all. Each step
   * is to be one range of an index where there is one. See `docs/pagination.md`. `asWhole`: the rows are computed
   * by each statement that reads some of them, so that few steps matter more than ranges.
   */
  seek(keys: readonly SeekKey[], asWhole?: boolean): readonly SeekStep[]
  /**
   * One statement, with the limit that is given, for what several have: rows of the first, and of those behind it as
   * far as rows are missing. Absent: they are asked one by one, which costs a trip each.
   */
  inTurn?(ranges: readonly SelectQueryNode[]): RawNode

  /** About how many rows a query without order and limit has, at the cost of planning it. */
  estimate(query: SelectQueryNode, compile: Compile): Estimate

  /**
   * Which tables the database reads for a query, in words that are equal for two queries only if it reads the same. It
   * leaves out those that change nothing. `null`: it does not say.
   */
  walked(reader: Reader, query: Statement): MaybePromise<string | null>

  /** What the catalogue of the database has about a table; no columns where there is no such table. */
  facts(reader: Reader, table: TableName): Promise<TableFacts>
  /** The query, so that nothing else changes its rows before the transaction ends. */
  locked(query: AnyRows, verb: Attempt['verb']): AnyRows
  /** An INSERT of a row in which every column has its default. */
  insertDefaults(into: AnyInsert): AnyInsert

  /** The constraint that an error is about, and its columns; `null`: the error is about something else. */
  violation(error: Error, attempt: Attempt): MaybePromise<Violation | null>
  /** Is the error about a value that no column of its type could have, or that is no pattern? */
  refusesValue(error: Error): boolean
  /** Was the transaction given up for another one that waited for it? Then it may be run again. */
  gaveUp(error: object): boolean

  /** How rows are found by many keys at once; `null`: in a database of this process one by one is as fast. */
  readonly manyKeys: ManyKeys | null
  /** The rows of the query stay as they are until the transaction ends. */
  lockShared<DB, Table extends keyof DB, Output>(
    query: SelectQueryBuilder<DB, Table, Output>,
  ): SelectQueryBuilder<DB, Table, Output>
  /** How its tables change. Loaded when it is asked for: a service that only serves has no use for it. */
  migrations(): Promise<MigrationDialect>
  /** Reads what the whole database has, for `colophon inspect`. Loaded when it is asked for, too. */
  catalogue(): Promise<ReadCatalogue>
}

export type Compile = (node: SelectQueryNode | RawNode) => CompiledQuery

/** A database, or a transaction of it. */
export type Reader = Pick<Executor, 'rows'>

/** `null`: the database does not know. */
export type Estimate = (reader: Reader) => MaybePromise<number | null>

/** A query and an INSERT of a table whose columns are not known. */
export type AnyTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>
export type AnyRows = SelectQueryBuilder<AnyTables, string, Record<string, unknown>>
export type AnyInsert = InsertQueryBuilder<AnyTables, string, InsertResult>

export interface NullOrder {
  /** Without a word about it: as if they were smaller than every value, or larger? */
  readonly smallest: boolean
  /** Does ORDER BY know `nulls first` and `nulls last`? */
  readonly placeable: boolean
}

/** Compares the text of a value, whatever its type; ignores case. `null`: the database cannot. */
export interface TextOperators {
  /** LIKE, in which `!` takes the meaning from the character behind it. */
  readonly like: TextOperator
  /** Of what is looked for as it is, where LIKE could take the product of both lengths in the process of the service. */
  readonly contains?: TextOperator
  /** Characters of what is looked for from which on `contains` takes the place of LIKE, which may have an index. @default 0 */
  readonly containsFrom?: number
  readonly iregex: TextOperator | null
  readonly search: TextOperator | null
}

export type TextOperator = (text: OperationNode, value: ValueNode) => OperationNode

/** How values of a type leave the database without loss, and go back into comparisons. */
export interface ValueKind {
  /** What rows are ordered and compared by, where the column itself is compared in two ways. */
  readonly ordered?: (column: OperationNode) => OperationNode
  /** What a unique key is ordered by next, where different values may be the same by `ordered`; it is such a value. */
  readonly apart?: (column: OperationNode) => OperationNode
  /** A lossless form of the value, where the driver does not give one. */
  readonly read?: (ordered: OperationNode) => OperationNode
  /** Is that form the text which a statement `asWritten` gives for the column anyway? @default false */
  readonly readsAsWritten?: boolean
  /** The value as it came, as a position keeps it. @throws Error the driver is set to lose digits */
  readonly kept?: (value: unknown) => PositionValue
  /** May a position have this value? NULL is checked elsewhere. */
  readonly fits: (value: PositionValue) => boolean
  /** A parameter, so that it is compared as a value of the type. */
  readonly bound?: (parameter: OperationNode) => OperationNode
  /** The same for a condition, where that differs. `values` are all that the condition compares with. */
  readonly boundInCondition?: (
    parameter: ValueNode,
    column: OperationNode,
    values: readonly unknown[],
  ) => OperationNode
  /** Does what `boundInCondition` makes depend on the values? @default false */
  readonly boundByValue?: boolean
  /** Lists of values in one parameter, so that one text is for all of them. */
  readonly list?: ListKind
  /** A list in parameters of another form. `null`, or absent: it takes one for each value. */
  readonly oneOf?: (column: OperationNode, values: readonly unknown[]) => OperationNode | null
  /** What scopes compare as well, and how: no collation takes one text for another there. Absent: nothing, the column does not. */
  readonly exact?: (column: OperationNode) => readonly [node: OperationNode, kind: ValueKind]
  /** Has the column exactly this value, or NULL as it is? Absent: the row alone shows that. */
  readonly same?: (column: OperationNode, parameter: OperationNode) => OperationNode
  /** What INSERT and UPDATE are given, where the database does not take the value as it is. @throws Error it cannot keep it */
  readonly stored?: (value: unknown) => unknown
  /** Does the driver write lists and objects in the way of the type? @default false */
  readonly takesObjects?: boolean
  /** The value that a condition means; `undefined`: none of this type. */
  readonly meant: (value: unknown) => unknown
}

interface ListKind {
  /** `null`: these values have no such parameter. */
  readonly of: (values: readonly unknown[]) => unknown
  readonly has: (column: OperationNode, list: ValueNode) => OperationNode
}

/** What one sort key comes to. */
export interface Term {
  /** Rows are ordered and compared by it. */
  readonly node: OperationNode
  readonly descending: boolean
  readonly nullsFirst: boolean
  readonly nullable: boolean
}

/** A sort key of a total order, with the value that rows are to be behind. */
export interface SeekKey extends Term {
  /** `null`: the value is NULL. Absent from all keys: the list is read from its start. */
  readonly value?: OperationNode | null
}

/** One statement: the rows that fulfil `condition`, in the order of `terms`. */
export interface SeekStep {
  readonly condition: Truth
  readonly terms: readonly Term[]
}

export interface TableName {
  readonly name: string
  /** `null`: wherever the connection looks first. */
  readonly schema: string | null
}

export interface TableFacts {
  readonly columns: ReadonlyMap<string, ColumnOfTable>
  readonly constraints: readonly Constraint[]
  /** Of a database that does not name the constraint in its errors. */
  readonly references: readonly ForeignKey[]
  /** Asks for the number that the last INSERT counted up to; `null`: an INSERT gives back its row. */
  readonly lastNumber: Statement | null
  /** May a write be refused at the end of its transaction only? Then no other shares it. @default false */
  readonly checksAtEnd?: boolean
  /** Does a row that is written come back as the table has it then? Triggers may change it afterwards. */
  readonly givesBack: { readonly insert: boolean; readonly update: boolean }
}

export interface ColumnOfTable {
  readonly name: string
  readonly kind: ValueKind
  /** The type in the words of the database. */
  readonly type: string
  /** Characters of a text at most; `null`: no limit that is known. */
  readonly maxLength: number | null
  /** An insert has to give it: NOT NULL, without anything in the database that may fill it. */
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
  /** Asks the database more, where its error does not say all. */
  readonly reader: Reader
}

export interface Violation {
  readonly kind: ViolationKind
  readonly columns: readonly string[]
  /** Of a row that is `protected`: the table that refers to it, where the database says so. */
  readonly referring?: string
}

export interface ManyKeys {
  /** The keys as parameters; of few different numbers, as each number makes a statement of its own. */
  parametersFor(keys: readonly string[]): readonly unknown[]
  isOneOf(
    column: Expression<string>,
    parameters: readonly Expression<unknown>[],
  ): Expression<boolean>
}

/** A statement, or work with the rows on the same connection. */
export type StepPart = Compilable | { work(database: Kysely<unknown>): Promise<unknown> }

export interface MigrationDialect {
  /** The type of keys that count up. */
  readonly integer: 'integer' | 'bigint'
  /** A primary key that never gives the number of a deleted row to another. */
  growing(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
  /** While no other process migrates. @throws DatabaseUnavailable one has for ten minutes */
  exclusively<T>(
    database: Kysely<unknown>,
    work: (connection: Kysely<unknown>) => Promise<T>,
  ): Promise<T>
  /** Runs what a step consists of. Where it breaks off, the next run of the step finishes it. */
  run(database: Kysely<unknown>, step: string, parts: readonly StepPart[]): Promise<void>
  /** A step was written down as done: how far it came is of no more use. */
  forget?(database: Kysely<unknown>, step: string): Promise<void>
  /**
   * Asked before a table goes. Absent: the database refuses to drop a table that others refer to.
   *
   * @throws MigrationFailed other tables refer to it
   */
  refuseDrop?(database: Kysely<unknown>, table: string): Promise<void>
  /** Are all steps of a run undone where one fails? */
  readonly undone: boolean
  /** The type of a column in the words of the database. @throws ConfigurationError it keeps no such values */
  type(column: ColumnDefinition): string
  /** What values must be, where the type lets others in; `null`: nothing more. */
  check(column: ColumnDefinition, name: string): string | null
  /** Is a reference part of its column? Else it is a constraint of the table. */
  readonly inlineReferences: boolean
  /** Does the name of an index belong to its table? */
  readonly indexesOfTables: boolean
  /** What a row has in a column whose default is the moment of the insert. */
  readonly now: string
  /** The name of this database among the texts of `column.of` and `plainSql`. */
  readonly own: string
  /**
   * It is written with every request, and no loss of it harms: as cheap as tables are, with a column `state` for many numbers.
   */
  counters(table: CreateTableBuilder<'colophon_counter'>): CreateTableBuilder<'colophon_counter'>
  /** Routines, made anew where they are missing or differ, each time that migrations run. */
  routines?(database: Kysely<unknown>): Promise<void>
  /** The schema in which tables are made that are named without one. Absent: there is one only. */
  schema?(database: Kysely<unknown>): Promise<string | null>
}
