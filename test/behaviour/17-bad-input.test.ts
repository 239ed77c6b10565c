import { describe } from 'vitest'
import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  type VersioningScheme,
  configurationOf,
  defineApi,
  firstOf,
  include,
} from '../../src/index.ts'
import { type App, JSONRenderer } from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'

/** A scheme of one's own: the version is in a header. */
class HeaderVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-version'), request)
  }
}

/** One request of each kind: where it goes, and with which headers. */
type Ask = readonly [path: string, headers?: Readonly<Record<string, string | readonly string[]>>]
/** The version that is determined, or the status of a refusal. */
type Answer = string | null | number

interface Scheme {
  readonly name: string
  readonly versioning: VersioningScheme
  readonly asks: { readonly [K in Kind]: Ask }
  /** With the list v1, v2 and no default. */
  readonly listed: { readonly [K in Kind]: Answer }
  /** Without a list, and no default. */
  readonly free: { readonly [K in Kind]: Answer }
}
const KINDS = [
  'missing',
  'empty',
  'allowed',
  'not allowed',
  'repeated',
  'malformed',
  'oversized',
] as const
type Kind = (typeof KINDS)[number]

const LONG = 'v'.repeat(3000)
const ranges = (text: string): Ask => ['/here/', { accept: `application/json; version=${text}` }]
const inPath = (text: string): Ask => [`/${text}/here/`]
const inQuery = (text: string): Ask => [`/here/?version=${text}`]
const inHost = (host: string): Ask => ['/here/', { host }]
const inHeader = (text: string | readonly string[]): Ask => ['/here/', { 'x-version': text }]

const SCHEMES: readonly Scheme[] = [
  {
    name: 'AcceptHeaderVersioning',
    versioning: new AcceptHeaderVersioning(),
    asks: {
      missing: ['/here/', { accept: 'application/json' }],
      empty: ranges(''),
      allowed: ranges('v1'),
      'not allowed': ranges('v9'),
      repeated: ranges('v9; version=v2'),
      malformed: ranges('"v1; q='),
      oversized: ranges(LONG),
    },
    listed: {
      missing: 406,
      empty: 406,
      allowed: 'v1',
      'not allowed': 406,
      repeated: 'v2',
      malformed: 406,
      oversized: 406,
    },
    free: {
      missing: null,
      empty: '',
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 'v2',
      malformed: 'v1; q=',
      oversized: 406,
    },
  },
  {
    name: 'URLPathVersioning',
    versioning: new URLPathVersioning(),
    asks: {
      missing: ['/here/'],
      empty: inPath(''),
      allowed: inPath('v1'),
      'not allowed': inPath('v9'),
      repeated: inPath('v1/v2'),
      malformed: inPath('%ff'),
      oversized: inPath(LONG),
    },
    listed: {
      missing: 404,
      empty: 404,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 404,
      malformed: 400,
      oversized: 404,
    },
    free: {
      missing: null,
      empty: 404,
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 404,
      malformed: 400,
      oversized: 404,
    },
  },
  {
    name: 'NamespaceVersioning',
    versioning: new NamespaceVersioning(),
    asks: {
      missing: ['/here/'],
      empty: ['/n//here/'],
      allowed: ['/n/v1/here/'],
      'not allowed': ['/n/v9/here/'],
      repeated: ['/n/v1/v2/here/'],
      malformed: ['/n/%c3%28/here/'],
      oversized: [`/n/${LONG}/here/`],
    },
    // What is in no table is no address.
    listed: {
      missing: null,
      empty: 404,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 'v1',
      malformed: 400,
      oversized: 404,
    },
    free: {
      missing: null,
      empty: 404,
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 'v1',
      malformed: 400,
      oversized: 404,
    },
  },
  {
    name: 'HostNameVersioning',
    versioning: new HostNameVersioning(),
    asks: {
      missing: inHost('example.com'),
      empty: inHost('.example.com'),
      allowed: inHost('v1.example.com'),
      'not allowed': inHost('v9.example.com'),
      repeated: inHost('v1.example.com, v2.example.com'),
      malformed: inHost('v1.exam%ple.com'),
      oversized: inHost(`${LONG}.example.com`),
    },
    listed: {
      missing: null,
      empty: null,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 400,
      malformed: 400,
      oversized: 400,
    },
    free: {
      missing: null,
      empty: null,
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 400,
      malformed: 400,
      oversized: 400,
    },
  },
  {
    name: 'QueryParameterVersioning',
    versioning: new QueryParameterVersioning(),
    asks: {
      missing: ['/here/'],
      empty: inQuery(''),
      allowed: inQuery('v1'),
      'not allowed': inQuery('v9'),
      repeated: inQuery('v9&version=v2'),
      malformed: inQuery('%ff%zz'),
      oversized: inQuery(LONG),
    },
    listed: {
      missing: 404,
      empty: 404,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 'v2',
      malformed: 404,
      oversized: 404,
    },
    free: {
      missing: null,
      empty: '',
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 'v2',
      malformed: '\ufffd%zz',
      oversized: 404,
    },
  },
  {
    name: "a header of one's own",
    versioning: new HeaderVersioning(),
    asks: {
      missing: ['/here/'],
      empty: inHeader(''),
      allowed: inHeader('v1'),
      'not allowed': inHeader('v9'),
      repeated: inHeader(['v1', 'v2']),
      malformed: inHeader('\u00ff\t"'),
      oversized: inHeader(LONG),
    },
    listed: {
      missing: 404,
      empty: 404,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 404,
      malformed: 404,
      oversized: 404,
    },
    free: {
      missing: null,
      empty: '',
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 'v1, v2',
      malformed: '\u00ff\t"',
      oversized: 404,
    },
  },
  {
    name: 'firstOf: Accept, then the query',
    versioning: firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]),
    asks: {
      missing: ['/here/', { accept: 'application/json' }],
      empty: ['/here/?version=v1', { accept: 'application/json; version=' }],
      allowed: inQuery('v1'),
      'not allowed': inQuery('v9'),
      repeated: ['/here/?version=v1', { accept: 'application/json; version=v2' }],
      malformed: inQuery('%ff%zz'),
      oversized: inQuery(LONG),
    },
    // Who finds nothing does not decide, but where nobody finds any the first one does.
    listed: {
      missing: 406,
      empty: 406,
      allowed: 'v1',
      'not allowed': 404,
      repeated: 'v2',
      malformed: 404,
      oversized: 404,
    },
    free: {
      missing: null,
      empty: '',
      allowed: 'v1',
      'not allowed': 'v9',
      repeated: 'v2',
      malformed: '\ufffd%zz',
      oversized: 404,
    },
  },
]

