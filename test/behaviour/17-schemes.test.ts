import { describe } from 'vitest'
import {
  AcceptHeaderVersioning,
  HTMLRenderer,
  JSONRenderer,
  NamespaceVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'

interface Said {
  readonly versioning: VersioningScheme
  readonly allowedVersions?: readonly (string | null)[]
  readonly defaultVersion?: string
  readonly versionParam?: string
}
interface Asked {
  readonly version: string | null
}
const anyHost = { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) }
const tell = ({ version }: Asked) => ({ version })
const is = (version: string | null) => ({ status: 200, data: { version } })
const not = (status: 404 | 406) => ({
  status,
  data: DETAIL,
  headers: { 'www-authenticate': null },
})
const accept = (text: string | readonly string[]) => ({ headers: { accept: text } })

/** Every policy is served at `/name/`. */
function serving(policies: Readonly<Record<string, object>>) {
  const table: Record<string, `/${string}`> = {}
  for (const name of Object.keys(policies)) table[name] = `/${name}/`
  const api = defineApi({ urls: table, logger: notebook() })
  return api.serve(
    Object.entries(policies).map(([name, policy]) => api.endpoint(name, policy).get(tell)),
    anyHost,
  )
}

describe('V20–V28 Accept header', () => {
  const versioning = new AcceptHeaderVersioning()
  const vendor = new JSONRenderer({ mediaType: 'application/vnd.library+json', format: 'vendor' })
  const fixed = new JSONRenderer({ mediaType: 'application/json; version=v1' })
  const listed: Said = { versioning, allowedVersions: ['v1', 'v2'] }
  const app = serving({
    free: { versioning },
    listed,
    default: { ...listed, defaultVersion: 'v1' },
    renamed: { ...listed, versionParam: 'Edition' },
    odd: { versioning, versionParam: 'constructor' },
    vendor: { ...listed, renderers: [vendor] },
    both: { ...listed, renderers: [vendor, new JSONRenderer()] },
    one: { ...listed, defaultVersion: 'v1', renderers: [new JSONRenderer()] },
    fixed: { ...listed, renderers: [fixed, new HTMLRenderer()] },
  })
  const rows: Row[] = [
    [
      'V20 the parameter of the accepted range',
      'GET /free/',
      is('v1'),
      accept('application/json; version=v1'),
    ],
    [
      'V20 not that of another range',
      'GET /free/',
      is(null),
      accept('text/html; q=0.1; version=v1, application/json'),
    ],
    [
      'V20 of equally specific ranges the one with more weight',
      'GET /free/',
      is('v2'),
      accept('application/json; version=v1; q=0.5, application/json; version=v2; q=0.9'),
    ],
    ['V21 no blank', 'GET /free/', is('v1'), accept('application/json;version=v1')],
    ['V21 a name in upper case', 'GET /free/', is('v1'), accept('application/json; VERSION=v1')],
    [
      'V21 the value keeps its case',
      'GET /free/',
      is('V1'),
      accept('application/json; version=V1'),
    ],
    ['V21 quoted', 'GET /free/', is('v1'), accept('application/json; version="v1"')],
    [
      'V21 quoted, with what separates',
      'GET /free/',
      is('v1,2;3'),
      accept('application/json; version="v1,2;3"'),
    ],
    [
      'V21 the order does not matter',
      'GET /free/',
      is('v1'),
      accept('application/json; q=0.5; version=v1'),
    ],
    [
      'V21 of a repeated parameter the last',
      'GET /free/',
      is('v2'),
      accept('application/json; version=v1; version=v2'),
    ],
    ['V22 any type', 'GET /free/', is('v1'), accept('*/*; version=v1')],
    ['V22 any subtype', 'GET /free/', is('v1'), accept('application/*; version=v1')],
    [
      'V23 with a parameter is more specific',
      'GET /free/',
      is('v2'),
      accept('application/json, application/json; version=v2'),
    ],
    [
      'V23 equally specific: the first (N16)',
      'GET /free/',
      is('v2'),
      accept('application/json; version=v2, application/json; version=v1'),
    ],
    [
      'several header lines are one',
      'GET /free/',
      is('v2'),
      accept(['text/html; q=0.1', 'application/json; version=v2']),
    ],
    ['V24 a type that nobody offers', 'GET /free/', not(406), accept('image/png; version=v1')],
    ['V24 whatever the version', 'GET /listed/', not(406), accept('image/png; version=v9')],
    [
      'V25 a vendor type',
      'GET /vendor/',
      { ...is('v1'), headers: { 'content-type': 'application/vnd.library+json' } },
      accept('application/vnd.library+json; version=v1'),
    ],
    [
      'V25 which alone is offered',
      'GET /vendor/',
      not(406),
      accept('application/json; version=v1'),
    ],
    [
      'V25 or beside the plain one',
      'GET /both/',
      { ...is('v2'), headers: { 'content-type': 'application/json' } },
      accept('application/json; version=v2'),
    ],
    [
      'V26 the version is not echoed',
      'GET /listed/',
      { ...is('v2'), headers: { 'content-type': 'application/json' } },
      accept('application/json; version=v2'),
    ],
    [
      'V26 but where the renderer has it',
      'GET /fixed/',
      { ...is('v1'), headers: { 'content-type': 'application/json; version=v1' } },
      accept('application/json; version=v1'),
    ],
    [
      'V26 with a format, the version of its renderer',
      'GET /fixed/?format=json',
      is('v1'),
      accept('text/html; version=v2'),
    ],
    [
      'V27 an error has the type of the renderer',
      'GET /vendor/',
      { ...not(406), headers: { 'content-type': 'application/vnd.library+json' } },
      accept('application/vnd.library+json; version=v9'),
    ],
    ['V8 not allowed', 'GET /listed/', not(406), accept('application/json; version=v3')],
    ['V10 none, no default, a list', 'GET /listed/', not(406), accept('application/json')],
    ['V10 no header at all', 'GET /listed/', not(406)],
    ['V11 the default', 'GET /default/', is('v1')],
    [
      'V7 an empty value is not an absent one',
      'GET /default/',
      not(406),
      accept('application/json; version='),
    ],
    [
      'V7 without a list it is a version',
      'GET /free/',
      is(''),
      accept('application/json; version=""'),
    ],
    [
      'V9 a person gets a page',
      'GET /listed/',
      { status: 406, text: /^<!doctype html>/ },
      accept('text/html; version=v3'),
    ],
    [
      'V2 another name, in any case',
      'GET /renamed/',
      is('v2'),
      accept('application/json; eDiTion=v2; version=v9'),
    ],
    ['a name that objects inherit is none', 'GET /odd/', is(null), accept('application/json')],
    ['and can be sent', 'GET /odd/', is('v1'), accept('application/json; constructor=v1')],
    ['the query is not read', 'GET /default/?version=v2', is('v1')],
    [
      'V28, I11 the answer varies by Accept',
      'GET /listed/',
      { ...is('v1'), headers: { vary: 'Accept' } },
      accept('application/json; version=v1'),
    ],
    ['V28, I11 with one renderer too', 'GET /one/', { ...is('v1'), headers: { vary: 'Accept' } }],
    [
      'V28, I11 errors as well',
      'GET /one/',
      { ...not(406), headers: { vary: 'Accept' } },
      accept('application/json; version=v3'),
    ],
    [
      'V8 before the method is looked at',
      'DELETE /listed/',
      not(406),
      accept('application/json; version=v3'),
    ],
    ['V8 OPTIONS needs a version too', 'OPTIONS /listed/', not(406)],
  ]
  throughDoors(app, rows)
})

