import type { Window } from '../settings/rates.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { keyedDigest } from '../std/crypto/digest.ts'
import { randomKey } from '../std/crypto/keys.ts'
import { tooMany } from './guess-places.ts'

const MOST = 10_000

interface Wrong {
  readonly since: number
  times: number
}

/**
 * The wrong guesses of this process, as digests under a key that never leaves it. A program that repeats an old
 * password all day is no attack: what it repeats counts for itself alone, not for its address and its account.
 */
export class RememberedGuesses {
  readonly #now: () => number
  readonly #digest = keyedDigest(randomKey())
  readonly #wrong = new BoundedMap<string, Wrong>(MOST)
  readonly #underWay = new Map<string, Promise<void>>()

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** What it is remembered by; of the same parts always the same. */
  nameOf(...parts: readonly string[]): string {
    return this.#digest(JSON.stringify(parts))
  }

  /** The same guess at the same moment is one guess: the first one goes ahead, and the others find what came of it. */
  async behindFirst<T>(name: string, go: () => Promise<T>): Promise<T> {
    const first = this.#underWay.get(name)
    if (first !== undefined) {
      await first
      return go()
    }
    const going = go()
    const done = (): void => void this.#underWay.delete(name)
    this.#underWay.set(name, going.then(done, done))
    return going
  }

  add(name: string): void {
    this.#wrong.set(name, { since: this.#now(), times: 1 })
  }

  /**
   * Was it wrong in this window?
   *
   * @throws Throttled (429) as often as anything may be
   */
  repeats(name: string, { limit, seconds }: Window): boolean {
    const wrong = this.#wrong.get(name)
    const age = this.#now() - (wrong?.since ?? -Infinity)
    // Ahead of a clock that has been set back it is as good as forgotten.
    if (wrong === undefined || age < 0 || age >= seconds * 1000) return false
    if (wrong.times >= limit) throw tooMany(seconds * 1000 - age)
    wrong.times++
    return true
  }
}
