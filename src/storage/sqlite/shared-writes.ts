// Short writes that come in one turn of the event loop share a transaction: the commit is what costs.
import type { Executor, Statement } from '../../core/ports/database.ts'
import { isPromise } from '../../core/std/after.ts'
import type { Semaphore } from '../semaphore.ts'

/** Work that asks at once, and may run again if the transaction that it shared was undone. */
export type ShortWork<T> = (executor: Pick<Executor, 'rows' | 'write'>) => T

interface Waiting {
  readonly work: ShortWork<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly arrived: number
  timer: NodeJS.Timeout | null
}

/** A connection that writes, below transactions. */
export interface Committing {
  readonly inTransaction: boolean
  write(statement: Statement): { readonly changes: number }
}
interface Writer extends Committing, Pick<Executor, 'rows'> {}

interface Parts {
  /** Transactions take their turns here; one that is open is not joined. */
  readonly queue: Semaphore
  readonly locks: { outwait<T>(work: () => T, arrived: number): Promise<T> }
  readonly writing: <T>(work: (writer: Writer) => T) => T
  /** Milliseconds that a write waits for its turn, before it fails with what `late` makes. */
  readonly patience: number
  readonly late: () => Error
}

/** The most writes that share a transaction: the event loop stands still until it is committed. */
const MOST_TOGETHER = 100

/** Transactions after one that a write made fail: clients decide how often that is, and it is done twice. */
const CAREFUL = 100

/**
 * Each answer comes once the shared transaction is committed, also that of a write which failed: what it saw of the
 * others is true then. Nothing else runs between BEGIN and COMMIT, so no reader sees what is not committed.
 */
export class SharedWrites {
  readonly #parts: Parts
  /** No `Set`: one that is filled and emptied all the time leaves its old tables behind, which hold requests until a full collection. */
  readonly #waiting: Waiting[] = []
  /** The number of transactions that can undo each write by itself, after a failure: that costs two statements a write. */
  #careful = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  add<T>(work: ShortWork<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const settle = { resolve: resolve as (value: unknown) => void, reject }
    const waiting = { work, ...settle, arrived: performance.now(), timer: null }
    this.#waiting.push(waiting)
    if (this.#parts.queue.full) this.#limit(waiting)
    if (this.#waiting.length === 1) setImmediate(() => void this.#begin())
    return promise
  }

  readonly #begin = async (): Promise<void> => {
    const { queue } = this.#parts
    if (queue.full) for (const waiting of this.#waiting) this.#limit(waiting)
    // Each of them has a limit of its own, and more may come.
    await queue.take(Infinity)
    try {
      await this.#settle(this.#next())
    } finally {
      queue.end()
    }
  }

  #next(): Waiting[] {
    const group = this.#waiting.splice(0, MOST_TOGETHER)
    for (const { timer } of group) if (timer !== null) clearTimeout(timer)
    if (this.#waiting.length > 0) setImmediate(() => void this.#begin())
    return group
  }

  #limit(waiting: Waiting): void {
    const { patience, late } = this.#parts
    // If a turn came during a standstill of the process, the end of the standstill is noticed first.
    waiting.timer ??= setTimeout(setImmediate, patience, () => {
      const at = this.#waiting.indexOf(waiting)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      waiting.reject(late())
    })
  }

  /**
   * Settles a group. If its transaction fails as a whole, each write is tried in one of its own: one of them may be the
   * reason.
   */
  async #settle(group: readonly Waiting[]): Promise<void> {
    const [first, ...others] = group
    if (first === undefined) return
    const { locks, writing } = this.#parts
    const work = () => writing((writer) => this.#outcomesOf(group, writer))
    try {
      for (const settle of await locks.outwait(work, first.arrived)) settle()
    } catch (error) {
      if (others.length === 0) return first.reject(error)
      for (const waiting of group) await this.#settle([waiting])
    }
  }

  /** Runs all writes, and returns what settles each once all are committed. @throws Error nothing was kept */
  #outcomesOf(group: readonly Waiting[], writer: Writer): readonly Outcome[] {
    if (group.length === 1)
      return commitUnlessNull(writer, () => group.map((each) => outcomeOf(each, writer)))
    if (this.#careful > 0) this.#careful--
    else {
      const all = commitUnlessNull(writer, () => allOf(group, writer))
      if (all !== null) return all
      this.#careful = CAREFUL
    }
    return commitUnlessNull(writer, () => group.map((each) => separateOutcomeOf(each, writer)))
  }
}

type Outcome = () => void

/** `null`: nothing is kept, and all writes are undone. */
export function commitUnlessNull<T extends readonly Outcome[] | null>(
  writer: Committing,
  attempt: () => T,
): T {
  writer.write(BEGIN)
  try {
    const outcomes = attempt()
    if (outcomes !== null) writer.write(COMMIT)
    return outcomes
  } finally {
    // Some failures, a full disk for one, have rolled back by themselves.
    if (writer.inTransaction) writer.write(ROLLBACK)
  }
}

/** The outcomes of all writes; `null`: one of them failed. */
function allOf(group: readonly Waiting[], writer: Writer): readonly Outcome[] | null {
  try {
    return group.map((each) => outcomeOf(each, writer))
  } catch {
    return null
  }
}

function outcomeOf({ work, resolve }: Waiting, writer: Writer): Outcome {
  const value = work(writer)
  if (isPromise(value)) throw new TypeError('What shares a transaction cannot wait within it.')
  return () => resolve(value)
}

/** Runs one write. If it fails, only its own changes are undone. */
function separateOutcomeOf(waiting: Waiting, writer: Writer): Outcome {
  writer.write(SAVEPOINT)
  try {
    return outcomeOf(waiting, writer)
  } catch (error) {
    // A trigger may undo the whole transaction.
    if (!writer.inTransaction) throw error
    writer.write(ROLLBACK_TO)
    return () => waiting.reject(error)
  } finally {
    if (writer.inTransaction) writer.write(RELEASE)
  }
}

const command = (sql: string) => ({ sql, parameters: [] })
const BEGIN = command('BEGIN IMMEDIATE')
const COMMIT = command('COMMIT')
const ROLLBACK = command('ROLLBACK')
const SAVEPOINT = command('SAVEPOINT shared_write')
const ROLLBACK_TO = command('ROLLBACK TO shared_write')
const RELEASE = command('RELEASE shared_write')
