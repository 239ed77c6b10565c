import type { User } from '../core/ports/credentials.ts'
import type { Seals } from '../core/ports/service-facts.ts'
import { Conflict } from '../core/errors/api-errors.ts'
import { Message } from '../core/messages/message.ts'
import { sha256 } from '../core/secrets/digest.ts'
import type { VerifiedUsers } from './verified-users.ts'
import type { SpentLink } from './tables/sql-store.ts'
import type { AddressedUser, UserStore } from './tables/stores.ts'
import { ACCOUNT_LIMITS, checkedEmail } from './account-input.ts'
import type { AccountEvents } from './events.ts'

interface LinksOptions<U extends User> {
  readonly seals: Seals
  readonly verified: Pick<VerifiedUsers, 'addByLink' | 'hashOf' | 'linkOf'>
  readonly events: Pick<AccountEvents, 'emit'>
  readonly store: UserStore<U>
  readonly now: () => number
}

/** Longer than a token for the longest address, each character of which may be written in six. */
const LONGEST = 4096

/** The user, the end, the state of the account, and the address that the link proves. */
type Sealed = readonly [id: number, end: number, state: string, email: string]

/**
 * Tokens of links in mails. Nothing is stored when one is sent: each is sealed with the service's secret, and is valid for one
 * state of the account, so that another password or address ends it. If its effect could be undone, its digest is stored until
 * the token would have ended.
 */
export class AccountLinks<U extends User = User> {
  readonly #options: LinksOptions<U>

  constructor(options: LinksOptions<U>) {
    this.#options = options
  }

  /** Active users with a password and this address, as stored or in lower case: its owner first. Ten at most. */
  async usersOf(email: string): Promise<readonly U[]> {
    if (email === '' || email.length > ACCOUNT_LIMITS.email || email.includes('\0')) return []
    const lower = inSmallLetters(email)
    const found = await this.#options.store.byEmail(email, lower)
    return found.filter((user) => inSmallLetters(user.email) === lower)
  }

  /** The user who has proved this address and still has it, also without a password; `null`: no account. */
  async ownerOf(email: string): Promise<U | null> {
    const lower = inSmallLetters(checkedEmail(email))
    const owner = (await this.#options.store.byConfirmed(lower))?.user ?? null
    return owner !== null && inSmallLetters(owner.email) === lower ? owner : null
  }

  /**
   * A token for one purpose. `lifetime`: milliseconds. `email`: what the link proves, where that is not the address of the
   * user. `null`: there is no such user.
   *
   * @example
   * const token = await accounts.links.make('password', user, { lifetime: 3_600_000 })
   */
  async make(
    purpose: string,
    { id }: Pick<User, 'id'>,
    { lifetime, email }: { readonly lifetime: number; readonly email?: string },
  ): Promise<string | null> {
    const { store, seals, now } = this.#options
    const found = await store.withAddress(id)
    const of = found ?? NO_ONE
    const sealed: Sealed = [id, now() + lifetime, stateOf(of), email ?? of.user.email]
    const token = seals.seal(contextOf(purpose), JSON.stringify(sealed))
    // An unknown user must cost as much work.
    if (found === null) return null
    await store.noteLink(id, purpose)
    return token
  }

  /**
   * The user of a token, and the address that it proves. Opening does not spend it: `users.setPassword` and `confirm` with the
   * returned user do, once. `null`: the token is over, spent, or invalid.
   */
  async open(
    purpose: string,
    token: string,
  ): Promise<{ readonly user: U; readonly email: string } | null> {
    const { store, verified, now, seals } = this.#options
    const context = contextOf(purpose)
    const text = token.length > LONGEST ? null : seals.unseal(context, token)
    if (text === null) return null
    const [id, end, state, email] = JSON.parse(text) as Sealed
    const found = now() < end ? await store.withAddress(id) : null
    if (found === null || !found.user.isActive || stateOf(found) !== state) return null
    // A digest of the sealed text, and not of the seal, which has several spellings.
    const link = { digest: sha256(`${context} ${text}`, 'base64'), end }
    if (await store.isSpent(link.digest)) return null
    return { user: verified.addByLink(found, link), email }
  }

  /** Has the link, which belongs to no user, been used? */
  isSpent({ digest }: SpentLink): Promise<boolean> {
    return this.#options.store.isSpent(digest)
  }

  /** Uses a link that belongs to no user, once. `null`: it was used before. An error of `work` gives it back. */
  async once<T>({ digest, end }: SpentLink, work: () => Promise<T>): Promise<T | null> {
    const { store, now } = this.#options
    await store.clearSpent(now())
    try {
      await store.spend(digest, end)
    } catch (error) {
      if (await store.isSpent(digest)) return null
      throw error
    }
    try {
      return await work()
    } catch (error) {
      await store.unspend(digest)
      throw error
    }
  }

  /**
   * The user has proved the address, which is the one of the account from now on. `false`: that is known already, the
   * address or the password of the account is another one than that of `user` by now, or the link of `open` was used.
   *
   * @throws Conflict (409) another account has proved it
   */
  async confirm(user: User, email: string): Promise<boolean> {
    const { store, events, verified, now } = this.#options
    const lower = inSmallLetters(checkedEmail(email))
    await this.checkFree(lower, user)
    await store.clearSpent(now())
    const link = verified.linkOf(user)
    let confirmed: boolean
    try {
      const password = link === null ? null : verified.hashOf(user)
      confirmed = await store.confirmEmail(user, email, lower, { link, password })
    } catch (error) {
      // Another account was faster, or another use of the link.
      await this.checkFree(lower, user)
      if (link !== null && (await store.isSpent(link.digest))) return false
      throw error
    }
    if (confirmed) await events.emit('user.email_confirmed', { user, email })
    return confirmed
  }

  /** Has the user proved the address of the account? */
  async isConfirmed({ id }: Pick<User, 'id'>): Promise<boolean> {
    const found = await this.#options.store.withAddress(id)
    return found !== null && found.confirmed === inSmallLetters(found.user.email)
  }

  /**
   * Has no other account than that of `user` proved this address? One that has another address by now does not keep it.
   *
   * @throws Conflict (409) another one has
   */
  async checkFree(email: string, user: Pick<User, 'id'> | null = null): Promise<void> {
    const { store } = this.#options
    const lower = inSmallLetters(email)
    const owner = (await store.byConfirmed(lower))?.user ?? null
    if (owner === null || owner.id === user?.id) return
    if (inSmallLetters(owner.email) === lower) throw new Conflict(Message.of('conflict.address'))
    await store.forgetConfirmed(owner.id, lower)
  }
}

function contextOf(purpose: string): string {
  return `link ${purpose}`
}

/** A state of the usual length, for an unknown user. */
const NO_ONE = {
  user: { email: 'no.one@example.com' },
  password: '!'.repeat(97),
  confirmed: null,
  epoch: null,
}

function stateOf({ user, password, confirmed, epoch }: typeof NO_ONE | AddressedUser): string {
  return sha256(`${JSON.stringify([user.email, password, confirmed])}${epoch ?? ''}`, 'base64')
}

/** Changes only ASCII letters: databases differ in others. */
export function inSmallLetters(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
