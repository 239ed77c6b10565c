import {
  AcceptHeaderVersioning,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  firstOf,
} from '../../src/index.ts'
import type { VersioningScheme } from '../../src/types.ts'

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

/** A scheme, what it is asked, and what it answers. */
export interface Scheme {
  readonly name: string
  readonly versioning: VersioningScheme
  readonly asks: { readonly [K in Kind]: Ask }
  /** With the list v1, v2 and no default. */
  readonly listed: { readonly [K in Kind]: Answer }
  /** Without a list, and no default. */
  readonly free: { readonly [K in Kind]: Answer }
}
/** The ways in which a version can be said. */
export const KINDS = [
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

/** Every scheme, asked in every way. */
export const SCHEMES: readonly Scheme[] = [
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
