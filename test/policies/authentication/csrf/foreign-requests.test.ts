import { describe, expect, test } from 'vitest'
import {
  CsrfFailed,
  foreignReason,
  refuseForeign,
} from '../../../../src/policies/authentication/csrf/foreign-requests.ts'
import type { Incoming } from '../../../../src/core/ports/request.ts'
import type { SessionSettings } from '../../../../src/core/ports/sessions.ts'
import { SERVICE_DEFAULTS } from '../../../../src/core/settings/service-keys.ts'

type Headers = Readonly<Record<string, string>>

function from(origin: string, headers: Headers, settings: Partial<SessionSettings> = {}) {
  const request = { origin, header: (name: string) => headers[name] ?? null }
  return foreignReason(request as unknown as Incoming, { ...SERVICE_DEFAULTS, ...settings })
}

const HTTP = 'http://testserver'
const HTTPS = 'https://testserver'
const trusting = {
  csrfTrustedOrigins: ['https://ok.example.com', 'https://*.wild.org', 'http://*.dev:8080'],
}

describe('S13 the header Origin', () => {
  for (const [title, own, origin, expected] of [
    ['none over HTTP', HTTP, null, null],
    ['the same', HTTP, 'http://testserver', null],
    ['the same with a port', 'http://testserver:8000', 'http://testserver:8000', null],
    ['another port', 'http://testserver:8000', 'http://testserver:8001', 'origin-mismatch'],
    ['no port', 'http://testserver:8000', 'http://testserver', 'origin-mismatch'],
    ['another scheme', HTTP, 'https://testserver', 'origin-mismatch'],
    ['another host', HTTP, 'http://evil.example', 'origin-mismatch'],
    ['a host that begins the same', HTTP, 'http://testserver.evil.example', 'origin-mismatch'],
    ['a host that ends the same', HTTP, 'http://eviltestserver', 'origin-mismatch'],
    ['null', HTTP, 'null', 'origin-mismatch'],
    ['empty', HTTP, '', 'origin-mismatch'],
    ['a path behind', HTTP, 'http://testserver/', 'origin-mismatch'],
    ['two of them', HTTP, 'http://testserver, http://evil.example', 'origin-mismatch'],
    ['nonsense', HTTP, '\xff\0<script>', 'origin-mismatch'],
  ] as const) {
    test(title, () => {
      expect(from(own, origin === null ? {} : { origin })).toBe(expected)
    })
  }

  test('S13 the Referer is then not looked at', () => {
    expect(from(HTTPS, { origin: HTTPS, referer: 'http://evil.example/' })).toBeNull()
  })
})

describe('S14 trusted origins', () => {
  for (const [origin, trusted] of [
    ['https://ok.example.com', true],
    ['http://ok.example.com', false],
    ['https://ok.example.com:8443', false],
    ['https://sub.ok.example.com', false],
    ['https://a.wild.org', true],
    ['https://a.b.wild.org', true],
    ['https://wild.org', true],
    ['https://evilwild.org', false],
    ['http://a.wild.org', false],
    ['https://a.wild.org:8443', false],
    ['https://wild.org.evil.example', false],
    ['http://a.dev:8080', true],
    ['http://a.dev', false],
    ['https://*.wild.org', true],
    ['null', false],
  ] as const) {
    test(`${origin} is ${trusted ? '' : 'not '}one`, () => {
      expect(from(HTTP, { origin }, trusting)).toBe(trusted ? null : 'origin-mismatch')
    })
  }

  test('I17 are excepted from what the browser says of the site', () => {
    const headers = { origin: 'https://a.wild.org', 'sec-fetch-site': 'cross-site' }
    expect(from(HTTP, headers, trusting)).toBeNull()
    expect(from(HTTP, headers)).toBe('origin-mismatch')
  })
})

