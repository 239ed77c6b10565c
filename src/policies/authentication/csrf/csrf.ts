import type { Incoming } from '../../../core/ports/request.ts'
import type { SessionReader } from '../../../core/ports/sessions.ts'
import { safeEqual } from '../../../core/secrets/digest.ts'
import { randomText } from '../../../core/secrets/keys.ts'
import { Form } from '../../../core/std/http/form.ts'
import { isOfForm } from '../../../core/std/http/media-type.ts'
import { sentCookie, setCookie } from '../cookies.ts'
import { CsrfFailed, type CsrfReason, foreignReason } from './foreign-requests.ts'

/** Name of the field by which a form sends its token. */
export const CSRF_FIELD = 'csrfmiddlewaretoken'

/** The token with which requests of a page or a script pass. */
export interface IssuedToken {
  /** For the field `csrfmiddlewaretoken` or the header `X-CSRFToken`; another one each time. */
  readonly token: string
  /** Values of `Set-Cookie` that go with it. */
  readonly cookies: readonly string[]
}

/** The session members that the guard needs: `accounts.sessions`, or an object in its place. */
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
  async check(request: Incoming): Promise<void> {
    const foreign = foreignReason(request, this.#sessions.settings)
    if (foreign !== null) throw this.#refused(foreign, request)
    const secret = this.#secretOf(request)
    // A field that is not empty is the one that counts (S17).
    const field = mayHoldField(request) ? await fieldOf(request) : ''
    const header = this.#sessions.settings.csrfHeaderName.toLowerCase()
    const token = field || (request.header(header) ?? '')
    if (token === '') throw this.#refused('token-missing', request)
    if (unmask(token) === null) throw this.#refused('token-malformed', request)
    if (!carriesSecret(token, secret)) throw this.#refused('token-incorrect', request)
  }

  /** A token for the browser that asks, with the cookie that belongs to it. */
  issue(request: Incoming): IssuedToken {
    const { settings } = this.#sessions
    const sent = this.#sent(request)
    const secret = sent === null ? null : this.#secretIn(sent)
    if (!settings.csrfUseSessions) return this.#issueByCookie(secret ?? newSecret(), request)
    if (secret !== null) return { token: mask(secret), cookies: [] }
    const cookie = this.#sessions.newCookie()
    const { token } = this.rotate(request, cookie)
    return { token, cookies: [setCookie('session', cookie, request, settings)] }
  }

  /** Issues a token with a new secret, for a browser that gets the session `cookie`: old tokens no longer work (S22). */
  rotate(request: Incoming, cookie: string): IssuedToken {
    if (!this.#sessions.settings.csrfUseSessions) return this.#issueByCookie(newSecret(), request)
    // A new session already has a new secret.
    return { token: mask(this.#secretIn(cookie)!), cookies: [] }
  }

  #issueByCookie(secret: string, request: Incoming): IssuedToken {
    const cookie = setCookie('csrf', secret, request, this.#sessions.settings)
    return { token: mask(secret), cookies: [cookie] }
  }

  /** The secret of the cookie that the browser sent (S16). */
  #secretOf(request: Incoming): string {
    const sent = this.#sent(request)
    if (sent === null || sent === '')
      throw this.#refused('cookie-missing', request, this.#isWithheld(request))
    const secret = this.#secretIn(sent)
    if (secret === null) throw this.#refused('cookie-malformed', request)
    return secret
  }

  /** The cookie that the secret belongs to. */
  #sent(request: Incoming): string | null {
    return sentCookie(request, this.#sessions.settings[`${this.#kind}CookieName`])
  }

  /** Browsers send the cookie from no other site, trusted or not. */
  #isWithheld(request: Incoming): boolean {
    const sameSite = this.#sessions.settings[`${this.#kind}CookieSamesite`]
    return sameSite !== 'None' && request.header('sec-fetch-site') === 'cross-site'
  }

  get #kind(): 'session' | 'csrf' {
    return this.#sessions.settings.csrfUseSessions ? 'session' : 'csrf'
  }

  #secretIn(cookie: string): string | null {
    const { settings } = this.#sessions
    return settings.csrfUseSessions ? this.#sessions.csrfSecret(cookie) : unmask(cookie)
  }

  #refused(reason: CsrfReason, { id, method, path }: Incoming, isWithheld = false): CsrfFailed {
    this.#sessions.csrfRefused?.({ reason, id, method, path })
    return new CsrfFailed(reason, isWithheld ? 'cookie-withheld' : reason)
  }
}

/** Only forms that are sent by POST (S17, S18). */
function mayHoldField(request: Incoming): boolean {
  return request.method === 'POST' && isOfForm(request.header('content-type'))
}

/**
 * Takes the token out of the form, so that the handler does not see it (I17). A body that cannot be read throws its own
 * error.
 */
async function fieldOf(request: Incoming): Promise<string> {
  const body = await request.body()
  const field = body instanceof Form ? body.take(CSRF_FIELD) : null
  return typeof field === 'string' ? field : ''
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const SECRET_LENGTH = 32
const TOKEN = /^(?:[a-zA-Z0-9]{32}){1,2}$/

export function newSecret(): string {
  return randomText(SECRET_LENGTH, ALPHABET)
}

/** Different each time (S11): what many pages repeat can be guessed from how well they compress. */
export function mask(secret: string, by: string = newSecret()): string {
  return by + combine(secret, by, 1)
}

/** The secret of a token, masked or plain; `null`: it is neither. */
export function unmask(token: string): string | null {
  if (!TOKEN.test(token)) return null
  if (token.length === SECRET_LENGTH) return token
  return combine(token.slice(SECRET_LENGTH), token.slice(0, SECRET_LENGTH), -1)
}

/** Does a well-formed token carry the secret? The comparison takes the same time for every answer. */
export function carriesSecret(token: string, secret: string): boolean {
  return safeEqual(unmask(token) ?? '', secret)
}

function combine(text: string, key: string, sign: 1 | -1): string {
  const size = ALPHABET.length
  const moved = Array.from(text, (character, at) => {
    const index = ALPHABET.indexOf(character) + sign * ALPHABET.indexOf(key[at]!)
    return ALPHABET[(index + size) % size]
  })
  return moved.join('')
}
