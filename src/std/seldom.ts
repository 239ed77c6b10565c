/** Kinds that are kept apart at a time; what comes beyond them is counted as one kind. */
const KINDS = 100

interface Counted {
  /** When it was last due. */
  readonly since: number
  /** What came since, undue. */
  count: number
}

/**
 * Decides when a thing that may happen any number of times is due for the log: at once, and then every so
 * many milliseconds, with how many there were. However many kinds there are, memory and log are bounded:
 * at most a hundred and one lines in that time.
 *
 * @example
 * const refusals = new Seldom(1000)
 * const count = refusals.count()
 * if (count !== null) logger.error({ event: 'host.refused', count })
 */
export class Seldom {
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #kinds = new Map<string, Counted>()
  #others: Counted = { since: -Infinity, count: 0 }

  /** `now`: milliseconds by a clock that is never set back, unlike that on the wall. */
  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds
    this.#now = now
  }

  /** `null`: not due. Otherwise how many of the kind there were since it was last due, with this one. */
  count(kind = ''): number | null {
    const now = this.#now()
    const known = this.#kinds.get(kind)
    if (known === undefined && !this.#hasRoom(now)) return this.#countOther(now)
    if (known !== undefined && !this.#isDue(known, now)) return wait(known)
    this.#kinds.set(kind, { since: now, count: 0 })
    return (known?.count ?? 0) + 1
  }

  #countOther(now: number): number | null {
    const { count } = this.#others
    if (!this.#isDue(this.#others, now)) return wait(this.#others)
    this.#others = { since: now, count: 0 }
    return count + 1
  }

  /** Kinds that have been quiet make room; what is left of their counts joins that of the others. */
  #hasRoom(now: number): boolean {
    if (this.#kinds.size < KINDS) return true
    for (const [kind, counted] of this.#kinds) {
      if (!this.#isDue(counted, now)) continue
      this.#kinds.delete(kind)
      this.#others.count += counted.count
    }
    return this.#kinds.size < KINDS
  }

  #isDue({ since }: Counted, now: number): boolean {
    return now - since >= this.#milliseconds
  }
}

function wait(counted: Counted): null {
  counted.count++
  return null
}
