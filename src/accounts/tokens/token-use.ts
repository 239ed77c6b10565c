import type { FoundToken, TokenStore } from '../../contract/storage.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import { factsOf } from './access-token.ts'
import type { AccountEvents } from '../events.ts'

const REMEMBERED = 4096
const AT_A_TIME = 500
const COLLECTED = 1000

interface TokenUseOptions {
  readonly store: TokenStore
  readonly events: AccountEvents
  /** Milliseconds; 0: never. */
  readonly every: number
  readonly now: () => number
}

/**
 * When tokens were last used, coarsely: a token is noted once in a while, and the notes of a second are
 * written together. A note that is lost with the process is made again at the next use.
 */
export class TokenUse {
  readonly #store: TokenStore
  readonly #events: AccountEvents
  readonly #every: number
  readonly #now: () => number
  /** What this process has noted, also where it could not be written. */
  readonly #noted = new BoundedMap<number, number>(REMEMBERED)
  #waiting: number[] = []

  constructor({ store, events, every, now }: TokenUseOptions) {
    this.#store = store
    this.#events = events
    this.#every = every
    this.#now = now
  }

  note(token: FoundToken): void {
    if (this.#every <= 0) return
    const now = this.#now()
    if (token.lastUsed !== null && this.#isRecent(token.lastUsed.getTime(), now)) return
    if (this.#isRecent(this.#noted.get(token.id) ?? -Infinity, now)) return
    this.#noted.set(token.id, now)
    // Nobody has to stay alive for a note.
    if (this.#waiting.length === 0) setTimeout(() => void this.#write(), COLLECTED).unref()
    this.#waiting.push(token.id)
    void this.#events.emit('token.used', { user: token.user, token: factsOf(token) })
  }

  /** A clock that was set back has no part in it: what lies far ahead is not recent either. */
  #isRecent(time: number, now: number): boolean {
    return Math.abs(now - time) < this.#every
  }

  async #write(): Promise<void> {
    const ids = this.#waiting
    this.#waiting = []
    const at = new Date(this.#now())
    try {
      for (let from = 0; from < ids.length; from += AT_A_TIME) {
        await this.#store.used(ids.slice(from, from + AT_A_TIME), at)
      }
    } catch (error) {
      // Nothing is wrong for anybody; the database may just have been closed.
      this.#events.info('token.use_not_noted', error)
    }
  }
}
