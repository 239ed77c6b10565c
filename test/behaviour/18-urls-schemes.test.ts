import { describe } from 'vitest'
import {
  AcceptHeaderVersioning,
  type App,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  firstOf,
  include,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'

const inVersion = { ask: '/ask/', item: '/items/:id<int>/', named: '/named/:name/' } as const
const urls = defineUrls({
  ask: '/ask/',
  thing: '/things/:id<int>/',
  item: '/items/:id<int>/',
  contact: '/contact/',
  'in-path': '/p/:version<v1|v2|v3>/ask/',
  'path-item': '/p/:version<v1|v2|v3>/items/:id<int>/',
  v1: include('/v1', { ...inVersion, old: '/old/', deep: include('/deep', inVersion) }),
  v2: include('/v2', { ...inVersion, fresh: '/fresh/' }),
})
const asking = ['ask', 'in-path', 'v1:ask', 'v2:ask', 'v1:deep:ask'] as const
const others = [
  'thing',
  'item',
  'contact',
  'path-item',
  'v1:item',
  'v1:named',
  'v1:old',
  'v1:deep:item',
  'v1:deep:named',
  'v2:item',
  'v2:named',
  'v2:fresh',
] as 'thing'[]

type Make = (name: string, params: object, options?: object) => string

/** Builds what the query asks for, three times: a link like one before takes a shorter way. */
function build(request: {
  query: { get(name: string): string | null }
  reverse: unknown
}): unknown {
  const { query } = request
  const make = request.reverse as Make
  const params = JSON.parse(query.get('params') ?? '{}') as object
  const suffix = query.get('suffix')
  const options = suffix === null ? [] : [{ format: suffix }]
  const links = [1, 2, 3].map(() => make(query.get('name')!, params, ...options))
  return new Set(links).size === 1 ? { url: links[0] } : { links }
}

function serving(versioning: VersioningScheme, said: object = {}): App {
  const api = defineApi({
    urls,
    versioning,
    ...said,
    formatSuffixes: ['json'],
    logger: notebook(),
  })
  return api.serve(
    [
      ...asking.map((name) => api.endpoint(name).get(build)),
      ...others.map((name) => api.endpoint(name).get(() => name)),
    ],
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

const query = (name: string, params: object = {}, more = '') =>
  `?name=${name}&params=${encodeURIComponent(JSON.stringify(params))}${more}`
const is = (path: string, origin = 'http://localhost') => ({
  status: 200,
  data: { url: origin + path },
})
const seven = { id: 7 }

describe('Accept header', () => {
  const v1 = { headers: { accept: 'application/json; version=v1' } }
  const rows: Row[] = [
    ['U5 plain', `GET /ask/${query('thing', seven)}`, is('/things/7/'), v1],
    ['U6 plain without a version', `GET /ask/${query('thing', seven)}`, is('/things/7/')],
    ['U5 names are full names', `GET /ask/${query('v1:item', seven)}`, is('/v1/items/7/'), v1],
    ['U2 nothing fits', `GET /ask/${query('old')}`, { status: 500, data: DETAIL }, v1],
    [
      'U3 the format is kept, the version stays in the header',
      `GET /ask/${query('thing', seven, '&format=json')}`,
      is('/things/7/?format=json'),
    ],
  ]
  throughDoors(serving(new AcceptHeaderVersioning()), rows)
})

describe('namespace', () => {
  const rows: Row[] = [
    ['U5 in the version', `GET /v1/ask/${query('item', seven)}`, is('/v1/items/7/')],
    ['U5 in the other', `GET /v2/ask/${query('item', seven)}`, is('/v2/items/7/')],
    ['U5 falls back on what is outside', `GET /v1/ask/${query('contact')}`, is('/contact/')],
    ['U2 what no way leads to', `GET /v1/ask/${query('fresh')}`, { status: 500, data: DETAIL }],
    ['U6 outside: plain', `GET /ask/${query('item', seven)}`, is('/items/7/')],
    ['U10 across versions', `GET /v1/ask/${query('v2:item', seven)}`, is('/v2/items/7/')],
    ['U10 to what only the other has', `GET /v1/ask/${query('v2:fresh')}`, is('/v2/fresh/')],
    [
      'U10 a nested namespace of the version',
      `GET /v1/ask/${query('deep:item', seven)}`,
      is('/v1/deep/items/7/'),
    ],
    [
      'U1 percent-encoded',
      `GET /v2/ask/${query('named', { name: 'a b/ü' })}`,
      is('/v2/named/a%20b%2F%C3%BC/'),
    ],
    [
      'U3 the format is kept',
      `GET /v2/ask/${query('item', seven, '&format=json')}`,
      is('/v2/items/7/?format=json'),
    ],
    [
      'U4 a format is a suffix',
      `GET /v2/ask/${query('item', seven, '&suffix=json')}`,
      is('/v2/items/7.json'),
    ],
    [
      'U4 both',
      `GET /v2/ask/${query('item', seven, '&suffix=json&format=json')}`,
      is('/v2/items/7.json?format=json'),
    ],
    [
      'U4 an error where it is none',
      `GET /v2/ask/${query('item', seven, '&suffix=xml')}`,
      { status: 500, data: DETAIL },
    ],
  ]
  throughDoors(serving(new NamespaceVersioning(), { allowedVersions: ['v1', 'v2'] }), rows)
})

describe('namespace with a default', () => {
  const rows: Row[] = [
    ['U11 the default stands in links', `GET /ask/${query('item', seven)}`, is('/v2/items/7/')],
    ['U10 also before names of its own', `GET /ask/${query('fresh')}`, is('/v2/fresh/')],
    ['U2 and of no others', `GET /ask/${query('old')}`, { status: 500, data: DETAIL }],
  ]
  const said = { allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' }
  throughDoors(serving(new NamespaceVersioning(), said), rows)
})

describe('host name', () => {
  const at = (host: string) => ({ headers: { host } })
  const rows: Row[] = [
    [
      'U5 the host is kept, and so the version',
      `GET /ask/${query('thing', seven)}`,
      is('/things/7/', 'http://v1.example.com'),
      at('v1.example.com'),
    ],
    [
      'U1 and its port',
      `GET /ask/${query('thing', seven)}`,
      is('/things/7/', 'http://v1.example.com:8080'),
      at('v1.example.com:8080'),
    ],
    ['U6 a host without a version', `GET /ask/${query('thing', seven)}`, is('/things/7/')],
    [
      'U3 the format is kept',
      `GET /ask/${query('thing', seven, '&format=json')}`,
      is('/things/7/?format=json', 'http://v2.example.com'),
      at('v2.example.com'),
    ],
  ]
  throughDoors(serving(new HostNameVersioning()), rows)
})

describe('query parameter', () => {
  const rows: Row[] = [
    [
      'U5 every link has it',
      `GET /ask/${query('thing', seven, '&version=v1')}`,
      is('/things/7/?version=v1'),
    ],
    [
      'U7 whatever it leads to',
      `GET /ask/${query('v2:fresh', {}, '&version=v1')}`,
      is('/v2/fresh/?version=v1'),
    ],
    [
      'U7 form-encoded',
      `GET /ask/${query('thing', seven, '&version=1%200%26x')}`,
      is('/things/7/?version=1+0%26x'),
    ],
    [
      'U7 beyond ASCII',
      `GET /ask/${query('thing', seven, '&version=%C3%BC%2B')}`,
      is('/things/7/?version=%C3%BC%2B'),
    ],
    [
      'U7 with the format, sorted',
      `GET /ask/${query('thing', seven, '&version=v1&format=json')}`,
      is('/things/7/?format=json&version=v1'),
    ],
    [
      'V60 of several the last',
      `GET /ask/${query('thing', seven, '&version=v1&version=v2')}`,
      is('/things/7/?version=v2'),
    ],
    [
      'V7 an empty one is one',
      `GET /ask/${query('thing', seven, '&version=')}`,
      is('/things/7/?version='),
    ],
    ['U6 none: plain', `GET /ask/${query('thing', seven)}`, is('/things/7/')],
    [
      'U4 beside a suffix',
      `GET /ask/${query('thing', seven, '&version=v1&suffix=json')}`,
      is('/things/7.json?version=v1'),
    ],
  ]
  throughDoors(serving(new QueryParameterVersioning()), rows)
})

describe('query parameter with a default, under another name', () => {
  const rows: Row[] = [
    ['U11 an implied default', `GET /ask/${query('thing', seven)}`, is('/things/7/?v=v0')],
    ['U5 in place of it', `GET /ask/${query('thing', seven, '&v=v1')}`, is('/things/7/?v=v1')],
  ]
  throughDoors(
    serving(new QueryParameterVersioning({ versionParam: 'v', defaultVersion: 'v0' })),
    rows,
  )
})

describe('several in order', () => {
  const rows: Row[] = [
    [
      'U5 the way of the scheme that decided: the path',
      `GET /p/v2/ask/${query('path-item', seven)}`,
      is('/p/v2/items/7/'),
    ],
    [
      'U9 another version, said',
      `GET /p/v2/ask/${query('path-item', { id: 7, version: 'v3' })}`,
      is('/p/v3/items/7/'),
    ],
    [
      'U5 the query',
      `GET /ask/${query('thing', seven, '&version=v1')}`,
      is('/things/7/?version=v1'),
    ],
    [
      'U5 where it finds no route, the others do',
      `GET /ask/${query('path-item', seven, '&version=v1')}`,
      is('/p/v1/items/7/'),
    ],
    ['U2 and where nobody does', `GET /p/v2/ask/${query('nope')}`, { status: 500, data: DETAIL }],
  ]
  throughDoors(serving(firstOf([new URLPathVersioning(), new QueryParameterVersioning()])), rows)
})
