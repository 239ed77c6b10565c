// Limits of time: of one piece of work, and of many that share a timer.
/** Milliseconds between two looks at the clock, and what counts of them at most. */
const TICK = 50
const LONGEST_TICK = 60

interface Waiting {
  /** By the clock of the deadlines. */
  readonly since: number
  readonly fail: (error: unknown) => void
}

/**
 * Limits the time of many pieces of work with one timer: work that is answered in time costs no timer of its own. Time in
 * which this process stands still, because it is busy or gets no processor, does not count, because nothing could be
 * answered in it.
 */
export class Deadlines {
  readonly #milliseconds: number
  readonly #late: () => Error
  /** In the order in which their time is over. */
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | null = null
  /** Milliseconds that counted up to the last tick, and when that was. */
  #clock = 0
  #tickedAt = 0

  /** `late`: the failure of work that has given nothing for so many milliseconds, or a tick more. */
  constructor(milliseconds: number, late: () => Error) {
    this.#milliseconds = milliseconds
    this.#late = late
  }

  /**
   * Gives the result of `work`, or its failure, or the failure that it is late; `discard` gets a result that comes later.
   */
  within<T>(work: PromiseLike<T>, discard: (value: T) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const waiting = this.#add(reject)
    work.then(
      (value) => (this.#take(waiting) ? resolve(value) : discard(value)),
      (error: unknown) => {
        if (this.#take(waiting)) reject(error)
      },
    )
    return promise
  }

  /** Gives up all work under way, which then fails with this error. */
  giveUp(error: unknown): void {
    const given = [...this.#waiting]
    this.#waiting.clear()
    this.#timer?.unref()
    for (const { fail } of given) fail(error)
  }

  #add(fail: Waiting['fail']): Waiting {
    const now = performance.now()
    if (this.#timer === null) this.#start(now)
    else if (this.#waiting.size === 0) this.#timer.ref()
    const waiting = { since: this.#clockAt(now), fail }
    this.#waiting.add(waiting)
    return waiting
  }

  /** Takes work out; `false`: its time was over. Without work, the timer does not keep the program running. */
  #take(waiting: Waiting): boolean {
    const isInTime = this.#waiting.delete(waiting)
    if (isInTime && this.#waiting.size === 0) this.#timer?.unref()
    return isInTime
  }

  /** Fails late work, but reads answers that have arrived first. */
  #start(now: number): void {
    this.#tickedAt = now
    this.#timer = setTimeout(setImmediate, TICK, this.#tick)
  }

  #clockAt(now: number): number {
    return this.#clock + Math.min(now - this.#tickedAt, LONGEST_TICK)
  }

  readonly #tick = (): void => {
    const now = performance.now()
    this.#clock = this.#clockAt(now)
    this.#timer = null
    for (const waiting of this.#waiting) {
      if (this.#clock - waiting.since < this.#milliseconds) return this.#start(now)
      this.#waiting.delete(waiting)
      waiting.fail(this.#late())
    }
  }
}

/**
 * The result of `work`, or a failure if it takes longer than so many milliseconds; `discard` gets a late result. After a
 * standstill of this process, answers that have arrived are read first.
 */
export function inTime<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error,
  discard: (value: T) => void = () => undefined,
): Promise<T> {
  if (milliseconds === Infinity) return work
  // Each statement comes by here: a race of promises, or an async function, would cost several more of them.
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let [answered, over] = [false, false]
  const timer = setTimeout(setImmediate, milliseconds, () => {
    if (answered) return
    over = true
    reject(late())
  })
  const end = (): void => {
    answered = true
    clearTimeout(timer)
  }
  work.then(
    (value) => {
      end()
      if (over) discard(value)
      else resolve(value)
    },
    (error: unknown) => {
      end()
      reject(error)
    },
  )
  return promise
}
