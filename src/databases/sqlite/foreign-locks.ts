import { isLocked } from './failures.ts'

/** Milliseconds between two attempts at most. */
const LONGEST_PAUSE = 10

/**
 * Waits for locks of other processes without stopping the event loop. SQLite can only wait in a call, so
 * it does not wait at all, and what met a lock is tried again after a pause.
 */
export class ForeignLocks {
  readonly #patience: number
  /** Since when every attempt has met a lock. */
  #since: number | null = null

  /** `patience`: in milliseconds. */
  constructor(patience: number) {
    this.#patience = patience
  }

  /**
   * Fails where the lock outlasts the patience. `arrived`: when the work was first asked for. What waited for
   * its turn while others waited for the same lock has waited for it too; else the waits of a queue would add up.
   */
  async outwait<T>(work: () => T, arrived: number = performance.now()): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const result = work()
        this.#since = null
        return result
      } catch (error) {
        const now = performance.now()
        const since = isLocked(error) ? (this.#since ?? now) : null
        this.#since = since
        if (since === null || now >= Math.max(arrived, since) + this.#patience) throw error
      }
      const length = pause * (0.5 + Math.random() / 2)
      await new Promise((resolve) => void setTimeout(resolve, length))
    }
  }
}
