import type { ApiRequest } from '../../core/ports/request.ts'
import { type MaybePromise, after } from '../../core/std/after.ts'
import type { Settings } from '../../core/ports/settings/settings.ts'
import type {
  Counters,
  Guess,
  Guesses,
  Limit,
  Rate,
  Counted,
  Standing,
} from '../../core/ports/policies/throttling.ts'
import { type RateWindow, windowsOf } from '../../core/settings/rates.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { keptIn } from '../../core/std/once.ts'
import { keyedDigest, sha256 } from '../../core/secrets/digest.ts'
import { randomKey } from '../../core/secrets/keys.ts'
import { failureOf } from '../../core/std/text/error-text.ts'
import { AuthenticationFailed, Throttled } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'

type Request = Pick<ApiRequest, 'client' | 'endpointName' | 'id' | 'logSeldom'> & {
  readonly settings: Pick<Settings, 'onStoreError'>
}

/** The number of keys, and of clients with wrong keys, that are remembered. */
const REMEMBERED = 4096
const LONGEST_REMEMBERED = 128
/** A key of this many characters is not guessed: ours have 40, of 160 random bits. */
const LONGEST_GUESSED = 32

/** The number of unknown accounts of a client that may use up their guesses, before its others wait too. */
const NEIGHBOURS = 10

type Known = Pick<BoundedMap<string, true>, 'get' | 'set'>
/** Stands for the known keys where each key is good only once. */
const NONE_KNOWN: Known = { get: () => undefined, set: () => undefined }

/** The limits that the requests of an application share. */
export class GuessLimits {
  readonly wrong: RememberedGuesses
  /** Keys that have been right. */
  readonly known: Known = new BoundedMap<string, true>(REMEMBERED)
  readonly #suspects = new BoundedMap<string, number>(REMEMBERED)
  readonly #read = new BoundedMap<Rate, readonly RateWindow[]>(100)
  readonly #now: () => number
  readonly #counters: Counters

  /** `now`: milliseconds since 1970. */
  constructor(now: () => number, counters: Counters) {
    this.#now = now
    this.#counters = counters
    this.wrong = new RememberedGuesses(now)
  }

