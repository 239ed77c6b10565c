import type { SessionSettings } from '../contract/sessions.ts'
import type { ServiceKey } from './service.ts'

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const DOMAIN = /^\.?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/
const PATH = /^\/[\x21-\x3a\x3c-\x7e]*$/
const ADDRESS = /^[\x21-\x5b\x5d-\x7e]+$/
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && pattern.test(value)

const isSeconds = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= 1e10

type Rule = Omit<ServiceKey, 'key'>

const COOKIE_NAME: Rule = { wants: 'the name of a cookie', fits: matches(TOKEN) }
const AGE: Rule = { wants: 'a number of seconds from 1 on', fits: isSeconds }
const SECURE: Rule = {
  wants: 'true, false or "auto"',
  structured: true,
  fits: (value) => typeof value === 'boolean' || value === 'auto',
}
const SAME_SITE: Rule = {
  wants: '"Lax", "Strict" or "None"',
  fits: (value) => value === 'Lax' || value === 'Strict' || value === 'None',
}
const COOKIE_DOMAIN: Rule = {
  wants: 'a domain such as "example.com", or null for the host that sets the cookie',
  fits: (value) => value === null || matches(DOMAIN)(value),
}
const COOKIE_PATH: Rule = { wants: 'a path that begins with "/"', fits: matches(PATH) }
const PLACE: Rule = { wants: 'a path or an address, percent-encoded', fits: matches(ADDRESS) }

/** Keys about cookies, CSRF and logging in, and what each may say. */
export const SESSION_KEYS: { readonly [K in keyof SessionSettings]: ServiceKey } = {
  sessionCookieName: { key: 'SESSION_COOKIE_NAME', ...COOKIE_NAME },
  sessionCookieAge: { key: 'SESSION_COOKIE_AGE', ...AGE },
  sessionCookieSecure: { key: 'SESSION_COOKIE_SECURE', ...SECURE },
  sessionCookieSamesite: { key: 'SESSION_COOKIE_SAMESITE', ...SAME_SITE },
  sessionCookieDomain: { key: 'SESSION_COOKIE_DOMAIN', ...COOKIE_DOMAIN },
  sessionCookiePath: { key: 'SESSION_COOKIE_PATH', ...COOKIE_PATH },
  csrfCookieName: { key: 'CSRF_COOKIE_NAME', ...COOKIE_NAME },
  csrfCookieAge: { key: 'CSRF_COOKIE_AGE', ...AGE },
  csrfCookieSecure: { key: 'CSRF_COOKIE_SECURE', ...SECURE },
  csrfCookieSamesite: { key: 'CSRF_COOKIE_SAMESITE', ...SAME_SITE },
  csrfCookieDomain: { key: 'CSRF_COOKIE_DOMAIN', ...COOKIE_DOMAIN },
  csrfCookiePath: { key: 'CSRF_COOKIE_PATH', ...COOKIE_PATH },
  csrfHeaderName: {
    key: 'CSRF_HEADER_NAME',
    // `HTTP_X_CSRFTOKEN`, as some frameworks spell it, is a header that no browser sends.
    wants: 'the name of a header as it is sent, such as "X-CSRFToken"',
    fits: (value) => matches(TOKEN)(value) && !(value as string).includes('_'),
  },
  csrfTrustedOrigins: {
    key: 'CSRF_TRUSTED_ORIGINS',
    list: true,
    wants: 'a list of origins such as "https://app.example.com" or "https://*.example.com"',
    fits: (value) => Array.isArray(value) && value.every(matches(ORIGIN)),
  },
  csrfUseSessions: {
    key: 'CSRF_USE_SESSIONS',
    wants: 'true or false',
    structured: true,
    fits: (value) => typeof value === 'boolean',
  },
  loginUrl: { key: 'LOGIN_URL', ...PLACE },
  loginRedirectUrl: { key: 'LOGIN_REDIRECT_URL', ...PLACE },
}

