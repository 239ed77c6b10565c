// The mapping of a Drizzle table from properties to columns: names, rows, values and conditions.
import { ExpressionWrapper } from 'kysely'
import { type Column, SQL, type Table, getTableColumns, getTableName, is } from 'drizzle-orm'
import type { Condition, Rows } from '../../core/ports/list-source.ts'
import { ConfigurationError, unfitValue } from '../../core/errors/configuration-error.ts'
import { ConstraintViolation } from '../../core/errors/storage-errors.ts'
import { operatorWritten } from '../../core/settings/field-lookups.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { pickRows } from '../../core/std/row-objects.ts'
import { AsStored } from '../sql/table/constraints.ts'
import type { Values } from '../sql/table/scopes.ts'
import type { AnyTables } from '../sql/dialect.ts'
import type { ListDatabase, SqlDatabase } from '../sql/sql-database.ts'
import {
  type KnownColumn,
  type Types,
  checkTypes,
  knownColumn,
  declaredIn,
  writtenBy,
} from './columns.ts'
import {
  type DrizzleExpression,
  type DrizzleInstance,
  type Writer,
  expressionOf,
  writerOf,
} from './queries.ts'

const COMPARED: ReadonlySet<string> = new Set(['equals', 'in', 'lt', 'lte', 'gt', 'gte'])

/** The database with the tables. */
export type MappedDatabase = ListDatabase & Pick<SqlDatabase, 'kysely'>

interface MappingParts {
  readonly table: string
  readonly writer: Writer
  readonly known: readonly KnownColumn[]
  readonly types: () => MaybePromise<Types>
}

