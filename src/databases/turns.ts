/** Lets a number of callers work at the same time; the others wait, in the order of arrival. */
export class Turns {
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

  /** Must the next caller wait? */
  get full(): boolean {
    return this.#taken >= this.#most
  }

  /** Every turn that is taken has to be ended. */
  take(): Promise<void> | void {
    if (this.full) return this.#wait()
    this.#taken++
  }

  end(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      return next()
    }
    this.#taken--
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(next)
        reject(this.#late())
      }, this.#patience)
      this.#waiting.add(next)
    })
  }
}