const here = { here: '/here/' } as const
const urls = {
  here: ['/here/', '/:version/here/'] as const,
  v1: include('/n/v1', { ...here, v2: include('/v2', here) }),
  v9: include('/n/v9', here),
}
const renderers = [new JSONRenderer()]
/** The same addresses for every scheme; the answer tells the version, and builds a link in it. */
function serving(versioning: VersioningScheme, allowedVersions: readonly string[] | null): App {
  const api = defineApi({ urls, versioning, allowedVersions, renderers, logger: notebook() })
  const names = ['here', 'v1:here', 'v1:v2:here', 'v9:here'] as const
  // Under the other schemes a namespace is no place for a version.
  const inNamespaces = versioning instanceof NamespaceVersioning ? {} : { versioning: null }
  return api.serve(
    names.map((name) =>
      api.endpoint(name, name === 'here' ? {} : inNamespaces).get((request) => {
        const reverse = request.reverse as (name: string) => string
        return { version: request.version, linked: typeof reverse('here') === 'string' }
      }),
    ),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

function rowsOf(asks: Scheme['asks'], answers: Scheme['listed']): Row[] {
  return KINDS.flatMap((kind): Row[] => {
    const [path, headers = {}] = asks[kind]
    const answer = answers[kind]
    const expected =
      typeof answer === 'number'
        ? { status: answer, data: DETAIL }
        : { status: 200, data: { version: answer, linked: true } }
    const repaired = 'host' in headers && (kind === 'malformed' || kind === 'repeated')
    return [
      [
        `${kind}: ${typeof answer === 'number' ? answer : JSON.stringify(answer)}`,
        `GET ${path}`,
        expected,
        {
          headers,
          ...(repaired && { cannot: ['fetch door', 'the platform has no such host'] }),
        },
      ],
    ]
  })
}

describe.each(SCHEMES)('$name', ({ versioning, asks, listed, free }) => {
  describe('V8, V10 with the list v1, v2', () => {
    throughDoors(serving(versioning, ['v1', 'v2']), rowsOf(asks, listed))
  })
  describe('V3, V7 without a list', () => {
    throughDoors(serving(versioning, null), rowsOf(asks, free))
  })
})

describe('V6 no link could be in the version ".."', () => {
  throughDoors(serving(new URLPathVersioning(), null), [
    [
      'so there is none',
      'GET /%2e%2e/here/',
      { status: 404, data: DETAIL },
      { cannot: ['fetch door', 'the platform resolves it'] },
    ],
    [
      'nor "."',
      'GET /%2e/here/',
      { status: 404, data: DETAIL },
      { cannot: ['fetch door', 'the platform resolves it'] },
    ],
    [
      'three dots are one',
      'GET /.../here/',
      { status: 200, data: { version: '...', linked: true } },
    ],
    [
      'a slash in it stays in it',
      'GET /v%2F1/here/',
      { status: 200, data: { version: 'v/1', linked: true } },
    ],
  ])
})
