import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { MaybePromise } from '../core/std/after.ts'
import type {
  Executor,
  Leases,
  BlockingStatement,
  MigrationStatus,
  OwnPart,
  Statement,
  TransactionOptions,
} from '../core/ports/database.ts'
import { migrationsThatAre } from '../core/errors/storage-errors.ts'
import type { CounterStore } from '../core/ports/policies/throttling.ts'
import type { Migrations } from './sql/migrations/steps.ts'
import type { Wanted } from './sql/migrations/run-migrations.ts'
import type { Lockable, SqlDatabase, SqlTransaction } from './sql/sql-database.ts'
import { type Execution, type QueryConnection, createKysely } from './kysely.ts'

/** The way to a kind of database from `DATABASE_URL`. */
export interface Opener {
  /** The beginnings of its addresses, in front of the colon. */
  readonly schemes: readonly string[]
  /** Its addresses as a message names them: `postgres://…`. */
  readonly addresses: string
  /** Opens nothing before it is used. Relative paths are looked for in `folder`. */
  readonly open: (url: string, folder: string, own: OwnTables) => SqlDatabase
  /** Opens it with replicas. Absent: it has none. */
  readonly openReplicated?: (
    url: string,
    replicas: readonly string[],
    own: OwnTables,
  ) => SqlDatabase
}

/** An application's own tables, beside users, tokens and sessions. */
export interface OwnTables {
  /** Its migrations, which `migrate` runs after ours. @default none */
  readonly migrations?: Migrations
}

/** A transaction that its caller ends. */
export interface OpenTransaction extends Executor {
  /** Has the database undone the transaction for another one? Then nothing more can be asked in it. */
  readonly gaveUp: boolean
  execute(statement: Statement): MaybePromise<Execution>
  /** Keeps everything, or rejects and keeps nothing. */
  commit(): Promise<void>
  /** Undoes uncommitted changes. */
  end(): MaybePromise<void>
}

/** The common part of all databases: transactions, migrations, and counters and typed queries, made on first use. */
export abstract class BaseDatabase {
  abstract readonly dialect: SqlDatabase['dialect']
  readonly #migrations: Migrations | null
  readonly #used = new Set<OwnPart>()
  #isKnown = false
  #counters: CounterStore | null = null
  #kysely: Kysely<unknown> | null = null

  constructor({ migrations }: OwnTables = {}) {
    this.#migrations = migrations ?? null
  }

  onlyUsed(): void {
    this.#isKnown = true
  }

  uses(part: OwnPart): void {
    this.#used.add(part)
  }

  get counters(): CounterStore {
    this.uses('counters')
    return (this.#counters ??= this.createCounters())
  }

  get leases(): Leases {
    this.uses('leases')
    return new SqlLeases(this.kysely(), this.dialect.clock)
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= createKysely(this.dialect.queryBuilder, () => this.queries())
    return this.#kysely as Kysely<Tables>
  }

  async transaction<T>(
    work: (transaction: SqlTransaction) => MaybePromise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const open = await this.begin(options)
      const within = new WorkInTransaction(open, this.dialect)
      try {
        const result = await work(within)
        await open.commit()
        within.committed()
        return result
      } catch (error) {
        if (attempt === ATTEMPTS || !open.gaveUp) throw error
      } finally {
        await open.end()
      }
      await pauseBehind(attempt)
    }
  }

