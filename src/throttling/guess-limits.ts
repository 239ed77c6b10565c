import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import type { Guess, Guesses, Limit, Rate } from '../contract/throttling.ts'
import { type Window, windowsOf } from '../settings/rates.ts'
import { after } from '../std/after.ts'
import { BoundedMap } from '../std/bounded-map.ts'
import { keyedDigest, sha256 } from '../std/crypto/digest.ts'
import { randomKey } from '../std/crypto/keys.ts'
import { errorText } from '../std/text/error-text.ts'
import {
  Places,
  type Subject,
  inPlaces,
  limitsOf,
  refusalOf,
  subjectOf,
  tooMany,
} from './guess-places.ts'

type Request = Pick<ApiRequest, 'client' | 'counters' | 'endpointName' | 'id' | 'logSeldom'>

/** Keys, and clients with wrong ones. */
const REMEMBERED = 4096
const LONGEST_REMEMBERED = 128

/** What the requests of an application share. */
export class GuessLimits {
  readonly wrong: RememberedGuesses
  /** Keys that have been right. */
  readonly known: BoundedMap<string, true> = new BoundedMap<string, true>(REMEMBERED)
  readonly #suspects = new BoundedMap<string, number>(REMEMBERED)
  readonly #read = new BoundedMap<Rate, readonly Window[]>(100)
  readonly #now: () => number

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now
    this.wrong = new RememberedGuesses(now)
  }

  of(request: Request, rate: Rate): Guesses {
    let windows = this.#read.get(rate)
    if (windows === undefined) this.#read.set(rate, (windows = windowsOf(rate)))
    return new RequestGuesses(request, windows, this)
  }

  suspect(client: string): void {
    this.#suspects.set(client, this.#now())
  }

  /** Has this client brought a wrong key in the last so many seconds? */
  isSuspect(client: string, seconds: number): boolean {
    const age = this.#now() - (this.#suspects.get(client) ?? -Infinity)
    return age >= 0 && age < seconds * 1000
  }
}

/**
 * Says that an account has been entered from a client: 30 days at least after the last time, 60 at most. Each mark
 * drains in 30 days, and another is made where one is left at most. With a third the counter would be full, and
 * counters that are full are never forgotten.
 */
const MARK = { limit: 3, seconds: 90 * 86_400, cost: 1, algorithm: 'gcra' } as const
const FRESH = 1

class RequestGuesses implements Guesses {
  readonly #request: Request
  readonly #windows: readonly Window[]
  readonly #shared: GuessLimits
  #judged = false

  constructor(request: Request, windows: readonly Window[], shared: GuessLimits) {
    this.#request = request
    this.#windows = windows
    this.#shared = shared
  }

