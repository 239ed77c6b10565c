import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { configurationOf, readConfiguration } from '../../../src/core/settings/configuration.ts'
import type { ServiceSettings } from '../../../src/core/settings/service-keys.ts'

const fromEnvironment = (env: Record<string, string>): ServiceSettings =>
  readConfiguration({ cwd: '/nowhere', env }).service

describe('what an operator may say of servers in front', () => {
  test('nothing said: nobody is believed', () => {
    const { trustedProxies, remoteUserSource } = configurationOf().service
    expect([trustedProxies, remoteUserSource]).toEqual([[], null])
  })

  test.each<[key: string, text: string, value: unknown]>([
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1,unix', ['10.0.0.0/8', '::1', 'unix']],
    ['TRUSTED_PROXIES', '["192.0.2.1"]', ['192.0.2.1']],
    ['TRUSTED_PROXIES', '[]', []],
    ['REMOTE_USER_SOURCE', 'environ', 'environ'],
    ['REMOTE_USER_SOURCE', '"environ"', 'environ'],
    ['REMOTE_USER_SOURCE', 'null', null],
    [
      'REMOTE_USER_SOURCE',
      '{"header": "X-User", "proxies": ["unix"]}',
      { header: 'X-User', proxies: ['unix'] },
    ],
    ['HOST', 'unix:/run/api.sock', 'unix:/run/api.sock'],
  ])('in the environment: %s=%s', (key, text, value) => {
    expect(Object.values(fromEnvironment({ [`COLOPHON_${key}`]: text }))).toContainEqual(value)
  })

  test('a header without proxies of its own has the trusted ones', () => {
    const said = { TRUSTED_PROXIES: ['unix'], REMOTE_USER_SOURCE: { header: 'X-User' } }
    expect(configurationOf(said).service.remoteUserSource).toEqual({ header: 'X-User' })
  })
})

describe('what refuses to start', () => {
  test.each<[title: string, keys: Record<string, unknown>, message: RegExp]>([
    ['no list', { TRUSTED_PROXIES: 7 }, /^TRUSTED_PROXIES \(configuration\) must be a list of net/],
    ['null', { TRUSTED_PROXIES: null }, /TRUSTED_PROXIES/],
    ['numbers', { TRUSTED_PROXIES: [10] }, /TRUSTED_PROXIES/],
    [
      'a name',
      { TRUSTED_PROXIES: ['127.0.0.1', 'localhost'] },
      /^TRUSTED_PROXIES \(configuration\): "localhost" is no address, no network such as "10\.0\.0\.0\/8", and not "unix"\.$/,
    ],
    ['everybody', { TRUSTED_PROXIES: ['*'] }, /"\*" is no address/],
    ['nothing', { TRUSTED_PROXIES: '' }, /TRUSTED_PROXIES/],
    ['an address with white space', { TRUSTED_PROXIES: [' 10.0.0.1'] }, /" 10\.0\.0\.1" is no/],
    ['a prefix too long', { TRUSTED_PROXIES: ['10.0.0.0/33'] }, /"10\.0\.0\.0\/33" is no/],
    [
      'more than a prefix',
      { TRUSTED_PROXIES: ['10.0.0.1/8'] },
      /"10\.0\.0\.1\/8" says more than its prefix\. Did you mean "10\.0\.0\.0\/8"\?/,
    ],
    [
      'a text',
      { REMOTE_USER_SOURCE: 'X-User' },
      /^REMOTE_USER_SOURCE \(configuration\) must be null,/,
    ],
    ['true', { REMOTE_USER_SOURCE: true }, /REMOTE_USER_SOURCE/],
    ['a list', { REMOTE_USER_SOURCE: [] }, /REMOTE_USER_SOURCE/],
    ['no header', { REMOTE_USER_SOURCE: { proxies: ['unix'] } }, /REMOTE_USER_SOURCE/],
    [
      'a member that nobody knows',
      { REMOTE_USER_SOURCE: { header: 'X-User', proxies: ['unix'], trusted: true } },
      /REMOTE_USER_SOURCE/,
    ],
    [
      'proxies that are no list',
      { REMOTE_USER_SOURCE: { header: 'X-User', proxies: 'unix' } },
      /REMOTE_USER_SOURCE/,
    ],
    [
      'proxies that are none',
      { REMOTE_USER_SOURCE: { header: 'X-User', proxies: ['front'] } },
      /^REMOTE_USER_SOURCE \(configuration\): "front" is no address/,
    ],
    [
      'I9 nobody who may send the header',
      { REMOTE_USER_SOURCE: { header: 'X-User' } },
      /^REMOTE_USER_SOURCE names the header X-User and no peer that may send it: set "proxies" there, or TRUSTED_PROXIES\.$/,
    ],
    [
      'an empty list of them',
      { TRUSTED_PROXIES: ['unix'], REMOTE_USER_SOURCE: { header: 'X-User', proxies: [] } },
      /no peer that may send it/,
    ],
    [
      'a header with an underscore',
      { REMOTE_USER_SOURCE: { header: 'X_User', proxies: ['unix'] } },
      /"X_User" is no name for the header: write letters, digits and dashes/,
    ],
    [
      'a header named like the prototype',
      { REMOTE_USER_SOURCE: { header: '__proto__', proxies: ['unix'] } },
      /"__proto__" is no name for the header/,
    ],
    [
      'an empty header',
      { REMOTE_USER_SOURCE: { header: '', proxies: ['unix'] } },
      /"" is no name for the header/,
    ],
    [
      'a header with its colon',
      { REMOTE_USER_SOURCE: { header: 'X-User:', proxies: ['unix'] } },
      /is no name/,
    ],
    [
      'a header that means something else',
      { REMOTE_USER_SOURCE: { header: 'AUTHORIZATION', proxies: ['unix'] } },
      /"AUTHORIZATION" means something else already/,
    ],
    [
      'a socket without a path',
      { HOST: 'unix:' },
      /^HOST \(configuration\): the path of a unix so/,
    ],
    ['a relative path', { HOST: 'unix:api.sock' }, /is absolute: "unix:\/run\/api\/api\.sock"/],
    ['a path too long', { HOST: `unix:/${'x'.repeat(103)}` }, /has at most 103 bytes/],
  ])('%s', (_, keys, message) => {
    expect(() => configurationOf(keys)).toThrow(ConfigurationError)
    expect(() => configurationOf(keys)).toThrow(message)
  })
})
