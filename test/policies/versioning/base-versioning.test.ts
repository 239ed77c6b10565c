import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'

describe('options of a variant, which a configuration file may say', () => {
  test.each([
    ['a default that is no text', { defaultVersion: 1 }, '"defaultVersion" must be a text'],
    ['an empty default', { defaultVersion: '' }, '"defaultVersion"'],
    ['a list that is none', { allowedVersions: 'v1' }, '"allowedVersions" must be a list'],
    ['a list with a number', { allowedVersions: ['v1', 2] }, '"allowedVersions"'],
    ['no name of a parameter', { versionParam: null }, '"versionParam" must be a text'],
  ])('%s is refused', (_, options, message) => {
    const make = () => new URLPathVersioning(options as never)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(`URLPathVersioning: ${message}`)
  })
  test('undefined says nothing, null says none', () => {
    const settings = { defaultVersion: 'v1', allowedVersions: ['v1'] } as never
    const silent = new QueryParameterVersioning({ defaultVersion: undefined })
    expect(silent.versions(settings)).toEqual(['v1'])
    const none = new QueryParameterVersioning({ defaultVersion: null, allowedVersions: null })
    expect(none.versions(settings)).toBeNull()
  })
  test('every scheme has a name for configuration files', () => {
    const names = [
      'AcceptHeaderVersioning',
      'HostNameVersioning',
      'QueryParameterVersioning',
      'URLPathVersioning',
    ]
    const api = defineApi({ urls: { a: '/a/', n: { prefix: '/n', table: { b: '/b/' } } } })
    for (const name of [...names, 'NamespaceVersioning']) {
      const value = { class: name, default_version: 'v1', allowed_versions: ['v1', 'v2', null] }
      const keys = { DEFAULT_VERSIONING_CLASS: { ...value, version_param: 'v' } }
      const app = api.serve([api.endpoint('a').get(() => 1), api.endpoint('b').get(() => 1)], {
        configuration: configurationOf(keys),
      })
      expect(app.describe()[0]!.settings.versioning!.constructor.name).toBe(name)
    }
  })
})

describe('V3 texts that are too long are no versions, unless they are listed', () => {
  const long = 'v'.repeat(256)
  const asking = (version: string, allowedVersions: readonly string[] | null) => () =>
    new NamespaceVersioning({ allowedVersions }).determineVersion({
      namespace: [version],
      settings: {},
    } as never)
  test.each([
    ['255 characters', 'v'.repeat(255), null],
    ['256 that are listed', long, [long]],
  ])('%s', (_, version, listed) => {
    expect(asking(version, listed)()).toBe(version)
  })
  test('256', () => {
    expect(asking(long, null)).toThrow('This version does not exist.')
  })
})
