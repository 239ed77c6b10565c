import {
  type ColumnDefinitionBuilder,
  type Compilable,
  CompiledQuery,
  type CreateTableBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely'
import type { MigrationStatus, OwnPart } from '../../../core/ports/database.ts'
import {
  DatabaseUnavailable,
  MigrationFailed,
  NotMigrated,
  changedSinceApplied,
  migrationsThatAre,
} from '../../../core/errors/storage-errors.ts'
import { isSameList } from '../../../resources/lists/from-table.ts'
import { sha256 } from '../../../core/secrets/digest.ts'
import type { Dialect, MigrationDialect, Reader, StepPart } from '../dialect.ts'
import { type ColumnDefinition, ownText } from './column-kinds.ts'
import type { Migration, StepData } from './steps.ts'
import { STEPS } from './own-tables.ts'

export interface Wanted {
  /** The parts of our tables that are used; `null`: they are not known, so all are made. */
  readonly parts: ReadonlySet<OwnPart> | null
  /** The migrations of the application, in order. */
  readonly own: readonly Migration[]
}

const PARTS: Readonly<Record<OwnPart, readonly string[]>> = {
  // Changes of users are recorded, and end links that another program with the same accounts has sent.
  users: ['0001_users', '0006_audit', '0010_addresses', '0015_links_epoch'],
  roles: ['0001_users', '0007_roles'],
  // A token, a session and an identity belong to a user.
  tokens: ['0001_users', '0002_tokens', '0004_named_tokens'],
  sessions: ['0001_users', '0003_sessions'],
  counters: ['0005_counters'],
  leases: ['0008_leases'],
  identities: ['0001_users', '0009_identities'],
  addresses: ['0001_users', '0010_addresses', '0012_spent_links', '0015_links_epoch'],
  factors: ['0001_users', '0011_factors', '0014_passkeys'],
  families: ['0001_users', '0013_refresh_families'],
}

const ALL_PARTS = Object.keys(PARTS) as readonly OwnPart[]

function neededSteps({ parts }: Wanted): readonly string[] {
  const needed = new Set([...(parts ?? ALL_PARTS)].flatMap((part) => PARTS[part]))
  return Object.keys(STEPS).filter((name) => needed.has(name))
}

/** The lists of applied migrations: ours, and those of the application. */
type Lists = {
  colophon_migration: { name: string; timestamp: string }
  colophon_application_migration: { name: string; checksum: string; applied: number | bigint }
}

type Recorded = ReadonlyMap<string, { readonly applied: Date; readonly checksum: string }>

/**
 * Runs missing migrations, ours first, and returns their names. Other processes wait at the dialect's lock. A failure undoes
 * the whole run, except on MySQL, which cannot undo changes of tables: there the next run continues.
 *
 * @throws MigrationFailed one failed, or they are not those that were applied
 */
export async function migrate(
  database: Kysely<unknown>,
  dialect: Dialect,
  wanted: Wanted,
): Promise<readonly string[]> {
  const migrations = await dialect.migrations()
  return migrations.exclusively(database, async (connection) => {
    const lists = await appliedIn(connection, dialect, migrations)
    const run = new Run(connection, lists, migrations)
    const done = await run.ours(neededSteps(wanted))
    const own = await run.own(wanted.own)
    // A backup may have left them out.
    const counts =
      (wanted.parts?.has('counters') ?? true) || (await lists.ours()).has('0005_counters')
    if (counts) await migrations.routines?.(connection)
    return [...done, ...own]
  })
}

class Run {
  readonly #db: Kysely<unknown>
  readonly #lists: Applied
  readonly #migrations: MigrationDialect

  constructor(db: Kysely<unknown>, lists: Applied, migrations: MigrationDialect) {
    this.#db = db
    this.#lists = lists
    this.#migrations = migrations
  }

  async ours(needed: readonly string[]): Promise<readonly string[]> {
    const lists = this.#lists
    if (needed.length > 0 && !(await lists.has('colophon_migration')))
      await lists.db.schema
        .createTable('colophon_migration')
        .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
        .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
        .execute()
    const applied = await lists.ours()
    const missing = needed.filter((name) => !applied.has(name))
    for (const name of missing) {
      await this.#run(name, name, STEPS[name]!(this.#db, this.#migrations))
      const values = { name, timestamp: new Date().toISOString() }
      await lists.db.insertInto('colophon_migration').values(values).execute()
      await this.#migrations.forget?.(this.#db, name)
    }
    return missing
  }

  async own(list: readonly Migration[]): Promise<readonly string[]> {
    const lists = this.#lists
    const statuses = statusesOf(list, await lists.own())
    refuseChanges(statuses)
    if (list.length === 0) return []
    if (!(await lists.has('colophon_application_migration')))
      await lists.db.schema
        .createTable('colophon_application_migration')
        .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
        .addColumn('checksum', 'varchar(64)', (column) => column.notNull())
        .addColumn('applied', 'bigint', (column) => column.notNull())
        .execute()
    const pending = statuses.filter(({ state }) => state === 'pending').map(({ name }) => name)
    const building = new Building(this.#db, this.#migrations)
    for (const { name, steps } of list) {
      const parts = steps.flatMap((step) => building.partsOf(step['~step']))
      if (!pending.includes(name)) continue
      // A name of ours is not one of these.
      await this.#run(name, `app:${name}`, parts)
      const values = { name, checksum: checksumOf(steps), applied: Date.now() }
      await lists.db.insertInto('colophon_application_migration').values(values).execute()
      await this.#migrations.forget?.(this.#db, `app:${name}`)
    }
    return pending
  }

  async #run(name: string, key: string, parts: readonly StepPart[]): Promise<void> {
    try {
      await this.#migrations.run(this.#db, key, parts)
    } catch (error) {
      const rest = this.#migrations.undone
        ? 'Nothing of this run was kept.'
        : 'What was done before it stays; the next run goes on from there.'
      const isAway = error instanceof DatabaseUnavailable && !(error instanceof NotMigrated)
      const cause = error instanceof NotMigrated ? error.cause : error
      const reason = cause instanceof Error ? cause.message : String(cause)
      const Failure = isAway ? DatabaseUnavailable : MigrationFailed
      throw new Failure(`The migration ${name} failed: ${reason.replace(/[.?]$/, '')}. ${rest}`, {
        cause: error,
      })
    }
  }
}

/** The applied migrations with their times. Reading them creates nothing. */
class Applied {
  readonly db: Kysely<Lists>
  readonly #schema: string | null
  readonly #dialect: Dialect
  readonly #reader: Reader

  constructor(db: Kysely<unknown>, dialect: Dialect, schema: string | null) {
    // Other applications of the same database may keep theirs in other schemas.
    const own = schema === null ? db : db.withSchema(schema)
    this.db = own.withTables<Lists>()
    this.#schema = schema
    this.#dialect = dialect
    this.#reader = {
      rows: async ({ sql: text, parameters }) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(text, [...parameters]))
        return { columns: [], values: rows.map((row) => Object.values(row as object)) }
      },
    }
  }

  async has(name: keyof Lists): Promise<boolean> {
    const { columns } = await this.#dialect.facts(this.#reader, { name, schema: this.#schema })
    return columns.size > 0
  }

  async ours(): Promise<Recorded> {
    if (!(await this.has('colophon_migration'))) return new Map()
    const rows = await this.db.selectFrom('colophon_migration').selectAll().execute()
    return new Map(
      rows.map(({ name, timestamp }) => [name, { applied: new Date(timestamp), checksum: '' }]),
    )
  }

  async own(): Promise<Recorded> {
    if (!(await this.has('colophon_application_migration'))) return new Map()
    const rows = await this.db.selectFrom('colophon_application_migration').selectAll().execute()
    return new Map(
      rows.map(({ name, checksum, applied }) => [
        name,
        { applied: new Date(Number(applied)), checksum },
      ]),
    )
  }
}

