// What schemes say of themselves: in documents, to pages, and in the check at the start.
import { describe, expect, test } from 'vitest'
import {
  BasicAuthentication,
  CsrfFailed,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
} from '../../../src/index.ts'
import { carriesSecret } from '../../../src/policies/authentication/csrf/csrf.ts'
import { SERVICE_DEFAULTS } from '../../../src/core/settings/service-keys.ts'

type SessionOptions = ConstructorParameters<typeof SessionAuthentication>[0]
const sessions: SessionOptions['sessions'] = {
  settings: { ...SERVICE_DEFAULTS, csrfHeaderName: 'X-CSRFToken', loginUrl: '/in/' },
  read: () => null,
  csrfSecret: () => null,
  newCookie: () => 'cookie',
}
type Asked = Parameters<SessionAuthentication['authenticate']>[0]
const actAs = { chosen: () => null, permits: () => true }
const session = new SessionAuthentication({ sessions })
const acting = new SessionAuthentication({ sessions, actAs })
const byToken = (keyword: string) =>
  new TokenAuthentication({ tokens: { verify: () => null }, keyword })

describe('in a document', () => {
  test.each([
    [
      'Basic',
      new BasicAuthentication({ users: { authenticate: async () => null } }),
      { scheme: { type: 'http', scheme: 'basic' } },
    ],
    ['bearer', byToken('bearer'), { scheme: { type: 'http', scheme: 'bearer' }, isScoped: true }],
    [
      'Token',
      byToken('Token'),
      {
        scheme: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          'x-keyword': 'Token',
          description: 'The value is `Token <key>`.',
        },
        isScoped: true,
      },
    ],
    [
      'RemoteUser',
      new RemoteUserAuthentication({ users: { remoteUser: () => null }, variable: 'WHO' }),
      {
        scheme: {
          type: 'apiKey',
          in: 'header',
          name: 'WHO',
          description: expect.stringContaining('Clients do not send it.'),
        },
      },
    ],
    [
      'Session',
      session,
      {
        scheme: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
        writing: {
          name: 'CSRF',
          scheme: {
            type: 'apiKey',
            in: 'header',
            name: 'X-CSRFToken',
            description: expect.stringContaining('CSRF cookie'),
          },
        },
      },
    ],
  ])('%s', (name, scheme, facts) => {
    expect(scheme.security()).toEqual({ name, ...facts })
  })
})

describe('at the start', () => {
  const facts = { hasSecret: true, remoteUserSource: null } as Parameters<typeof session.check>[0]

  test('whom one acts as needs a secret, and nothing else of a session does', () => {
    expect(acting.check({ ...facts, hasSecret: false })).toMatch(/^needs SECRET_KEY/)
    expect(acting.check(facts)).toBeNull()
    expect(session.check({ ...facts, hasSecret: false })).toBeNull()
  })
})

describe('to pages', () => {
  test('a session says where to log in, what forms carry, and whom it may act as', () => {
    const known = { loginUrl: '/in/', field: 'csrfmiddlewaretoken', header: 'X-CSRFToken' }
    expect(session.browser).toEqual({
      ...known,
      issue: expect.any(Function),
      isOutdated: expect.any(Function),
    })
    expect(acting.browser).toMatchObject({ ...known, actAs })
  })

  test('and what forms carry belongs to the cookie of the browser (S10, S11)', () => {
    const { csrfCookieName } = sessions.settings
    const secret = 'abcdefghijklmnopqrstuvwxyzABCDEF'
    const cookie = `${csrfCookieName}=${secret}`
    const request = { origin: 'http://here', header: () => cookie } as unknown as Asked
    const { token, cookies } = session.browser.issue(request)
    expect(carriesSecret(token, secret)).toBe(true)
    expect(cookies).toEqual([expect.stringContaining(cookie)])
  })

  test.each([
    ['of another session, from here', new CsrfFailed('token-incorrect'), 'http://here', true],
    [
      'of another session, from elsewhere',
      new CsrfFailed('token-incorrect'),
      'http://there',
      false,
    ],
    ['of another session, from who knows', new CsrfFailed('token-incorrect'), null, false],
    ['that is missing', new CsrfFailed('token-missing'), 'http://here', false],
    ['and another error', new Error('token-incorrect'), 'http://here', false],
  ])('a form with a token %s is outdated, or not', (_, error, origin, isOutdated) => {
    const request = {
      origin: 'http://here',
      header: (name: string) => (name === 'origin' ? origin : null),
    }
    expect(session.browser.isOutdated?.(error, request as unknown as Asked)).toBe(isOutdated)
  })
})
