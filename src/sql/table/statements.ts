import {
  type Expression,
  ExpressionWrapper,
  type Kysely,
  type OperationNode,
  type SelectQueryNode,
  type SqlBool,
} from 'kysely'
import type { Statement } from '../../contract/database.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { compilerOf } from '../prepared.ts'
import type { AnyRows, AnyTables, Attempt, Dialect, TableFacts } from '../dialect.ts'
import { narrowed, reference, toNode } from '../nodes.ts'
import { conditionNode } from '../query/conditions.ts'

export type Values = Readonly<Record<string, unknown>>

export interface TableStatementsOptions {
  readonly dialect: Dialect
  readonly db: Kysely<AnyTables>
  readonly table: string
  readonly key: string
}

/** What a database is asked about a table. Conditions on keys compare as the column does. */
export class TableStatements {
  readonly #options: TableStatementsOptions

  constructor(options: TableStatementsOptions) {
    this.#options = options
  }

  /** A condition that only the row of a key fulfils; `null`: no row can have this key. */
  keyIs(value: unknown, { columns }: TableFacts): OperationNode | null {
    const { dialect, table, key } = this.#options
    const { kind } = columns.get(key) ?? missingKey(table, key)
    if (kind.meant(value) === undefined) return null
    const condition = { field: key, operator: 'equals', value } as const
    return toNode(conditionNode(dialect, condition, { node: reference(`${table}.${key}`), kind }))
  }

  /** Every row. */
  all(): AnyRows {
    const { db, table } = this.#options
    return db.selectFrom(table).selectAll(table)
  }

  /** The rows of a query that fulfil a condition: at most one, where it is about the key. */
  find(query: SelectQueryNode, condition: OperationNode): Statement {
    return compilerOf(this.#options.dialect)(narrowed(query, condition))
  }

  /** The row as it is now, which nothing else changes before this transaction ends. */
  lock(condition: OperationNode, verb: Attempt['verb']): Statement {
    const { dialect } = this.#options
    return this.find(dialect.locked(this.all(), verb).toOperationNode(), condition)
  }

  insert(values: Values, returning: boolean): Statement {
    const { dialect, db, table } = this.#options
    const into = db.insertInto(table)
    const isEmpty = Object.keys(values).length === 0
    const insert = isEmpty ? dialect.insertDefaults(into) : into.values(values)
    return (returning ? insert.returningAll() : insert).compile()
  }

  update(values: Values, condition: OperationNode): Statement {
    const { db, table } = this.#options
    return db.updateTable(table).set(values).where(asExpression(condition)).compile()
  }

  remove(condition: OperationNode): Statement {
    const { db, table } = this.#options
    return db.deleteFrom(table).where(asExpression(condition)).compile()
  }
}

function missingKey(table: string, key: string): never {
  throw new ConfigurationError(
    `sqlTable(): the table "${table}" has no column "${key}", which was given as its key.`,
  )
}

function asExpression(condition: OperationNode): Expression<SqlBool> {
  return new ExpressionWrapper(condition)
}
