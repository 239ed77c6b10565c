import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  firstOf,
  ConfigurationError,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import type { VersionFacts, VersioningScheme } from '../../../src/types.ts'

interface Said {
  readonly versioning?: VersioningScheme | null
  readonly allowedVersions?: readonly (string | null)[] | null
  readonly defaultVersion?: string | null
  readonly versionParam?: string
  readonly versions?: Readonly<Record<string, VersionFacts>> | null
  readonly versionHeader?: string | null
}
const urls = { a: '/a/', b: ['/b/', '/:version/b/'], c: '/c/:ver/' } as const

/** Serves three endpoints: what the api says, then what the endpoint `a` says. */
function serve(said: Said, own: Said = {}, keys: Readonly<Record<string, unknown>> = {}): unknown {
  const api = defineApi({ urls, ...said })
  return api.serve(
    [
      api.endpoint('a', own).get(() => 1),
      api.endpoint('b').get(() => 1),
      api.endpoint('c', { versioning: null }).get(() => 1),
    ],
    { configuration: configurationOf(keys) },
  )
}
const refusing = (message: RegExp, ...said: Parameters<typeof serve>): void => {
  expect(() => serve(...said)).toThrow(ConfigurationError)
  expect(() => serve(...said)).toThrow(message)
}
const query = new QueryParameterVersioning()
const listed: Said = { versioning: query, allowedVersions: ['v1', 'v2'] }

describe('schemes that could not work', () => {
  const path = new URLPathVersioning()
  test('V10 a path scheme where no path has the parameter', () => {
    refusing(
      /^endpoint a: DEFAULT_VERSIONING_CLASS \(from api\) has URLPathVersioning, which .*":version".*no default/,
      { versioning: path, allowedVersions: ['v1'] },
    )
    refusing(
      /^endpoint a: .*from endpoint a.*":edition"/,
      {},
      {
        versioning: new URLPathVersioning({ versionParam: 'edition', allowedVersions: ['v1'] }),
      },
    )
  })
  test.each<[string, Said]>([
    ['with a default', { versioning: path, allowedVersions: ['v1'], defaultVersion: 'v1' }],
    ['with null in the list', { versioning: path, allowedVersions: ['v1', null] }],
    ['without a list', { versioning: path }],
  ])('V10 but %s', (_, said) => expect(() => serve(said)).not.toThrow())

  test('V43 a namespace scheme without any namespace', () => {
    const versioning = new NamespaceVersioning()
    refusing(/^endpoint a: .*has NamespaceVersioning, which needs namespaces.*include/, {
      versioning,
    })
    const api = defineApi({ urls: { a: '/a/', v1: include('/v1', { b: '/b/' }) }, versioning })
    const all = [api.endpoint('a').get(() => 1), api.endpoint('b').get(() => 1)]
    expect(() => api.serve(all, { configuration: configurationOf() })).not.toThrow()
  })
  describe('V42 a namespace that the list misses', () => {
    const table = defineUrls({
      a: '/a/',
      v1: include('/v1', { b: '/b/' }),
      v2: include('/v2', { b: '/b/' }),
    })
    const loggedBy = (said: Said, keys: object = {}) => {
      const log: unknown[] = []
      const logger = { error: () => {}, info: (record: object) => void log.push(record) }
      const api = defineApi({ urls: table, logger, ...said })
      const all = [api.endpoint('a').get(() => 1), api.endpoint('b').get(() => 1)]
      api.serve(all, { configuration: configurationOf({ ...keys }) })
      return log
    }
    const versioning = new NamespaceVersioning()

    test('is logged at start-up, with its address', () =>
      expect(loggedBy({ versioning, allowedVersions: ['v1'] })).toEqual([
        {
          event: 'version.unreachable',
          message:
            'endpoint v2:b: NamespaceVersioning answers 404 to all of /v2/b/: ALLOWED_VERSIONS has no "v2". ' +
            'Add it, or set versioning: null there.',
        },
      ]))
    test.each<[string, Said, object?]>([
      ['all are listed', { versioning, allowedVersions: ['v1', 'v2'] }],
      ['there is no list', { versioning }],
      ['one is the default', { versioning, allowedVersions: ['v1'], defaultVersion: 'v2' }],
      [
        'an operator has switched one off',
        { versioning, allowedVersions: ['v1', 'v2'] },
        { ALLOWED_VERSIONS: ['v2'] },
      ],
      [
        'another scheme is asked next',
        { versioning: firstOf([versioning, query]), allowedVersions: ['v1'] },
      ],
    ])('%s: nothing is logged', (_, said, keys) => expect(loggedBy(said, keys)).toEqual([]))
  })
  test('V50 a host scheme whose links would have one host', () => {
    const versioning = new HostNameVersioning()
    const keys = { PUBLIC_URL: 'https://api.example.com' }
    refusing(
      /^endpoint a: .*HostNameVersioning, which needs .*PUBLIC_URL.*ALLOWED_HOSTS/,
      { versioning },
      {},
      keys,
    )
    expect(() => serve({ versioning })).not.toThrow()
    expect(() => serve({ versioning: query }, {}, keys)).not.toThrow()
  })
  test('V20 a weight is no version', () => {
    refusing(/AcceptHeaderVersioning, which needs a VERSION_PARAM other than "q"/, {
      versioning: new AcceptHeaderVersioning(),
      versionParam: 'Q',
    })
  })
})

