import { describe } from 'vitest'
import {
  BaseVersioning,
  NoReverseMatch,
  URLPathVersioning,
  defineApi,
  defineUrls,
  include,
} from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook, quiet } from './fixtures.ts'

const log = notebook()
const urls = defineUrls({
  ask: '/ask/',
  'ask-version': '/:version<v1|v2|v3>/ask/',
  'ask-ver': '/ver/:ver/ask/',
  item: '/:version<v1|v2|v3>/items/:id<int>/',
  thing: '/things/:id<int>/',
  named: '/named/:name/',
  files: '/files/:rest<path>',
  both: ['/:version<v1|v2|v3>/both/', '/both/'],
  'ver-item': '/ver/:ver/items/:id<int>/',
  outer: include('/outer', { inner: '/inner/' }),
})
const api = defineApi({ urls, formatSuffixes: ['json', 'api'], logger: log })
type Ask = { query: { get(name: string): string | null }; reverse: unknown }

/** Builds what the query asks for, three times: a link like one before takes a shorter way. */
const build = ({ query, reverse }: Ask): unknown => {
  const params = JSON.parse(query.get('params') ?? '{}') as object
  const make = reverse as (name: string, params: object) => string
  const links = [1, 2, 3].map(() => make(query.get('name')!, params))
  return new Set(links).size === 1 ? { url: links[0] } : { links }
}
const shared = { versioning: new URLPathVersioning(), defaultVersion: 'v1' }
const query = (name: string, params: object = {}, more = '') =>
  `?name=${name}&params=${encodeURIComponent(JSON.stringify(params))}${more}`
const is = (path: string, host = 'http://localhost') => ({
  status: 200,
  data: { url: host + path },
})
const rest = (name: 'item' | 'thing' | 'named' | 'files' | 'both' | 'ver-item' | 'outer:inner') =>
  api.endpoint(name).get(() => name)
const others = (
  ['item', 'thing', 'named', 'files', 'both', 'ver-item', 'outer:inner'] as const
).map(rest)

const plain = api.serve(
  [
    api.endpoint('ask').get(build),
    api.endpoint('ask-version').get(build),
    api.endpoint('ask-ver').get(build),
    ...others,
  ],
  quiet,
)
const versioned = api.serve(
  [
    api.endpoint('ask', shared).get(build),
    api.endpoint('ask-version', shared).get(build),
    api.endpoint('ask-ver', { ...shared, versionParam: 'ver' }).get(build),
    ...others,
  ],
  quiet,
)
const withoutDefault = api.serve(
  [
    api.endpoint('ask', { versioning: new URLPathVersioning() }).get(build),
    api.endpoint('ask-version', { versioning: new URLPathVersioning() }).get(build),
    api
      .endpoint('ask-ver', { versioning: new URLPathVersioning(), urlFormatOverride: null })
      .get(build),
    ...others,
  ],
  quiet,
)
class Elsewhere extends BaseVersioning {
  override determineVersion(): string {
    return 'v2'
  }

  reverse(): string {
    throw new NoReverseMatch('I know no routes.')
  }
}
class Decorating extends BaseVersioning {
  override determineVersion(): string {
    return 'v2'
  }

  reverse(
    lookup: { name: string; params: Readonly<Record<string, unknown>> },
    _request: unknown,
    next: (lookup: { name: string; params: Readonly<Record<string, unknown>> }) => string,
  ): string {
    return `${next(lookup)}?by=me`
  }
}
const customised = api.serve(
  [
    api.endpoint('ask', { versioning: new Elsewhere() }).get(build),
    api.endpoint('ask-version', { versioning: { determineVersion: () => 'v2' } }).get(build),
    api.endpoint('ask-ver', { versioning: new Decorating() }).get(build),
    ...others,
  ],
  quiet,
)

