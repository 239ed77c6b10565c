import type { Counted, Counters, Limit, Standing } from '../contract/throttling.ts'
import type { Window } from '../settings/rates.ts'
import { AuthenticationFailed, Throttled } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { sha256 } from '../std/crypto/digest.ts'

/** Those whose wrong credentials count together, and a counter of the checks of theirs that are under way. */
export interface Subject {
  readonly kind: string
  /** The last one counts what is under way. */
  readonly limits: readonly Limit[]
}

/** A check is over by then, or its process is gone. */
const LONGEST_CHECK = 60
const MOST_UNDER_WAY = 1000

/** What `names` are stands in no key. */
export function subjectOf(
  kind: string,
  names: readonly string[],
  windows: readonly Window[],
): Subject {
  const name = `guesses_${kind}_${sha256(JSON.stringify(names))}`
  const wrong = windows.map(({ limit, seconds }): Limit => ({
    key: `${name}_${seconds}`,
    limit,
    seconds,
    cost: 1,
    algorithm: 'log',
  }))
  const underWay: Limit = {
    key: `${name}_under-way`,
    limit: MOST_UNDER_WAY,
    seconds: LONGEST_CHECK,
    cost: 1,
    algorithm: 'log',
    held: true,
  }
  return { kind, limits: [...wrong, underWay] }
}

/** Who must not check now: `wait` is in milliseconds; `busy`: what is under way may turn out right. */
export interface Refusal {
  readonly kind: string
  readonly wait: number
  readonly busy: boolean
}

/** `null`: each of them may check one more. */
export function refusalOf(
  subjects: readonly Subject[],
  standings: readonly Standing[],
): Refusal | null {
  let from = 0
  const refusals = subjects.flatMap(({ kind, limits }): Refusal[] => {
    const own = standings.slice(from, (from += limits.length))
    if (own.every(({ allowed }) => allowed)) return []
    const wait = Math.max(...own.map((each) => each.wait ?? 0))
    return [{ kind, wait, busy: own.at(-1)!.remaining < MOST_UNDER_WAY }]
  })
  // It is not worth waiting for one of them where another has no place anyway.
  const [longest] = refusals
    .filter(({ busy }) => !busy || refusals.every((each) => each.busy))
    .toSorted((one, other) => other.wait - one.wait)
  return longest ?? null
}

export const limitsOf = (subjects: readonly Subject[]): readonly Limit[] =>
  subjects.flatMap(({ limits }) => limits)

/** In milliseconds. */
const LONGEST_WAIT = 3000
const FIRST_PAUSE = 20

/** The places that a check has among those of its subjects, from before its work until it is known what came of it. */
export class Places {
  readonly #counters: Counters
  readonly #subjects: readonly Subject[]
  readonly #onRefusal: (refusal: Refusal) => void
  #taken: Counted | null = null
  #begun = false

  constructor(
    counters: Counters,
    subjects: readonly Subject[],
    onRefusal: (refusal: Refusal) => void,
  ) {
    this.#counters = counters
    this.#subjects = subjects
    this.#onRefusal = onRefusal
  }

  /**
   * Waits where there is no place, but may be one in a moment, because checks are under way, in whatever process.
   *
   * @throws Throttled (429)
   */
  async take(): Promise<void> {
    if (this.#begun) return
    this.#begun = true
    let waited = 0
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const counted = await this.#counters.hit(limitsOf(this.#subjects))
      const refusal = counted && refusalOf(this.#subjects, counted.standings)
      if (refusal === null) return void (this.#taken = counted)
      if (!refusal.busy || waited >= LONGEST_WAIT) throw this.refused(refusal)
      await new Promise((resolve) => setTimeout(resolve, pause))
      waited += pause
    }
  }

  refused(refusal: Refusal): Throttled {
    this.#onRefusal(refusal)
    // What is under way is over by then.
    return tooMany(refusal.busy ? 1000 : refusal.wait)
  }

  /** Gives back what has not turned out wrong. No answer waits for it. */
  giveBack(): void {
    if (this.#taken !== null) void this.#counters.withdraw(limitsOf(this.#subjects), this.#taken)
  }

  /** @throws Throttled (429) it was checked without a place, and there is none */
  async keep(): Promise<void> {
    await this.take()
    const underWay = limitsOf(this.#subjects).filter(({ held }) => held)
    if (this.#taken !== null) void this.#counters.withdraw(underWay, this.#taken)
  }
}

/** `null`, and `AuthenticationFailed`, are wrong; what fails otherwise is neither. */
export async function inPlaces<T>(
  places: Places,
  work: () => Promise<T | null>,
): Promise<T | null> {
  let isWrong = false
  try {
    const found = await work()
    isWrong = found === null
    return found
  } catch (error) {
    isWrong = error instanceof AuthenticationFailed
    throw error
  } finally {
    if (isWrong) await places.keep()
    else places.giveBack()
  }
}

/** `wait`: milliseconds. */
export function tooMany(wait: number): Throttled {
  return new Throttled(wait / 1000, Message.of('throttled.credentials'))
}
