import type { Statement } from '../../contract/storage.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { keyOf } from './shared-key.ts'
import { SharedQueue } from './shared-queue.ts'
import { Waiter, type Work } from './shared-waiter.ts'

/**
 * Snapshots that begin with the same statement, and are one where they are asked for at the same moment:
 * many pages of a list, which is counted once for all of them.
 */
export class SharedSnapshots {
  readonly #pool: ConnectionPool
  /** Those in which somebody waits. */
  readonly #queues: Map<string, SharedQueue>

  constructor(pool: ConnectionPool, queues: Map<string, SharedQueue> = new Map()) {
    this.#pool = pool
    this.#queues = queues
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
