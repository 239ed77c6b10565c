// The statements of a table: those that differ only in their values are compiled once.
import {
  type Compilable,
  ExpressionWrapper,
  type Kysely,
  type OperationNode,
  type OperationNodeSource,
  type SelectQueryNode,
  ValueNode,
} from 'kysely'
import type { Statement } from '../../../core/ports/database.ts'
import type { KeyedBy, RowKey } from '../../../core/ports/list-source.ts'
import { exactTextOf } from '../../../core/std/exact-date.ts'
import { keptIn, oncePer } from '../../../core/std/once.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import type { AnyRows, AnyTables, Attempt, TableFacts, TableName, ValueKind } from '../dialect.ts'
import { type Truth, and, isExpression, withWhere, columnRef, toNode } from '../nodes.ts'
import { Shapes, compilerOf } from '../prepared.ts'
import { type ConditionSubject, conditionNode, scopeNode } from '../query/conditions.ts'
import { type LookUp, LookUps, type LookedInto } from './many-by-key.ts'
import { type Scopes, type Values, scopeColumns } from './scopes.ts'

/** A row that is to be changed. */
interface RowAsSeen {
  readonly key: unknown
  readonly scopes: Scopes
  /** The row as it was seen; `null`, `undefined`: the row as it is now. */
  readonly seen: Values | null | undefined
}

export interface TableOptions extends LookedInto {
  readonly db: Kysely<AnyTables>
  /** The columns that rows have. @default all */
  readonly columns?: readonly string[]
}

export function tableName(text: string): TableName {
  const point = text.indexOf('.')
  return { name: text.slice(point + 1), schema: point < 0 ? null : text.slice(0, point) }
}

export function allRows({ db, table, columns }: TableOptions): AnyRows {
  const rows = db.selectFrom(table)
  if (columns === undefined) return rows.selectAll(table)
  return rows.select(columns.map((column) => `${table}.${column}`))
}

