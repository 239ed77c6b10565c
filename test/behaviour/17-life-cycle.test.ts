import { describe, expect, test } from 'vitest'
import {
  type App,
  NotFound,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  reply,
} from '../../src/index.ts'
import type { VersionFacts, VersioningScheme } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook, quiet } from './fixtures.ts'

const DEPRECATED = '2027-01-31'
const SUNSET = '2027-06-30T12:00:00+02:00'
const facts: VersionFacts = {
  deprecatedAt: DEPRECATED,
  sunsetAt: SUNSET,
  successor: 'v2',
  link: 'https://example.com/news?a=1',
}
const SAID = {
  deprecation: '@1801353600',
  sunset: 'Wed, 30 Jun 2027 10:00:00 GMT',
}
const NEWS =
  '<https://example.com/news?a=1>; rel="deprecation", <https://example.com/news?a=1>; rel="sunset"'
const NOTHING = { deprecation: null, sunset: null, link: null }

const urls = defineUrls({
  item: ['/items/:id<int>/', '/:version<v1|v2|v3>/items/:id<int>/'],
  plain: '/plain/',
  link: '/:version<v1|v2>/link/',
  own: '/:version<v1|v2>/own/',
  lost: '/:version<v1|v2>/lost/',
})
const allowedVersions = ['v1', 'v2', 'v3'] as const
const api = defineApi({
  urls,
  versioning: new URLPathVersioning(),
  allowedVersions,
  defaultVersion: 'v1',
  versions: { v1: facts, v3: { deprecatedAt: new Date('2027-01-31T00:00:00Z') } },
  versionHeader: 'API-Version',
  logger: notebook(),
})
const app = api.serve(
  [
    api.endpoint('item').get(({ version }) => version),
    api.endpoint('plain', { versioning: null }).get(({ version }) => version),
    api.endpoint('link').get(() => reply(1, { headers: { link: '</a/>; rel="next"' } })),
    api.endpoint('own').get(() =>
      reply(1, {
        headers: {
          sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
          deprecation: '@1',
          'api-version': '1.0.7',
        },
      }),
    ),
    api.endpoint('lost').get(() => {
      throw new NotFound()
    }),
  ],
  quiet,
)
const successor = (path: string) => `<http://localhost${path}>; rel="successor-version"`

const headers: Row[] = [
  [
    'a deprecated version says since when, until when and where to go',
    'GET /v1/items/7/',
    {
      status: 200,
      data: 'v1',
      headers: { ...SAID, link: `${NEWS}, ${successor('/v2/items/7/')}`, 'api-version': 'v1' },
    },
  ],
  [
    'also where it is the default',
    'GET /items/7/',
    { status: 200, headers: { ...SAID, link: `${NEWS}, ${successor('/v2/items/7/')}` } },
  ],
  [
    'another version says nothing of it',
    'GET /v2/items/7/',
    { status: 200, headers: { ...NOTHING, 'api-version': 'v2' } },
  ],
  [
    'nothing but what is known',
    'GET /v3/items/7/',
    { status: 200, headers: { deprecation: SAID.deprecation, sunset: null, link: null } },
  ],
  [
    'nor does an endpoint without versions',
    'GET /plain/',
    { status: 200, headers: { ...NOTHING, 'api-version': null } },
  ],
  [
    'errors say it too',
    'GET /v1/lost/',
    { status: 404, headers: { ...SAID, 'api-version': 'v1' } },
  ],
  ['and OPTIONS', 'OPTIONS /v1/items/7/', { status: 200, headers: SAID }],
  ['and HEAD', 'HEAD /v1/items/7/', { status: 200, headers: { ...SAID, 'api-version': 'v1' } }],
  ['and 405', 'DELETE /v1/items/7/', { status: 405, headers: SAID }],
  [
    'a path that is no address says nothing',
    'GET /v4/items/7/',
    { status: 404, headers: { ...NOTHING, 'api-version': null } },
  ],
  [
    'what the handler links to stays, in front',
    'GET /v1/link/',
    {
      status: 200,
      headers: { link: `</a/>; rel="next", ${NEWS}, ${successor('/v2/link/')}` },
    },
  ],
  [
    'what the handler says itself counts',
    'GET /v1/own/',
    {
      status: 200,
      headers: {
        sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
        deprecation: '@1',
        'api-version': '1.0.7',
      },
    },
  ],
  ['I11 nothing of this varies', 'GET /v1/items/7/', { status: 200, headers: { vary: 'Accept' } }],
]
describe('Deprecation (RFC 9745), Sunset (RFC 8594), Link and the header that names the version', () => {
  throughDoors(app, headers)
})

