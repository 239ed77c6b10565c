import { CompiledQuery, type Kysely } from 'kysely'
import type { MigrationStatus, OwnPart } from '../../contract/database.ts'
import { DatabaseUnavailable, MigrationFailed, NotMigrated } from '../../errors/storage-errors.ts'
import { sha256 } from '../../std/crypto/digest.ts'
import type { Dialect, MigrationDialect, Reader, StepPart } from '../dialect.ts'
import { Building } from './build.ts'
import type { Migration } from './define.ts'
import { STEPS } from './steps.ts'

/** What a database is to have. */
export interface Wanted {
  /** Those of our tables that are used. */
  readonly parts: ReadonlySet<OwnPart>
  /** Of the application, in their order. */
  readonly own: readonly Migration[]
}

const PARTS: Readonly<Record<OwnPart, readonly string[]>> = {
  // Whatever changes users is written down.
  users: ['0001_users', '0006_audit'],
  // A token and a session belong to a user.
  tokens: ['0001_users', '0002_tokens', '0004_named_tokens'],
  sessions: ['0001_users', '0003_sessions'],
  counters: ['0005_counters'],
}

function neededSteps({ parts }: Wanted): readonly string[] {
  const needed = new Set([...parts].flatMap((part) => PARTS[part]))
  return Object.keys(STEPS).filter((name) => needed.has(name))
}

/** Where it is written down which were applied: ours, and those of the application. */
type Lists = {
  colophon_migration: { name: string; timestamp: string }
  colophon_application_migration: { name: string; checksum: string; applied: number | bigint }
}

type Recorded = ReadonlyMap<string, { readonly applied: Date; readonly checksum: string }>

/**
 * Runs what is missing, ours first, and returns the names. Other processes wait at the dialect's lock. All is
 * done or nothing, but on MySQL, which cannot undo changes of tables: there what is done stays, and the next run goes on.
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
    const run = new Run(connection, dialect, migrations)
    const done = await run.ours(neededSteps(wanted))
    const own = await run.own(wanted.own)
    // A backup may have left them out.
    const counts = wanted.parts.has('counters') || (await run.hasCounters())
    if (counts) await migrations.routines?.(connection)
    return [...done, ...own]
  })
}

class Run {
  readonly #db: Kysely<unknown>
  readonly #dialect: Dialect
  readonly #migrations: MigrationDialect

  constructor(db: Kysely<unknown>, dialect: Dialect, migrations: MigrationDialect) {
    this.#db = db
    this.#dialect = dialect
    this.#migrations = migrations
  }

  async ours(needed: readonly string[]): Promise<readonly string[]> {
    const lists = await this.#lists()
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
    const lists = await this.#lists()
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

  async hasCounters(): Promise<boolean> {
    return (await (await this.#lists()).ours()).has('0005_counters')
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

  #lists(): Promise<Applied> {
    return appliedIn(this.#db, this.#dialect, this.#migrations)
  }
}

/** What was applied, and when. Asking creates nothing. */
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
      rows: async ({ sql, parameters }) => {
        const { rows } = await db.executeQuery(CompiledQuery.raw(sql, [...parameters]))
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
    // Without one it is not checked: that is how an operator accepts a change.
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
  const named = (state: MigrationStatus['state']) =>
    statuses.filter((each) => each.state === state).map(({ name }) => name)
  const [changed, late] = [named('changed'), named('late')]
  if (changed.length > 0)
    throw new MigrationFailed(
      `${changed.join(', ')} changed after it was applied. Put it back as it was, and make the change in a new migration.`,
    )
  if (late.length === 0) return
  const last = statuses.filter(({ applied }) => applied !== null).at(-1)!.name
  throw new MigrationFailed(
    `${late.join(', ')} stands before ${last}, which was applied already. Give it a name behind that one.`,
  )
}

/** Of what the steps say, not of the SQL that is made of them, so that it stays the same in another version and database. */
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
