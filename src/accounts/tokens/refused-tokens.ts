import type { FoundToken } from '../../contract/storage.ts'
import { Seldom } from '../../std/seldom.ts'
import { factsOf } from './access-token.ts'
import type { AccountEvents } from '../events.ts'

/** Tells why tokens were refused; a flood of guesses becomes a line a second. */
export class RefusedTokens {
  readonly #events: AccountEvents
  readonly #guesses = new Seldom(1000)

  constructor(events: AccountEvents) {
    this.#events = events
  }

  known(reason: 'inactive' | 'expired', { user, ...token }: FoundToken): null {
    void this.#events.emit('token.refused', { reason, user, token: factsOf(token) })
    return null
  }

  unknown(): null {
    const count = this.#guesses.count()
    if (count !== null) void this.#events.emit('token.refused', { reason: 'unknown', count })
    return null
  }
}
