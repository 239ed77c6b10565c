import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  type App,
  BaseVersioning,
  ConfigurationError,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  NoReverseMatch,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  firstOf,
  include,
} from '../../../src/index.ts'
import type { VersioningScheme } from '../../../src/types.ts'

const inVersion = { item: '/items/:id<int>/' } as const
const urls = {
  thing: '/things/:id<int>/',
  named: '/named/:name/',
  page: ['/pages/', '/pages/:number<int>/'],
  'path-item': '/p/:version<v1|v2>/:id<int>/',
  v1: include('/v1', { ...inVersion, old: '/old/' }),
  v2: include('/v2', { ...inVersion, deep: include('/deep', { leaf: '/leaf/' }) }),
} as const
const NAMES = [
  'thing',
  'named',
  'page',
  'path-item',
  'v1:item',
  'v1:old',
  'v2:item',
  'v2:deep:leaf',
] as 'thing'[]

type UrlFor = (name: string, params?: object, options?: object) => string
interface Said {
  readonly said?: object
  readonly publicUrl?: string
}

function linking(versioning: VersioningScheme | null, { said, publicUrl }: Said = {}): UrlFor {
  const api = defineApi({ urls, versioning, ...said, formatSuffixes: ['json'] })
  const key = publicUrl === undefined ? {} : { PUBLIC_URL: publicUrl }
  const app: App = api.serve(
    NAMES.map((name) => api.endpoint(name).get(() => null)),
    { configuration: configurationOf(key) },
  )
  return app.urlFor as UrlFor
}

const seven = { id: 7 }
const origin = 'https://api.example.com'
type Row = [title: string, name: string, params: object, options: object, url: string | RegExp]

/** An address is what comes out; an expression is what the refusal says. */
function table(urlFor: UrlFor, rows: Row[]): void {
  test.each(rows)('%s', (_title, name, params, options, expected) => {
    if (typeof expected === 'string') expect(urlFor(name, params, options)).toBe(expected)
    else {
      expect(() => urlFor(name, params, options)).toThrow(NoReverseMatch)
      expect(() => urlFor(name, params, options)).toThrow(expected)
    }
  })
}

describe('U1 without a scheme', () => {
  table(linking(null), [
    ['a path', 'thing', seven, {}, '/things/7/'],
    ['absolute with an origin', 'thing', seven, { origin }, `${origin}/things/7/`],
    ['which may end in a slash', 'thing', seven, { origin: `${origin}/` }, `${origin}/things/7/`],
    ['and has a port', 'thing', seven, { origin: 'http://a:81' }, 'http://a:81/things/7/'],
    ['in its usual form', 'thing', seven, { origin: 'HTTP://A:80' }, 'http://a/things/7/'],
    ['percent-encoded', 'named', { name: 'a b/ü?' }, {}, '/named/a%20b%2F%C3%BC%3F/'],
    ['of several paths the one that fits', 'page', { number: 2 }, {}, '/pages/2/'],
    ['without its optional part', 'page', {}, {}, '/pages/'],
    ['U4 a format', 'thing', seven, { format: 'json' }, '/things/7.json'],
    ['U4 that is none', 'thing', seven, { format: 'xml' }, /"format" must be one of json/],
    ['full names', 'v2:deep:leaf', {}, {}, '/v2/deep/leaf/'],
    ['a version where there is none to have', 'thing', seven, { version: 'v1' }, '/things/7/'],
    ['an unknown name', 'nope', {}, {}, /No address is named "nope"/],
    ['a name that stands in namespaces', 'item', seven, {}, /Did you mean "v1:item"/],
    ['a missing parameter', 'thing', {}, {}, /"id" is missing/],
    ['a wrong one', 'thing', { id: 'x' }, {}, /"id" must be a whole number/],
  ])

  test('no options, no parameters', () => expect(linking(null)('page')).toBe('/pages/'))

  test.each([
    'example.com',
    'ftp://a',
    `${origin}/api`,
    `${origin}?x`,
    'http://u@a',
    '',
    'http://',
  ])('an origin is scheme and host: %s', (wrong) => {
    const urlFor = linking(null)
    expect(() => urlFor('page', {}, { origin: wrong })).toThrow(ConfigurationError)
    expect(() => urlFor('page', {}, { origin: wrong })).toThrow(`"${wrong}" is no origin`)
  })
})

