import type { SessionSettings } from '../contract/sessions.ts'

/** What decides about cookies beside their own keys. */
interface CookieFacts {
  readonly production: boolean
  /** The public address of the service, where it is set. */
  readonly publicUrl: string | null
  /** Has the operator set this key? */
  readonly isSet: (key: string) => boolean
}

/**
 * The same as it is where cookies must never travel in clear: `'auto'` is read as `true`. By https, which a
 * public address proves, they get names that no neighbour under the same domain can set (RFC 6265bis
 * §4.1.3.2), unless the operator has named them.
 */
export function withCookiesFor<S extends SessionSettings>(facts: CookieFacts, settings: S): S {
  const byHttps = facts.publicUrl !== null && new URL(facts.publicUrl).protocol === 'https:'
  const changed = COOKIES.flatMap((cookie): [keyof SessionSettings, unknown][] => {
    const secure = settings[`${cookie}CookieSecure`]
    const isSecure = secure === 'auto' && (byHttps || facts.production) ? true : secure
    const isBound =
      isSecure === true &&
      settings[`${cookie}CookiePath`] === '/' &&
      settings[`${cookie}CookieDomain`] === null
    const isNamed = facts.isSet(`${cookie.toUpperCase()}_COOKIE_NAME`)
    const prefix = byHttps && isBound && !isNamed ? '__Host-' : ''
    return [
      [`${cookie}CookieSecure`, isSecure],
      [`${cookie}CookieName`, prefix + settings[`${cookie}CookieName`]],
    ]
  })
  return { ...settings, ...Object.fromEntries(changed) }
}

const COOKIES = ['session', 'csrf'] as const

/** What is wrong between two keys about cookies, as a sentence; `null`: nothing. */
export function cookiesProblem(settings: SessionSettings): string | null {
  const { sessionCookieName, csrfCookieName } = settings
  if (sessionCookieName === csrfCookieName) {
    return `SESSION_COOKIE_NAME and CSRF_COOKIE_NAME are both "${csrfCookieName}": give them two names.`
  }
  return cookieProblem(settings, 'session') ?? cookieProblem(settings, 'csrf')
}

/** What a name begins with is a promise that browsers hold the rest of the cookie to (RFC 6265bis §4.1.3). */
function cookieProblem(settings: SessionSettings, cookie: (typeof COOKIES)[number]): string | null {
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