  password<T>({ account, secret, check }: Guess<T>): Promise<T | null> {
    this.#judged = true
    const { wrong } = this.#shared
    const guess = wrong.nameOf('password', this.#request.client, account, secret)
    return wrong.behindFirst(guess, () => this.#password(guess, account, check))
  }

  async #password<T>(guess: string, account: string, check: Guess<T>['check']): Promise<T | null> {
    const { wrong } = this.#shared
    if (wrong.repeats(guess, this.#fewest)) return null
    const { places, mark } = await this.#approach(account)
    const found = await inPlaces(places, () => check(() => places.take()))
    if (found === null) wrong.add(guess)
    else if (mark !== null) void this.#mark(mark)
    return found
  }

  key<T>(key: string, look: () => MaybePromise<T | null>): MaybePromise<T | null> {
    this.#judged = true
    const { known } = this.#shared
    const name = key.length <= LONGEST_REMEMBERED ? key : sha256(key)
    const isKnown = known.get(name) === true
    if (!isKnown && this.#isSuspect) {
      const guess = this.#nameOf(name)
      return this.#shared.wrong.behindFirst(guess, () => this.#suspectKey(guess, name, look))
    }
    return after(look(), (found) => {
      if (found === null) return this.#wrongKey(name)
      if (!isKnown) known.set(name, true)
      return found
    })
  }

  wrong(): MaybePromise<void> {
    if (this.#judged) return
    this.#judged = true
    return this.#places([this.#clientOf('key')]).keep()
  }

  /** Where the account is known at this client, only what is wrong for the two together counts. */
  async #approach(account: string): Promise<{ places: Places; mark: Limit | null }> {
    const { client, counters } = this.#request
    const mark = { ...MARK, key: `guesses_mark_${sha256(JSON.stringify([account, client]))}` }
    const here = [subjectOf('place', [account, client], this.#windows)]
    const anywhere = [this.#clientOf('password'), subjectOf('account', [account], this.#windows)]
    const asked = [mark, ...limitsOf([...here, ...anywhere])]
    const [marked, ...standings] = (await counters.hit(asked, { counting: false }))?.standings ?? []
    const marks = MARK.limit - (marked?.remaining ?? MARK.limit)
    const places = this.#places(marks > 0 ? here : anywhere)
    const own = limitsOf(here).length
    const refusal =
      marks > 0 ? refusalOf(here, standings) : refusalOf(anywhere, standings.slice(own))
    if (refusal?.busy === false) throw places.refused(refusal)
    return { places, mark: marks > FRESH ? null : mark }
  }

  /** No answer waits for it, and none depends on it. */
  async #mark(mark: Limit): Promise<void> {
    try {
      await this.#request.counters.hit([mark], { onStoreError: 'allow' })
    } catch (error) {
      const record = { event: 'login.not_marked', error: errorText(error) }
      this.#request.logSeldom?.('login.not_marked', record)
    }
  }

  /** Takes a place before it is looked up. */
  async #suspectKey<T>(
    guess: string,
    name: string,
    look: () => MaybePromise<T | null>,
  ): Promise<T | null> {
    const { known, wrong } = this.#shared
    const counts = !wrong.repeats(guess, this.#fewest)
    const places = this.#places([this.#clientOf('key')])
    const found = counts
      ? await inPlaces(places, async () => {
          await places.take()
          return look()
        })
      : await look()
    if (found !== null) known.set(name, true)
    else if (counts) this.#remember(guess)
    return found
  }

  /** Counts a key that was looked up without a place. */
  #wrongKey(name: string): Promise<null> {
    const { known, wrong } = this.#shared
    known.delete(name)
    const guess = this.#nameOf(name)
    return wrong.behindFirst(guess, async () => {
      if (wrong.repeats(guess, this.#fewest)) return null
      await this.#places([this.#clientOf('key')]).keep()
      this.#remember(guess)
      return null
    })
  }

  #remember(guess: string): void {
    this.#shared.wrong.add(guess)
    this.#shared.suspect(this.#request.client)
  }

  #nameOf(key: string): string {
    return this.#shared.wrong.nameOf('key', this.#request.client, key)
  }

  get #isSuspect(): boolean {
    const longest = Math.max(...this.#windows.map(({ seconds }) => seconds))
    return this.#shared.isSuspect(this.#request.client, longest)
  }

  /** The window that allows the fewest. */
  get #fewest(): Window {
    return this.#windows.reduce((fewest, each) => (each.limit < fewest.limit ? each : fewest))
  }

  #clientOf(kind: 'password' | 'key'): Subject {
    return subjectOf('client', [kind, this.#request.client], this.#windows)
  }

  #places(subjects: readonly Subject[]): Places {
    const { client, counters, endpointName: endpoint, id, logSeldom } = this.#request
    return new Places(counters, subjects, ({ kind: by }) => {
      // Known to be limited, perhaps by what other processes have counted.
      this.#shared.suspect(client)
      logSeldom?.(`login.limited ${by}`, { event: 'login.limited', id, endpoint, by })
    })
  }
}

const MOST_WRONG = 10_000

interface Wrong {
  readonly since: number
  times: number
}

/**
 * The wrong guesses of this process, as digests under a key that never leaves it. A program that repeats an old
 * password all day is no attack: what it repeats counts for itself alone, not for its address and its account.
 */
class RememberedGuesses {
  readonly #now: () => number
  readonly #digest = keyedDigest(randomKey())
  readonly #wrong = new BoundedMap<string, Wrong>(MOST_WRONG)
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
