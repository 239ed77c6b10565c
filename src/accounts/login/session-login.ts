import type { PasswordVerifier, User } from '../../core/ports/credentials.ts'
import type { Incoming } from '../../core/ports/request.ts'
import type {
  LoginFactors,
  LoginPasskeys,
  Session,
  SessionKeeper,
} from '../../core/ports/sessions.ts'
import {
  AuthenticationFailed,
  PermissionDenied,
  SecondFactorRequired,
} from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { sentCookie, setCookie } from '../../policies/authentication/cookies.ts'
import { Csrf, type IssuedToken } from '../../policies/authentication/csrf/csrf.ts'

/** The members of `accounts` that logging in needs. */
export interface LoginAccounts<U extends User = User> {
  readonly users: PasswordVerifier<U>
  readonly sessions: SessionKeeper<U>
}

/** A session that has begun, as the browser gets it: its cookies, and a token for its next requests. */
export interface LoggedIn<U extends User> extends IssuedToken {
  readonly user: U
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
  /**
   * Visitors without a session need a CSRF token too (5.2 rule 4): another site could log them in as its own user, and see
   * what they do.
   */
  readonly csrf: Csrf
  readonly #accounts: LoginAccounts<U>
  readonly #factors: LoginFactors<U> | null
  readonly #passkeys: LoginPasskeys<U> | null

  /**
   * @param factors asks users with a second factor for it; without them such users are refused
   * @param passkeys lets users in by passkeys; without them none does
   */
  constructor(
    accounts: LoginAccounts<U>,
    factors: LoginFactors<U> | null = null,
    passkeys: LoginPasskeys<U> | null = null,
  ) {
    this.#accounts = accounts
    this.#factors = factors
    this.#passkeys = passkeys
    this.csrf = new Csrf(accounts.sessions)
  }

  /** The user of the session that the browser sent; `null`: no session. */
  async current(request: Incoming): Promise<U | null> {
    return (await this.session(request))?.user ?? null
  }

  /** The session that the browser sent; `null`: no session. */
  async session(request: Incoming): Promise<Session<U> | null> {
    const cookie = this.#cookieOf(request)
    return cookie === null ? null : this.#accounts.sessions.read(cookie)
  }

