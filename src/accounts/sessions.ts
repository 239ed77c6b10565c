import type { User } from '../core/ports/credentials.ts'
import type {
  CsrfRefusal,
  Session,
  SessionKeeper,
  SessionSettings,
} from '../core/ports/sessions.ts'
import type { SessionStore, UserStore } from './tables/stores.ts'
import { SERVICE_DEFAULTS } from '../core/settings/service-keys.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { type Digest, digestsUnder } from '../core/secrets/digest.ts'
import { randomToken } from '../core/secrets/keys.ts'
import type { AccountEvents } from './events.ts'
import { type AccountParts, type AccountPolicy, requiredSecrets } from './account-policy.ts'
import type { VerifiedUsers } from './verified-users.ts'

const REMEMBERED = 4096
const CLEARED_EVERY = 3_600_000
/** 32 random bytes in base64url: another value is not worth a question to the database. */
const VALUE = /^[A-Za-z0-9_-]{43}$/
const CSRF_LENGTH = 32

interface SessionsOptions extends Pick<AccountPolicy, 'sessionSettings' | 'now'> {
  readonly secretKeys: AccountParts['secretKeys']
  readonly store: SessionStore
  readonly users: Pick<UserStore, 'update'>
  readonly verified: Pick<VerifiedUsers, 'hashOf' | 'refused'>
  readonly events?: Pick<AccountEvents, 'emit'>
}

/**
 * Logins that last, the newest thousand of each user. The value of the cookie is 32 random bytes, which the
 * database does not hold: it finds a session by a keyed digest. So neither the database alone nor the
 * service's secret alone gives a session away.
 */
export class Sessions<U extends User = User> implements SessionKeeper<U> {
  readonly #options: SessionsOptions
  readonly #now: () => number
  /** Saves the digest, not the answer: the database is asked on every call, so an ended session is over at once. */
  readonly #known = new BoundedMap<string, string>(REMEMBERED)
  #settings: SessionSettings | null = null
  #keys: Record<'find' | 'csrf', readonly Digest[]> | null = null
  #cleared = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  get settings(): SessionSettings {
    return (this.#settings ??= this.#options.sessionSettings?.() ?? SERVICE_DEFAULTS)
  }

  /** The session of a cookie. `null`: unknown, or over, or its user is not active (S7). */
  async read(cookie: string): Promise<Session<U> | null> {
    if (!VALUE.test(cookie)) return null
    const known = this.#known.get(cookie)
    for (const digest of known === undefined ? this.#digestsOf(cookie) : [known]) {
      const found = await this.#options.store.byDigest(digest)
      if (found === null) continue
      // Only existing cookies are remembered, so that a flood of guesses cannot push them out.
      if (known === undefined) this.#known.set(cookie, digest)
      const isOver = !found.user.isActive || found.expires.getTime() <= this.#now()
      // The stores read users as the application declares them.
      return isOver ? null : (found as Session<U>)
    }
    return null
  }

  /**
   * Begins a session of the user, and returns the value of its cookie, which is never shown again. The one
   * that the browser had, `previous`, ends: a session cannot be prepared for another user (S22).
   *
   * @param proved when the user proved who they are, where that was before now: no session begins as a new proof by less
   * @throws AuthenticationFailed (401) the user is not active or gone, or the password that let them in is another one by now
   */
  async start(
    user: User,
    previous: string | null = null,
    proved: Date | null = null,
  ): Promise<string> {
    const { store, users, verified, events } = this.#options
    const cookie = this.newCookie()
    const now = new Date(this.#now())
    const created = proved ?? now
    const expires = new Date(now.getTime() + this.settings.sessionCookieAge * 1000)
    const session = { digest: this.#digestsOf(cookie)[0]!, userId: user.id, created, expires }
    if (!(await store.insert(session, verified.hashOf(user)))) throw verified.refused(user)
    if (previous !== null) await this.end(previous)
    await users.update(user.id, { lastLogin: now })
    await events?.emit('login.succeeded', { user })
    // The distance counts in both directions, because a clock may be set back.
    if (Math.abs(this.#now() - this.#cleared) >= CLEARED_EVERY) await this.clear()
    return cookie
  }

  /** `false`: there was none. */
  async end(cookie: string): Promise<boolean> {
    if (!VALUE.test(cookie)) return false
    for (const digest of this.#digestsOf(cookie)) {
      if (await this.#options.store.delete(digest)) return true
    }
    return false
  }

  /** Ends the session that is kept under this digest (`colophon_session.digest`). `false`: there was none. */
  async endKept(digest: string): Promise<boolean> {
    return this.#options.store.delete(digest)
  }

  /** Is the session of this cookie kept under this digest? */
  isKeptAs(cookie: string, digest: string): boolean {
    return VALUE.test(cookie) && this.#digestsOf(cookie).includes(digest)
  }

  /** Ends every session of a user, except that of the cookie `except`; returns how many there were. */
  async endAllOf(
    { id }: Pick<User, 'id'>,
    { except = null }: { readonly except?: string | null } = {},
  ): Promise<number> {
    const kept = except === null ? null : await this.#keptAs(except)
    return this.#options.store.deleteOfUser(id, kept)
  }

  /** Deletes the sessions that have expired; returns how many there were. Logging in does so once an hour. */
  async clear(): Promise<number> {
    this.#cleared = this.#now()
    return this.#options.store.deleteExpired(new Date(this.#cleared))
  }

  newCookie(): string {
    return randomToken(32, 'base64url')
  }

  /** 32 characters (S10), made from the value of the cookie, so that they have to be stored nowhere. */
  csrfSecret(cookie: string): string | null {
    return VALUE.test(cookie) ? this.#made.csrf[0]!(cookie).slice(0, CSRF_LENGTH) : null
  }

  csrfRefused(refusal: CsrfRefusal): void {
    void this.#options.events?.emit('csrf.refused', refusal)
  }

  /** Made once: under the current secret, and under those before it, which still find sessions. */
  get #made(): Record<'find' | 'csrf', readonly Digest[]> {
    if (this.#keys !== null) return this.#keys
    const secrets = requiredSecrets(this.#options.secretKeys(), 'Sessions are kept under it')
    return (this.#keys = {
      find: digestsUnder(secrets, 'session digest'),
      csrf: digestsUnder(secrets.slice(0, 1), 'csrf of session'),
    })
  }

  /** `null`: the text is not a cookie of ours. */
  async #keptAs(cookie: string): Promise<string | null> {
    if (!VALUE.test(cookie)) return null
    for (const digest of this.#digestsOf(cookie))
      if ((await this.#options.store.byDigest(digest)) !== null) return digest
    return null
  }

  #digestsOf(cookie: string): readonly string[] {
    return this.#made.find.map((digestOf) => digestOf(cookie))
  }
}