describe('PUBLIC_URL is the origin that nobody says', () => {
  table(linking(null, { publicUrl: 'https://www.example.com/' }), [
    ['absolute', 'page', {}, {}, 'https://www.example.com/pages/'],
    ['unless another is said', 'page', {}, { origin }, `${origin}/pages/`],
  ])
})

describe('URL path', () => {
  const listed = { said: { allowedVersions: ['v1', 'v2'], defaultVersion: 'v1' } }
  table(linking(new URLPathVersioning(), listed), [
    ['the version that is said', 'path-item', seven, { version: 'v2' }, '/p/v2/7/'],
    ['U11 the default', 'path-item', seven, {}, '/p/v1/7/'],
    ['U9 as a parameter', 'path-item', { ...seven, version: 'v2' }, {}, '/p/v2/7/'],
    ['a version that no path has', 'path-item', seven, { version: 'v3' }, /cannot be built/],
    ['a route without versions', 'thing', seven, {}, '/things/7/'],
    ['of which none can be said', 'thing', seven, { version: 'v1' }, /no place for a version/],
  ])
  table(linking(new URLPathVersioning()), [
    ['without a default it must be said', 'path-item', seven, {}, /"version" is missing/],
    ['and can be', 'path-item', seven, { version: 'v2', origin }, `${origin}/p/v2/7/`],
  ])
  const refusing = { said: { allowedVersions: ['v1'] } }
  table(linking(new URLPathVersioning({ allowedVersions: ['v1', null] }), refusing), [
    ['V10 where nobody gets in without one too', 'path-item', seven, {}, /"version" is missing/],
  ])
})

describe('namespace', () => {
  const listed = { said: { allowedVersions: ['v1', 'v2'] } }
  table(linking(new NamespaceVersioning(), listed), [
    ['the version that is said', 'item', seven, { version: 'v2' }, '/v2/items/7/'],
    ['the other', 'item', seven, { version: 'v1', origin }, `${origin}/v1/items/7/`],
    ['a full name', 'v1:item', seven, {}, '/v1/items/7/'],
    ['which is of that version', 'v1:item', seven, { version: 'v1' }, '/v1/items/7/'],
    ['and of no other', 'v1:item', seven, { version: 'v2' }, /It is of version "v1"/],
    ['outside of the versions', 'thing', seven, {}, '/things/7/'],
    ['nowhere else', 'thing', seven, { version: 'v2' }, /no place for a version/],
    ['further in', 'deep:leaf', {}, { version: 'v2' }, '/v2/deep/leaf/'],
    ['what a version does not have', 'old', {}, { version: 'v2' }, /No address is named "old"/],
    ['no version is said, and there is no default', 'item', seven, {}, /Did you mean "v1:item"/],
  ])
  const withDefault = { said: { allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' } }
  table(linking(new NamespaceVersioning(), withDefault), [
    ['U11 the default', 'item', seven, {}, '/v2/items/7/'],
  ])
})

describe('query parameter', () => {
  table(linking(new QueryParameterVersioning()), [
    ['the version that is said', 'thing', seven, { version: 'v2' }, '/things/7/?version=v2'],
    ['U7 form-encoded', 'page', {}, { version: '1 0&x' }, '/pages/?version=1+0%26x'],
    ['none', 'thing', seven, {}, '/things/7/'],
    [
      'absolute, with a suffix',
      'thing',
      seven,
      { version: 'v2', origin, format: 'json' },
      `${origin}/things/7.json?version=v2`,
    ],
  ])
  table(linking(new QueryParameterVersioning({ versionParam: 'v', defaultVersion: '1' })), [
    ['U11 the default, under its own name', 'page', {}, {}, '/pages/?v=1'],
    ['in place of it', 'page', {}, { version: '2' }, '/pages/?v=2'],
  ])
})

describe('host name', () => {
  const on = (host: string) => ({ origin: `https://${host}` })
  table(linking(new HostNameVersioning()), [
    [
      'the version takes the place of that of the origin',
      'page',
      {},
      { ...on('v1.example.com'), version: 'v2' },
      'https://v2.example.com/pages/',
    ],
    [
      'with its port',
      'page',
      {},
      { ...on('v1.example.com:8080'), version: 'v2' },
      'https://v2.example.com:8080/pages/',
    ],
    ['none is said', 'page', {}, on('v1.example.com'), 'https://v1.example.com/pages/'],
    [
      'the one that is there',
      'page',
      {},
      { ...on('v1.example.com'), version: 'v1' },
      'https://v1.example.com/pages/',
    ],
    [
      'a host has no place',
      'page',
      {},
      { ...on('example.com'), version: 'v2' },
      /no place for a version: https:\/\/example\.com\/pages\//,
    ],
    ['a path has none', 'page', {}, { version: 'v2' }, /no place for a version/],
    ['a path without one', 'page', {}, {}, '/pages/'],
  ])
})

class HeaderVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-version'), request)
  }
}

