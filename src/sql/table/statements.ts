import { ExpressionWrapper, type Kysely, type OperationNode, type SelectQueryNode } from 'kysely'
import type { Statement } from '../../contract/database.ts'
import { isDeepStrictEqual } from 'node:util'
import { PermissionDenied } from '../../errors/api-errors.ts'
import { ConfigurationError, unfitValue } from '../../errors/configuration-error.ts'
import { Message } from '../../messages/message.ts'
import { ConstraintViolation, NotMigrated } from '../../errors/storage-errors.ts'
import { compilerOf } from '../prepared.ts'
import type {
  AnyRows,
  AnyTables,
  Attempt,
  Reader,
  TableFacts,
  TableName,
  ValueKind,
} from '../dialect.ts'
import { type Truth, and, isNull, narrowed, or, reference, toNode } from '../nodes.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { conditionNode } from '../query/conditions.ts'

export type Values = Readonly<Record<string, unknown>>

/** Values that all rows have, by column: all of these, one after the other. */
export type Scopes = readonly Values[]

export function columnsOf(scopes: Scopes): readonly (readonly [column: string, value: unknown])[] {
  return scopes.flatMap((values) => Object.entries(values))
}

export function outsideScope(): PermissionDenied {
  return new PermissionDenied(Message.of('outside_scope'), 'outside_scope')
}

export interface TableOptions {
  readonly database: Pick<SqlDatabase, 'dialect'>
  readonly db: Kysely<AnyTables>
  /** `book`, or `library.book` with its schema. */
  readonly table: string
  readonly key: string
}

export function tableName(text: string): TableName {
  const point = text.indexOf('.')
  return { name: text.slice(point + 1), schema: point < 0 ? null : text.slice(0, point) }
}

export function allRows({ db, table }: TableOptions): AnyRows {
  return db.selectFrom(table).selectAll(table)
}

/** @throws ConstraintViolation an integer that no database can hold, which drivers would fail on */
export function storable(values: Values, table: string, { columns }: TableFacts): Values {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([column, value]) => {
      if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
        throw new ConstraintViolation('invalid', { table, columns: [column] })
      const stored = columns.get(column)?.kind.stored
      return [column, stored === undefined ? value : stored(value)]
    }),
  )
}

/** Conditions on keys compare as the column does. */
export class TableStatements {
  readonly facts: TableFacts
  readonly #options: TableOptions
  readonly #keyKind: ValueKind

  /** @throws ConfigurationError the table has no such key */
  constructor(options: TableOptions, facts: TableFacts) {
    const { table, key } = options
    const column = facts.columns.get(key)
    if (column === undefined) {
      throw new ConfigurationError(
        `sqlTable(): the table "${table}" has no column "${key}", which was given as its key.`,
      )
    }
    this.facts = facts
    this.#options = options
    this.#keyKind = column.kind
  }

  /** `null`: no row can have this key. */
  find(query: SelectQueryNode, value: unknown, scopes: Scopes): Statement | null {
    const condition = this.#keyIs(value)
    if (condition === null) return null
    const within = scopes.length === 0 ? condition : this.#inScope(scopes, condition)
    return compilerOf(this.#options.database.dialect)(narrowed(query, within))
  }

  /**
   * What is written into rows that all have these values: a single one is filled in where `inserted`.
   *
   * @throws PermissionDenied `outside_scope`: it would have another
   */
  placed(values: Values, scopes: Scopes, { inserted }: { readonly inserted: boolean }): Values {
    const placed = { ...values }
    for (const [column, value] of columnsOf(scopes)) {
      const isOpen = Array.isArray(value)
      if (placed[column] === undefined && inserted && !isOpen) placed[column] = value
      if (placed[column] === undefined && !inserted) continue
      if (!this.#isAmong(column, placed[column], isOpen ? value : [value])) throw outsideScope()
    }
    return placed
  }

  #inScope(scopes: Scopes, condition: Truth): Truth {
    return columnsOf(scopes)
      .map(([column, value]) => this.#within(column, value))
      .reduce(and, condition)
  }

  /** NULL is one of the values like others. */
  #within(column: string, value: unknown): Truth {
    const { database, table } = this.#options
    const kind = this.#kindOf(column)
    const subject = { node: reference(`${table}.${column}`), kind }
    const values = [value].flat()
    const isOne = conditionNode(
      database.dialect,
      { field: column, operator: 'in', value: values },
      subject,
    )
    return values.includes(null) ? or(isOne, isNull(subject.node)) : isOne
  }

  /** As the column would compare them, but for collations: what is the same to them alone is another value. */
  #isAmong(column: string, value: unknown, scope: readonly unknown[]): boolean {
    const kind = this.#kindOf(column)
    const meaning = (each: unknown): unknown => (each === null ? null : kind.meant(each))
    const meanings = scope.map(meaning)
    if (meanings.includes(undefined))
      throw unfitValue({ field: column, operator: 'in', value: scope })
    const meant = meaning(value)
    return meant !== undefined && meanings.some((each) => isDeepStrictEqual(each, meant))
  }

  /** @throws ConfigurationError there is no such column */
  #kindOf(column: string): ValueKind {
    const known = this.facts.columns.get(column)
    if (known !== undefined) return known.kind
    throw new ConfigurationError(
      `The table "${this.#options.table}" has no column "${column}", which a scope names.`,
    )
  }

  /** The row, which nothing else changes before this transaction ends. */
  lock(value: unknown, verb: Attempt['verb'], scopes: Scopes): Statement | null {
    const locked = this.#options.database.dialect.locked(allRows(this.#options), verb)
    return this.find(locked.toOperationNode(), value, scopes)
  }

  /** It gives back the row, where the database can. */
  insert(values: Values): Statement {
    const { database, db, table } = this.#options
    const into = db.insertInto(table)
    const isEmpty = Object.keys(values).length === 0
    const insert = isEmpty ? database.dialect.insertDefaults(into) : into.values(values)
    return (this.facts.lastNumber === null ? insert.returningAll() : insert).compile()
  }

  /** `key`, like that of `remove`, is that of a row. */
  update(key: unknown, values: Values): Statement {
    const { db, table } = this.#options
    return db.updateTable(table).set(values).where(this.#isKey(key)).compile()
  }

  remove(key: unknown): Statement {
    const { db, table } = this.#options
    return db.deleteFrom(table).where(this.#isKey(key)).compile()
  }

  #isKey(key: unknown): ExpressionWrapper<AnyTables, string, boolean> {
    return new ExpressionWrapper(this.#keyIs(key)!)
  }

  #keyIs(value: unknown): OperationNode | null {
    const { database, table, key } = this.#options
    if (this.#keyKind.meant(value) === undefined) return null
    const condition = { field: key, operator: 'equals', value } as const
    const subject = { node: reference(`${table}.${key}`), kind: this.#keyKind }
    return toNode(conditionNode(database.dialect, condition, subject))
  }
}

/**
 * A caller does not wait for what another one asks the catalogue, who may be waiting for a connection.
 *
 * @throws NotMigrated there is no such table
 * @throws ConfigurationError it has no such key
 */
export function knownTable(options: TableOptions): (reader: Reader) => Promise<TableStatements> {
  let known: TableStatements | null = null
  return async (reader) => {
    if (known !== null) return known
    const name = tableName(options.table)
    const facts = await options.database.dialect.facts(reader, name)
    if (facts.columns.size > 0) return (known = new TableStatements(options, facts))
    throw new NotMigrated('table', name.name, '')
  }
}
