import type { Incoming } from '../contract/request.ts'
import type { SessionSettings } from '../contract/sessions.ts'
import { readCookie, writeCookie } from '../std/http/cookie.ts'

/** The value of a cookie that the browser sent; `null`: it sent none of that name. */
export function sentCookie(request: Incoming, name: string): string | null {
  return readCookie(request.header('cookie'), name)
}

/** Sets the cookie of a session (S1), which scripts never see; `null`: makes the browser forget it. */
export function sessionCookie(
  settings: SessionSettings,
  value: string | null,
  request: Incoming,
): string {
  return writeCookie({
    name: settings.sessionCookieName,
    value: value ?? '',
    maxAge: value === null ? 0 : settings.sessionCookieAge,
    path: settings.sessionCookiePath,
    domain: settings.sessionCookieDomain,
    secure: isSecure(settings.sessionCookieSecure, request),
    httpOnly: true,
    sameSite: settings.sessionCookieSamesite,
  })
}

/** Sets the CSRF cookie (S10): scripts of our pages have to read it. */
export function csrfCookie(settings: SessionSettings, value: string, request: Incoming): string {
  return writeCookie({
    name: settings.csrfCookieName,
    value,
    maxAge: settings.csrfCookieAge,
    path: settings.csrfCookiePath,
    domain: settings.csrfCookieDomain,
    secure: isSecure(settings.csrfCookieSecure, request),
    httpOnly: false,
    sameSite: settings.csrfCookieSamesite,
  })
}

function isSecure(setting: boolean | 'auto', { origin }: Incoming): boolean {
  return setting === 'auto' ? origin.startsWith('https:') : setting
}
