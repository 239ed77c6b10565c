import type { Incoming, MaybePromise } from '../../contract/request.ts'
import type { SessionReader } from '../../contract/sessions.ts'
import { readCookie } from '../../std/http/cookie.ts'
import { Form } from '../../std/http/form.ts'
import { essenceOf, parseMediaType } from '../../std/http/media-type.ts'
import { csrfCookie, sessionCookie } from '../cookies.ts'
import { CsrfFailed, type CsrfReason } from './csrf-failed.ts'
import { foreignness } from './origin.ts'
import { carries, mask, newSecret, unmask } from './token.ts'

/** Name of the field by which a form sends its token. */
export const CSRF_FIELD = 'csrfmiddlewaretoken'

/** What a page or a script needs in order to send requests that pass. */
export interface IssuedToken {
  /** For the field `csrfmiddlewaretoken` or the header `X-CSRFToken`; another one each time. */
  readonly token: string
  /** Values of `Set-Cookie` that go with it. */
  readonly cookies: readonly string[]
}

/** What the guard asks: `accounts.sessions`, or what stands for it. */
export type CsrfSessions = Pick<
  SessionReader,
  'settings' | 'csrfSecret' | 'newCookie' | 'csrfRefused'
>

/**
 * Tells requests of our own pages from those that other sites make a browser send (S10–S20, I17). A
 * request passes with the secret of its cookie in a token; the token alone or the cookie alone is nothing.
 *
 * @example
 * const csrf = new Csrf(accounts.sessions)
 * const { token, cookies } = csrf.issue(request)
 */
export class Csrf {
  readonly #sessions: CsrfSessions

  constructor(sessions: CsrfSessions) {
    this.#sessions = sessions
  }

  /**
   * Refuses a request that may come from elsewhere. The body is read only where a form may hold the
   * token, and only when everything before was right.
   *
   * @throws CsrfFailed (403)
   */
  check(request: Incoming): MaybePromise<void> {
    const foreign = foreignness(request, this.#sessions.settings)
    if (foreign !== null) throw this.#refused(foreign, request)
    const secret = this.#secretOf(request)
    if (!mayHoldField(request)) return this.#compare(this.#headerOf(request), secret, request)
    return fieldOf(request).then((field) =>
      // S17: a field that says something is the one that counts.
      this.#compare(field || this.#headerOf(request), secret, request),
    )
  }

  /** A token for the browser that asks, with the cookie that belongs to it. */
  issue(request: Incoming): IssuedToken {
    const { settings } = this.#sessions
    return settings.csrfUseSessions ? this.#issueOfSession(request) : this.#issueByCookie(request)
  }

  /** The same with a new secret, for a browser that gets the session `cookie`: old tokens are dead (S22). */
  rotate(request: Incoming, cookie: string): IssuedToken {
    const { settings } = this.#sessions
    // A secret of the session is a new one already.
    if (settings.csrfUseSessions) {
      return { token: mask(this.#sessions.csrfSecret(cookie)!), cookies: [] }
    }
    const secret = newSecret()
    return { token: mask(secret), cookies: [csrfCookie(settings, secret, request)] }
  }

  /** S16. */
  #secretOf(request: Incoming): string {
    const { settings } = this.#sessions
    const { csrfUseSessions, sessionCookieName, csrfCookieName } = settings
    const name = csrfUseSessions ? sessionCookieName : csrfCookieName
    const value = readCookie(request.header('cookie'), name)
    if (value === null || value === '') throw this.#refused('cookie-missing', request)
    const secret = csrfUseSessions ? this.#sessions.csrfSecret(value) : unmask(value)
    if (secret === null) throw this.#refused('cookie-malformed', request)
    return secret
  }

  #headerOf(request: Incoming): string {
    return request.header(this.#sessions.settings.csrfHeaderName.toLowerCase()) ?? ''
  }

  #compare(token: string, secret: string, request: Incoming): void {
    if (token === '') throw this.#refused('token-missing', request)
    if (unmask(token) === null) throw this.#refused('token-malformed', request)
    if (!carries(token, secret)) throw this.#refused('token-incorrect', request)
  }

  #issueByCookie(request: Incoming): IssuedToken {
    const { settings } = this.#sessions
    const sent = readCookie(request.header('cookie'), settings.csrfCookieName)
    const secret = unmask(sent ?? '') ?? newSecret()
    return { token: mask(secret), cookies: [csrfCookie(settings, secret, request)] }
  }

  #issueOfSession(request: Incoming): IssuedToken {
    const { settings } = this.#sessions
    const sent = readCookie(request.header('cookie'), settings.sessionCookieName)
    const secret = sent === null ? null : this.#sessions.csrfSecret(sent)
    if (secret !== null) return { token: mask(secret), cookies: [] }
    const cookie = this.#sessions.newCookie()
    return {
      token: mask(this.#sessions.csrfSecret(cookie)!),
      cookies: [sessionCookie(settings, cookie, request)],
    }
  }

  #refused(reason: CsrfReason, { id, method, path }: Incoming): CsrfFailed {
    this.#sessions.csrfRefused?.({ reason, id, method, path })
    return new CsrfFailed(reason)
  }
}

/** S17, S18: forms of POST only. */
function mayHoldField(request: Incoming): boolean {
  if (request.method !== 'POST') return false
  const type = parseMediaType(request.header('content-type') ?? '')
  return type !== null && FORMS.has(essenceOf(type))
}

const FORMS: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
])

/** I17: what was for the guard is not for the handler. A body that cannot be read answers for itself. */
async function fieldOf(request: Incoming): Promise<string> {
  const body = await request.body()
  const field = body instanceof Form ? body.take(CSRF_FIELD) : undefined
  return typeof field === 'string' ? field : ''
}
