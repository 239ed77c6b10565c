import {
  type ColumnDefinitionBuilder,
  type Compilable,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely'
import { sha256 } from '../../std/crypto/digest.ts'
import { MigrationFailed } from '../../errors/storage-errors.ts'
import type { MigrationDialect, StepPart } from '../dialect.ts'
import type { ColumnDefinition } from './columns.ts'
import type { StepData } from './define.ts'

interface Index {
  readonly name: string
  readonly columns: readonly string[]
}

interface KnownTable {
  indexes: readonly Index[]
  /** Names of the constraints that are references, by column. */
  readonly references: Map<string, string>
  /** Of everything that was made with it: they stay where the table gets another name. */
  readonly names: Set<string>
}

/**
 * Makes statements of steps. It is asked for every step, in order, those that were applied long ago too: what goes with
 * a column is known from the steps that made it.
 */
export class Building {
  readonly #db: Kysely<unknown>
  readonly #dialect: MigrationDialect
  readonly #tables = new Map<string, KnownTable>()

  constructor(db: Kysely<unknown>, dialect: MigrationDialect) {
    this.#db = db
    this.#dialect = dialect
  }

  /** @throws MigrationFailed the step names what no step before it has made */
  partsOf(step: StepData): readonly StepPart[] {
    switch (step.do) {
      case 'create':
        return this.#create(step)
      case 'drop':
        this.#tables.delete(step.table)
        return [...this.#dropping(step.table), this.#db.schema.dropTable(step.table)]
      case 'rename':
        return this.#rename(step)
      case 'addColumn':
        return this.#addColumn(step)
      case 'dropColumn':
        return this.#dropColumn(step)
      case 'renameColumn':
        return this.#renameColumn(step)
      case 'createIndex':
        return [this.#index(step.table, step.columns, step.unique ?? false)]
      case 'dropIndex':
        return this.#dropIndexes(step.table, this.#indexOf(step))
      case 'sql':
        return this.#sql(step.sql)
      case 'work':
        return [{ work: (db) => step.work(db) }]
    }
  }

  #create(step: Extract<StepData, { do: 'create' }>): readonly StepPart[] {
    const { table, columns, primaryKey, unique = [], indexes = [] } = step
    this.#tables.delete(table)
    let creating: CreateTableBuilder<string, string> = this.#db.schema.createTable(table)
    for (const [name, column] of Object.entries(columns)) {
      creating = creating.addColumn(name, this.#type(column), this.#column(name, column))
      creating = this.#referring(creating, table, name, column)
    }
    if (primaryKey !== undefined)
      creating = creating.addPrimaryKeyConstraint(
        this.#nameOf(table, primaryKey, 'key'),
        primaryKey as never,
      )
    return [
      creating,
      ...Object.entries(columns).flatMap(([name, column]) => this.#indexesOf(table, name, column)),
      ...unique.map((each) => this.#index(table, each, true)),
      ...indexes.map((each) => this.#index(table, each, false)),
    ]
  }

  #addColumn({ table, name, column }: Extract<StepData, { do: 'addColumn' }>): readonly StepPart[] {
    const { schema } = this.#db
    const adding = schema
      .alterTable(table)
      .addColumn(name, this.#type(column), this.#column(name, column))
    const { references } = column
    if (references === undefined || this.#dialect.inlineReferences)
      return [adding, ...this.#indexesOf(table, name, column)]
    const constraint = this.#noteReference(table, name)
    const referring = schema
      .alterTable(table)
      .addForeignKeyConstraint(constraint, [name], references.table, [references.key])
      .onDelete(references.onDelete)
    return [adding, ...this.#indexesOf(table, name, column), referring]
  }

  #dropColumn({ table, name }: Extract<StepData, { do: 'dropColumn' }>): readonly StepPart[] {
    const known = this.#known(table)
    const constraint = known.references.get(name)
    const { schema } = this.#db
    const parts = [
      ...(constraint === undefined ? [] : [schema.alterTable(table).dropConstraint(constraint)]),
      ...this.#dropIndexes(
        table,
        known.indexes.filter(({ columns }) => columns.includes(name)),
      ),
      schema.alterTable(table).dropColumn(name),
    ]
    known.references.delete(name)
    return parts
  }

  #rename({ table, to }: Extract<StepData, { do: 'rename' }>): readonly StepPart[] {
    this.#tables.set(to, this.#known(table))
    this.#tables.delete(table)
    return [this.#db.schema.alterTable(table).renameTo(to)]
  }

  #renameColumn({
    table,
    name,
    to,
  }: Extract<StepData, { do: 'renameColumn' }>): readonly StepPart[] {
    const known = this.#known(table)
    const constraint = known.references.get(name)
    if (constraint !== undefined) known.references.set(to, constraint)
    known.references.delete(name)
    known.indexes = known.indexes.map(({ columns, ...rest }) => ({
      ...rest,
      columns: columns.map((each) => (each === name ? to : each)),
    }))
    return [this.#db.schema.alterTable(table).renameColumn(name, to)]
  }

  #sql(text: Extract<StepData, { do: 'sql' }>['sql']): readonly StepPart[] {
    const own = typeof text === 'string' ? text : this.#dialect.own(text)
    if (own.trim() === '') return []
    const dropping = this.#dropping(DROP_TABLE.exec(own)?.[1])
    return [...dropping, { work: (db) => sql.raw(own).execute(db) }]
  }

  #dropping(table: string | undefined): readonly StepPart[] {
    const { refuseDrop } = this.#dialect
    return refuseDrop === undefined || table === undefined
      ? []
      : [{ work: (db) => refuseDrop(db, table) }]
  }

  /** Tables made by plain SQL are not known, nor what belongs to them. */
  #known(table: string): KnownTable {
    const known = this.#tables.get(table) ?? {
      indexes: [],
      references: new Map(),
      names: new Set(),
    }
    this.#tables.set(table, known)
    return known
  }

  /** A name that is not in use: a table that had this one's name may have taken it along. */
  #nameOf(table: string, columns: readonly string[], suffix: string): string {
    const { names } = this.#known(table)
    const isTaken = (name: string) =>
      [...this.#tables.values()].some((each) => each.names !== names && each.names.has(name))
    let name = nameOf(table, columns, suffix)
    for (let count = 2; isTaken(name); count++) name = nameOf(table, columns, `${suffix}${count}`)
    names.add(name)
    return name
  }

  #type(column: ColumnDefinition): RawBuilder<unknown> {
    return sql.raw(this.#dialect.type(column))
  }

  #column(name: string, column: ColumnDefinition) {
    return (building: ColumnDefinitionBuilder): ColumnDefinitionBuilder => {
      if (column.kind === 'id') return this.#dialect.growing(building)
      let built = column.nullable ? building : building.notNull()
      if (column.primaryKey) built = built.primaryKey()
      if (column.default !== undefined) built = built.defaultTo(this.#default(column))
      const { references } = column
      if (references !== undefined && this.#dialect.inlineReferences)
        built = built
          .references(`${references.table}.${references.key}`)
          .onDelete(references.onDelete)
      const check = this.#check(name, column)
      return check === null ? built : built.modifyEnd(check)
    }
  }

  #default(column: ColumnDefinition): unknown {
    if (column.kind === 'dateTime') return sql.raw(this.#dialect.now)
    // Where long texts have no default but an expression.
    return this.#dialect.type(column) === 'longtext'
      ? sql`(${sql.lit(column.default)})`
      : column.default
  }

  /** Named like its column: errors name it. */
  #check(name: string, column: ColumnDefinition): RawBuilder<unknown> | null {
    const text = this.#dialect.check(column, this.#quoted(name))
    const parts = [
      ...(text === null ? [] : [sql.raw(`(${text})`)]),
      ...(column.values === undefined
        ? []
        : [sql`${sql.id(name)} in (${sql.join(column.values.map((value) => sql.lit(value)))})`]),
    ]
    if (parts.length === 0) return null
    const named = this.#dialect.inlineReferences ? sql`constraint ${sql.id(name)} ` : sql``
    return sql`${named}check (${sql.join(parts, sql` and `)})`
  }

  #quoted(name: string): string {
    return sql.id(name).compile(this.#db).sql
  }

  #referring(
    creating: CreateTableBuilder<string, string>,
    table: string,
    name: string,
    { references }: ColumnDefinition,
  ): CreateTableBuilder<string, string> {
    if (references === undefined || this.#dialect.inlineReferences) return creating
    return creating.addForeignKeyConstraint(
      this.#noteReference(table, name),
      [name],
      references.table,
      [references.key],
      (constraint) => constraint.onDelete(references.onDelete),
    )
  }

  #noteReference(table: string, name: string): string {
    const constraint = this.#nameOf(table, [name], 'ref')
    this.#known(table).references.set(name, constraint)
    return constraint
  }

  #indexesOf(
    table: string,
    name: string,
    { unique = false, references }: ColumnDefinition,
  ): readonly Compilable[] {
    return unique || references !== undefined ? [this.#index(table, [name], unique)] : []
  }

  #index(table: string, columns: readonly string[], unique: boolean): Compilable {
    const name = this.#nameOf(table, columns, unique ? 'unique' : 'index')
    const known = this.#known(table)
    known.indexes = [...known.indexes, { name, columns }]
    const creating = this.#db.schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
    return unique ? creating.unique() : creating
  }

  #indexOf({ table, columns }: { readonly table: string; readonly columns: readonly string[] }) {
    const found = this.#known(table).indexes.filter((each) => sameList(each.columns, columns))
    if (found.length > 0) return found
    throw new MigrationFailed(
      `dropIndex("${table}", ${JSON.stringify(columns)}): no migration before it makes an index of these columns.`,
    )
  }

  #dropIndexes(table: string, indexes: readonly Index[]): readonly Compilable[] {
    const known = this.#known(table)
    known.indexes = known.indexes.filter((each) => !indexes.includes(each))
    return indexes.map(({ name }) => {
      const dropping = this.#db.schema.dropIndex(name)
      return this.#dialect.indexesOfTables ? dropping.on(table) : dropping
    })
  }
}

/** As it is written where nothing is meant to hide it. */
const DROP_TABLE = /^\s*drop\s+table\s+(?:if\s+exists\s+)?(?:main\.)?["`[]?([^\s"`\];]+)/i

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, place) => each === other[place])
}

/** Databases take names of 63 characters at most. */
const LONGEST_NAME = 63

function nameOf(table: string, columns: readonly string[], suffix: string): string {
  const name = [table, ...columns, suffix].join('_')
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME - 9)}_${sha256(name).slice(0, 8)}`
}
