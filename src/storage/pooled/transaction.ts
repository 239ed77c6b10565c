import type { Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import type { OpenTransaction } from '../database.ts'
import type { Execution } from '../kysely.ts'
import type { PooledConnection } from './server-connection.ts'

/** Statements that are not awaited run one after another. Those that are sent at once run so on the server. */
export class PooledTransaction implements OpenTransaction {
  readonly #connection: PooledConnection
  readonly #atOnce: boolean
  #last: Promise<unknown> = Promise.resolve()
  #state: 'open' | 'committed' | 'over' = 'open'
  failed = false

  /**
   * The connection has begun it, or is about to. `atOnce`: no statement waits for the answer to the one before;
   * where that one fails, the others fail with it or not, as the server likes.
   */
  constructor(connection: PooledConnection, atOnce = false) {
    this.#connection = connection
    this.#atOnce = atOnce
  }

  async read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    return toRowObjects<Row>(await this.rows(statement))
  }

  rows(statement: Statement): Promise<Rows> {
    return this.#execute(statement)
  }

  async write(statement: Statement): Promise<{ readonly changes: number }> {
    const { changes } = await this.#execute(statement)
    return { changes: changes ?? 0 }
  }

  async commit(): Promise<void> {
    const committed = this.#inTurn(() => this.#connection.commit())
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
    await connection.rollback().then(
      () => connection.release(),
      () => connection.release(true),
    )
  }

  #execute(statement: Statement): Promise<Execution> {
    if (this.#state === 'open') return this.#inTurn(() => this.#connection.execute(statement))
    return Promise.reject(new Error('This transaction is over: await everything inside of it.'))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#atOnce ? work() : this.#last.then(work, work)
    this.#last = done
    // The failure itself is the caller's, who gets it with `done`.
    done.catch(() => (this.failed = true))
    return done
  }
}