export const SESSION_DEFAULTS: SessionSettings = Object.freeze({
  sessionCookieName: 'sessionid',
  sessionCookieAge: 1_209_600,
  sessionCookieSecure: 'auto',
  sessionCookieSamesite: 'Lax',
  sessionCookieDomain: null,
  sessionCookiePath: '/',
  csrfCookieName: 'csrftoken',
  csrfCookieAge: 31_449_600,
  csrfCookieSecure: 'auto',
  csrfCookieSamesite: 'Lax',
  csrfCookieDomain: null,
  csrfCookiePath: '/',
  csrfHeaderName: 'X-CSRFToken',
  csrfTrustedOrigins: Object.freeze([]),
  csrfUseSessions: false,
  loginUrl: '/login/',
  loginRedirectUrl: '/',
})

/** What decides about cookies beside their own keys. */
export interface CookieFacts {
  readonly production: boolean
  /** The public address of the service, where it is said. */
  readonly publicUrl: string | null
  /** Has the operator said this key? */
  readonly said: (key: string) => boolean
}

/**
 * The same as it is where cookies must never travel in clear: `'auto'` is read as `true`. By https, which a
 * public address proves, they get names that no neighbour under the same domain can set (RFC 6265bis
 * §4.1.3.2), unless the operator has named them.
 */
export function withCookiesFor<S extends SessionSettings>(facts: CookieFacts, settings: S): S {
  const byHttps = facts.publicUrl !== null && new URL(facts.publicUrl).protocol === 'https:'
  const settled = (secure: boolean | 'auto') =>
    secure === 'auto' && (byHttps || facts.production) ? true : secure
  const secured = {
    ...settings,
    sessionCookieSecure: settled(settings.sessionCookieSecure),
    csrfCookieSecure: settled(settings.csrfCookieSecure),
  }
  if (!byHttps) return secured
  const nameOf = (cookie: CookieKind) => ownName(cookie, secured, facts)
  return { ...secured, sessionCookieName: nameOf('session'), csrfCookieName: nameOf('csrf') }
}

type CookieKind = 'session' | 'csrf'

function ownName(cookie: CookieKind, settings: SessionSettings, { said }: CookieFacts): string {
  const name = settings[`${cookie}CookieName`]
  const isBound =
    settings[`${cookie}CookieSecure`] === true &&
    settings[`${cookie}CookiePath`] === '/' &&
    settings[`${cookie}CookieDomain`] === null
  return isBound && !said(SESSION_KEYS[`${cookie}CookieName`].key) ? `__Host-${name}` : name
}

/** What is wrong between two keys about cookies, as a sentence; `null`: nothing. */
export function cookiesProblem(settings: SessionSettings): string | null {
  const { sessionCookieName, csrfCookieName } = settings
  if (sessionCookieName === csrfCookieName) {
    return `SESSION_COOKIE_NAME and CSRF_COOKIE_NAME are both "${csrfCookieName}": give them two names.`
  }
  return cookieProblem(settings, 'session') ?? cookieProblem(settings, 'csrf')
}

/** What a name begins with is a promise that browsers hold the rest of the cookie to (RFC 6265bis §4.1.3). */
function cookieProblem(settings: SessionSettings, cookie: CookieKind): string | null {
  const key = `${cookie.toUpperCase()}_COOKIE`
  const name = settings[`${cookie}CookieName`]
  const prefix = /^__(?:Host|Secure)-/i.exec(name)?.[0].toLowerCase()
  const missing = (reason: string, wanted: string): string =>
    `${reason} wants ${wanted}, or browsers refuse the cookie.`
  if (settings[`${cookie}CookieSecure`] !== true) {
    if (prefix !== undefined) return missing(`${key}_NAME "${name}"`, `${key}_SECURE true`)
    if (settings[`${cookie}CookieSamesite`] === 'None')
      return missing(`${key}_SAMESITE "None"`, `${key}_SECURE true`)
  }
  if (prefix !== '__host-') return null
  if (settings[`${cookie}CookiePath`] !== '/')
    return missing(`${key}_NAME "${name}"`, `${key}_PATH "/"`)
  if (settings[`${cookie}CookieDomain`] === null) return null
  return missing(`${key}_NAME "${name}"`, `${key}_DOMAIN null`)
}
