import type { BrowserAccess } from '../contract/page.ts'
import type { Authenticator, Incoming, MaybePromise, Identity } from '../contract/request.ts'
import type { User } from '../contract/credentials.ts'
import type { SessionReader } from '../contract/sessions.ts'
import { sentCookie } from './cookies.ts'
import { CSRF_FIELD, Csrf } from './csrf/csrf.ts'
import { SAFE_METHODS } from './foreign-origin.ts'

/** What the session scheme is made from. */
export interface SessionAuthenticationOptions {
  /** Where sessions are looked up: `accounts.sessions`, or a storage of your own. */
  readonly sessions: SessionReader
  /** What requests that change something must pass. @default `new Csrf(sessions)` */
  readonly csrf?: { check(request: Incoming): MaybePromise<void> }
}

/**
 * Who has logged in with this browser (S1–S7). The user is the session's and `auth` is
 * `null`. Requests that may change something have to carry a CSRF token; where they do not, the answer
 * is 403 at once, whichever other schemes follow. There is no challenge: denials are 403.
 *
 * @example
 * const authentication = [new SessionAuthentication(accounts)]
 */
export class SessionAuthentication implements Authenticator<User, null> {
  static readonly options: readonly string[] = []
  static readonly needs: readonly string[] = ['sessions']

  readonly #sessions: SessionReader
  readonly #csrf: NonNullable<SessionAuthenticationOptions['csrf']>

  constructor({ sessions, csrf = new Csrf(sessions) }: SessionAuthenticationOptions) {
    this.#sessions = sessions
    this.#csrf = csrf
  }

  /** @throws CsrfFailed (403) */
  authenticate(request: Incoming): MaybePromise<Identity<User, null> | null> {
    const cookie = sentCookie(request, this.#sessions.settings.sessionCookieName)
    return cookie === null ? null : this.#identify(cookie, request)
  }

  get browser(): BrowserAccess<Incoming> {
    const sessions = this.#sessions
    const { loginUrl } = sessions.settings
    return { loginUrl, field: CSRF_FIELD, issue: (request) => new Csrf(sessions).issue(request) }
  }

  async #identify(cookie: string, request: Incoming): Promise<Identity<User, null> | null> {
    const session = await this.#sessions.read(cookie)
    // Without a session there is no name that another site could abuse (S2).
    if (session === null) return null
    if (!SAFE_METHODS.has(request.method)) await this.#csrf.check(request)
    return { user: session.user, auth: null }
  }
}