const reverse: Row[] = [
  ['U1 absolute', `GET /ask/${query('thing', { id: 7 })}`, is('/things/7/')],
  [
    'U1 the port as sent',
    `GET /ask/${query('thing', { id: 7 })}`,
    is('/things/7/', 'http://localhost:81'),
    { headers: { host: 'localhost:81' } },
  ],
  [
    'U5 without a scheme a version in the path is no version',
    `GET /v2/ask/${query('item', { id: 7, version: 'v3' })}`,
    is('/v3/items/7/'),
  ],
  ['U5 and must be said', `GET /v2/ask/${query('item', { id: 7 })}`, { status: 500, data: DETAIL }],
  [
    'U1 values are percent-encoded',
    `GET /ask/${query('named', { name: 'a b/ü?#%' })}`,
    is('/named/a%20b%2F%C3%BC%3F%23%25/'),
  ],
  [
    'U1 a path keeps its slashes',
    `GET /ask/${query('files', { rest: 'a/b c' })}`,
    is('/files/a/b%20c'),
  ],
  ['U1 namespaces', `GET /ask/${query('outer:inner')}`, is('/outer/inner/')],
  [
    'U2 an unknown name is 500 for the client, who learns nothing',
    `GET /ask/${query('nope')}`,
    { status: 500, text: /^(?!.*nope)/ },
  ],
  [
    'U3 the format of the request is kept',
    `GET /ask/${query('thing', { id: 7 }, '&format=json')}`,
    is('/things/7/?format=json'),
  ],
  [
    'U3 nothing else is',
    `GET /ask/${query('thing', { id: 7 }, '&page=2&version=v1')}`,
    is('/things/7/'),
  ],
  [
    'U4 a format is a suffix where routes have them',
    `GET /ask/${query('thing', { id: 7, format: 'json' })}`,
    is('/things/7.json'),
  ],
  [
    'U4 and an error where it is not one of them',
    `GET /ask/${query('thing', { id: 7, format: 'xml' })}`,
    500,
  ],
]
const inPath: Row[] = [
  [
    'U5 links stay in the version of the request',
    `GET /v2/ask/${query('item', { id: 7 })}`,
    is('/v2/items/7/'),
  ],
  [
    'U5 a route without a version is built plainly',
    `GET /v2/ask/${query('thing', { id: 7 })}`,
    is('/things/7/'),
  ],
  [
    'U9 the caller may name another version',
    `GET /v2/ask/${query('item', { id: 7, version: 'v3' })}`,
    is('/v3/items/7/'),
  ],
  [
    'U11 an implied default stands in the links',
    `GET /ask/${query('item', { id: 7 })}`,
    is('/v1/items/7/'),
  ],
  ['U5 of several paths the one with the version', `GET /v2/ask/${query('both')}`, is('/v2/both/')],
  [
    'U5 under another name of the parameter',
    `GET /ver/v9/ask/${query('ver-item', { id: 7 })}`,
    is('/ver/v9/items/7/'),
  ],
  ['U5 which is then the only one', `GET /ver/v9/ask/${query('item', { id: 7 })}`, 500],
  [
    'U3 the format is kept too',
    `GET /v2/ask/${query('item', { id: 7 }, '&format=json')}`,
    is('/v2/items/7/?format=json'),
  ],
  ['U2 nothing fits at all', `GET /v2/ask/${query('nope')}`, { status: 500, data: DETAIL }],
]
const unversioned: Row[] = [
  ['U6 no version: plain', `GET /ask/${query('both')}`, is('/both/')],
  ['U6 where a version is needed it is missing', `GET /ask/${query('item', { id: 7 })}`, 500],
  [
    'U3 without an override no format is kept',
    `GET /ver/1/ask/${query('thing', { id: 7 }, '&format=json')}`,
    is('/things/7/'),
  ],
]
const custom: Row[] = [
  [
    'U2 what a scheme does not find is tried plainly',
    `GET /ask/${query('thing', { id: 7 })}`,
    is('/things/7/'),
  ],
  [
    'U5 a scheme without an operation for it: plain',
    `GET /v1/ask/${query('thing', { id: 7 })}`,
    is('/things/7/'),
  ],
  [
    'U5 a scheme may change the address',
    `GET /ver/1/ask/${query('thing', { id: 7 })}`,
    is('/things/7/?by=me'),
  ],
  [
    'U3 before the format is added, P8 sorted',
    `GET /ver/1/ask/${query('thing', { id: 7 }, '&format=json')}`,
    is('/things/7/?by=me&format=json'),
  ],
]

describe('U1–U4 addresses', () => {
  throughDoors(plain, reverse)
})
describe('U5, U9, U11 in the version of the path', () => {
  throughDoors(versioned, inPath)
})
describe('U6 without a version', () => {
  throughDoors(withoutDefault, unversioned)
})
describe("U2, U5 schemes of one's own", () => {
  throughDoors(customised, custom)
})
