import type { Kysely } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type { Executor, Rows, Statement } from '../contract/database.ts'
import type { SessionStore, TokenStore, UserStore } from '../contract/account-stores.ts'
import type { CounterStore } from '../contract/throttling.ts'
import { createSessionStore } from '../sql/accounts/sessions.ts'
import { createTokenStore } from '../sql/accounts/tokens.ts'
import { createUserStore } from '../sql/accounts/users.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { type QueryConnection, createKysely } from './kysely.ts'

/** How a kind of database is found by `DATABASE_URL`. */
export interface Opener {
  /** What its addresses begin with, in front of the colon. */
  readonly schemes: readonly string[]
  /** Its addresses as a message names them: `postgres://…`. */
  readonly addresses: string
  /** Opens nothing before it is used. Relative paths are looked for in `folder`. */
  readonly open: (url: string, folder: string) => SqlDatabase
}

/** A transaction that its caller ends. */
export interface OpenTransaction extends Executor {
  /** Keeps everything, or rejects and keeps nothing. */
  commit(): Promise<void>
  /** Undoes what is not committed. */
  end(): MaybePromise<void>
}

/** Stores of accounts and counters, and typed queries, each made when it is first asked for. */
export abstract class AccountsDatabase {
  abstract readonly dialect: SqlDatabase['dialect']
  abstract rows(statement: Statement): MaybePromise<Rows>
  abstract write(statement: Statement): MaybePromise<{ readonly changes: number }>
  #users: UserStore | null = null
  #tokens: TokenStore | null = null
  #sessions: SessionStore | null = null
  #counters: CounterStore | null = null
  #kysely: Kysely<unknown> | null = null

  get users(): UserStore {
    return (this.#users ??= createUserStore(this))
  }

  get tokens(): TokenStore {
    return (this.#tokens ??= createTokenStore(this))
  }

  get sessions(): SessionStore {
    return (this.#sessions ??= createSessionStore(this))
  }

  get counters(): CounterStore {
    return (this.#counters ??= this.createCounters())
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= createKysely(this.dialect.queryBuilder, () => this.queries())
    return this.#kysely as Kysely<Tables>
  }

  async transaction<T>(work: (transaction: Executor) => MaybePromise<T>): Promise<T> {
    const transaction = await this.begin()
    try {
      const result = await work(transaction)
      await transaction.commit()
      return result
    } finally {
      await transaction.end()
    }
  }

  // Migrations are loaded when they are asked for: a service that only serves has no use for them.
  async migrate(): Promise<readonly string[]> {
    const { migrate } = await import('../sql/migrations/migrations.ts')
    const connect = () => this.queries({ unhurried: true })
    return migrate(createKysely(this.dialect.queryBuilder, connect), this.dialect)
  }

  async pendingMigrations(): Promise<readonly string[]> {
    const { pendingMigrations } = await import('../sql/migrations/migrations.ts')
    return pendingMigrations(this.kysely(), this.dialect)
  }

  protected abstract createCounters(): CounterStore

  protected abstract begin(): Promise<OpenTransaction>

  /** A connection for one typed query or transaction. `unhurried`: without limits of time. */
  protected abstract queries(options?: { readonly unhurried: boolean }): QueryConnection
}
