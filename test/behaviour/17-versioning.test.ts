import { describe, expect, test } from 'vitest'
import {
  BaseVersioning,
  type Incoming,
  URLPathVersioning,
  byVersion,
  defineApi,
  list,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, numbers, quiet } from './fixtures.ts'

interface Said {
  readonly versioning?: VersioningScheme | null
  readonly allowedVersions?: readonly (string | null)[]
  readonly defaultVersion?: string
  readonly versionParam?: string
}
const url = new URLPathVersioning()
const LISTED: Said = { versioning: url, allowedVersions: ['v1', 'v2'] }
/** Every name is served at `/name/:version/` and, without the parameter, at `/name/`. */
const POLICIES: Readonly<Record<string, Said>> = {
  none: {},
  free: { versioning: url },
  listed: LISTED,
  default: { ...LISTED, defaultVersion: 'v2' },
  unlisted: { ...LISTED, defaultVersion: 'v0' },
  nullable: { versioning: url, allowedVersions: ['v1', null] },
  free2: { versioning: url, defaultVersion: 'v1' },
  renamed: { ...LISTED, defaultVersion: 'v1', versionParam: 'ver' },
  variant: {
    versioning: new URLPathVersioning({ allowedVersions: ['v7'], defaultVersion: 'v7' }),
    allowedVersions: ['v1'],
    defaultVersion: 'v1',
  },
  emptied: { versioning: new URLPathVersioning({ allowedVersions: [] }), allowedVersions: ['v1'] },
  decimals: { versioning: url, allowedVersions: ['1.0', '1.10'] },
}
const address = (path: string): `/${string}` => `/${path}`
const table: Record<string, `/${string}` | readonly `/${string}`[]> = {
  ver: '/ver/:ver/',
  strict: '/strict/:version<v1|v2>/',
  custom: '/custom/',
  header: '/header/',
  'header-default': '/header-default/',
  'header-free': '/header-free/',
  later: '/later/',
}
for (const name of Object.keys(POLICIES)) {
  table[name] = [address(`${name}/:version/`), address(`${name}/`)]
}
const api = defineApi({ urls: table })
const tell = (request: { version: string | null; params: object }) => ({
  version: request.version,
  params: request.params,
})
class HeaderVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-api-version'), request)
  }
}
const app = api.serve(
  [
    ...Object.entries(POLICIES).map(([name, policy]) => api.endpoint(name, policy).get(tell)),
    api.endpoint('ver', POLICIES['renamed']).get(tell),
    api.endpoint('strict', LISTED).get(tell),
    api
      .endpoint('custom', {
        versioning: { determineVersion: () => 'whatever' },
        allowedVersions: ['v1'],
      })
      .get(tell),
    api
      .endpoint('header', { versioning: new HeaderVersioning(), allowedVersions: ['v1'] })
      .get(tell),
    api
      .endpoint('header-default', {
        versioning: new HeaderVersioning(),
        allowedVersions: ['v1'],
        defaultVersion: 'v1',
      })
      .get(tell),
    api
      .endpoint('header-free', { versioning: new HeaderVersioning(), defaultVersion: 'v1' })
      .get(tell),
    api
      .endpoint('later', {
        versioning: {
          determineVersion: async (request: Incoming) => Promise.resolve(request.query.get('v')),
        },
      })
      .get(tell),
  ],
  quiet,
)
const is = (version: string | null, params: object = version === null ? {} : { version }) => ({
  status: 200,
  data: { version, params },
})
const not = { status: 404, data: DETAIL, headers: { 'www-authenticate': null } }

