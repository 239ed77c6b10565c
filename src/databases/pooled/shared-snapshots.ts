import type { MaybePromise } from '../../contract/request.ts'
import type { Executor, Rows, Statement } from '../../contract/database.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { once } from '../../std/once.ts'
import type { ConnectionPool, PooledConnection } from './connection-pool.ts'
import { OutdatedPlan } from './failures.ts'
import { ConnectionLost } from '../../sql/connection-lost.ts'
import { inTime } from './in-time.ts'
import { PooledTransaction } from './transaction.ts'

type ReadExecutor = Pick<Executor, 'read' | 'rows'>

/** What a caller does after it has waited: it gets what was found, and reads on in the same snapshot. */
type Work<T> = (found: Rows, reader: ReadExecutor) => MaybePromise<T>

/** A run reads for those who waited this many times as long as its first statement took. */
const PATIENCE = 8
/** Milliseconds that the next run waits for a first statement; twice as long where two are under way, and so on. */
const SLOW = 250
/** Times a statement's patience: one run may go silent, and another one answers. */
const RUNS = 2

/**
 * Snapshots that begin with the same statement, and are one where they are asked for at the same moment:
 * many pages of a list, which is counted once for all of them.
 */
export class SharedSnapshots {
  readonly #pool: ConnectionPool
  /** Queues in which a caller waits or a run reads. */
  readonly #queues = new Map<string, SharedQueue>()

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  /** Different first statements that are waited for. */
  get size(): number {
    return this.#queues.size
  }

  /** Runs `work` in a snapshot that begins after this call, with what `first` finds in it. */
  read<T>(first: Statement, work: Work<T>): Promise<T> {
    const waiter = new Waiter(work, this.#pool.patience)
    this.#queueOf(first).join(waiter)
    return waiter.promise
  }

  #queueOf(first: Statement): SharedQueue {
    const key = keyOf(first)
    if (key === null) return new SharedQueue(this.#pool, first, () => undefined)
    const queue =
      this.#queues.get(key) ??
      new SharedQueue(this.#pool, first, () => void this.#queues.delete(key))
    this.#queues.set(key, queue)
    return queue
  }
}

/** Equal for statements that ask the same: same text, same values of the same types. `null`: that is not known. */
function keyOf({ sql, parameters }: Statement): string | null {
  if (parameters.length === 0) return sql
  const values = parameters.map(textOf)
  return values.includes(null) ? null : JSON.stringify([sql, ...values])
}

/** A type and a value; the text of one is never that of another. What drivers make of other objects is unknown here. */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return `${typeof value} ${value}`
    case 'object':
      if (value === null) return 'null'
      if (value instanceof Date) return `date ${value.getTime()}`
      if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
      return null
    default:
      return null
  }
}

/**
 * Callers that wait for the same first statement. Nothing joins a run that has begun, so what each gets is
 * as fresh as if it had asked alone. The next run begins when the first statement of this one is done, on
 * another connection, while this one still reads; or when it takes long, because its connection may be
 * silent.
 *
 * One connection reads for one waiter after the other. Those that had no turn when the run has read long
 * enough, or when a statement failed on its connection, go first in the next run; each run serves one at
 * least, so each has its turn.
 */
class SharedQueue {
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

  /**
   * Begins a run where one is due. Called after each change that may make one due: a waiter has joined, a
   * run has started, a run has ended. It begins at the end of the turn, so that all who come in it go
   * together.
   */
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
    if (connection === null) this.#starting = false
    else await this.#serve(connection)
    this.#runs--
    this.#next()
  }

  /** A waiter that came while others waited for a connection in vain has not waited long enough. */
  async #connected(): Promise<PooledConnection | null> {
    const asking = this.#waiting.length
    try {
      return await this.#pool.connect()
    } catch (error) {
      this.#failed(this.#waiting.splice(0, asking), error)
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
    // Nothing was written, so there is no need to wait for the end.
    void transaction.end()
  }

  async #begun(connection: PooledConnection, served: readonly Waiting[]) {
    const started = once(() => {
      this.#starting = false
      this.#next()
    })
    const slow = setTimeout(started, SLOW * 2 ** this.#counting++)
    try {
      return await PooledTransaction.snapshot(connection, this.#first)
    } catch (error) {
      this.#failed(served, error)
      return null
    } finally {
      clearTimeout(slow)
      this.#counting--
      started()
    }
  }

  async #read(
    served: readonly Waiting[],
    found: Rows,
    transaction: PooledTransaction,
    until: number,
  ): Promise<void> {
    for (const [index, waiter] of served.entries()) {
      const answered = await waiter.read(found, transaction)
      // On PostgreSQL a snapshot is of no use after a statement has failed.
      if (answered && !transaction.failed && performance.now() <= until) continue
      return this.#again(served.slice(answered ? index + 1 : index))
    }
  }

  #failed(waiters: readonly Waiting[], error: unknown): void {
    this.#again(waiters.filter((waiter) => !waiter.fail(error)))
  }

  /** Puts them in front for the next run; the end of this one begins it. */
  #again(waiters: readonly Waiting[]): void {
    this.#waiting.unshift(...waiters)
  }
}

/** What a queue knows of a waiter. */
type Waiting = Pick<Waiter<unknown>, 'read' | 'fail'>

/** Work that waits for a run, and not for ever. What happens to it happens to no other. */
class Waiter<T> {
  readonly promise: Promise<T>
  readonly #work: Work<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: unknown) => void
  #again = true
  #over = false

  /** `patience`: milliseconds that a statement is waited for. */
  constructor(work: Work<T>, patience: number) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.promise = inTime(promise, RUNS * patience, () => this.#late(RUNS * patience))
    this.#work = work
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Works, and answers. `false`: the failure is one that passes, so it waits for another run. */
  async read(found: Rows, reader: ReadExecutor): Promise<boolean> {
    if (this.#over) return true
    try {
      this.#resolve(await this.#work(found, reader))
      return true
    } catch (error) {
      return this.fail(error)
    }
  }

  /** Answers with a failure, but for one that passes, once: `false`. Reading twice does no harm. */
  fail(error: unknown): boolean {
    const waits = this.#again && !this.#over && isPassing(error)
    this.#again = false
    if (!waits) this.#reject(error)
    return !waits
  }

  #late(milliseconds: number): DatabaseUnavailable {
    this.#over = true
    return new DatabaseUnavailable(
      `The database did not come to read a list in ${milliseconds / 1000} s.`,
    )
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ConnectionLost || error instanceof OutdatedPlan
}
