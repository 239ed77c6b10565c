import type { Incoming } from '../../core/ports/request.ts'
import type { SessionSettings } from '../../core/ports/sessions.ts'
import { readCookie, writeCookie } from '../../core/std/http/cookie.ts'

/** `null`: the browser sent none of that name. */
export function sentCookie(request: Incoming, name: string): string | null {
  return readCookie(request.header('cookie'), name)
}

/** A cookie on the way to a session. */
export interface LoginCookie {
  /** The value that the browser sent; `null`: none. */
  readonly sent: string | null
  /** A value for `Set-Cookie`. `seconds`: until the browser forgets it; `''` makes it forget it at once. */
  set(value: string, seconds: number): string
}

/**
 * A cookie beside that of the session, for something on the way to one: `HttpOnly`, `Secure` where that of the session is
 * (`SESSION_COOKIE_SECURE`), and `__Host-` then, so that no other host sets it. Links of other sites lead here: `SameSite=Lax`.
 *
 * @example
 * const { sent, set } = loginCookie(request, accounts.sessions.settings, 'invitation')
 */
export function loginCookie(
  request: Incoming,
  { sessionCookieSecure }: Pick<SessionSettings, 'sessionCookieSecure'>,
  ownName: string,
): LoginCookie {
  const isByHttps = request.origin.startsWith('https:')
  const secure = sessionCookieSecure === 'auto' ? isByHttps : sessionCookieSecure
  const name = `${secure ? '__Host-' : ''}${ownName}`
  const fixed = { name, path: '/', domain: null, secure, httpOnly: true, sameSite: 'Lax' } as const
  return {
    sent: sentCookie(request, name),
    set: (value, seconds) => writeCookie({ ...fixed, value, maxAge: value === '' ? 0 : seconds }),
  }
}

/**
 * The cookie of a session (S1), which scripts never see, or that of CSRF (S10), which the scripts of
 * our pages have to read. `null`: makes the browser forget it.
 */
export function setCookie(
  kind: 'session' | 'csrf',
  value: string | null,
  { origin }: Incoming,
  settings: SessionSettings,
): string {
  const secure = settings[`${kind}CookieSecure`]
  return writeCookie({
    name: settings[`${kind}CookieName`],
    value: value ?? '',
    maxAge: value === null ? 0 : settings[`${kind}CookieAge`],
    path: settings[`${kind}CookiePath`],
    domain: settings[`${kind}CookieDomain`],
    secure: secure === 'auto' ? origin.startsWith('https:') : secure,
    httpOnly: kind === 'session',
    sameSite: settings[`${kind}CookieSamesite`],
  })
}
