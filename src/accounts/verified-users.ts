import { AuthenticationFailed } from '../core/errors/api-errors.ts'
import type { StoredUser } from '../core/ports/account-stores.ts'
import type { User } from '../core/ports/credentials.ts'
import type { AccountEvents } from './events.ts'
import type { SpentLink } from './tables/sql-store.ts'
import type { UserStore } from './tables/stores.ts'

/** A link that let a user in. `email`: the address of the account when the link was opened. */
interface UsedLink extends SpentLink {
  readonly email: string
}

/**
 * Remembers which stored hash a password of a user fitted. A session or a token for that user begins only while
 * this hash is the stored one. A new password ends what there is, and nothing can begin by the old one afterwards.
 */
export class VerifiedUsers {
  readonly #store: UserStore
  readonly #events: AccountEvents
  readonly #hashes = new WeakMap<User, string>()
  readonly #links = new WeakMap<User, UsedLink>()

  constructor(store: UserStore, events: AccountEvents) {
    this.#store = store
    this.#events = events
  }

  add<U extends User>({ user, password }: StoredUser<U>): U {
    this.#hashes.set(user, password)
    return user
  }

  /** Adds a user whom a link by mail let in. The link is void once the account has another address. */
  addByLink<U extends User>(stored: StoredUser<U>, link: SpentLink): U {
    this.#links.set(stored.user, { ...link, email: stored.user.email })
    return this.add(stored)
  }

  /** The link that let this user in; `null`: none did. */
  linkOf(user: User): UsedLink | null {
    return this.#links.get(user) ?? null
  }

  /** `null`: no password let this user in. */
  hashOf(user: User): string | null {
    return this.#hashes.get(user) ?? null
  }

  /**
   * Called after something for this user was read, and before it is given. If the hash is still the same, it was the same
   * when that was read, because no hash comes back (each has its own salt).
   */
  async check(user: User): Promise<void> {
    const hash = this.hashOf(user)
    if (hash === null) return
    const now = await this.#store.byId(user.id)
    if (now?.password !== hash || !now.user.isActive) throw this.refused(user)
  }

  /** The log states the reason, which the client does not get (I5). */
  refused(user: User): AuthenticationFailed {
    const { username } = user
    const reason = this.hashOf(user) === null ? 'inactive' : 'password'
    void this.#events.emit('login.failed', { username, reason })
    return new AuthenticationFailed()
  }
}