  of(request: Request, rate: Rate): Guesses {
    return new RequestGuesses(request, keptIn(this.#read, rate, windowsOf), this)
  }

  /** The store of counters; while it is away, the request's endpoint decides what happens. */
  countersOf({ settings: { onStoreError } }: Request): Counters {
    const counters = this.#counters
    return {
      hit: (limits, options) => counters.hit(limits, { onStoreError, ...options }),
      withdraw: (limits, counted) => counters.withdraw(limits, counted),
    }
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
  readonly #windows: readonly RateWindow[]
  readonly #shared: GuessLimits
  #judged = false

  constructor(request: Request, windows: readonly RateWindow[], shared: GuessLimits) {
    this.#request = request
    this.#windows = windows
    this.#shared = shared
  }

  async password<T>({ account, secret, check }: Guess<T>): Promise<T | null> {
    this.#judged = true
    const { wrong } = this.#shared
    const guess = wrong.nameOf('password', this.#request.client, account, secret)
    const found = await wrong.behindFirst(guess, () => this.#password(guess, account, check))
    // A wrong code beside a right password counts.
    this.#judged = found === null
    return found
  }

  async #password<T>(guess: string, account: string, check: Guess<T>['check']): Promise<T | null> {
    const { wrong } = this.#shared
    if (wrong.repeats(guess, this.#fewest)) return null
    const { places, mark } = await this.#approach(account)
    const found = await inPlaces(places, () => check(() => places.take()))
    if (found === null) wrong.add(guess)
    else if (mark !== null) await this.#mark(mark)
    return found
  }

  key<T>(
    key: string,
    look: () => MaybePromise<T | null>,
    { isCostly = false, isSingleUse = false }: Parameters<Guesses['key']>[2] = {},
  ): MaybePromise<T | null> {
    this.#judged = true
    const known = isSingleUse ? NONE_KNOWN : this.#shared.known
    const name = key.length <= LONGEST_REMEMBERED ? key : sha256(key)
    const isKnown = known.get(name) === true
    if (!isKnown && (isCostly || (key.length < LONGEST_GUESSED && this.#isSuspect))) {
      const guess = this.#nameOf(name)
      return this.#shared.wrong.behindFirst(guess, () => this.#placedKey(guess, name, look, known))
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

  /**
   * Takes the places of a password check. If the account is known at this client, only wrong guesses for the two together
   * count.
   */
  async #approach(account: string): Promise<{ places: Places; mark: Limit | null }> {
    const { client } = this.#request
    const mark = { ...MARK, key: `guesses_mark_${sha256(JSON.stringify([account, client]))}` }
    const here = [subjectOf('place', [account, client], this.#windows)]
    const anywhere = [this.#clientOf('password'), subjectOf('account', [account], this.#windows)]
    const asked = [mark, ...limitsOf([...here, ...anywhere])]
    const [marked, ...standings] =
      (await this.#counters.hit(asked, { counting: false }))?.standings ?? []
    const marks = MARK.limit - (marked?.remaining ?? MARK.limit)
    const places = this.#places(marks > 0 ? here : anywhere)
    const own = limitsOf(here).length
    const refusal =
      marks > 0 ? limitRefusal(here, standings) : limitRefusal(anywhere, standings.slice(own))
    if (refusal?.busy === false) throw places.refused(refusal)
    return { places, mark: marks > FRESH ? null : mark }
  }

  /** Once a month. No answer depends on it. */
  async #mark(mark: Limit): Promise<void> {
    try {
      await this.#counters.hit([mark], { onStoreError: 'allow' })
    } catch (error) {
      const record = { event: 'login.not_marked', ...failureOf(error) }
      this.#request.logSeldom?.('login.not_marked', record)
    }
  }

  /** Takes a place before the key is looked up. */
  async #placedKey<T>(
    guess: string,
    name: string,
    look: () => MaybePromise<T | null>,
    known: Known,
  ): Promise<T | null> {
    const { wrong } = this.#shared
    // If the same key was right just now, the requests that waited for it need no place.
    const counts = known.get(name) !== true && !wrong.repeats(guess, this.#fewest)
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
    const { wrong } = this.#shared
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

  /** The counters are made when something is counted: a right token counts nothing. */
  get #counters(): Counters {
    return this.#shared.countersOf(this.#request)
  }

  get #fewest(): RateWindow {
    return this.#windows.reduce((fewest, each) => (each.limit < fewest.limit ? each : fewest))
  }

  /**
   * The client as a subject. Neighbours behind one address are one client, and one of them who fails for an account must not
   * stop them all.
   */
  #clientOf(kind: 'password' | 'key'): Subject {
    const times = kind === 'password' ? NEIGHBOURS : 1
    const windows = this.#windows.map((window) => ({ ...window, limit: times * window.limit }))
    return subjectOf('client', [kind, this.#request.client], windows)
  }

  #places(subjects: readonly Subject[]): Places {
    const { client, endpointName: endpoint, id, logSeldom } = this.#request
    return new Places(this.#counters, subjects, ({ kind: by }) => {
      // This client is known to be limited, perhaps by counts of other processes.
      this.#shared.suspect(client)
      logSeldom?.(`login.limited ${by}`, { event: 'login.limited', id, endpoint, by }, 'info')
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

  /** The name under which a guess is remembered; the same parts always give the same name. */
  nameOf(...parts: readonly string[]): string {
    return this.#digest(JSON.stringify(parts))
  }

  /** The same guess at the same moment is one guess: the first one goes ahead, and the others get its result. */
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
   * Was this guess wrong within the window? Then it counts once more.
   *
   * @throws Throttled (429) as often as anything may be
   */
  repeats(name: string, { limit, seconds }: RateWindow): boolean {
    const wrong = this.#wrong.get(name)
    const age = this.#now() - (wrong?.since ?? -Infinity)
    // After a clock was set back, an entry from the future counts as forgotten.
    if (wrong === undefined || age < 0 || age >= seconds * 1000) return false
    if (wrong.times >= limit) throw tooMany(seconds * 1000 - age)
    wrong.times++
    return true
  }
}

/** Clients whose wrong credentials count together, and a counter of their checks that are under way. */
interface Subject {
  readonly kind: string
  /** The last one counts the checks under way. */
  readonly limits: readonly Limit[]
}

/** `seconds`: after them a check is over, or its process is gone. */
const UNDER_WAY = { limit: 1000, seconds: 60 }

/** Makes a subject. Its key holds a digest of `names`, not the names. */
export function subjectOf(
  kind: string,
  names: readonly string[],
  windows: readonly RateWindow[],
): Subject {
  const name = `guesses_${kind}_${sha256(JSON.stringify(names))}`
  const counted = { cost: 1, algorithm: 'log' } as const
  const wrong = windows.map(({ limit, seconds }) => {
    return { key: `${name}_${seconds}`, limit, seconds, ...counted }
  })
  const underWay = { key: `${name}_under-way`, ...UNDER_WAY, ...counted, held: true }
  return { kind, limits: [...wrong, underWay] }
}

/**
 * A subject that must not check now. `wait` is in milliseconds; `busy`: checks under way may turn out right and free a
 * place.
 */
interface Refusal {
  readonly kind: string
  readonly wait: number
  readonly busy: boolean
}

/** The refusal of a further check; `null`: each subject may check once more. */
export function limitRefusal(
  subjects: readonly Subject[],
  standings: readonly Standing[],
): Refusal | null {
  let from = 0
  const refusals = subjects.flatMap(({ kind, limits }): Refusal[] => {
    const own = standings.slice(from, (from += limits.length))
    if (own.every(({ allowed }) => allowed)) return []
    const wait = Math.max(...own.map((each) => each.wait ?? 0))
    return [{ kind, wait, busy: own.at(-1)!.remaining < UNDER_WAY.limit }]
  })
  // Waiting for one subject is useless if another has no place in any case.
  const [longest] = refusals
    .filter(({ busy }) => !busy || refusals.every((each) => each.busy))
    .toSorted((one, other) => other.wait - one.wait)
  return longest ?? null
}

const limitsOf = (subjects: readonly Subject[]): readonly Limit[] =>
  subjects.flatMap(({ limits }) => limits)

/** In milliseconds. */
const LONGEST_WAIT = 3000
const FIRST_PAUSE = 20

/** The places that a check has among those of its subjects, from before its work until it is known what came of it. */
class Places {
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
   * Takes a place, and waits for one if checks under way, in any process, may free one in a moment.
   *
   * @throws Throttled (429)
   */
  async take(): Promise<void> {
    if (this.#begun) return
    this.#begun = true
    let waited = 0
    for (let pause = FIRST_PAUSE; ; pause *= 2) {
      const counted = await this.#counters.hit(limitsOf(this.#subjects))
      const refusal = counted && limitRefusal(this.#subjects, counted.standings)
      if (refusal === null) return void (this.#taken = counted)
      if (!refusal.busy || waited >= LONGEST_WAIT) throw this.refused(refusal)
      await new Promise((resolve) => setTimeout(resolve, pause))
      waited += pause
    }
  }

  refused(refusal: Refusal): Throttled {
    this.#onRefusal(refusal)
    // The checks under way will be over by then.
    return tooMany(refusal.busy ? 1000 : refusal.wait)
  }

  /** Gives the places of guesses back that did not turn out wrong. No answer waits for that. */
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

/**
 * Does the work within its places. `null` and `AuthenticationFailed` mean wrong; other errors mean neither right nor wrong.
 */
async function inPlaces<T>(places: Places, work: () => Promise<T | null>): Promise<T | null> {
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
function tooMany(wait: number): Throttled {
  return new Throttled(wait / 1000, Message.of('throttled.credentials'))
}
