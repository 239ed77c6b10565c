import type { BrowserAccess } from '../../core/ports/page.ts'
import type { ActedFor, Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import type { SessionReader } from '../../core/ports/sessions.ts'
import { sentCookie } from './cookies.ts'
import { CSRF_FIELD, Csrf, type IssuedToken } from './csrf/csrf.ts'
import { CsrfFailed, SAFE_METHODS } from './csrf/foreign-requests.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'
import { checkNames } from '../../core/settings/options.ts'

/** Chooses whose view a session sees: `ActAs` of `colophon/browsable`. */
export interface ActsAs {
  chosen(request: Incoming, session: string): MaybePromise<ActedFor | null>
  permits(request: ApiRequest): MaybePromise<boolean>
}

/** Options of the session scheme. */
export interface SessionAuthenticationOptions<U extends User = User> {
  /** The storage of sessions: `accounts.sessions`, or your own. */
  readonly sessions: SessionReader<U>
  /** The check of requests that change something. @default `new Csrf(sessions)` */
  readonly csrf?: { check(request: Incoming): MaybePromise<void> }
  /** Lets staff see pages as other users. @default only their own view */
  readonly actAs?: ActsAs
}

/**
 * Authenticates users who have logged in with this browser (S1–S7). The user is the session's and `auth` is `null`. Requests
 * that may change something need a CSRF token; without one the answer is 403 at once, whichever other schemes follow. There is
 * no challenge: denials are 403.
 *
 * @example
 * const authentication = [new SessionAuthentication(accounts)]
 */
export class SessionAuthentication<U extends User = User> implements Authenticator<U, null> {
  static readonly options: readonly string[] = []
  static readonly needs: readonly string[] = ['sessions']

  readonly #sessions: SessionReader<U>
  readonly #csrf: NonNullable<SessionAuthenticationOptions['csrf']>

  readonly #actAs: ActsAs | null

  constructor(options: SessionAuthenticationOptions<U>) {
    checkNames(new.target, options, ['csrf', 'actAs'])
    const { sessions, csrf = new Csrf(sessions), actAs } = options
    this.#actAs = actAs ?? null
    this.#sessions = sessions
    this.#csrf = csrf
  }

  /** @throws CsrfFailed (403) */
  authenticate(request: Incoming): MaybePromise<Identity<U, null> | null> {
    const cookie = sentCookie(request, this.#sessions.settings.sessionCookieName)
    return cookie === null ? null : this.#identify(cookie, request)
  }

  security(): SecurityFacts {
    const { sessionCookieName: cookie, csrfHeaderName: header } = this.#sessions.settings
    const description = 'The token that belongs to the CSRF cookie of the session.'
    return {
      name: 'Session',
      scheme: { type: 'apiKey', in: 'cookie', name: cookie },
      writing: {
        name: 'CSRF',
        scheme: { type: 'apiKey', in: 'header', name: header, description },
      },
    }
  }

  check({ hasSecret }: ServiceFacts): string | null {
    if (hasSecret || this.#actAs === null) return null
    return 'needs SECRET_KEY, a long random text that the choice of a user to act as is sealed with.'
  }

  get browser(): BrowserAccess<Incoming> {
    const sessions = this.#sessions
    const { loginUrl, csrfHeaderName } = sessions.settings
    const issue = (request: Incoming): IssuedToken => new Csrf(sessions).issue(request)
    const actAs = this.#actAs === null ? {} : { actAs: this.#actAs }
    return { loginUrl, field: CSRF_FIELD, header: csrfHeaderName, issue, isOutdated, ...actAs }
  }

  async #identify(cookie: string, request: Incoming): Promise<Identity<U, null> | null> {
    const session = await this.#sessions.read(cookie)
    // Without a session, another site cannot act in the name of a user (S2).
    if (session === null) return null
    if (!SAFE_METHODS.has(request.method)) await this.#csrf.check(request)
    const acting = (await this.#actAs?.chosen(request, cookie)) ?? null
    return { user: session.user, auth: null, acting, authenticatedAt: session.created }
  }
}

/**
 * Is only the token outdated? The browser must state that the request comes from this origin, because another site could
 * otherwise have any request confirmed.
 */
function isOutdated(error: unknown, request: Incoming): boolean {
  const isOld = error instanceof CsrfFailed && error.reason === 'token-incorrect'
  return isOld && request.header('origin') === request.origin
}
