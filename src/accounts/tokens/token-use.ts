import type { FoundToken, TokenStore } from '../../contract/account-stores.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import type { AccountEvents } from '../events.ts'
import { factsOf } from './access-token.ts'

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
  readonly #options: TokenUseOptions
  /** What this process has noted, also where it could not be written. */
  readonly #noted = new BoundedMap<number, number>(REMEMBERED)
  #waiting: number[] = []

  constructor(options: TokenUseOptions) {
    this.#options = options
  }

  note(token: FoundToken): void {
    const { events, every } = this.#options
    if (every <= 0) return
    const now = this.#options.now()
    // The clock may have been set back: what lies far ahead is not recent either.
    const isRecent = (time: number): boolean => Math.abs(now - time) < every
    if (token.lastUsed !== null && isRecent(token.lastUsed.getTime())) return
    if (isRecent(this.#noted.get(token.id) ?? -Infinity)) return
    this.#noted.set(token.id, now)
    // The process need not stay alive for a note.
    if (this.#waiting.length === 0) setTimeout(() => void this.#write(), COLLECTED).unref()
    this.#waiting.push(token.id)
    void events.emit('token.used', { user: token.user, token: factsOf(token) })
  }

  async #write(): Promise<void> {
    const { store, events, now } = this.#options
    const ids = this.#waiting
    this.#waiting = []
    const at = new Date(now())
    try {
      for (let from = 0; from < ids.length; from += AT_A_TIME) {
        await store.used(ids.slice(from, from + AT_A_TIME), at)
      }
    } catch (error) {
      // No request depends on it; the database may just have been closed.
      events.info('token.use_not_noted', error)
    }
  }
}