  // Migrations are loaded when they are asked for: a service that only serves has no use for them.
  async migrate(): Promise<readonly string[]> {
    const { migrate } = await import('./sql/migrations/run-migrations.ts')
    const connect = () => this.queries({ unhurried: true })
    const database = createKysely(this.dialect.queryBuilder, connect)
    return migrate(database, this.dialect, await this.#wanted())
  }

  async pendingMigrations(): Promise<readonly string[]> {
    return migrationsThatAre(await this.migrationStatus(), 'pending', 'late')
  }

  async migrationStatus(): Promise<readonly MigrationStatus[]> {
    const { migrationStatus } = await import('./sql/migrations/run-migrations.ts')
    const database = this.exists ? this.kysely() : null
    return migrationStatus(database, this.dialect, await this.#wanted())
  }

  async blockingMigrations(): Promise<readonly BlockingStatement[] | null> {
    const { blockingStatements } = await import('./sql/migrations/online.ts')
    const { own } = await this.#wanted()
    const pending = await this.pendingMigrations()
    const dialect = await this.dialect.migrations()
    return blockingStatements(this.kysely(), dialect, own, (name) => pending.includes(name))
  }

  async #wanted(): Promise<Wanted> {
    const parts = this.#isKnown ? this.#used : null
    return { parts, own: (await this.#migrations?.['~load']()) ?? [] }
  }

  /** Is there anything to ask? */
  protected get exists(): boolean {
    return true
  }

  protected abstract createCounters(): CounterStore

  protected abstract begin(options: TransactionOptions): Promise<OpenTransaction>

  /** A connection for one typed query or transaction. `unhurried`: without limits of time. */
  protected abstract queries(options?: { readonly unhurried: boolean }): QueryConnection
}

/** Attempts of a transaction, or of a statement of its own, that its database gives up for others. */
export const ATTEMPTS = 10
/** Milliseconds that the first pause and the others last at most; each may be twice as long as the one before. */
const PAUSES = { first: 20, longest: 200 }

/** Waits for a random time: transactions that were in each other's way are to come back at different moments. */
export async function pauseBehind(attempt: number): Promise<void> {
  const longest = Math.min(PAUSES.first * 2 ** (attempt - 1), PAUSES.longest)
  await new Promise((resolve) => void setTimeout(resolve, Math.random() * longest))
}

/** The transaction that `work` is given. Its members may be taken out of it. */
class WorkInTransaction implements SqlTransaction {
  readonly #open: OpenTransaction
  readonly #dialect: SqlDatabase['dialect']
  readonly #tasks: (() => void)[] = []
  #kysely: Kysely<unknown> | null = null

  constructor(open: OpenTransaction, dialect: SqlDatabase['dialect']) {
    this.#open = open
    this.#dialect = dialect
  }

  readonly read = <Row = Record<string, unknown>>(
    statement: Statement,
  ): MaybePromise<readonly Row[]> => this.#open.read<Row>(statement)
  readonly rows: Executor['rows'] = (statement) => this.#open.rows(statement)
  readonly write: Executor['write'] = (statement) => this.#open.write(statement)

  readonly kysely = <Tables>(): Kysely<Tables> => {
    this.#kysely ??= createKysely(this.#dialect.queryBuilder, () => withinTransaction(this.#open))
    return this.#kysely as Kysely<Tables>
  }

  readonly lock = async <Key, Row>(table: Lockable<Key, Row>, key: Key): Promise<Row | null> =>
    table.in(this).update(key, {})

  readonly afterCommit: SqlTransaction['afterCommit'] = (request, task) =>
    void this.#tasks.push(() => request.afterAnswer(task))

  committed(): void {
    for (const begin of this.#tasks) begin()
  }
}

function withinTransaction(open: OpenTransaction): QueryConnection {
  const refuse = (): Promise<never> =>
    Promise.reject(new Error('These queries are in a transaction already, which ends by itself.'))
  return {
    execute: (query) => open.execute(query),
    begin: refuse,
    commit: refuse,
    rollback: refuse,
    release: async () => {},
  }
}

type LeaseTables = {
  colophon_lease: {
    name: string
    holder: string
    held_until: number | bigint
    due: number | bigint
  }
}

/** Leases as rows: a process that changes a row, which was due and free, holds it. */
class SqlLeases implements Leases {
  readonly #database: Kysely<LeaseTables>
  readonly #clock: RawBuilder<number | bigint>

  constructor(database: Kysely<unknown>, clock: string) {
    this.#database = database.withTables<LeaseTables>()
    this.#clock = sql.raw(clock)
  }

  async take(name: string, holder: string, held: number, longest: number): Promise<number | null> {
    if (await this.#taken(name, holder, held, longest)) return null
    const wait = await this.#wait(name)
    if (wait !== null) return wait
    const isNew = await this.#add(name)
    return isNew && (await this.#taken(name, holder, held, longest)) ? null : 0
  }

  async #taken(name: string, holder: string, held: number, longest: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#database
      .updateTable('colophon_lease')
      .set({ holder, held_until: this.#in(held) })
      .where('name', '=', name)
      .where(({ or, eb }) =>
        // No one can hold it that long: the clock was set back while a process died.
        or([
          eb('held_until', '<=', this.#clock),
          eb('held_until', '>', this.#in(Math.max(held, longest))),
        ]),
      )
      .where(({ or, eb }) => or([eb('due', '<=', this.#clock), eb('due', '>', this.#in(longest))]))
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  /** Milliseconds until the lease is due and free; `null`: it has no row. */
  async #wait(name: string): Promise<number | null> {
    const row = await this.#database
      .selectFrom('colophon_lease')
      .select(['held_until', 'due', this.#clock.as('now')])
      .where('name', '=', name)
      .executeTakeFirst()
    if (row === undefined) return null
    return Math.max(Number(row.held_until), Number(row.due)) - Number(row.now)
  }

  /** `false`: another process was first. */
  async #add(name: string): Promise<boolean> {
    try {
      const row = { name, holder: '', held_until: 0, due: 0 }
      await this.#database.insertInto('colophon_lease').values(row).execute()
      return true
    } catch (error) {
      if ((await this.#wait(name)) === null) throw error
      return false
    }
  }

  async renew(name: string, holder: string, milliseconds: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#held(name, holder)
      .set({ held_until: this.#in(milliseconds) })
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  }

  async release(name: string, holder: string, dueIn: number): Promise<void> {
    await this.#held(name, holder)
      .set({ holder: '', held_until: 0, due: this.#in(dueIn) })
      .execute()
  }

  #held(name: string, holder: string) {
    return this.#database
      .updateTable('colophon_lease')
      .where('name', '=', name)
      .where('holder', '=', holder)
  }

  #in(milliseconds: number): RawBuilder<number> {
    return sql<number>`${this.#clock} + ${Math.ceil(milliseconds)}`
  }
}
