import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { configurationOf, readConfiguration } from '../../../src/core/settings/configuration.ts'

const cwd = mkdtempSync(join(tmpdir(), 'colophon-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const fromEnvironment = (env: Record<string, string>) => readConfiguration({ cwd, env }).service

describe('keys about cookies', () => {
  test('the defaults are those of the rules (S1, S10)', () => {
    expect(configurationOf().service).toMatchObject({
      sessionCookieName: 'sessionid',
      sessionCookieAge: 14 * 24 * 3600,
      sessionCookieSecure: 'auto',
      sessionCookieSamesite: 'Lax',
      sessionCookieDomain: null,
      sessionCookiePath: '/',
      csrfCookieName: 'csrftoken',
      csrfCookieAge: 31_449_600,
      csrfCookieSecure: 'auto',
      csrfCookieSamesite: 'Lax',
      csrfHeaderName: 'X-CSRFToken',
      csrfTrustedOrigins: [],
      csrfUseSessions: false,
      loginUrl: '/login/',
      loginRedirectUrl: '/',
    })
  })

  test('in production cookies are secure unless somebody says otherwise', () => {
    const production = { NODE_ENV: 'production' }
    expect(fromEnvironment(production)).toMatchObject({
      sessionCookieSecure: true,
      csrfCookieSecure: true,
    })
    expect(
      fromEnvironment({ ...production, COLOPHON_SESSION_COOKIE_SECURE: 'false' }),
    ).toMatchObject({ sessionCookieSecure: false, csrfCookieSecure: true })
  })

  test('words of the environment are read as what they mean', () => {
    expect(
      fromEnvironment({
        COLOPHON_SESSION_COOKIE_SECURE: 'true',
        COLOPHON_CSRF_COOKIE_SECURE: 'auto',
        COLOPHON_SESSION_COOKIE_DOMAIN: 'null',
        COLOPHON_CSRF_COOKIE_DOMAIN: '.example.com',
        COLOPHON_CSRF_USE_SESSIONS: 'true',
        COLOPHON_SESSION_COOKIE_AGE: '60',
        COLOPHON_CSRF_TRUSTED_ORIGINS: 'https://a.example.com,https://*.b.example.com:8443',
        COLOPHON_SESSION_COOKIE_NAME: '1234',
      }),
    ).toMatchObject({
      sessionCookieSecure: true,
      csrfCookieSecure: 'auto',
      sessionCookieDomain: null,
      csrfCookieDomain: '.example.com',
      csrfUseSessions: true,
      sessionCookieAge: 60,
      csrfTrustedOrigins: ['https://a.example.com', 'https://*.b.example.com:8443'],
      sessionCookieName: '1234',
    })
  })

  for (const [key, ...values] of [
    ['SESSION_COOKIE_NAME', '', 'a b', 'a;b', 'a=b', 'a\n', 7, null],
    ['CSRF_COOKIE_NAME', 'ä', 'a,b'],
    ['SESSION_COOKIE_AGE', 0, -1, 1.5, '60', null, 1e300],
    ['SESSION_COOKIE_SECURE', 'yes', 1, null],
    ['SESSION_COOKIE_SAMESITE', 'lax', 'off', false, null],
    ['SESSION_COOKIE_DOMAIN', '', 'a b', 'a;b', 'https://a.org', 7],
    ['SESSION_COOKIE_PATH', '', 'a', '/a;b', '/ä', null],
    ['CSRF_HEADER_NAME', '', 'X CSRF', 'HTTP_X_CSRFTOKEN', 'X:Y', null],
    ['CSRF_TRUSTED_ORIGINS', ['a.example.com'], ['https://a/b'], ['https://'], ['*'], [7], 7],
    ['CSRF_USE_SESSIONS', 'yes', 1, null],
    ['LOGIN_URL', '', '/a b', '/ä', '/a\r\nb', '\\\\evil', null],
    ['LOGIN_REDIRECT_URL', '/a\tb'],
  ] as const) {
    for (const value of values) {
      test(`${key} ${JSON.stringify(value)} refuses to start`, () => {
        expect(() => configurationOf({ [key]: value })).toThrow(new RegExp(`^${key} .*must be`))
      })
    }
  }

  for (const origin of [
    'https://ok.example.com',
    'http://localhost:3000',
    'https://*.wild.org',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
    'capacitor://localhost',
  ]) {
    test(`${origin} may be trusted`, () => {
      expect(
        configurationOf({ CSRF_TRUSTED_ORIGINS: [origin] }).service.csrfTrustedOrigins,
      ).toEqual([origin])
    })
  }
})

describe('cookies that browsers would refuse', () => {
  const secure = { SESSION_COOKIE_SECURE: true, CSRF_COOKIE_SECURE: true }
  for (const [title, keys, complaint] of [
    ['__Host- without Secure', { SESSION_COOKIE_NAME: '__Host-sid' }, 'SESSION_COOKIE_SECURE true'],
    ['__Secure- without Secure', { CSRF_COOKIE_NAME: '__Secure-c' }, 'CSRF_COOKIE_SECURE true'],
    ['the prefix in another case', { CSRF_COOKIE_NAME: '__host-c' }, 'CSRF_COOKIE_SECURE true'],
    [
      '__Host- with a path',
      { ...secure, SESSION_COOKIE_NAME: '__Host-sid', SESSION_COOKIE_PATH: '/api/' },
      'SESSION_COOKIE_PATH "/"',
    ],
    [
      '__Host- with a domain',
      { ...secure, CSRF_COOKIE_NAME: '__Host-c', CSRF_COOKIE_DOMAIN: '.example.com' },
      'CSRF_COOKIE_DOMAIN null',
    ],
    [
      'SameSite=None without Secure',
      { SESSION_COOKIE_SAMESITE: 'None' },
      'SESSION_COOKIE_SECURE true',
    ],
    ['two of one name', { CSRF_COOKIE_NAME: 'sessionid' }, 'give them two names'],
  ] as const) {
    test(`${title} refuse to start`, () => {
      expect(() => configurationOf(keys)).toThrow(ConfigurationError)
      expect(() => configurationOf(keys)).toThrow(complaint)
    })
  }

  for (const [title, keys] of [
    ['__Host- on the root, secure', { ...secure, SESSION_COOKIE_NAME: '__Host-sid' }],
    [
      '__Secure- with path and domain',
      {
        ...secure,
        SESSION_COOKIE_NAME: '__Secure-sid',
        SESSION_COOKIE_PATH: '/api/',
        SESSION_COOKIE_DOMAIN: 'example.com',
      },
    ],
    ['SameSite=None, secure', { ...secure, SESSION_COOKIE_SAMESITE: 'None' }],
  ] as const) {
    test(`${title} are fine`, () => expect(() => configurationOf(keys)).not.toThrow())
  }

  test('in production, __Host- needs no more words', () => {
    expect(
      fromEnvironment({ NODE_ENV: 'production', COLOPHON_SESSION_COOKIE_NAME: '__Host-sid' })
        .sessionCookieName,
    ).toBe('__Host-sid')
  })
})