describe('V40–V43 namespace', () => {
  const inner = { here: '/here/' } as const
  const urls = defineUrls({
    here: '/here/',
    v1: include('/v1', inner),
    v2: include('/v2', { ...inner, admin: include('/admin', inner) }),
    other: include('/other', { ...inner, v1: include('/v1', inner) }),
  })
  const names = [
    'here',
    'v1:here',
    'v2:here',
    'v2:admin:here',
    'other:here',
    'other:v1:here',
  ] as const
  const serve = (said: Omit<Said, 'versioning'>) => {
    const api = defineApi({ urls, versioning: new NamespaceVersioning(), ...said })
    return api.serve(
      names.map((name) => api.endpoint(name).get(tell)),
      anyHost,
    )
  }
  describe('without a list', () => {
    throughDoors(serve({}), [
      ['V41 the first segment, whatever it is called', 'GET /other/v1/here/', is('other')],
      ['V41 of one', 'GET /v1/here/', is('v1')],
      ['V43 outside: none', 'GET /here/', is(null)],
    ])
  })
  describe('with a list', () => {
    throughDoors(serve({ allowedVersions: ['v1', 'v2'] }), [
      ['V40 the namespace', 'GET /v1/here/', is('v1')],
      ['V41 the first that is allowed', 'GET /other/v1/here/', is('v1')],
      ['V41 above others', 'GET /v2/admin/here/', is('v2')],
      ['V42 none is allowed', 'GET /other/here/', not(404)],
      ['V43, V10 outside no list is asked', 'GET /here/', is(null)],
      ['V6 cased as written: no such path', 'GET /V1/here/', 404],
    ])
  })
  describe('with a default', () => {
    throughDoors(serve({ allowedVersions: ['v1'], defaultVersion: 'v2' }), [
      ['V43, V11 outside', 'GET /here/', is('v2')],
      ['V4 which is allowed', 'GET /v2/here/', is('v2')],
      ['V42 others are not', 'GET /other/here/', not(404)],
    ])
  })
})