async function appliedIn(
  db: Kysely<unknown>,
  dialect: Dialect,
  migrations: MigrationDialect,
): Promise<Applied> {
  return new Applied(db, dialect, (await migrations.schema?.(db)) ?? null)
}

/** `null`: there is no database yet. */
export async function migrationStatus(
  database: Kysely<unknown> | null,
  dialect: Dialect,
  wanted: Wanted,
): Promise<readonly MigrationStatus[]> {
  const needed = neededSteps(wanted)
  const applied =
    database === null ? null : await appliedIn(database, dialect, await dialect.migrations())
  const ours = (await applied?.ours()) ?? new Map()
  const known = Object.keys(STEPS).filter((name) => needed.includes(name) || ours.has(name))
  const statuses = known.map((name): MigrationStatus => {
    const at = ours.get(name)?.applied ?? null
    return { name, of: 'colophon', state: at === null ? 'pending' : 'applied', applied: at }
  })
  return [...statuses, ...statusesOf(wanted.own, (await applied?.own()) ?? new Map())]
}

function statusesOf(own: readonly Migration[], recorded: Recorded): readonly MigrationStatus[] {
  const last = [...recorded.keys()].toSorted().at(-1) ?? ''
  const known = own.map(({ name, steps }): MigrationStatus => {
    const { applied = null, checksum } = recorded.get(name) ?? {}
    if (applied === null)
      return { name, of: 'application', state: name < last ? 'late' : 'pending', applied }
    // An empty checksum is not compared: an operator accepts a change in this way.
    const same = checksum === '' || checksum === checksumOf(steps)
    return { name, of: 'application', state: same ? 'applied' : 'changed', applied }
  })
  const names = new Set(own.map(({ name }) => name))
  const unknown = [...recorded].filter(([name]) => !names.has(name))
  return [
    ...known,
    ...unknown.map(([name, { applied }]): MigrationStatus => ({
      name,
      of: 'application',
      state: 'unknown',
      applied,
    })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function refuseChanges(statuses: readonly MigrationStatus[]): void {
  const changed = changedSinceApplied(statuses)
  if (changed !== null) throw new MigrationFailed(changed)
  const late = migrationsThatAre(statuses, 'late')
  if (late.length === 0) return
  const last = statuses.filter(({ applied }) => applied !== null).at(-1)!.name
  throw new MigrationFailed(
    `${late.join(', ')} stands before ${last}, which was applied already. Give it a name behind that one.`,
  )
}

/** A checksum of the steps, and not of their SQL, so that it is the same in another version and on another database. */
function checksumOf(steps: Migration['steps']): string {
  return sha256(
    JSON.stringify(
      steps.map((step) => step['~step']),
      sorted,
    ),
  )
}

function sorted(key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\s+/g, ' ').trim()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  // The order of columns stays: it is part of the table.
  return key === 'columns' ? value : Object.fromEntries(Object.entries(value).toSorted(byName))
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

interface Index {
  readonly name: string
  readonly columns: readonly string[]
}

interface KnownTable {
  indexes: readonly Index[]
  /** Names of the constraints that are references, by column. */
  readonly references: Map<string, string>
  /** The names of all parts that were made with it, which stay when the table gets another name. */
  readonly names: Set<string>
}

/**
 * Makes the statements of steps. It needs every step in order, including applied ones, because they tell the parts of a column.
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
      const { references } = column
      if (references === undefined || this.#dialect.inlineReferences) continue
      creating = creating.addForeignKeyConstraint(
        this.#noteReference(table, name),
        [name],
        references.table,
        [references.key],
        (constraint) => constraint.onDelete(references.onDelete),
      )
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
    const own = typeof text === 'string' ? text : ownText(text, this.#dialect.own)
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
    // Here long texts can only have an expression as their default.
    return ['longtext', 'json'].includes(this.#dialect.type(column))
      ? sql`(${sql.lit(column.default)})`
      : column.default
  }

  /** Named like its column: errors name it. */
  #check(name: string, column: ColumnDefinition): RawBuilder<unknown> | null {
    const text = this.#dialect.check(column, sql.id(name).compile(this.#db).sql)
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
    const found = this.#known(table).indexes.filter((each) => isSameList(each.columns, columns))
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

/** The usual form of the statement: no one tries to hide it. */
const DROP_TABLE = /^\s*drop\s+table\s+(?:if\s+exists\s+)?(?:main\.)?["`[]?([^\s"`\];]+)/i

/** Databases take names of 63 characters at most. */
const LONGEST_NAME = 63

function nameOf(table: string, columns: readonly string[], suffix: string): string {
  const name = [table, ...columns, suffix].join('_')
  if (name.length <= LONGEST_NAME) return name
  return `${name.slice(0, LONGEST_NAME - 9)}_${sha256(name).slice(0, 8)}`
}
