import type { PasswordVerifier, User } from '../../core/ports/credentials.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type { SessionKeeper } from '../../core/ports/sessions.ts'
import { AuthenticationFailed, PermissionDenied } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { sentCookie, setCookie } from '../../policies/authentication/cookies.ts'
import { Csrf, type IssuedToken } from '../../policies/authentication/csrf/csrf.ts'

/** What logging in asks: `accounts`, or what stands for them. */
export interface LoginAccounts<U extends User = User> {
  readonly users: PasswordVerifier<U>
  readonly sessions: SessionKeeper<U>
}

/**
 * Logging in and out with sessions, for pages and endpoints of your own: `loginPages` and `login()` use it.
 *
 * @example
 * const login = new SessionLogin(accounts)
 * const loggedIn = await login.logIn(request, username, password)
 * return loggedIn && reply(null, { status: 204, headers: { 'Set-Cookie': loggedIn.cookies } })
 */
export class SessionLogin<U extends User = User> {
  /** For visitors without a session too (5.2 rule 4): who logs them in as another sees what they do. */
  readonly csrf: Csrf
  readonly #accounts: LoginAccounts<U>

  constructor(accounts: LoginAccounts<U>) {
    this.#accounts = accounts
    this.csrf = new Csrf(accounts.sessions)
  }

  /** The user of the session that the browser sent; `null`: there is none. */
  async current(request: Incoming): Promise<U | null> {
    const cookie = this.#cookieOf(request)
    const session = cookie === null ? null : await this.#accounts.sessions.read(cookie)
    return session?.user ?? null
  }

  /**
   * `null`: refused, for whatever reason. Session and CSRF secret are new (S22).
   *
   * @throws Throttled (429) too many wrong credentials
   */
  async logIn(
    request: Incoming,
    username: string,
    password: string,
  ): Promise<(IssuedToken & { readonly user: U }) | null> {
    const { users } = this.#accounts
    const user = await users.authenticate(username, password, request)
    if (user === null) {
      await request.guesses?.wrong()
      return null
    }
    try {
      return await this.begin(request, user)
    } catch (error) {
      // The password has been changed since it was checked.
      if (error instanceof AuthenticationFailed) return null
      throw error
    }
  }

  /**
   * The user who is logged in proves it again by the password: a new session, in place of this one. `null`: it is wrong.
   *
   * @throws PermissionDenied (403) no one is logged in
   * @throws Throttled (429) too many wrong credentials
   */
  async renew(
    request: Incoming,
    password: string,
  ): Promise<(IssuedToken & { readonly user: U }) | null> {
    const user = await this.current(request)
    if (user === null) throw new PermissionDenied(Message.of('permission_denied.log_in_first'))
    return this.logIn(request, user.username, password)
  }

  /** A session of a user whose password was checked. @throws AuthenticationFailed (401) it is another one by now */
  async begin<Owner extends User>(
    request: Incoming,
    user: Owner,
  ): Promise<IssuedToken & { readonly user: Owner }> {
    const { sessions } = this.#accounts
    const cookie = await sessions.start(user, this.#cookieOf(request))
    const { token, cookies } = this.csrf.rotate(request, cookie)
    const own = setCookie('session', cookie, request, sessions.settings)
    return { user, token, cookies: [own, ...cookies] }
  }

  /** Values of `Set-Cookie` that make the browser forget the session. */
  async logOut(request: Incoming): Promise<readonly string[]> {
    const { sessions } = this.#accounts
    const cookie = this.#cookieOf(request)
    if (cookie !== null) await sessions.end(cookie)
    return [setCookie('session', null, request, sessions.settings)]
  }

  #cookieOf(request: Incoming): string | null {
    return sentCookie(request, this.#accounts.sessions.settings.sessionCookieName)
  }
}
