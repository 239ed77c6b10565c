/** Kinds that are kept apart at a time; what comes beyond them is counted as one kind. */
const KINDS = 100

interface Counted {
  /** When the kind was last due. */
  since: number
  /** The number of undue events since then. */
  count: number
}

/**
 * Decides when a thing that may happen any number of times is due for the log: at once, and then every so
 * many milliseconds, with how many there were. Memory and log are bounded: a hundred and one lines in that time.
 */
export class LogLimiter {
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #kinds = new Map<string, Counted>()
  readonly #others: Counted = { since: -Infinity, count: 0 }

  /** `now`: milliseconds by a clock that is never set back, unlike that on the wall. */
  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds
    this.#now = now
  }

  /**
   * Counts an event. `null`: it is not due. Otherwise the number of such events since the kind was last due, including this
   * one.
   */
  count(kind = ''): number | null {
    const now = this.#now()
    const counted = this.#kinds.get(kind) ?? this.#begin(kind, now)
    const count = ++counted.count
    if (now - counted.since < this.#milliseconds) return null
    counted.since = now
    counted.count = 0
    return count
  }

  /** Begins a new kind. Quiet kinds make room, and their remaining counts join those of the others. */
  #begin(kind: string, now: number): Counted {
    if (this.#kinds.size === KINDS)
      for (const [quiet, { since, count }] of this.#kinds) {
        if (now - since < this.#milliseconds) continue
        this.#kinds.delete(quiet)
        this.#others.count += count
      }
    if (this.#kinds.size === KINDS) return this.#others
    const counted = { since: -Infinity, count: 0 }
    this.#kinds.set(kind, counted)
    return counted
  }
}
