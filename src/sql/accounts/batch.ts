import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { once } from '../../std/once.ts'
import { ConnectionLost } from '../../databases/pooled/connection-lost.ts'

/** Keys of one query. */
const LARGEST = 512
/** Queries under way, after which others wait. With two, hardly anybody waits who is alone. */
const UNDERWAY = 2
/** Milliseconds after which nobody waits for a slow query any longer. */
const SLOW = 25

/** Asks for several keys at once. Keys that are not there are missing in the answer. */
export type Find<Found> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Found>>

interface Waiting<Found> {
  readonly promise: Promise<Found | null>
  resolve(found: Found | null): void
  reject(error: unknown): void
}

/**
 * Look-ups that wait at the same moment, answered by one query. Those of one turn of the event loop leave
 * together at its end; those that come while enough queries are under way leave together when one is
 * back. Nobody is answered by a query that was sent before the question.
 */
export class Batch<Found> {
  readonly #find: Find<Found>
  #waiting = new Map<string, Waiting<Found>>()
  #leaving = false
  /** Queries under way that are not slow. */
  #underway = 0

  constructor(find: Find<Found>) {
    this.#find = find
  }

  lookUp(key: string): Promise<Found | null> {
    const same = this.#waiting.get(key)
    if (same !== undefined) return same.promise
    const waiting = Promise.withResolvers<Found | null>()
    this.#waiting.set(key, waiting)
    this.#leave()
    return waiting.promise
  }

  #leave(): void {
    if (this.#leaving || this.#underway >= UNDERWAY || this.#waiting.size === 0) return
    this.#leaving = true
    setImmediate(this.#send)
  }

  readonly #send = (): void => {
    this.#leaving = false
    const group = this.#group()
    this.#underway++
    const back = once(() => {
      this.#underway--
      this.#leave()
    })
    const slow = setTimeout(back, SLOW)
    void this.#answer(group).finally(() => {
      clearTimeout(slow)
      back()
    })
  }

  #group(): ReadonlyMap<string, Waiting<Found>> {
    const all = this.#waiting
    if (all.size <= LARGEST) {
      this.#waiting = new Map()
      return all
    }
    const first = [...all].slice(0, LARGEST)
    for (const [key] of first) all.delete(key)
    return new Map(first)
  }

  async #answer(group: ReadonlyMap<string, Waiting<Found>>): Promise<void> {
    try {
      const found = await this.#find([...group.keys()])
      for (const [key, { resolve }] of group) resolve(found.get(key) ?? null)
    } catch (error) {
      // The key of one must not be the failure of another, nor one lost connection that of them all.
      if (isHopeless(error)) for (const { reject } of group.values()) reject(error)
      else for (const [key, waiting] of group) void this.#alone(key, waiting)
    }
  }

  async #alone(key: string, { resolve, reject }: Waiting<Found>): Promise<void> {
    try {
      resolve((await this.#find([key])).get(key) ?? null)
    } catch (error) {
      reject(error)
    }
  }
}

/** Is there no use in asking again? */
function isHopeless(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !(error instanceof ConnectionLost)
}