/** Conditions on keys compare as the column does. */
export class TableStatements {
  readonly facts: TableFacts
  readonly #options: TableOptions
  readonly #keyKind: ValueKind
  /** By the query that rows are looked for in. */
  readonly #shapesOf = oncePer((_query: object) => new Shapes())
  readonly #writes = new Shapes()
  readonly #lookUps: LookUps
  readonly #lockable = new Map<Attempt['verb'], AnyRows>()

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
    this.#lookUps = new LookUps(options, this)
  }

  /** Finds a row by its key; `null`: no row can have this key. */
  find(query: OperationNodeSource, value: unknown, scopes: Scopes): Statement | null {
    const meant = this.#keyKind.meant(value)
    if (meant === undefined) return null
    const columns = scopeColumns(scopes)
    const values = this.#plainValues(columns)
    if (meant === null || values === null) return this.#finding(query, value, scopes)
    const build = ([key, ...given]: readonly unknown[]): Statement =>
      this.#compiled(query, [
        this.#is(this.#options.key, key),
        ...given.map((each, place) => this.#is(columns[place]![0], each, true)),
      ])
    const shape = columns.map(([column]) => column).join(APART)
    return this.#shapesOf(query).statement(shape, [meant, ...values], build)
  }

  /** Finds a row where values decide on the text of the statement. */
  #finding(query: OperationNodeSource, value: unknown, scopes: Scopes): Statement {
    const columns = scopeColumns(scopes).map(([column, each]) => this.within(column, each))
    return this.#compiled(query, [this.#keyIs(value), ...columns])
  }

  #compiled(query: OperationNodeSource, conditions: readonly Truth[]): Statement {
    const node = query.toOperationNode() as SelectQueryNode
    return compilerOf(this.#options.database.dialect)(withWhere(node, conditions.reduce(and)))
  }

  /** The meaning of single values of columns; `null`: the statement depends on them. */
  #plainValues(columns: ReturnType<typeof scopeColumns>): readonly unknown[] | null {
    if (this.#keyKind.boundByValue) return null
    const values: unknown[] = []
    for (const [column, value] of columns) {
      const kind = this.kindOf(column)
      const meant = value === null || Array.isArray(value) ? undefined : kind.meant(value)
      if (meant === undefined || meant === null || kind.boundByValue) return null
      values.push(meant)
    }
    return values
  }

  /** Has the column this value? `value` is a value as it is meant, or a place for one. */
  #is(column: string, value: unknown, exact = false): Truth {
    const { node, kind } = this.#subject(column)
    const condition = { field: column, operator: 'equals', value, exact } as const
    const { dialect } = this.#options.database
    return conditionNode(dialect, condition, { node, kind: asMeant(kind) })
  }

  #subject(column: string): ConditionSubject {
    return { node: columnRef(`${this.#options.table}.${column}`), kind: this.kindOf(column) }
  }

  /** Looks up rows by many values; `null`: no row can have one of them. */
  many(
    query: OperationNodeSource,
    of: readonly RowKey[],
    by: KeyedBy,
    scopes: Scopes,
  ): LookUp | null {
    return this.#lookUps.of(query, of, by, scopeColumns(scopes))
  }

  within(column: string, value: unknown): Truth {
    return scopeNode(this.#options.database.dialect, column, value, this.#subject(column))
  }

  /** @throws ConfigurationError there is no such column */
  kindOf(column: string): ValueKind {
    const known = this.facts.columns.get(column)
    if (known !== undefined) return known.kind
    throw new ConfigurationError(
      `The table "${this.#options.table}" has no column "${column}", which a scope or an embedding names.`,
    )
  }

  /** The row, which nothing else changes before this transaction ends. */
  lock(value: unknown, verb: Attempt['verb'], scopes: Scopes): Statement | null {
    const { dialect } = this.#options.database
    const rows = keptIn(this.#lockable, verb, () => dialect.locked(allRows(this.#options), verb))
    return this.find(rows, value, scopes)
  }

  /** It gives back the row, where the database can. */
  insert(values: Values): Statement {
    const { database, db, table } = this.#options
    const into = db.insertInto(table)
    return this.#writing('insert', values, [], (row) => {
      const isEmpty = Object.keys(row).length === 0
      const insert = isEmpty ? database.dialect.insertDefaults(into) : into.values(row)
      return this.facts.lastNumber === null ? insert.returningAll() : insert
    })
  }

  /** `key`, like that of `remove`, is that of a row. It gives back the row where the table does. */
  update(key: unknown, values: Values): Statement {
    const { db, table } = this.#options
    return this.#writing('update', values, [this.#keyKind.meant(key)], (row, [own]) => {
      const update = db.updateTable(table).set(row).where(this.#isKey(own))
      return this.facts.givesBack.update ? update.returningAll() : update
    })
  }

  remove(key: unknown): Statement {
    const { db, table } = this.#options
    const build = (_: Values, [own]: readonly unknown[]): Compilable =>
      db.deleteFrom(table).where(this.#isKey(own))
    return this.#writing('delete', {}, [this.#keyKind.meant(key)], build)
  }

  /**
   * The same as to lock a row, compare it with the one that was seen, and change it, in one statement: it gives back nothing
   * where there is no such row. `null`: not all of its columns can be compared there.
   */
  change(
    verb: 'update' | 'delete',
    values: Values,
    { key, scopes, seen }: RowAsSeen,
  ): Statement | null {
    const columns = scopeColumns(scopes)
    const scope = this.#plainValues(columns)
    const own = this.#keyKind.meant(key)
    const known = seen == null ? [] : this.#seenValues(seen)
    if (own == null || scope === null || known === null) return null
    const named = [this.#options.key, ...columns.map(([column]) => column)]
    const build = (row: Values, given: readonly unknown[]): Compilable => {
      const is = named.map((column, place) => this.#is(column, given[place], place > 0))
      const still = known.map((_, place) => this.#isStill(place, given[named.length + place]))
      return this.#changing(verb, row, [...is, ...still].reduce(and))
    }
    // A column of the scope is never written.
    const shape = [`${verb} ${known.length}`, ...named, ''].join(APART)
    return this.#writing(shape, values, [own, ...scope, ...known], build)
  }

  #changing(verb: 'update' | 'delete', row: Values, condition: Truth): Compilable {
    const { db, table, key } = this.#options
    const where = new ExpressionWrapper<AnyTables, string, boolean>(toNode(condition))
    return verb === 'delete'
      ? db.deleteFrom(table).where(where).returning(key)
      : db.updateTable(table).set(row).where(where).returningAll()
  }

  /** The values of the seen row, as they are bound; `null`: one of them cannot be compared. */
  #seenValues(seen: Values): readonly unknown[] | null {
    const values: unknown[] = []
    for (const [column, { kind }] of this.facts.columns) {
      const value = seen[column]
      const bound = value === null ? null : asBound(value, kind)
      if (kind.same === undefined || bound === undefined) return null
      values.push(bound)
    }
    return values
  }

  /** Has the column at this place still this value? */
  #isStill(place: number, value: unknown): Truth {
    const [name, { kind }] = [...this.facts.columns][place]!
    const parameter = ValueNode.create(value)
    const bound = kind.boundInCondition?.(parameter, parameter, []) ?? parameter
    return kind.same!(columnRef(`${this.#options.table}.${name}`), bound)
  }

  #writing(
    verb: string,
    row: Values,
    others: readonly unknown[],
    build: (row: Values, others: readonly unknown[]) => Compilable,
  ): Statement {
    const columns = Object.keys(row)
    const values = [...others, ...Object.values(row)]
    const compile = (given: readonly unknown[]): Statement => {
      const placed = columns.map((column, place) => [column, given[others.length + place]])
      return build(Object.fromEntries(placed) as Values, given).compile()
    }
    const isPlain = others.length === 0 || !this.#keyKind.boundByValue
    if (!isPlain || values.some(isExpression)) return compile(values)
    return this.#writes.statement([verb, ...columns].join(APART), values, compile)
  }

  #isKey(key: unknown): ExpressionWrapper<AnyTables, string, boolean> {
    return new ExpressionWrapper(toNode(this.#is(this.#options.key, key)))
  }

  #keyIs(value: unknown): OperationNode {
    const { database, key } = this.#options
    const condition = { field: key, operator: 'equals', value } as const
    return toNode(conditionNode(database.dialect, condition, this.#subject(key)))
  }
}

/** A kind for values that are bound as they are. */
function asMeant(kind: ValueKind): ValueKind {
  const { exact } = kind
  const meant = (value: unknown): unknown => value
  if (exact === undefined) return { ...kind, meant }
  const asGiven: typeof exact = (column) => {
    const [node, compared] = exact(column)
    return [node, { ...compared, meant }]
  }
  return { ...kind, meant, exact: asGiven }
}

/** A value of a row as a parameter beside its column, with all digits of a second; a day is a date in rows. */
function asBound(value: unknown, { meant, stored }: ValueKind): unknown {
  const exact = value instanceof Date ? (exactTextOf(value) ?? value) : value
  return meant(exact) ?? (value instanceof Date ? meant(stored?.(value)) : undefined)
}

/** Separates the columns of a shape: no name contains it. */
const APART = '\0'