describe('other schemes', () => {
  const listed = { said: { allowedVersions: ['v1'] } }
  table(linking(new AcceptHeaderVersioning(), listed), [
    ['Accept has no place in links', 'page', {}, { version: 'v1' }, '/pages/'],
    ['nor does anybody ask', 'page', {}, {}, '/pages/'],
  ])
  table(linking(new HeaderVersioning(), listed), [
    ["a header of one's own neither", 'page', {}, { version: 'v1', origin }, `${origin}/pages/`],
  ])
  table(
    linking({ determineVersion: async () => 'v1', reverse: (_, { version }) => `${version}` }),
    [['what is only known later is not known here', 'page', {}, { origin }, 'null']],
  )
  table(linking(firstOf([new URLPathVersioning(), new QueryParameterVersioning()])), [
    ['several: the way of the first', 'path-item', seven, { version: 'v2' }, '/p/v2/7/'],
    ['or of what fits', 'page', {}, { version: 'v2' }, /no place for a version/],
  ])
  test('what a scheme does wrong is not hidden', () => {
    const broken: VersioningScheme = {
      determineVersion: () => {
        throw new TypeError('broken')
      },
    }
    expect(() => linking(broken)('page')).toThrow('broken')
  })
})

test('the scheme is that of the endpoint that it leads to', () => {
  const api = defineApi({ urls: { plain: '/plain/', queried: '/queried/' } })
  const versioning = new QueryParameterVersioning()
  const app = api.serve(
    [
      api.endpoint('plain').get(() => null),
      api.endpoint('queried', { versioning }).get(() => null),
    ],
    { configuration: configurationOf() },
  )
  expect(app.urlFor('plain', {}, { version: 'v1' })).toBe('/plain/')
  expect(app.urlFor('queried', {}, { version: 'v1' })).toBe('/queried/?version=v1')
})

test('of a short name, that of the version that is asked for', () => {
  const versioning = new NamespaceVersioning()
  const api = defineApi({
    urls: { v1: include('/v1', inVersion), v2: include('/v2', inVersion) },
    versioning,
  })
  const app = api.serve(
    [
      api.endpoint('v1:item', { versioning: null }).get(() => null),
      api.endpoint('v2:item').get(() => null),
    ],
    { configuration: configurationOf() },
  )
  expect((app.urlFor as UrlFor)('item', seven, { version: 'v2' })).toBe('/v2/items/7/')
})
