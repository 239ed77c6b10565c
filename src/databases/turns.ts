/** Lets so many work at the same time; the others wait, first come, first served, and not for ever. */
export class Turns {
  readonly #most: number
  readonly #patience: number
  readonly #late: () => Error
  readonly #waiting = new Set<() => void>()
  #taken = 0

  /** `patience`: milliseconds that somebody waits, before he fails with what `late` makes. */
  constructor(most: number, patience: number, late: () => Error) {
    this.#most = most
    this.#patience = patience
    this.#late = late
  }

  /** Whoever takes a turn ends it. */
  take(): Promise<void> | void {
    if (this.#taken < this.#most) this.#taken++
    else return this.#wait()
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
