import type { Executor, Rows, Statement } from '../../contract/storage.ts'
import type { ConnectionPool, PooledConnection } from './connection-pool.ts'
import { PooledTransaction } from './transaction.ts'
import { once } from '../../std/once.ts'
import type { Waiting } from './shared-waiter.ts'

/** A run reads for those who waited this many times as long as its first statement took. */
const PATIENCE = 8
/** Milliseconds that the next run waits for a first statement; twice as long where two are under way, and so on. */
const SLOW = 250

/**
 * Those who wait for the same first statement. Nobody joins a run that has begun, so what each gets is as
 * fresh as if he had asked alone. The next run begins when the first statement of this one is done, on
 * another connection, while this one still reads; or when it takes long, because its connection may be
 * silent.
 *
 * One connection reads for one after the other. Whoever has not had his turn when the run has read long
 * enough, or when a statement failed on its connection, goes first in the next run; each run serves one at
 * least, so everybody has his turn.
 */
export class SharedQueue {
  readonly #pool: ConnectionPool
  readonly #first: Statement
  readonly #onIdle: () => void
  #waiting: Waiting[] = []
  /** Is there a run that has no connection yet, or whose first statement is under way and not slow? */
  #starting = false
  /** First statements under way. */
  #counting = 0
  #runs = 0

  constructor(pool: ConnectionPool, first: Statement, onIdle: () => void) {
    this.#pool = pool
    this.#first = first
    this.#onIdle = onIdle
  }

  join(waiter: Waiting): void {
    this.#waiting.push(waiter)
    this.#next()
  }

  /** At the end of the turn, so that all who come in it go together. */
  #next(): void {
    if (this.#starting) return
    if (this.#waiting.length > 0) {
      this.#starting = true
      setImmediate(() => void this.#run())
    } else if (this.#runs === 0) this.#onIdle()
  }

  async #run(): Promise<void> {
    this.#runs++
    const connection = await this.#connected()
    if (connection !== null) await this.#serve(connection)
    this.#runs--
    this.#next()
  }

  /** Whoever came while others waited for a connection in vain has not waited long enough. */
  async #connected(): Promise<PooledConnection | null> {
    const asking = this.#waiting.length
    try {
      return await this.#pool.connect()
    } catch (error) {
      this.#failed(this.#waiting.splice(0, asking), error)
      this.#starting = false
      return null
    }
  }

  async #serve(connection: PooledConnection): Promise<void> {
    const served = this.#waiting
    this.#waiting = []
    const began = performance.now()
    const snapshot = await this.#begun(connection, served)
    const now = performance.now()
    if (snapshot === null) return
    const { transaction, found } = snapshot
    await this.#read(served, found, transaction, now + PATIENCE * (now - began))
    // Nothing was written, so nobody has to wait for the end.
    void transaction.end()
  }

  async #begun(connection: PooledConnection, served: readonly Waiting[]) {
    const next = once(() => {
      this.#starting = false
      this.#next()
    })
    const slow = setTimeout(next, SLOW * 2 ** this.#counting++)
    try {
      return await PooledTransaction.snapshot(connection, this.#first)
    } catch (error) {
      this.#failed(served, error)
      return null
    } finally {
      clearTimeout(slow)
      this.#counting--
      next()
    }
  }

  async #read(
    served: readonly Waiting[],
    found: Rows,
    transaction: PooledTransaction,
    until: number,
  ): Promise<void> {
    const reader = new WatchedReader(transaction)
    for (const [index, waiter] of served.entries()) {
      const answered = await waiter.read(found, reader)
      if (answered && !reader.failed && performance.now() <= until) continue
      return this.#again(served.slice(answered ? index + 1 : index))
    }
  }

  #failed(waiters: readonly Waiting[], error: unknown): void {
    this.#again(waiters.filter((waiter) => !waiter.fail(error)))
  }

  #again(waiters: readonly Waiting[]): void {
    this.#waiting.unshift(...waiters)
    this.#next()
  }
}

/** Knows whether a statement failed: on PostgreSQL the snapshot is of no use then. */
class WatchedReader implements Pick<Executor, 'read' | 'rows'> {
  readonly #transaction: PooledTransaction
  failed = false

  constructor(transaction: PooledTransaction) {
    this.#transaction = transaction
  }

  read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    return this.#watched(this.#transaction.read<Row>(statement))
  }

  rows(statement: Statement): Promise<Rows> {
    return this.#watched(this.#transaction.rows(statement))
  }

  async #watched<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      this.failed = true
      throw error
    }
  }
}
