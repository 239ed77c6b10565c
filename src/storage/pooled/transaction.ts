import type { Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import type { OpenTransaction } from '../database.ts'
import type { Execution } from '../kysely.ts'
import type { PooledConnection } from './server-connection.ts'

/** The habits of a server's transactions. */
interface TransactionHabits {
  /**
   * No statement waits for the answer to the one before; where that one fails, the others fail with it or not, as the
   * server likes. @default false
   */
  readonly atOnce?: boolean
  /** Does the error say that the server has undone the transaction for another one? @default it never does */
  readonly gaveUp?: (error: object) => boolean
}

/** Statements that are not awaited run one after another. Those that are sent at once run so on the server. */
export class PooledTransaction implements OpenTransaction {
  readonly #connection: PooledConnection
  readonly #habits: TransactionHabits
  /** `null`: the transaction has begun. */
  #begun: Promise<void> | null
  #last: Promise<unknown> = Promise.resolve()
  #state: 'open' | 'committed' | 'over' = 'open'
  failed = false
  /** Why the server gave the transaction up: MariaDB would run later statements outside of any transaction. */
  #givenUp: Error | null = null
  /** Why the transaction never began: later statements would run outside of it, too. */
  #missing: { readonly error: unknown } | null = null

  /**
   * `begun` resolves when the server has begun; earlier statements may be on their way already. @default it has, or is about
   * to
   */
  constructor(
    connection: PooledConnection,
    habits: TransactionHabits = {},
    begun: Promise<void> | null = null,
  ) {
    this.#connection = connection
    this.#habits = habits
    this.#begun = begun
    begun?.then(
      () => (this.#begun = null),
      (error: unknown) => {
        this.#missing = { error }
        this.#note(error)
      },
    )
  }

  get gaveUp(): boolean {
    return this.#givenUp !== null
  }

  async read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    return toRowObjects<Row>(await this.rows(statement))
  }

  rows(statement: Statement): Promise<Rows> {
    return this.execute(statement)
  }

  async write(statement: Statement): Promise<{ readonly changes: number }> {
    const { changes } = await this.execute(statement)
    return { changes: changes ?? 0 }
  }

  async commit(): Promise<void> {
    if (this.#givenUp !== null) throw this.#givenUp
    const committed = this.#inTurn(async () => {
      await this.#begun
      await this.#connection.commit()
    })
    this.#state = 'over'
    await committed
    this.#state = 'committed'
  }

  /** Gives the connection back, too. */
  async end(): Promise<void> {
    const connection = this.#connection
    const committed = this.#state === 'committed'
    this.#state = 'over'
    if (committed) return connection.release()
    await this.#last.catch(() => undefined)
    try {
      await this.#begun
      await connection.rollback()
    } catch {
      return connection.release(true)
    }
    connection.release()
  }

  execute(statement: Statement): Promise<Execution> {
    if (this.#givenUp !== null) return Promise.reject(this.#givenUp)
    if (this.#state === 'open') return this.#inTurn(() => this.#within(statement))
    return Promise.reject(new Error('This transaction is over: await everything inside of it.'))
  }

  /**
   * Runs a statement that may leave together with the beginning. If the transaction never began, the statement is no
   * success, whatever the server answers: it may have run outside, and what it read is of no snapshot.
   */
  async #within(statement: Statement): Promise<Execution> {
    if (this.#missing !== null) throw this.#missing.error
    const begun = this.#begun
    if (begun === null) return this.#connection.execute(statement)
    const execution = await this.#connection.execute(statement)
    await begun
    return execution
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#habits.atOnce ? work() : this.#last.then(work, work)
    this.#last = done
    // The caller gets the failure itself with `done`.
    done.catch((error: unknown) => this.#note(error))
    return done
  }

  #note(error: unknown): void {
    this.failed = true
    if (!(error instanceof Error)) return
    // The error of the driver may be the cause of an error that says more.
    const cause = typeof error.cause === 'object' && error.cause !== null ? error.cause : error
    if (this.#habits.gaveUp?.(cause)) this.#givenUp ??= error
  }
}