describe('facts about versions', () => {
  test.each<[string, unknown, RegExp]>([
    ['a date that is none', { deprecatedAt: 'soon' }, /"deprecatedAt" must be a date.*is "soon"/],
    ['a day that does not exist', { sunsetAt: '2027-02-30' }, /"sunsetAt" must be a date/],
    ['a time without a zone', { sunsetAt: '2027-01-31T10:00:00' }, /"sunsetAt".*zone/],
    ['an invalid Date', { deprecatedAt: new Date(NaN) }, /is an invalid date/],
    ['a number', { deprecatedAt: 1801353600 }, /is 1801353600/],
    [
      'a sunset before the deprecation',
      { deprecatedAt: '2027-02-01', sunsetAt: '2027-01-31' },
      /"sunsetAt" is before "deprecatedAt"/,
    ],
    ['an end without a date', { gone: true }, /"gone" needs a "sunsetAt"/],
    [
      'an end that is no yes or no',
      { sunsetAt: '2027-01-31', gone: 'yes' },
      /"gone" must be true or false/,
    ],
    ['a successor that is no text', { successor: 2 }, /"successor" must be the name of a version/],
    ['itself as successor', { successor: 'v1' }, /its own successor/],
    [
      'an unknown successor',
      { successor: 'v3' },
      /speaks of version "v3", which no endpoint has. There is v1, v2/,
    ],
    [
      'a link with a bracket',
      { link: 'https://example.com/>; rel="next"' },
      /"link" must be an address/,
    ],
    ['a link with a line break', { link: '/news\r\nSet-Cookie: a' }, /"link" must be an address/],
    ['a link of another scheme', { link: 'javascript:alert(1)' }, /"link" must be an address/],
    [
      'a fact that nobody knows',
      { deprecated: '2027-01-31' },
      /there is no "deprecated". Did you mean "deprecatedAt"\?/,
    ],
  ])('%s is refused', (_, facts, message) => {
    refusing(message, { ...listed, versions: { v1: facts as VersionFacts } })
    refusing(/^endpoint a: VERSIONS \(from api\)/, {
      ...listed,
      versions: { v1: facts as VersionFacts },
    })
  })
  test('a version that there is not', () => {
    refusing(/VERSIONS \(from api\) speaks of version "v3"/, { ...listed, versions: { v3: {} } })
    refusing(/speaks of version "v1", which no endpoint has. Say ALLOWED_VERSIONS/, {
      versions: { v1: {} },
    })
  })
  test.each<[string, Said, Said?]>([
    [
      'both on one day',
      {
        ...listed,
        versions: { v1: { deprecatedAt: '2027-01-31', sunsetAt: new Date('2027-01-31') } },
      },
    ],
    ['of the default', { ...listed, defaultVersion: 'v0', versions: { v0: { successor: 'v1' } } }],
    [
      'of any version, where there is no list',
      { versioning: query, versions: { v9: { successor: 'v10' } } },
    ],
    [
      'that one endpoint of several has',
      { ...listed, versions: { v1: {} } },
      { allowedVersions: ['v2'] },
    ],
    [
      'of the list of a variant',
      {
        versioning: new QueryParameterVersioning({ allowedVersions: ['v7'] }),
        versions: { v7: {} },
      },
    ],
    [
      'of a scheme that does not know its versions',
      { versioning: { determineVersion: () => 'x' }, versions: { x: {} } },
    ],
    ['switched off', { ...listed, versions: { v1: {} } }, { versions: null }],
  ])('%s: starts', (_, said, own) => expect(() => serve(said, own)).not.toThrow())

  test('an operator is told which attribute is wrong, and where', () => {
    const keys = { VERSIONS: { v1: { deprecated_at: '2027-13-01' } } }
    refusing(
      /^endpoint a: VERSIONS \(from configuration\), version "v1": "deprecatedAt" must be/,
      listed,
      {},
      keys,
    )
    refusing(
      /VERSIONS \(configuration\) must be an object with an object of facts/,
      listed,
      {},
      { VERSIONS: { v1: 1 } },
    )
    refusing(/VERSIONS \(configuration\) must be an object/, listed, {}, { VERSIONS: ['v1'] })
  })
  test.each(['no name', 'Vary', 'content-type', 'LINK', '', 'X:Y'])(
    'a header called %j names no version',
    (versionHeader) =>
      refusing(/"versionHeader" must be the name of a response header/, { versionHeader }),
  )
})
