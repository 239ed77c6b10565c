interface Waiting {
  enter(): void
}

/** Lets one writer in at a time, in the order of arrival. Whoever entered has to leave. */
export class WriteQueue {
  readonly #patience: number
  readonly #tooLong: () => Error
  readonly #waiting = new Set<Waiting>()
  #taken = false

  /** `patience`: milliseconds after which a waiting writer gives up with `tooLong()`. */
  constructor(patience: number, tooLong: () => Error) {
    this.#patience = patience
    this.#tooLong = tooLong
  }

  get taken(): boolean {
    return this.#taken
  }

  enter(): Promise<void> {
    if (this.#taken) return this.#wait()
    this.#taken = true
    return Promise.resolve()
  }

  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      return next.enter()
    }
    this.#taken = false
  }

  #wait(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(this.#tooLong())
    }, this.#patience)
    const waiting: Waiting = {
      enter() {
        clearTimeout(timer)
        resolve()
      },
    }
    this.#waiting.add(waiting)
    return promise
  }
}
