// A table of Drizzle between its properties and its columns: names, rows, values and conditions.
import { SQL, type Table, getTableColumns, getTableName, is } from 'drizzle-orm'
import type { Condition, Rows } from '../../core/ports/list-source.ts'
import { ConfigurationError, unfitValue } from '../../core/errors/configuration-error.ts'
import { ConstraintViolation } from '../../core/errors/storage-errors.ts'
import { picked } from '../../core/std/row-objects.ts'
import type { Values } from '../sql/table/scopes.ts'
import {
  type DrizzleExpression,
  type DrizzleInstance,
  type KnownColumn,
  type Writer,
  expressionOf,
  knownColumn,
  writerOf,
  writtenBy,
} from './columns.ts'

const COMPARED: ReadonlySet<string> = new Set(['equals', 'in', 'lt', 'lte', 'gt', 'gte'])

/** A table of Drizzle between its properties and its columns. */
export class TableMapping {
  /** With its schema. */
  readonly table: string
  readonly names: readonly string[]
  readonly #writer: Writer
  readonly #known: ReadonlyMap<string, KnownColumn>
  readonly #byName: ReadonlyMap<string, KnownColumn>
  /** Of the rows that were read last; those of a list mostly have the same. */
  #layout: {
    readonly from: Pick<Rows, 'columns' | 'written'>
    readonly to: Pick<Rows, 'columns' | 'written'>
  } | null = null

  /** @throws ConfigurationError the values of a column would not be those of Drizzle, or `db` is none of this dialect */
  constructor(table: Table, db: DrizzleInstance, dialect: string) {
    const schema: unknown = Reflect.get(table, Symbol.for('drizzle:Schema'))
    this.table = `${typeof schema === 'string' ? `${schema}.` : ''}${getTableName(table)}`
    this.#writer = writerOf(db, this.table)
    const known = Object.entries(getTableColumns(table)).map(([property, column]) =>
      knownColumn({ table: this.table, property, column, writer: this.#writer, dialect }),
    )
    this.#known = new Map(known.map((each) => [each.property, each]))
    this.#byName = new Map(known.map((each) => [each.name, each]))
    this.names = [...this.#byName.keys()]
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

  /** Of a name that the database says. */
  propertyOf(name: string): string {
    return this.#byName.get(name)?.property ?? name
  }

  /** Rows as Drizzle has them. Those that are the same stay bytes until something looks at them. */
  rows(table: Rows): Rows {
    const { columns, written } = table
    const last = this.#layout
    if (last === null || last.from.columns !== columns || last.from.written !== written)
      this.#layout = { from: { columns, ...(written && { written }) }, to: this.#mapped(table) }
    return picked<Rows>(table, (rows) => rows, this.#layout!.to)
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

  /** A row as Drizzle has it. */
  row(row: Values): Values {
    const entries = [...this.#known.values()].map(({ property, name, out }) => {
      const value = row[name]
      return [property, value == null || out === undefined ? value : out(value)] as const
    })
    return Object.fromEntries(entries)
  }

  /** Values as the database gets them, by column. */
  values(given: Values): Values {
    return Object.fromEntries(
      Object.entries(given)
        .filter(([, value]) => value !== undefined)
        .map(([property, value]) => [this.nameOf(property), this.stored(property, value)]),
    )
  }

  /** The same of a new row, with what Drizzle makes up for those that are missing. */
  inserted(given: Values): Values {
    return this.values({
      ...this.#made(
        ({ column: { defaultFn, onUpdateFn, default: own } }) =>
          defaultFn ?? (own === undefined ? onUpdateFn : undefined),
        given,
      ),
      ...defined(given),
    })
  }

  /** The same of a change, if there is any. */
  changed(given: Values): Values {
    const values = defined(given)
    if (Object.keys(values).length === 0) return {}
    return this.values({ ...this.#made(({ column }) => column.onUpdateFn, values), ...values })
  }

  #made(makerOf: (known: KnownColumn) => (() => unknown) | undefined, given: Values): Values {
    const made: Record<string, unknown> = {}
    for (const known of this.#known.values())
      if (given[known.property] === undefined) made[known.property] = makerOf(known)?.()
    return made
  }

  /** @throws ConstraintViolation Drizzle cannot write the value */
  stored(property: string, value: unknown): unknown {
    const { into } = this.#column(property)
    if (is(value, SQL)) return this.expression(value)
    if (value == null || into === undefined) return value
    try {
      return into(value)
    } catch (cause) {
      throw new ConstraintViolation('invalid', { table: this.table, columns: [property], cause })
    }
  }

  /** Values that all rows have; a list is "one of these". */
  scope(values: Values): Values {
    const entries = Object.entries(values).map(([property, value]) => {
      const each = Array.isArray(value)
        ? value.map((one) => this.stored(property, one))
        : this.stored(property, value)
      return [this.nameOf(property), each] as const
    })
    return Object.fromEntries(entries)
  }

  /** A key as the database has it; `undefined`: it can be none. */
  key(property: string, value: unknown): unknown {
    const { into, isOpaque } = this.#column(property)
    if (!isOpaque || into === undefined) return value
    try {
      return into(value)
    } catch {
      return undefined
    }
  }

  /**
   * The value of a condition.
   *
   * @throws ConfigurationError it cannot be compared as clients mean it
   */
  compared(property: string, condition: Condition): unknown {
    const { operator, value } = condition
    const { meant, isOpaque } = this.#column(property)
    if (operator === 'isNull') return value
    if (isOpaque || (meant !== undefined && !COMPARED.has(operator)))
      throw new ConfigurationError(
        `The column "${property}" of "${this.table}" cannot be filtered by "${operator}": the database has its values in a form that clients do not write. Leave it out of filterFields and searchFields.`,
      )
    const compare = (one: unknown): unknown => {
      if (one === null) return one
      if (typeof one !== 'string') return this.stored(property, one)
      const written = meant === undefined ? one : meant(one)
      if (written === undefined) throw unfitValue(condition)
      return written
    }
    return Array.isArray(value) ? value.map(compare) : compare(value)
  }

  /** SQL of Drizzle for the query builder. */
  expression(condition: SQL): DrizzleExpression {
    return expressionOf(condition, this.#writer)
  }
}

function defined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
