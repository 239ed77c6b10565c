import type { User } from '../../contract/credentials.ts'
import type { MaybePromise } from '../../contract/request.ts'
import type {
  CsrfRefusal,
  Session,
  SessionKeeper,
  SessionSettings,
} from '../../contract/sessions.ts'
import type { FoundSession, SessionStore, UserStore } from '../../contract/storage.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { SESSION_DEFAULTS } from '../../settings/session-keys.ts'
import { after } from '../../std/after.ts'
import { BoundedMap } from '../../std/bounded-map.ts'
import type { AccountEvents } from '../events.ts'
import { SessionSecrets, isSessionValue, newSessionValue } from './session-secrets.ts'
import type { VerifiedUsers } from '../passwords/verified-users.ts'

const REMEMBERED = 4096
const CLEARED_EVERY = 3_600_000

/** What sessions are kept in and made with. */
export interface SessionsOptions {
  readonly store: SessionStore
  /** Where the last login of a user is written. */
  readonly users: Pick<UserStore, 'update'>
  /** Knows by which hash users were let in. */
  readonly verified: Pick<VerifiedUsers, 'hashOf' | 'refused'>
  /** The service's secret, then the ones before it; read when first needed. */
  readonly secretKeys: () => readonly string[]
  /** What the operator said about cookies; read when first needed. @default the defaults of the keys */
  readonly sessionSettings?: () => SessionSettings
  /** Told of logins, and of requests that failed the CSRF check. */
  readonly events?: Pick<AccountEvents, 'emit'>
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/**
 * Logins that last, any number for each user. The value of the cookie is 32 random bytes, which the
 * database does not hold: it finds a session by a keyed digest.
 */
export class Sessions implements SessionKeeper {
  readonly #options: SessionsOptions
  readonly #now: () => number
  /** Saves the digest, not the answer: the database is asked on every call, so an ended session is over at once. */
  readonly #digests = new BoundedMap<string, string>(REMEMBERED)
  #settings: SessionSettings | null = null
  #secrets: SessionSecrets | null = null
  #cleared = 0

  constructor(options: SessionsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  get settings(): SessionSettings {
    return (this.#settings ??= this.#options.sessionSettings?.() ?? SESSION_DEFAULTS)
  }

  /** By the value of the cookie. `null`: none, or over, or its user is not active (S7). */
  read(cookie: string): MaybePromise<Session | null> {
    if (!isSessionValue(cookie)) return null
    const known = this.#digests.get(cookie)
    if (known !== undefined) return this.#valid(this.#options.store.byDigest(known))
    const { digest, earlier } = this.#made
    return this.#find(cookie, [digest, ...earlier])
  }

  /**
   * Begins a session of the user; the value of its cookie comes out here and nowhere else. The one
   * that the browser had, `previous`, ends: nobody can prepare a session for somebody else (S22).
   *
   * @throws AuthenticationFailed (401) the password that let this user in is another one by now
   */
  async start(user: User, previous: string | null = null): Promise<string> {
    const { store, users, verified, events } = this.#options
    const cookie = newSessionValue()
    const created = new Date(this.#now())
    const expires = new Date(created.getTime() + this.settings.sessionCookieAge * 1000)
    const session = { digest: this.#made.digest(cookie), userId: user.id, created, expires }
    if (!(await store.insert(session, verified.hashOf(user)))) throw verified.refused(user)
    if (previous !== null) await this.end(previous)
    await users.update(user.id, { lastLogin: created })
    await events?.emit('login.succeeded', { user })
    await this.#clearNowAndThen()
    return cookie
  }

  /** `false`: there was none. */
  end(cookie: string): MaybePromise<boolean> {
    if (!isSessionValue(cookie)) return false
    const { digest, earlier } = this.#made
    return this.#endFirst(cookie, [digest, ...earlier])
  }

  /** Ends every session of a user, but for the one of the cookie `except`; how many there were. */
  async endAllOf(
    user: Pick<User, 'id'>,
    { except = null }: { readonly except?: string | null } = {},
  ): Promise<number> {
    const kept = except === null ? null : this.#made.digest(except)
    return this.#options.store.deleteOfUser(user.id, kept)
  }

  /** Forgets the sessions that are over by age; how many there were. Logging in does it once an hour. */
  async clear(): Promise<number> {
    this.#cleared = this.#now()
    return this.#options.store.deleteExpired(new Date(this.#cleared))
  }

  newCookie(): string {
    return newSessionValue()
  }

  csrfSecret(cookie: string): string | null {
    return isSessionValue(cookie) ? this.#made.csrfSecret(cookie) : null
  }

  csrfRefused(refusal: CsrfRefusal): void {
    void this.#options.events?.emit('csrf.refused', refusal)
  }

  get #made(): SessionSecrets {
    return (this.#secrets ??= new SessionSecrets(nonEmpty(this.#options.secretKeys())))
  }

  #find(
    cookie: string,
    [digest, ...others]: readonly ((cookie: string) => string)[],
  ): MaybePromise<Session | null> {
    if (digest === undefined) return null
    const text = digest(cookie)
    return after(this.#options.store.byDigest(text), (found) => {
      if (found === null) return this.#find(cookie, others)
      // Only cookies that exist: no flood of guesses pushes them out.
      this.#digests.set(cookie, text)
      return this.#valid(found)
    })
  }

  #valid(found: MaybePromise<FoundSession | null>): MaybePromise<Session | null> {
    return after(found, (session) =>
      session !== null && session.user.isActive && session.expires.getTime() > this.#now()
        ? session
        : null,
    )
  }

  #endFirst(
    cookie: string,
    [digest, ...others]: readonly ((cookie: string) => string)[],
  ): MaybePromise<boolean> {
    if (digest === undefined) return false
    return after(
      this.#options.store.delete(digest(cookie)),
      (ended) => ended || this.#endFirst(cookie, others),
    )
  }

  async #clearNowAndThen(): Promise<void> {
    // Either way: the clock may have been set back.
    if (Math.abs(this.#now() - this.#cleared) >= CLEARED_EVERY) await this.clear()
  }
}

function nonEmpty(secrets: readonly string[]): readonly string[] {
  if (secrets[0]) return secrets
  throw new ConfigurationError(
    'SECRET_KEY is missing. Sessions are kept under it: set it to a long random text, and keep it.',
  )
}
