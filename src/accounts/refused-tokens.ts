import type { FoundToken } from '../contract/storage.ts'
import { factsOf } from './access-token.ts'
import type { AccountEvents } from './events.ts'

const AT_MOST_EVERY = 1000

/** Tells why tokens were refused; a flood of guesses becomes a line a second. */
export class RefusedTokens {
  readonly #events: AccountEvents
  readonly #now: () => number
  #guesses = 0
  #told = -Infinity

  constructor({ events, now }: { readonly events: AccountEvents; readonly now: () => number }) {
    this.#events = events
    this.#now = now
  }

  known(reason: 'inactive' | 'expired', { user, ...token }: FoundToken): null {
    void this.#events.emit('token.refused', { reason, user, token: factsOf(token) })
    return null
  }

  unknown(): null {
    this.#guesses++
    const now = this.#now()
    if (now - this.#told < AT_MOST_EVERY) return null
    void this.#events.emit('token.refused', { reason: 'unknown', count: this.#guesses })
    this.#guesses = 0
    this.#told = now
    return null
  }
}
