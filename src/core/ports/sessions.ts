import type { SameSite } from '../std/http/cookie.ts'
import type { User } from './credentials.ts'
import type { ApiRequest, Incoming } from './request.ts'
import type { MaybePromise } from '../std/after.ts'

/** Keys of the whole service about cookies, CSRF and logging in (decisions Y3). */
export interface SessionSettings {
  /** By https it has `__Host-` in front by default: no other host can set it then. */
  readonly sessionCookieName: string
  /** Seconds from login. */
  readonly sessionCookieAge: number
  /** `'auto'`: if the request came by https. In production it is read as `true`. */
  readonly sessionCookieSecure: boolean | 'auto'
  readonly sessionCookieSamesite: SameSite
  /** `null`: the host that set it, and no other. */
  readonly sessionCookieDomain: string | null
  readonly sessionCookiePath: string
  readonly csrfCookieName: string
  /** Seconds. */
  readonly csrfCookieAge: number
  readonly csrfCookieSecure: boolean | 'auto'
  readonly csrfCookieSamesite: SameSite
  readonly csrfCookieDomain: string | null
  readonly csrfCookiePath: string
  readonly csrfHeaderName: string
  /** Other origins that may send requests: `https://app.example.com`, `https://*.example.com`. */
  readonly csrfTrustedOrigins: readonly string[]
  /** The CSRF secret belongs to the session, and there is no cookie for it. */
  readonly csrfUseSessions: boolean
  /** The page for logging in, from which users return, unless `next` names another page. */
  readonly loginUrl: string
  readonly loginRedirectUrl: string
}

/** A login, kept for further requests. */
export interface Session<U extends User = User> {
  readonly user: U
  /** When its user last proved who they are, with every factor that they have; as a rule, when the session began. */
  readonly created: Date
  readonly expires: Date
}

/** Looks sessions up: all that the session scheme needs. */
export interface SessionReader<U extends User = User> {
  readonly settings: SessionSettings
  /** Finds a session by the value of its cookie. `null`: no valid session has it, or its user is not active. */
  read(cookie: string): MaybePromise<Session<U> | null>
  /** A CSRF secret that belongs to the cookie, for `CSRF_USE_SESSIONS`. `null`: not a value of ours. */
  csrfSecret(cookie: string): string | null
  /** A value that is no session, for browsers without one: something a CSRF secret can belong to. */
  newCookie(): string
  csrfRefused?(refusal: CsrfRefusal): void
}

/** A request that failed the CSRF check: its id, and the reason as a code (S20). */
export interface CsrfRefusal {
  readonly reason: string
  readonly id: string
  readonly method: string
  readonly path: string
}

/** Begins and ends sessions, beside looking them up: what logging in needs. */
export interface SessionKeeper<U extends User = User> extends SessionReader<U> {
  /**
   * Begins a session in place of the one that the browser had; gives the value of its cookie, a secret.
   * Throws `AuthenticationFailed` where the password that let this user in is another one by now.
   * `proved`: when its user proved who they are, where that was before; its `created` says so.
   */
  start(user: User, previous: string | null, proved?: Date | null): Promise<string>
  /** Ends a session. `false`: there was none. */
  end(cookie: string): MaybePromise<boolean>
}

/** Asks for more than a password at log-ins: `secondFactors` of `colophon/factors` makes it. */
export interface LoginFactors<U extends User = User> {
  /** The user with this password, whatever else they have to prove; `null`: refused. Throws `Throttled` (429). */
  byPassword(username: string, password: string, request: Incoming): Promise<U | null>
  /** Has the user a second factor? Asked together with `needsMore` of the password verifier. */
  needsMore(user: User): Promise<boolean>
  /**
   * Decides whether the user has to prove more after a password or a provider. Then it gives the value of `Set-Cookie` for
   * the waiting log-in. `null`: nothing more. A `Date`: this device is remembered since then, so nothing more, unless
   * `isRenewal` asks for a new proof.
   */
  ask(request: Incoming, user: User, isRenewal: boolean): Promise<string | Date | null>
  /**
   * Goes on with the log-in of this browser. `null`: the code is wrong. `remember`: this device need not prove it again.
   * Throws `PermissionDenied` (403) where no log-in waits, and `Throttled` (429).
   */
  answer(
    request: Incoming,
    code: string,
    remember: boolean,
  ): Promise<{ readonly user: U; readonly cookies: readonly string[] } | null>
  /** Checks a code without a waiting log-in: is it one of this user's? A code counts once. Throws `Throttled` (429). */
  isRight(request: Incoming, user: User, code: string): Promise<boolean>
  /** Does a log-in of this browser wait? */
  isWaiting(request: Incoming): boolean
}

/** The argument of `navigator.credentials` in a browser, and the value of `Set-Cookie` of its challenge. */
export interface PasskeyQuestion {
  /** The options as JSON, for `PublicKeyCredential.parseRequestOptionsFromJSON` and `parseCreationOptionsFromJSON`. */
  readonly options: object
  readonly cookie: string
}

/** Logs users in by passkeys, and registers these: `passkeys` of `colophon/passkeys` makes it. */
export interface LoginPasskeys<U extends User = User> {
  /**
   * Asks for a passkey. `isKnown`: one of the user who is logged in, or whose log-in waits for a code.
   * Throws `PermissionDenied` (403) where there is no such user.
   */
  ask(request: Incoming, isKnown: boolean): Promise<PasskeyQuestion>
  /** The user of the passkey in this browser's answer, as JSON or as a text of it. `null`: refused, for whatever reason. */
  answer(
    request: Incoming,
    sent: unknown,
  ): Promise<{ readonly user: U; readonly cookies: readonly string[] } | null>
  /** Asks for a new passkey of the user who is logged in. */
  begin(request: ApiRequest, user: User): Promise<PasskeyQuestion>
  /**
   * Registers it. Gives the recovery codes, where it is the first factor. `null`: refused.
   * Throws `Conflict` (409) where it is there already, or one more would be too many.
   */
  register(
    request: ApiRequest,
    user: User,
    name: string,
    sent: unknown,
  ): Promise<readonly string[] | null>
}
