import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  URLPathVersioning,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'

function serve(keys: Readonly<Record<string, unknown>>): unknown {
  const api = defineApi({
    urls: { items: '/:version/items/' },
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
  })
  return api.serve([api.endpoint('items').get(({ version }) => version)], {
    configuration: configurationOf(keys),
  })
}

describe('what the code answers by version, an operator may narrow and not widen', () => {
  test.each([
    ['nothing said', {}],
    ['one version less', { ALLOWED_VERSIONS: ['v2'] }],
    ['another default', { DEFAULT_VERSION: 'v2' }],
    ['no default', { DEFAULT_VERSION: null }],
  ])('%s: starts', (_, keys) => {
    expect(() => serve(keys)).not.toThrow()
  })

  test.each([
    ['a version more', { ALLOWED_VERSIONS: ['v1', 'v3'] }, /ALLOWED_VERSIONS.*"v3".*v1, v2/],
    ['every version', { ALLOWED_VERSIONS: null }, /ALLOWED_VERSIONS/],
    ['a default that nobody wrote', { DEFAULT_VERSION: 'v9' }, /DEFAULT_VERSION.*"v9"/],
  ])('%s: refused, naming endpoint, key and what is known', (_, keys, message) => {
    expect(() => serve(keys)).toThrow(ConfigurationError)
    expect(() => serve(keys)).toThrow(message)
    expect(() => serve(keys)).toThrow(/^endpoint items: /)
  })
})