/** Maps a Drizzle table's properties to its columns. */
export class TableMapping {
  /** The name of the table, with its schema. */
  readonly table: string
  readonly names: readonly string[]
  readonly #writer: Writer
  readonly #known: ReadonlyMap<string, KnownColumn>
  readonly #byName: ReadonlyMap<string, KnownColumn>
  readonly #types: () => MaybePromise<Types>
  /** The layout of the rows that were read last, because the rows of a list usually share it. */
  #layout: {
    readonly from: Pick<Rows, 'columns' | 'written'>
    readonly to: Pick<Rows, 'columns' | 'written'>
  } | null = null

  constructor({ table, writer, known, types }: MappingParts) {
    this.table = table
    this.#writer = writer
    this.#known = new Map(known.map((each) => [each.property, each]))
    this.#byName = new Map(known.map((each) => [each.name, each]))
    this.#types = types
    this.names = [...this.#byName.keys()]
  }

  /** @throws ConfigurationError a column's values would differ from those of Drizzle, or `db` has another dialect */
  static of(given: Table, db: DrizzleInstance, database: MappedDatabase): TableMapping {
    const schema: unknown = Reflect.get(given, Symbol.for('drizzle:Schema'))
    const table = `${typeof schema === 'string' ? `${schema}.` : ''}${getTableName(given)}`
    const writer = writerOf(db, table)
    const types = declaredIn(database, () => {
      const query = database.kysely<AnyTables>().selectFrom(table)
      return query.select(known.map(({ name }) => name)).toOperationNode()
    })
    const place = { table, dialect: database.dialect.name, types }
    const known = Object.entries(getTableColumns(given)).map(([property, column]) => {
      const name = writer.casing.getColumnCasing(column)
      return knownColumn({ ...place, property, column, name })
    })
    return new TableMapping({ table, writer, known, types })
  }

  /** @throws ConfigurationError a column has another type in the database, so the driver would convert its values otherwise */
  async check(): Promise<void> {
    checkTypes(this.table, [...this.#known.values()], await this.#types())
  }

  get properties(): readonly string[] {
    return [...this.#known.keys()]
  }

  has(property: string): boolean {
    return this.#known.has(property)
  }

  /** @throws ConfigurationError the table has no such column */
  #column(property: string): KnownColumn {
    const known = this.#known.get(property)
    if (known !== undefined) return known
    throw new ConfigurationError(
      `The table "${this.table}" of Drizzle has no column "${property}". It has: ${this.properties.join(', ')}.`,
    )
  }

  nameOf(property: string): string {
    return this.#column(property).name
  }

  /** The property of a column's name in the database. */
  propertyOf(name: string): string {
    return this.#byName.get(name)?.property ?? name
  }

  /** Converts rows to those of Drizzle. Values that need no conversion stay bytes until they are read. */
  rows(table: Rows): Rows {
    const { columns, written } = table
    const last = this.#layout
    if (last === null || last.from.columns !== columns || last.from.written !== written)
      this.#layout = { from: { columns, ...(written && { written }) }, to: this.#mapped(table) }
    return pickRows<Rows>(table, (rows) => rows, this.#layout!.to)
  }

  #mapped({ columns, written }: Rows): Pick<Rows, 'columns' | 'written'> {
    const named = columns.map((name) => this.propertyOf(name))
    const reads = columns.map((name, at) => {
      const before = written?.[at] ?? null
      const known = this.#byName.get(name)
      return known === undefined ? before : writtenBy(known, before)
    })
    const isPlain = written === undefined && reads.every((each) => each === null)
    return isPlain ? { columns: named } : { columns: named, written: reads }
  }

  /** Converts one row to that of Drizzle. */
  row(row: Values): Values {
    const entries = [...this.#known.values()].map(({ property, name, out }) => {
      const value = row[name]
      return [property, value == null || out === undefined ? value : out(value)] as const
    })
    return Object.fromEntries(entries)
  }

  /** Converts values for the database, by column. */
  values(given: Values): Values {
    return Object.fromEntries(
      Object.entries(given)
        .filter(([, value]) => value !== undefined)
        .map(([property, value]) => [this.nameOf(property), this.#written(property, value)]),
    )
  }

  #written(property: string, value: unknown): unknown {
    const made = this.stored(property, value)
    return this.#column(property).isText && typeof made === 'string' ? new AsStored(made) : made
  }

  /** Converts a new row, with Drizzle's defaults for missing values that no scope has `filled` in. */
  inserted(given: Values, filled: Values): Values {
    return this.values({
      ...this.#made(
        ({ defaultFn, onUpdateFn, default: own }) =>
          defaultFn ?? (own === undefined ? onUpdateFn : undefined),
        { ...filled, ...defined(given) },
      ),
      ...defined(given),
    })
  }

  /** Converts a change, with Drizzle's `$onUpdate` unless the change is empty. */
  changed(given: Values): Values {
    const values = defined(given)
    if (Object.keys(values).length === 0) return {}
    return this.values({ ...this.#made(({ onUpdateFn }) => onUpdateFn, values), ...values })
  }

  #made(makerOf: (column: Column) => (() => unknown) | undefined, given: Values): Values {
    const made: Record<string, unknown> = {}
    for (const { property, column } of this.#known.values())
      if (given[property] === undefined && column) made[property] = makerOf(column)?.()
    return made
  }

  /** @throws ConstraintViolation Drizzle cannot write the value */
  stored(property: string, value: unknown): unknown {
    const { into } = this.#column(property)
    if (isSql(value)) return this.expression(value)
    if (value == null || into === undefined) return value
    try {
      const made = into(value)
      return isSql(made) ? this.expression(made) : made
    } catch (cause) {
      throw new ConstraintViolation('invalid', { table: this.table, columns: [property], cause })
    }
  }

  /** Converts the values of a scope; a list means "one of these". */
  scope(values: Values): Values {
    const entries = Object.entries(values).map(([property, value]) => {
      const each = Array.isArray(value)
        ? value.map((one) => this.#plain(property, one))
        : this.#plain(property, value)
      return [this.nameOf(property), each] as const
    })
    return Object.fromEntries(entries)
  }

  #plain(property: string, value: unknown): unknown {
    return this.#checkPlain(property, this.stored(property, value))
  }

  /** @throws ConfigurationError the value is SQL, which can be written, but not compared */
  #checkPlain(property: string, made: unknown): unknown {
    if (!isSql(made) && !(made instanceof ExpressionWrapper)) return made
    throw new ConfigurationError(
      `The column "${property}" of "${this.table}" writes SQL (toDriver), so it can be no key, no scope and no filter. Take another column.`,
    )
  }

  /** @throws ConfigurationError the column cannot be a key */
  checkKey(property: string): void {
    this.key(property, '1')
  }

  /** Converts a key for the database; `undefined`: no row can have it. */
  key(property: string, value: unknown): unknown {
    const { into, isOpaque } = this.#column(property)
    if (!isOpaque || into === undefined) return value
    return this.#checkPlain(
      property,
      orNothing(() => into(value)),
    )
  }

  /**
   * Converts the values that a condition compares with.
   *
   * @throws ConfigurationError the column cannot be compared in the way that clients mean
   */
  compared(property: string, condition: Condition): Pick<Condition, 'operator' | 'value'> {
    const { operator, value } = condition
    if (operator === 'isNull') return { operator, value }
    this.#checkCompared(property, condition)
    const each = operator === 'in' ? [value].flat() : [value]
    const values = each.flatMap((one) => this.#comparable(property, one, condition))
    if (operator === 'in' || values.length === 0) return { operator: 'in', value: values }
    return { operator, value: values[0] }
  }

  /** An empty list: no row has the value. @throws ValidationError the value does not fit the type */
  #comparable(property: string, one: unknown, condition: Condition): readonly unknown[] {
    const { meant, into, isOpaque = false } = this.#column(property)
    const isWritten = typeof one === 'string' && !isOpaque
    if (one === null || (isWritten && meant === undefined)) return [one]
    const values =
      meant !== undefined && (isWritten || one instanceof Date || into === undefined)
        ? meant(one, condition.operator)
        : orNothing(() => [this.stored(property, one)])
    if (values === undefined) throw unfitValue(condition)
    return values.map((made) => this.#checkPlain(property, made))
  }

  /** Values of the program can be compared in the database's own form, but clients do not write that form. */
  #checkCompared(property: string, { operator, value, parameter }: Condition): void {
    const { meant, isOpaque = false } = this.#column(property)
    const isTried = parameter !== undefined && [value].flat().every((one) => one === null)
    const isRefused = isOpaque
      ? isTried || (operator !== 'equals' && operator !== 'in')
      : meant !== undefined && !COMPARED.has(operator)
    if (!isRefused) return
    throw new ConfigurationError(
      `The column "${property}" of "${this.table}" cannot be filtered by ${operatorWritten(operator)}: the database has its values in a form that clients do not write. Leave it out of filterFields and searchFields.`,
    )
  }

  /** Turns SQL of Drizzle into an expression of the query builder. */
  expression(condition: SQL): DrizzleExpression {
    return expressionOf(condition, this.#writer)
  }
}

function defined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Drizzle's `is` fails for objects without a prototype, such as numbers of JSON with all their digits. */
function isSql(value: unknown): value is SQL {
  const isMade =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== null
  return isMade && is(value, SQL)
}

function orNothing<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
