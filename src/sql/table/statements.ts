import {
  type Expression,
  ExpressionWrapper,
  type Kysely,
  type OperationNode,
  type SelectQueryBuilder,
  type SelectQueryNode,
  type SqlBool,
} from 'kysely'
import type { Statement } from '../../contract/storage.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { compilerOf } from '../query/compiler.ts'
import { conditionNode } from '../query/conditions.ts'
import { toNode } from '../query/nodes.ts'
import { reference } from '../seek/ordering.ts'
import { narrowed } from '../seek/seek-statements.ts'
import type { TableFacts } from './facts.ts'
import type { Dialect } from '../dialect.ts'

/** Tables of which nobody knows the columns. */
export type AnyTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type Values = Readonly<Record<string, unknown>>

/** A condition that only the row of a key fulfils; `null`: no row can have this key. */
export type KeyCondition = OperationNode | null

/** A query that gives whole rows of a table. */
export type AllRows = SelectQueryBuilder<AnyTables, string, Record<string, unknown>>

/** What is said to a database about a table. Conditions on keys compare as the column does. */
export class TableStatements {
  readonly #dialect: Dialect
  readonly #db: Kysely<AnyTables>
  readonly #table: string
  readonly #key: string

  constructor(
    dialect: Dialect,
    db: Kysely<AnyTables>,
    { table, key }: { readonly table: string; readonly key: string },
  ) {
    this.#dialect = dialect
    this.#db = db
    this.#table = table
    this.#key = key
  }

  keyIs(value: unknown, { columns }: TableFacts): KeyCondition {
    const { kind } = columns.get(this.#key) ?? missingKey(this.#table, this.#key)
    if (kind.meant(value) === undefined) return null
    const condition = { field: this.#key, operator: 'equals', value } as const
    const node = reference(`${this.#table}.${this.#key}`)
    return toNode(conditionNode(this.#dialect, condition, { node, kind }))
  }

  /** Every row. */
  all(): AllRows {
    return this.#db.selectFrom(this.#table).selectAll(this.#table)
  }

  /** The rows of a query that fulfil a condition: at most one, where it is about the key. */
  find(query: SelectQueryNode, condition: OperationNode): Statement {
    return compilerOf(this.#dialect)(narrowed(query, condition))
  }

  /** The row as it is now, for nobody else to change before this transaction ends. */
  lock(condition: OperationNode, verb: 'update' | 'delete'): Statement {
    return this.find(this.#locking(this.all(), verb).toOperationNode(), condition)
  }

  /** PostgreSQL has a lock that lets others go on to refer to the row. SQLite has one writer anyway. */
  #locking(query: AllRows, verb: 'update' | 'delete'): AllRows {
    if (this.#dialect.id === 'sqlite') return query
    return this.#dialect.id === 'postgres' && verb === 'update'
      ? query.forNoKeyUpdate()
      : query.forUpdate()
  }

  insert(values: Values, returning: boolean): Statement {
    const into = this.#db.insertInto(this.#table)
    const isEmpty = Object.keys(values).length === 0
    const insert =
      isEmpty && this.#dialect.id !== 'mysql' ? into.defaultValues() : into.values(values)
    return (returning ? insert.returningAll() : insert).compile()
  }

  update(values: Values, condition: OperationNode): Statement {
    return this.#db.updateTable(this.#table).set(values).where(asExpression(condition)).compile()
  }

  remove(condition: OperationNode): Statement {
    return this.#db.deleteFrom(this.#table).where(asExpression(condition)).compile()
  }
}

function missingKey(table: string, key: string): never {
  throw new ConfigurationError(
    `sqlTable(): the table "${table}" has no column "${key}", which is said to be its key.`,
  )
}

function asExpression(condition: OperationNode): Expression<SqlBool> {
  return new ExpressionWrapper(condition)
}