describe('I17 the header Sec-Fetch-Site', () => {
  for (const [value, expected] of [
    ['same-origin', null],
    ['none', null],
    ['cross-site', 'origin-mismatch'],
    ['same-site', 'origin-mismatch'],
    ['', null],
    ['something-new', null],
  ] as const) {
    test(`"${value}" without Origin`, () => {
      expect(from(HTTP, { 'sec-fetch-site': value })).toBe(expected)
    })
  }

  test('says no where Origin says yes', () => {
    expect(from(HTTP, { origin: HTTP, 'sec-fetch-site': 'cross-site' })).toBe('origin-mismatch')
  })
})

describe('S15 the header Referer over HTTPS', () => {
  for (const [title, referer, settings, expected] of [
    ['missing', null, {}, 'referer-missing'],
    ['empty', '', {}, 'referer-missing'],
    ['not an address', 'nonsense', {}, 'referer-malformed'],
    ['a path', '/page', {}, 'referer-malformed'],
    ['without a scheme', '//testserver/page', {}, 'referer-malformed'],
    ['without a host', 'about:blank', {}, 'referer-malformed'],
    ['bytes', '\xff\0', {}, 'referer-malformed'],
    ['by HTTP', 'http://testserver/page', {}, 'referer-insecure'],
    ['the same host', 'https://testserver/page?x=1', {}, null],
    ['the default port', 'https://testserver:443/page', {}, null],
    ['another port', 'https://testserver:8443/page', {}, 'referer-mismatch'],
    ['another host', 'https://evil.example/testserver', {}, 'referer-mismatch'],
    ['the host as a user name', 'https://testserver@evil.example/', {}, 'referer-mismatch'],
    ['a trusted origin', 'https://ok.example.com/page', trusting, null],
    ['below a wildcard', 'https://a.wild.org/page', trusting, null],
    ['beside a wildcard', 'https://evilwild.org/page', trusting, 'referer-mismatch'],
    ['the cookie domain', 'https://example.com/', { csrfCookieDomain: '.example.com' }, null],
    ['below it', 'https://a.example.com/', { csrfCookieDomain: '.example.com' }, null],
    ['beside it', 'https://ex.com/', { csrfCookieDomain: '.example.com' }, 'referer-mismatch'],
    [
      'ending so',
      'https://an-example.com/',
      { csrfCookieDomain: '.example.com' },
      'referer-mismatch',
    ],
    ['one host', 'https://example.com/', { csrfCookieDomain: 'example.com' }, null],
    [
      'below one host',
      'https://a.example.com/',
      { csrfCookieDomain: 'example.com' },
      'referer-mismatch',
    ],
    [
      'below all but its first letter',
      'https://a.xample.com/',
      { csrfCookieDomain: 'example.com' },
      'referer-mismatch',
    ],
    [
      'the domain of the cookie that does not count',
      'https://example.com/',
      { csrfCookieDomain: '.example.com', csrfUseSessions: true },
      'referer-mismatch',
    ],
    [
      'the domain of the session',
      'https://example.com/',
      { sessionCookieDomain: '.example.com', csrfUseSessions: true },
      null,
    ],
  ] as const) {
    test(title, () => {
      expect(from(HTTPS, referer === null ? {} : { referer }, settings)).toBe(expected)
    })
  }

  test('is not asked for over plain HTTP', () => {
    expect(from(HTTP, { referer: 'http://evil.example/' })).toBeNull()
  })
})

test.each([
  ...['GET', 'HEAD', 'OPTIONS', 'TRACE'].map((method) => [method, true] as const),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, false] as const),
])('I18 %s from another site passes: %j', (method, passes) => {
  const header = (name: string) => (name === 'origin' ? 'http://evil.example' : null)
  const request = { method, origin: HTTP, header, trustedOrigins: [] } as unknown as Incoming
  if (passes) expect(() => refuseForeign(request)).not.toThrow()
  else expect(() => refuseForeign(request)).toThrow(CsrfFailed)
})
