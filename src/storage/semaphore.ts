import { inTime } from '../core/std/deadlines.ts'

/** Lets a number of callers work at the same time; the others wait, in the order of arrival. */
export class Semaphore {
  readonly #most: number
  readonly #patience: number
  readonly #late: () => Error
  readonly #waiting = new Set<() => void>()
  #taken = 0

  /** `patience`: milliseconds that a caller waits, before it fails with what `late` makes. */
  constructor(most: number, patience: number, late: () => Error) {
    this.#most = most
    this.#patience = patience
    this.#late = late
  }

  get full(): boolean {
    return this.#taken >= this.#most
  }

  /** Every turn that is taken has to be ended. `patience`: another than that of the others. */
  take(patience: number = this.#patience): Promise<void> | void {
    if (!this.full) this.#taken++
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      return inTime(promise, patience, () => {
        this.#waiting.delete(resolve)
        return this.#late()
      })
    }
  }

  end(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#taken--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
