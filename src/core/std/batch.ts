import { once } from './once.ts'

/** With so many queries under way, others wait. With two, a lone look-up hardly ever waits. */
const UNDERWAY = 2
/** Milliseconds after which a slow query no longer keeps others waiting. */
const SLOW = 25

/** Keys without a value are missing in the answer. */
type FindMany<Key, Found> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>

export interface BatchOptions {
  /** Keys of one query. @default no limit */
  readonly largest?: number
  /** Queries under way, after which others wait, but for slow ones. @default 2 */
  readonly underway?: number
  /** Queries under way at most, slow ones too. @default no limit */
  readonly most?: number
  /** Whether each key is looked up alone after a query for several has failed. @default never */
  readonly retriesAlone?: (error: unknown) => boolean
}

const NEVER = (): boolean => false

const DEFAULTS: Required<BatchOptions> = {
  largest: Infinity,
  underway: UNDERWAY,
  most: Infinity,
  retriesAlone: NEVER,
}

type Waiting<Found> = PromiseWithResolvers<Found | null>

/**
 * Collects look-ups. Those of one turn of the event loop leave as one query at its end; while enough queries are under way,
 * the next one leaves when one is back. A query that was sent earlier never answers a look-up.
 */
export class Batch<Key, Found> {
  readonly #find: FindMany<Key, Found>
  readonly #options: Required<BatchOptions>
  #waiting = new Map<Key, Waiting<Found>>()
  #leaving = false
  /** Queries under way that are not slow. */
  #underway = 0
  #all = 0

  constructor(find: FindMany<Key, Found>, options: BatchOptions = {}) {
    this.#find = find
    this.#options = { ...DEFAULTS, ...options }
  }

  lookUp(key: Key): Promise<Found | null> {
    const same = this.#waiting.get(key)
    if (same !== undefined) return same.promise
    const waiting = Promise.withResolvers<Found | null>()
    this.#waiting.set(key, waiting)
    this.#leave()
    return waiting.promise
  }

  #leave(): void {
    if (this.#leaving || this.#waiting.size === 0) return
    const { underway, most } = this.#options
    if (this.#underway >= underway || this.#all >= most) return
    this.#leaving = true
    setImmediate(this.#send)
  }

  readonly #send = (): void => {
    this.#leaving = false
    const group = this.#group()
    this.#underway++
    this.#all++
    const back = once(() => {
      this.#underway--
      this.#leave()
    })
    const slow = setTimeout(back, SLOW)
    void this.#answer(group).finally(() => {
      clearTimeout(slow)
      this.#all--
      back()
      this.#leave()
    })
  }

  #group(): ReadonlyMap<Key, Waiting<Found>> {
    const all = this.#waiting
    const { largest } = this.#options
    if (all.size <= largest) {
      this.#waiting = new Map()
      return all
    }
    const first = [...all].slice(0, largest)
    for (const [key] of first) all.delete(key)
    return new Map(first)
  }

  async #answer(
    group: ReadonlyMap<Key, Waiting<Found>>,
    { retriesAlone } = this.#options,
  ): Promise<void> {
    try {
      const found = await this.#find([...group.keys()])
      for (const [key, { resolve }] of group) resolve(found.get(key) ?? null)
    } catch (error) {
      // The key of one look-up must not fail the others, and one lost connection must not fail them all.
      if (retriesAlone(error)) for (const one of group) void this.#answer(new Map([one]), DEFAULTS)
      else for (const { reject } of group.values()) reject(error)
    }
  }
}
