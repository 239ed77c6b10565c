import type { MaybePromise } from '../../core/std/after.ts'
import type { Executor, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { ConnectionLost } from '../sql/sql-database.ts'
import { once } from '../../core/std/once.ts'
import { toRowObjects } from '../../core/std/row-objects.ts'
import { inTime } from '../../core/std/deadlines.ts'
import type { PooledConnection } from './server-connection.ts'
import type { ConnectionPool } from './server-pool.ts'
import { OutdatedPlan } from './failures.ts'
import { PooledTransaction } from './transaction.ts'

export type ReadExecutor = Pick<Executor, 'read' | 'rows'>

/** Gets the result, and reads on in the same snapshot. */
export type SnapshotWork<T> = (found: Rows, reader: ReadExecutor) => MaybePromise<T>

/** A run may read for so many times the duration of its first statement. */
const PATIENCE = 8
/** Milliseconds that the next run waits for the first statement of this one; twice as long where two are under way, and so on. */
const SLOW = 250
/** Work waits for so many times the patience of a statement: one run may go silent, and another one answers. */
const RUNS = 2

/** Pages of a list that are asked for at the same moment: it is counted once for all of them. */
export class SharedCounts {
  readonly #pool: ConnectionPool
  readonly #queues = new Map<unknown, SharedQueue>()

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  get size(): number {
    return this.#queues.size
  }

  /** Runs `work` in a snapshot that begins after this call, with what `first` finds in it. */
  read<T>(first: Statement, work: SnapshotWork<T>): Promise<T> {
    const key = keyOf(first) ?? Symbol('a queue of its own')
    const queue =
      this.#queues.get(key) ??
      new SharedQueue(this.#pool, first, () => void this.#queues.delete(key))
    this.#queues.set(key, queue)
    return waiting(work, RUNS * this.#pool.patience, (waiter) => queue.join(waiter))
  }
}

/** Equal for statements of the same text, with the same values of the same types; `null`: not known. */
function keyOf({ sql, parameters }: Statement): string | null {
  if (parameters.length === 0) return sql
  const values = parameters.map(textOf)
  return values.includes(null) ? null : JSON.stringify([sql, ...values])
}

/** The type and the value, which is never the text of another value; `null`: drivers make unknown things of other objects. */
function textOf(value: unknown): string | null {
  if (value instanceof Date) return `date ${value.getTime()}`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  const isPlain = value === null || /^(?:string|number|bigint|boolean)$/.test(typeof value)
  return isPlain ? `${typeof value} ${String(value)}` : null
}

/**
 * Nothing joins a run that has begun, so what each waiter gets is as fresh as if it had asked alone. The next
 * run begins, on another connection, when the first statement of this one is done, or takes long: its
 * connection may be silent. Those for whom a run had no time, or whose connection failed, go first in the next
 * one; each run serves one at least, so each has its turn.
 */
class SharedQueue {
  readonly #pool: ConnectionPool
  readonly #first: Statement
  readonly #onIdle: () => void
  #waiting: Waiter[] = []
  /** Has a run no connection yet, or a first statement that is under way and not slow? */
  #starting = false
  /** First statements under way. */
  #counting = 0
  #runs = 0
  readonly #pace: Pace = { each: null }

  constructor(pool: ConnectionPool, first: Statement, onIdle: () => void) {
    this.#pool = pool
    this.#first = first
    this.#onIdle = onIdle
  }

  join(waiter: Waiter): void {
    this.#waiting.push(waiter)
    this.#next()
  }

  /** Begins a due run at the end of the turn, so that all who come in it go together. */
  #next(): void {
    if (this.#starting) return
    if (this.#waiting.length > 0) {
      this.#starting = true
      setImmediate(() => void this.#run())
    } else if (this.#runs === 0) this.#onIdle()
  }

  async #run(): Promise<void> {
    this.#runs++
    // A waiter that comes while others wait in vain for a connection has not waited long enough to fail.
    const asking = this.#waiting.length
    try {
      const connection = await this.#pool.connect()
      await this.#serve(connection, this.#waiting.splice(0))
    } catch (error) {
      this.#starting = false
      this.#failed(this.#waiting.splice(0, asking), error)
    }
    this.#runs--
    this.#next()
  }

  async #serve(connection: PooledConnection, served: readonly Waiter[]): Promise<void> {
    const began = performance.now()
    const snapshot = await this.#begun(connection, served)
    const now = performance.now()
    if (snapshot === null) return
    const until = now + PATIENCE * (now - began)
    const left = await readBy(served, snapshot, until, this.#pace)
    this.#waiting.unshift(...left)
    // Nothing was written, so there is no need to wait for the end.
    void snapshot.transaction.end()
  }

  async #begun(connection: PooledConnection, served: readonly Waiter[]) {
    const started = once(() => {
      this.#starting = false
      this.#next()
    })
    const slow = setTimeout(started, SLOW * 2 ** this.#counting++)
    const transaction = new PooledTransaction(connection, { atOnce: true })
    try {
      return { transaction, found: await connection.beginWith(this.#first) }
    } catch (error) {
      void transaction.end()
      this.#failed(served, error)
      return null
    } finally {
      clearTimeout(slow)
      this.#counting--
      started()
    }
  }

  /** Fails waiters. Those who wait again go first in the next run, which begins when this one ends. */
  #failed(waiters: readonly Waiter[], error: unknown): void {
    this.#waiting.unshift(...waiters.filter((waiter) => !waiter.fail(error)))
  }
}

/** A transaction with what its first statement found. */
interface Snapshot {
  readonly transaction: PooledTransaction
  readonly found: Rows
}

/** Milliseconds that each waiter takes, as far as the last run can tell. */
interface Pace {
  each: number | null
}

/** The number of waiters that read first at once, if the last run tells whether the time is enough for them. */
const FIRST = 4

/**
 * Lets waiters read, and returns those without an answer. The first reads alone, or a few read at once, and then twice as
 * many as have read, if the time is enough. What they ask leaves together, so the server is not idle between two.
 */
async function readBy(
  waiters: readonly Waiter[],
  snapshot: Snapshot,
  until: number,
  pace: Pace,
): Promise<readonly Waiter[]> {
  const began = performance.now()
  let read = 0
  for (;;) {
    const most = pace.each === null ? 1 : Math.floor((until - performance.now()) / pace.each)
    const size = Math.max(1, Math.min(most, read === 0 ? FIRST : 2 * read))
    const together = waiters.slice(read, read + size)
    const unanswered = await readTogether(together, snapshot)
    read += together.length
    const now = performance.now()
    pace.each = Math.max((now - began) / read, Number.EPSILON)
    // On PostgreSQL a snapshot is of no use after a statement has failed.
    const isOver = snapshot.transaction.failed || now > until || read >= waiters.length
    if (isOver || unanswered.length > 0) return [...unanswered, ...waiters.slice(read)]
  }
}

async function readTogether(
  waiters: readonly Waiter[],
  { transaction, found }: Snapshot,
): Promise<readonly Waiter[]> {
  const failure: Failure = { reader: null }
  const answered = await Promise.all(
    waiters.map((waiter) => waiter.read(found, new BesideOthers(transaction, failure))),
  )
  return waiters.filter((_, index) => !answered[index])
}

/** The first of the readers at the same time whose statement failed. */
interface Failure {
  reader: BesideOthers | null
}

/** A reader beside others. After the failure of another one, what this reader finds, or fails with, says nothing. */
class BesideOthers implements ReadExecutor {
  readonly #transaction: PooledTransaction
  readonly #failure: Failure

  constructor(transaction: PooledTransaction, failure: Failure) {
    this.#transaction = transaction
    this.#failure = failure
  }

  get inVain(): boolean {
    return this.#failure.reader !== null && this.#failure.reader !== this
  }

  async read<Row = Record<string, unknown>>(statement: Statement): Promise<readonly Row[]> {
    return toRowObjects<Row>(await this.rows(statement))
  }

  rows(statement: Statement): Promise<Rows> {
    const rows = this.#transaction.rows(statement)
    rows.catch(() => (this.#failure.reader ??= this))
    return rows
  }
}

/** Work that waits for a run. Its fate is that of no other work. */
interface Waiter {
  /** `false`: the failure will pass, or is that of another reader, so the work waits for another run. */
  read(found: Rows, reader: BesideOthers): Promise<boolean>
  /**
   * Answers with a failure. `false`: the failure will pass and is the first one, so the work waits again; reading twice does
   * no harm.
   */
  fail(error: unknown): boolean
}

function waiting<T>(
  work: SnapshotWork<T>,
  milliseconds: number,
  join: (waiter: Waiter) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let over = false
  let again = true
  const fail = (error: unknown): boolean => {
    const passes = error instanceof ConnectionLost || error instanceof OutdatedPlan
    const waits = again && !over && passes
    again = false
    if (!waits) reject(error)
    return !waits
  }
  const read = async (found: Rows, reader: BesideOthers): Promise<boolean> => {
    if (over) return true
    try {
      const value = await work(found, reader)
      if (reader.inVain) return false
      resolve(value)
      return true
    } catch (error) {
      return !reader.inVain && fail(error)
    }
  }
  join({ read, fail })
  return inTime(promise, milliseconds, () => {
    over = true
    return new DatabaseUnavailable(
      `The database did not come to read a list in ${milliseconds / 1000} s.`,
    )
  })
}
