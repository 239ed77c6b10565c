import { BasicAuthentication } from '../../authentication/basic.ts'
import { RemoteUserAuthentication } from '../../authentication/remote-user.ts'
import { SessionAuthentication } from '../../authentication/session.ts'
import type { Settings } from '../../contract/request.ts'
import { hasScheme } from './connections.ts'
import { type Checks, type Examined, inEndpoints, inService } from './finding.ts'

/** What browsers send by themselves, and for which pages. */
export const browserChecks: Checks = {
  'insecure-cookies': (app) => {
    const open = (['sessionCookieSecure', 'csrfCookieSecure'] as const).filter(
      (setting) => app.service[setting] === false,
    )
    return inService(app, open.length > 0 && hasSessions(app), open, {
      message: 'Browsers send the cookies of a login without https too, where they can be read.',
      fix: 'Set SESSION_COOKIE_SECURE and CSRF_COOKIE_SECURE to "auto" or true.',
    })
  },
  'cross-site-sessions': (app) => {
    const isSent = app.service.sessionCookieSamesite === 'None' && hasSessions(app)
    return inService(app, isSent, ['sessionCookieSamesite'], {
      message: 'Browsers send the session with requests that pages of any other site make.',
      fix: 'Set SESSION_COOKIE_SAMESITE to "Lax", and serve pages that need the session from the same site.',
    })
  },
  'wide-csrf-origins': (app) => {
    const wide = app.service.csrfTrustedOrigins.filter(isWide)
    const isUsed = app.endpoints.some((endpoint) => hasScheme(endpoint, ...SENT_BY_BROWSERS))
    return inService(app, wide.length > 0 && isUsed, ['csrfTrustedOrigins'], {
      message: `Pages that are not yours may pass the check of origins, because it admits ${wide.join(', ')}.`,
      fix: 'Set CSRF_TRUSTED_ORIGINS to exact origins with https://.',
    })
  },
  'wide-cors': (app) =>
    inEndpoints(app, ({ settings }) => admitsWideWithCredentials(settings), ['cors'], {
      message: 'Pages that are not yours may read answers in the name of a user who visits them.',
      fix: 'List exact origins with https:// in CORS, or leave "credentials" out.',
    }),
}

/** Other hosts, other ports, or http, where an attacker on the way can make a page of any host. */
function isWide(origin: string): boolean {
  return !/^https:\/\/[^*]+$/i.test(origin)
}

/** Without credentials a page learns what every program can ask for; a function is not known before it is asked. */
function admitsWideWithCredentials({ cors }: Settings): boolean {
  return cors?.credentials === true && Array.isArray(cors.origins) && cors.origins.some(isWide)
}

const SENT_BY_BROWSERS = [SessionAuthentication, BasicAuthentication, RemoteUserAuthentication]

function hasSessions(app: Examined): boolean {
  return app.endpoints.some((endpoint) => hasScheme(endpoint, SessionAuthentication))
}
