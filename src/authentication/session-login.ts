import type { PasswordVerifier, User } from '../contract/credentials.ts'
import type { Incoming } from '../contract/request.ts'
import type { SessionKeeper } from '../contract/sessions.ts'
import { AuthenticationFailed } from '../errors/api-errors.ts'
import { sentCookie, sessionCookie } from './cookies.ts'
import { Csrf, type IssuedToken } from './csrf/csrf.ts'

/** What logging in asks: `accounts`, or what stands for them. */
export interface LoginAccounts {
  readonly users: PasswordVerifier
  readonly sessions: SessionKeeper
}

/** A login that succeeded, with the token and the cookies of the browser from now on. */
interface LoggedIn extends IssuedToken {
  readonly user: User
}

/** Logging in and out: what the pages for people and the endpoints for programs have in common. */
export class SessionLogin {
  /**
   * Visitors without a session have to pass its check too (5.2 rule 4): a page that logs them in under
   * another name sees what they do.
   */
  readonly csrf: Csrf
  readonly #accounts: LoginAccounts

  constructor(accounts: LoginAccounts) {
    this.#accounts = accounts
    this.csrf = new Csrf(accounts.sessions)
  }

  /** Who has logged in with this browser. */
  async current(request: Incoming): Promise<User | null> {
    const cookie = this.#cookieOf(request)
    const session = cookie === null ? null : await this.#accounts.sessions.read(cookie)
    return session?.user ?? null
  }

  /** `null`: refused, for whatever reason. Session and CSRF secret are new (S22). */
  async logIn(request: Incoming, username: string, password: string): Promise<LoggedIn | null> {
    const { users, sessions } = this.#accounts
    const user = await users.authenticate(username, password, request)
    const cookie = user === null ? null : await this.#start(user, request)
    if (user === null || cookie === null) return null
    const { token, cookies } = this.csrf.rotate(request, cookie)
    return { user, token, cookies: [sessionCookie(sessions.settings, cookie, request), ...cookies] }
  }

  /** `null`: the password has been changed since it was checked. */
  async #start(user: User, request: Incoming): Promise<string | null> {
    try {
      return await this.#accounts.sessions.start(user, this.#cookieOf(request))
    } catch (error) {
      if (error instanceof AuthenticationFailed) return null
      throw error
    }
  }

  /** Ends the session, if there is one. Values of `Set-Cookie` that make the browser forget it. */
  async logOut(request: Incoming): Promise<readonly string[]> {
    const { sessions } = this.#accounts
    const cookie = this.#cookieOf(request)
    if (cookie !== null) await sessions.end(cookie)
    return [sessionCookie(sessions.settings, null, request)]
  }

  #cookieOf(request: Incoming): string | null {
    return sentCookie(request, this.#accounts.sessions.settings.sessionCookieName)
  }
}