describe('410 after sunset, where chosen', () => {
  const start = Date.parse('2027-06-30T09:59:59Z')
  let now = start
  const ends = (versioning: VersioningScheme) => {
    const shop = defineApi({
      urls: { item: '/:version<v1|v2>/' },
      versioning,
      allowedVersions: ['v1', 'v2'],
      versions: { v1: { ...facts, gone: true }, v2: { sunsetAt: '2026-01-01' } },
      authentication: [
        {
          authenticate: () => {
            throw new Error('Nobody is asked who it is.')
          },
        },
      ],
      now: () => now,
      logger: notebook(),
    })
    return shop.serve([shop.endpoint('item').get(({ version }) => version)], quiet)
  }
  const answer = async (served: App, path: string) => {
    const { status, data, header } = await client(served).get(path)
    return { status, data, sunset: header('sunset'), link: header('link') }
  }

  test('before: as ever; then: gone, before anything else is asked', async () => {
    const served = ends(new URLPathVersioning())
    now = start
    // What comes after the version has its say.
    expect((await answer(served, '/v1/')).status).toBe(500)
    now = start + 1000
    expect(await answer(served, '/v1/')).toEqual({
      status: 410,
      data: { detail: 'Version v1 is no longer available. Use version v2.' },
      sunset: SAID.sunset,
      link: `${NEWS}, ${successor('/v2/')}`,
    })
  })

  test('a sunset without "gone" is only said', async () => {
    now = start + 1000
    expect(await answer(ends(new URLPathVersioning()), '/v2/')).toMatchObject({
      status: 500,
      sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
    })
  })

  test('also for a scheme that takes its time', async () => {
    now = start + 1000
    const served = ends({ determineVersion: async () => Promise.resolve('v1') })
    expect((await answer(served, '/v2/')).status).toBe(410)
  })
})

describe('a version that no header can carry is not named', () => {
  const free = defineApi({
    urls: { here: '/here/' },
    versioning: new QueryParameterVersioning(),
    versionHeader: 'X-Version',
    logger: notebook(),
  })
  const served = free.serve([free.endpoint('here').get(() => 1)], quiet)
  throughDoors(served, [
    [
      'a line break',
      'GET /here/?version=a%0D%0ASet-Cookie:%20b=c',
      { status: 200, headers: { 'x-version': null, 'set-cookie': null } },
    ],
    [
      'a letter beyond ASCII',
      'GET /here/?version=%C3%A9',
      { status: 200, headers: { 'x-version': null } },
    ],
    ['an empty one', 'GET /here/?version=', { status: 200, headers: { 'x-version': null } }],
    ['none', 'GET /here/', { status: 200, headers: { 'x-version': null } }],
    [
      'others are',
      'GET /here/?version=2024-01-31;beta',
      { status: 200, headers: { 'x-version': '2024-01-31;beta' } },
    ],
  ])

  test('nor what a scheme did not return, sooner or later', async () => {
    const later = defineApi({
      urls: { here: '/here/' },
      versioning: { determineVersion: async () => undefined as never },
      versionHeader: 'X-Version',
    })
    const late = later.serve([later.endpoint('here').get(({ version }) => [version])], quiet)
    const answer = await late.fetch(new Request('http://localhost/here/'))
    expect(await answer.json()).toEqual([null])
    expect(answer.headers.get('x-version')).toBeNull()
  })
})

test('an operator says it with keys', async () => {
  const keys = {
    VERSIONS: { v1: { deprecated_at: DEPRECATED, sunset_at: SUNSET, gone: false, link: '/news/' } },
    VERSION_HEADER: 'API-Version',
  }
  const shop = defineApi({
    urls: { item: '/:version<v1|v2>/' },
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const served = shop.serve([shop.endpoint('item').get(() => 1)], {
    configuration: configurationOf(keys),
  })
  const { header } = await client(served).get('/v1/')
  expect({ deprecation: header('deprecation'), sunset: header('sunset') }).toEqual(SAID)
  expect(header('api-version')).toBe('v1')
  expect(header('link')).toBe('</news/>; rel="deprecation", </news/>; rel="sunset"')
})

test('410 has a body like every error', async () => {
  const shop = defineApi({
    urls: { item: '/:version/' },
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1'],
    versions: { v1: { sunsetAt: '2020-01-01', gone: true } },
  })
  const served = shop.serve([shop.endpoint('item').get(() => 1)], quiet)
  const { status, data } = await client(served).get('/v1/')
  expect({ status, data }).toEqual({ status: 410, data: DETAIL })
})
