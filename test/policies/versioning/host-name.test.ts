import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  HostNameVersioning,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'

describe('hostnameRegex', () => {
  test.each([
    ['a text', '^(v[0-9]+)\\.example\\.com$'],
    ['an expression', /^(v\d+)\.example\.com$/i],
    ['a named group', '^(?<version>v1)\\.example\\.com$'],
    ['flags that remember', /(v\d+)/gy],
  ])('%s', (_, hostnameRegex) => {
    expect(() => new HostNameVersioning({ hostnameRegex })).not.toThrow()
  })
  test.each([
    ['no expression', '(v[0-9]', 'must be a regular expression as JavaScript writes it'],
    ['an expression of another language', '^(?P<version>v1)$', 'JavaScript'],
    ['no text', 7, 'must be a regular expression'],
    ['no group', '^v[0-9]+$', 'has no group'],
    ['a group that keeps nothing', '^(?:v1)$', 'has no group'],
  ])('%s is refused', (_, hostnameRegex, message) => {
    const make = () => new HostNameVersioning({ hostnameRegex: hostnameRegex as string })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(message)
  })
  test('the expression of the caller is not moved', () => {
    const pattern = /(v\d+)/g
    pattern.lastIndex = 3
    const scheme = new HostNameVersioning({ hostnameRegex: pattern })
    const request = { header: () => 'v1.example.com', settings: { allowedVersions: null } }
    expect(scheme.find(request as never)).toBe('v1')
    expect(pattern.lastIndex).toBe(3)
  })
  test('keys say it as the document does', () => {
    const api = defineApi({ urls: { a: '/a/' } })
    const serve = (value: object) =>
      api.serve([api.endpoint('a').get(({ version }) => version)], {
        configuration: configurationOf({ DEFAULT_VERSIONING_CLASS: value }),
      })
    const value = {
      class: 'HostNameVersioning',
      hostname_regex: '^(v1)\\.x$',
      default_version: 'v0',
    }
    expect(serve(value).describe()[0]!.settings.versioning).toBeInstanceOf(HostNameVersioning)
    expect(() => serve({ ...value, host_regex: 'x' })).toThrow('there is no attribute "host_regex"')
  })
})

test('a request without a host has no version', () => {
  const request = { header: () => null, settings: { defaultVersion: 'v0' } }
  expect(new HostNameVersioning().determineVersion(request as never)).toBe('v0')
})
