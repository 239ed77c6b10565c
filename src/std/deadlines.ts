interface Waiting {
  /** By the clock of `performance.now()`. */
  readonly until: number
  readonly expire: () => void
}

/**
 * Work that may take so long each, and one timer for all of it: what is answered in time costs no timer of its own,
 * however much of it there is.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #late: () => Error
  /** In the order in which their time is over. */
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | null = null

  /** `late`: the failure of work that has given nothing for so many milliseconds. */
  constructor(milliseconds: number, late: () => Error) {
    this.#milliseconds = milliseconds
    this.#late = late
  }

  /** What `work` gives, or its failure, or that it is late; `discard` gets what comes after that. */
  within<T>(work: PromiseLike<T>, discard: (value: T) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const until = performance.now() + this.#milliseconds
    const waiting = { until, expire: () => reject(this.#late()) }
    this.#add(waiting)
    work.then(
      (value) => (this.#take(waiting) ? resolve(value) : discard(value)),
      (error: unknown) => {
        if (this.#take(waiting)) reject(error)
      },
    )
    return promise
  }

  #add(waiting: Waiting): void {
    this.#waiting.add(waiting)
    if (this.#timer === null) this.#start(this.#milliseconds)
    else if (this.#waiting.size === 1) this.#timer.ref()
  }

  /** `false`: its time is over. Without work, the timer keeps no program from ending. */
  #take(waiting: Waiting): boolean {
    const isInTime = this.#waiting.delete(waiting)
    if (isInTime && this.#waiting.size === 0) this.#timer?.unref()
    return isInTime
  }

  /** After a standstill of this process, answers that have arrived are read first. */
  #start(milliseconds: number): void {
    this.#timer = setTimeout(setImmediate, milliseconds, this.#expire)
  }

  readonly #expire = (): void => {
    this.#timer = null
    const now = performance.now()
    for (const waiting of this.#waiting) {
      if (waiting.until > now) return this.#start(Math.ceil(waiting.until - now))
      this.#waiting.delete(waiting)
      waiting.expire()
    }
  }
}
