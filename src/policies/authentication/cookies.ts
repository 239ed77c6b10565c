import type { Incoming } from '../../core/ports/request.ts'
import type { SessionSettings } from '../../core/ports/sessions.ts'
import { readCookie, writeCookie } from '../../core/std/http/cookie.ts'

/** `null`: the browser sent none of that name. */
export function sentCookie(request: Incoming, name: string): string | null {
  return readCookie(request.header('cookie'), name)
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
