import type { Incoming } from '../contract/request.ts'
import type { SessionSettings } from '../contract/sessions.ts'
import { type Cookie, writeCookie } from '../std/http/cookie.ts'

/** Sets the cookie of a session (S1): scripts never see it. */
export function sessionCookie(settings: SessionSettings, value: string, request: Incoming): string {
  const maxAge = settings.sessionCookieAge
  return writeCookie({ ...ofSession(settings, request), value, maxAge })
}

/** Makes the browser forget the cookie of its session. */
export function noSessionCookie(settings: SessionSettings, request: Incoming): string {
  return writeCookie({ ...ofSession(settings, request), value: '', maxAge: 0 })
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

function ofSession(settings: SessionSettings, request: Incoming): Omit<Cookie, 'value' | 'maxAge'> {
  return {
    name: settings.sessionCookieName,
    path: settings.sessionCookiePath,
    domain: settings.sessionCookieDomain,
    secure: isSecure(settings.sessionCookieSecure, request),
    httpOnly: true,
    sameSite: settings.sessionCookieSamesite,
  }
}

function isSecure(setting: boolean | 'auto', { origin }: Incoming): boolean {
  return setting === 'auto' ? origin.startsWith('https:') : setting
}