const common: Row[] = [
  [
    'V1 off by default: the parameter is only a parameter',
    'GET /none/v1/',
    is(null, { version: 'v1' }),
  ],
  ['V3 no list: everything is allowed', 'GET /free/anything/', is('anything')],
  ['V3 no list: nothing too', 'GET /free/', is(null)],
  ['V3 a list', 'GET /listed/v1/', is('v1')],
  ['V3, V8 not in the list', 'GET /listed/v3/', not],
  ['V10 no version, no default, a list', 'GET /listed/', not],
  ['V11 the default in place of none', 'GET /default/', is('v2', {})],
  ['V11 also without a list', 'GET /free2/', is('v1', {})],
  ['V4 the default is allowed unlisted: implied', 'GET /unlisted/', is('v0', {})],
  ['V4 the default is allowed unlisted: asked for', 'GET /unlisted/v0/', is('v0')],
  ['V4 and the list still counts', 'GET /unlisted/v2/', is('v2')],
  ['V5 null in the list lets unversioned requests in', 'GET /nullable/', is(null)],
  ['V5 beside the listed', 'GET /nullable/v1/', is('v1')],
  ['V5 and no others', 'GET /nullable/v2/', not],
  ['V6 versions are case-sensitive', 'GET /listed/V1/', not],
  ['V6 versions are no numbers', 'GET /decimals/1.00/', not],
  ['V6 versions are texts', 'GET /decimals/1.10/', is('1.10')],
  ['V6 no prefixes', 'GET /listed/v11/', not],
  ['V6 decoded once', 'GET /listed/%76%31/', is('v1')],
  ['V2 a variant has its own list', 'GET /variant/v1/', not],
  ['V2 a variant has its own default', 'GET /variant/', is('v7', {})],
  ['V3 an empty list of a variant is none', 'GET /emptied/v9/', is('v9')],
  [
    'V9 a person gets a page',
    'GET /listed/v3/',
    {
      status: 404,
      text: /^<!doctype html>/,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    },
    { headers: { accept: 'text/html' } },
  ],
  ['V8 HEAD likewise', 'HEAD /listed/v3/', { status: 404, text: '' }],
]
const path: Row[] = [
  [
    'V30 the parameter is the version, V33 and stays a parameter',
    'GET /default/v1/',
    is('v1', { version: 'v1' }),
  ],
  [
    'V31 a parameter of another name is no version',
    'GET /renamed/v2/',
    is('v1', { version: 'v2' }),
  ],
  ['V31 the name can be chosen', 'GET /ver/v2/', is('v2', { ver: 'v2' })],
  ['V31 and is then checked', 'GET /ver/v3/', not],
  ['V32 a path that lists its versions', 'GET /strict/v2/', is('v2')],
  [
    'V32 has no others: nothing is there, so no Allow',
    'GET /strict/v3/',
    { status: 404, data: DETAIL, headers: { allow: null } },
  ],
]
const custom: Row[] = [
  ['V12 whatever a scheme returns is the version', 'GET /custom/', is('whatever', {})],
  [
    'V12 the list counts where the scheme asks',
    'GET /header/',
    is('v1', {}),
    { headers: { 'x-api-version': 'v1' } },
  ],
  ['V12 as above', 'GET /header/', not, { headers: { 'x-api-version': 'v2' } }],
  [
    'V7 an empty version is not an absent one',
    'GET /header/',
    not,
    { headers: { 'x-api-version': '' } },
  ],
  [
    'V7 also where there is a default',
    'GET /header-default/',
    not,
    { headers: { 'x-api-version': '' } },
  ],
  ['V11 which an absent one has', 'GET /header-default/', is('v1', {})],
  [
    'V7 without a list the empty version is one',
    'GET /header-free/',
    is('', {}),
    { headers: { 'x-api-version': '' } },
  ],
  ['V12 it may take its time', 'GET /later/?v=9', is('9', {})],
  [
    'I11 the header it read is in Vary',
    'GET /header/',
    { status: 200, headers: { vary: 'Accept, X-Api-Version' } },
    { headers: { 'x-api-version': 'v1' } },
  ],
  [
    'I11 also when it was not sent',
    'GET /header/',
    { status: 404, headers: { vary: 'Accept, X-Api-Version' } },
  ],
]

describe('V1–V11 common rules', () => {
  throughDoors(app, common)
})
describe('V30–V33 URL path', () => {
  throughDoors(app, path)
})
describe("V12 schemes of one's own", () => {
  throughDoors(app, custom)
})

describe('V13 what an endpoint makes of it', () => {
  const shop = defineApi({
    urls: { numbers: '/:version<v1|v2>/numbers/' },
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
  })
  const served = shop.serve(
    [
      shop.endpoint('numbers').get(
        list({
          source: numbers(2),
          serializer: byVersion({
            v1: { represent: (id: number): unknown => id },
            v2: { represent: (id: number): unknown => ({ id }) },
          }),
        }),
      ),
    ],
    quiet,
  )
  throughDoors(served, [
    ['one representation', 'GET /v1/numbers/', { status: 200, data: [1, 2] }],
    ['another', 'GET /v2/numbers/', { status: 200, data: [{ id: 1 }, { id: 2 }] }],
  ])

  test('byVersion without an answer is a bug of the program', () => {
    const choose = byVersion({ v1: 'one' }) as (request: object) => string
    expect(() => choose({ version: 'v2' })).toThrow('"v2"')
    expect(() => choose({ version: 'constructor' })).toThrow('"constructor"')
    const orNone = byVersion({ v1: 'one' }, 'none') as (request: object) => string
    expect(orNone({ version: null })).toBe('none')
  })
})

test('V2 a list without a scheme is refused at start', () => {
  const wrong = defineApi({ urls: { a: '/a/' } })
  expect(() =>
    wrong.serve([wrong.endpoint('a', { allowedVersions: ['v1'] }).get(() => 1)], quiet),
  ).toThrow(/endpoint a: ALLOWED_VERSIONS \(from endpoint a\).*DEFAULT_VERSIONING_CLASS/)
})
