import type { LinkedIdentity } from '../core/ports/account-stores.ts'
import type { Subject, User } from '../core/ports/credentials.ts'
import { Conflict } from '../core/errors/api-errors.ts'
import { Message } from '../core/messages/message.ts'
import type { AccountEvents } from './events.ts'
import type { IdentityStore } from './tables/identity-store.ts'

/** Characters of an issuer and of a subject that the tables hold; no subject is longer (OpenID Connect Core 1.0, 2). */
const LONGEST = 255
const ODD = /\p{Cc}/u

interface IdentitiesOptions {
  readonly store: IdentityStore
  readonly events: Pick<AccountEvents, 'emit'>
  readonly now: () => number
}

/** The identities of users at providers: each user may have any number of them. */
export class Identities<U extends User = User> {
  readonly #options: IdentitiesOptions

  constructor(options: IdentitiesOptions) {
    this.#options = options
  }

  /** `null`: it is linked to no user. The user may be inactive. */
  async find(subject: Subject): Promise<(LinkedIdentity & { readonly user: U }) | null> {
    if (!isPossible(subject)) return null
    const found = await this.#options.store.bySubject(subject.issuer, subject.subject)
    return found as (LinkedIdentity & { readonly user: U }) | null
  }

  /** The identities of a user, in the order in which they were linked. */
  async of({ id }: Pick<User, 'id'>): Promise<readonly LinkedIdentity[]> {
    return this.#options.store.ofUser(id)
  }

  /**
   * Links an identity, with which the user can log in from now on. `false`: it is linked to another user.
   *
   * @throws RangeError issuer or subject is empty, or longer than 255 characters
   */
  async link(user: User, { issuer, subject }: Subject): Promise<boolean> {
    if (!isPossible({ issuer, subject }))
      throw new RangeError('An issuer and a subject have between 1 and 255 characters each.')
    const { store, events, now } = this.#options
    if (!(await store.insert(user.id, { issuer, subject }, new Date(now()))))
      return (await store.bySubject(issuer, subject))?.user.id === user.id
    await events.emit('identity.linked', { user, issuer, subject })
    return true
  }

  /**
   * `false`: the user has no such identity. Sessions go on.
   *
   * @throws Conflict (409) without it the user, who has no password, could not log in; `evenLast` allows that
   */
  async unlink(
    user: User,
    { issuer, subject }: Subject,
    { evenLast = false }: { readonly evenLast?: boolean } = {},
  ): Promise<boolean> {
    const { store, events } = this.#options
    const found = await this.find({ issuer, subject })
    const outcome = found === null ? 'unknown' : await store.unlink(user.id, found, evenLast)
    if (outcome === 'last') throw new Conflict(Message.of('conflict.last_identity'))
    if (outcome === 'unlinked') await events.emit('identity.unlinked', { user, issuer, subject })
    return outcome === 'unlinked'
  }

  /** Notes that the user has logged in with the identity. */
  async used({ id }: Pick<LinkedIdentity, 'id'>): Promise<void> {
    await this.#options.store.used(id, new Date(this.#options.now()))
  }
}

function isPossible({ issuer, subject }: Subject): boolean {
  return [issuer, subject].every(
    (text) => text !== '' && text.length <= LONGEST && text.isWellFormed() && !ODD.test(text),
  )
}
