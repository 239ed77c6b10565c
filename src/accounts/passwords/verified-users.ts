import type { StoredUser, UserStore } from '../../contract/account-stores.ts'
import type { User } from '../../contract/credentials.ts'
import { AuthenticationFailed } from '../../errors/api-errors.ts'
import type { AccountEvents } from '../events.ts'

/**
 * By which stored hash a password let a user in. A session or a token that begins with such a user begins
 * only while that hash is the stored one. So a changed password, once what there is has ended, ends
 * everything: nothing can begin by the old one afterwards.
 */
export class VerifiedUsers {
  readonly #store: UserStore
  readonly #events: AccountEvents
  readonly #hashes = new WeakMap<User, string>()

  constructor(store: UserStore, events: AccountEvents) {
    this.#store = store
    this.#events = events
  }

  add({ user, password }: StoredUser): User {
    this.#hashes.set(user, password)
    return user
  }

  /** `null`: no password let this user in. */
  hashOf(user: User): string | null {
    return this.#hashes.get(user) ?? null
  }

  /**
   * Asked after something was read that is to be given to this user, and before it is given: where the
   * hash is still the same, it was so when that was read, for no hash comes back (each has a salt of its own).
   *
   * @throws AuthenticationFailed (401) the hash is another one by now, or the user is not active
   */
  async check(user: User): Promise<void> {
    const hash = this.hashOf(user)
    if (hash === null) return
    const now = await this.#store.byId(user.id)
    if (now?.password !== hash || !now.user.isActive) throw this.refused(user)
  }

  /** The log states the reason, which the client does not get (I5). */
  refused({ username }: User): AuthenticationFailed {
    void this.#events.emit('login.failed', { username, reason: 'password' })
    return new AuthenticationFailed()
  }
}