  /**
   * `null`: refused, for whatever reason. Session and CSRF secret are new (S22).
   *
   * @throws Throttled (429) too many wrong credentials
   * @throws SecondFactorRequired (403) the password is right; `finish` goes on where the answer has the headers of the error
   */
  async logIn(request: Incoming, username: string, password: string): Promise<LoggedIn<U> | null> {
    const parts = { users: this.#accounts.users, factors: this.#factors }
    const user = await userByPassword(request, parts, username, password)
    if (user !== null) return orNull(this.enter(request, user))
    await request.guesses?.wrong()
    return null
  }

  /**
   * Begins a session for a user who has proved one thing, unless a second factor is required. If the browser has a session
   * of this user, the user proves the rest anew: a remembered device does not count then.
   *
   * @throws SecondFactorRequired (403) a second factor is required
   * @throws AuthenticationFailed (401) the user is not active or gone, or the password that let them in is another one by now
   */
  async enter<Owner extends User>(request: Incoming, user: Owner): Promise<LoggedIn<Owner>> {
    const isRenewal = (await this.current(request))?.id === user.id
    const ask = () => this.#ask(request, user, isRenewal)
    const proved = await ask()
    const { cookie, begun } = await this.#start(request, user, proved)
    const end = async () => {
      await this.#accounts.sessions.end(cookie)
      await ask()
    }
    if (proved === null) await endUnlessEnough([this.#accounts.users, this.#factors], user, end)
    return begun
  }

  /** When a remembered device proved the second factor. `null`: the user has no more to prove. */
  async #ask(request: Incoming, user: User, isRenewal: boolean): Promise<Date | null> {
    const more = (await this.#factors?.ask(request, user, isRenewal)) ?? null
    if (typeof more !== 'string') return more
    const headers = { 'Set-Cookie': more }
    throw new SecondFactorRequired(headers)
  }

  /**
   * Goes on with a log-in of this browser that waits for a code. `null`: the code is wrong.
   *
   * @throws PermissionDenied (403) no log-in waits
   * @throws Throttled (429) too many wrong codes
   */
  async finish(request: Incoming, code: string, remember = false): Promise<LoggedIn<U> | null> {
    if (this.#factors === null) throw new PermissionDenied()
    return this.#beginAs(request, await this.#factors.answer(request, code, remember))
  }

  /**
   * A session of the user whose passkey this browser answered with: it is a whole proof, of the device and of its user.
   * `sent`: the passkey as JSON, or as a text of it. `null`: refused, for whatever reason.
   *
   * @throws PermissionDenied (403) there are no passkeys here
   */
  async enterByPasskey(request: Incoming, sent: unknown): Promise<LoggedIn<U> | null> {
    if (this.#passkeys === null) throw new PermissionDenied()
    const known = await this.#passkeys.answer(request, sent)
    if (known === null) await request.guesses?.wrong()
    return this.#beginAs(request, known)
  }

  async #beginAs(request: Incoming, known: Awaited<ReturnType<LoginPasskeys<U>['answer']>>) {
    const begun = known && (await orNull(this.begin(request, known.user)))
    return begun && { ...begun, cookies: [...begun.cookies, ...known.cookies] }
  }

  /**
   * The user who is logged in proves it again by the password: a new session, in place of this one. `null`: it is wrong.
   *
   * @throws PermissionDenied (403) no one is logged in
   * @throws Throttled (429) too many wrong credentials
   */
  async renew(request: Incoming, password: string): Promise<LoggedIn<U> | null> {
    const user = await this.current(request)
    if (user === null) throw new PermissionDenied(Message.of('permission_denied.log_in_first'))
    return this.logIn(request, user.username, password)
  }

  /**
   * Begins a session for a user whose password was checked. `proved`: when the user had proved everything that is required.
   * @default now
   *
   * @throws AuthenticationFailed (401) the user is not active or gone, or the password is another one by now
   */
  async begin<Owner extends User>(
    request: Incoming,
    user: Owner,
    proved: Date | null = null,
  ): Promise<LoggedIn<Owner>> {
    return (await this.#start(request, user, proved)).begun
  }

  async #start<Owner extends User>(request: Incoming, user: Owner, proved: Date | null) {
    const { sessions } = this.#accounts
    const cookie = await sessions.start(user, this.#cookieOf(request), proved)
    const { token, cookies } = this.csrf.rotate(request, cookie)
    const own = setCookie('session', cookie, request, sessions.settings)
    return { cookie, begun: { user, token, cookies: [own, ...cookies] } }
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

/**
 * Checks a password. The verifier is asked first, so that what it refuses stays refused: the factors check the password only
 * if the verifier asks for a second factor, and they know of one. `null`: refused.
 *
 * @throws SecondFactorRequired (403) the verifier asks for one, and the factors know of none
 */
export async function userByPassword<U extends User>(
  request: Incoming,
  { users, factors }: { readonly users: PasswordVerifier<U>; readonly factors: Factors<U> },
  username: string,
  password: string,
): Promise<U | null> {
  try {
    return await users.authenticate(username, password, request)
  } catch (error) {
    if (factors == null || !(error instanceof SecondFactorRequired)) throw error
    const user = await factors.byPassword(username, password, request)
    if (user !== null && !(await needsMore([users, factors], user))) throw error
    return user
  }
}

type Factors<U extends User> = LoginFactors<U> | null | undefined
type Asked = readonly (Pick<PasswordVerifier, 'needsMore'> | null | undefined)[]

/** Must the user prove more than a password, according to one of these? */
export async function needsMore(asked: Asked, user: User): Promise<boolean> {
  for (const each of asked) if (await each?.needsMore?.(user)) return true
  return false
}

/**
 * Ends what a password alone has begun, if the user has got a second factor since the password was checked. A second factor
 * that is added later ends it itself.
 *
 * @throws SecondFactorRequired (403) the user has a second factor
 */
export async function endUnlessEnough(
  asked: Asked,
  user: User,
  end: () => MaybePromise<unknown>,
): Promise<void> {
  if (!(await needsMore(asked, user))) return
  await end()
  throw new SecondFactorRequired()
}

/** `null`: the password has been changed since it was checked. */
async function orNull<T>(begun: Promise<T>): Promise<T | null> {
  try {
    return await begun
  } catch (error) {
    if (error instanceof AuthenticationFailed) return null
    throw error
  }
}
