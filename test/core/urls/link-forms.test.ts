import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type App,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  firstOf,
  include,
} from '../../../src/index.ts'
import type { VersioningScheme } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

const shared = {
  ask: '/ask/',
  int: '/int/:id<int>/',
  str: '/str/:name/',
  choice: '/choice/:kind<a|b>/',
  either: ['/either/:id<int>/', '/either/:id<slug>/'],
  optional: ['/optional/', '/optional/:page<int>/'],
  two: '/two/:a<int>/:b/',
} as const
const urls = {
  ...shared,
  'in-path': '/p/:version<v1|v2>/ask/',
  'path-int': '/p/:version<v1|v2>/int/:id<int>/',
  'maybe-path': ['/m/:id<int>/', '/p/:version<v1|v2>/m/:id<int>/'],
  mixed: '/mixed/:id/',
  v1: include('/n/v1', {
    ...shared,
    int: '/int/:id<uuid>/',
    only: '/only/:id<int>/',
    mixed: ['/mixed/:id<int>/', '/mixed/:id<slug>/'],
  }),
  v2: include('/n/v2', shared),
} as const

type Make = (name: string, params?: object) => string
type Asked = readonly [name: string, params: object]

function serving(versioning: VersioningScheme | null, formatSuffixes = false): App {
  const api = defineApi({ urls, versioning, formatSuffixes })
  const names = [
    ...Object.keys(shared).flatMap((name) => [name, `v1:${name}`, `v2:${name}`]),
    'in-path',
    'path-int',
    'maybe-path',
    'v1:only',
    'mixed',
    'v1:mixed',
  ] as 'ask'[]
  return api.serve(
    names.map((name) => api.endpoint(name).post(answer)),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

/** What `reverse` makes of each: by one request for all, which remembers, or by one request for each. */
async function answer({ body, reverse }: { body(): Promise<unknown>; reverse: unknown }) {
  const make = reverse as Make
  return ((await body()) as Asked[]).map(([name, params]) => {
    try {
      return make(name, params)
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`
    }
  })
}

async function linksOf(app: App, path: string, host: string, json: readonly Asked[]) {
  const { status, data } = await client(app).post(path, { json, headers: { host } })
  expect(status).toBe(200)
  return data as string[]
}

const value = fc.oneof(
  fc.nat(3),
  fc.constantFrom('a', 'b', 'x/ü', '', '..', '7', 7, -1, 1.5, true, null),
  fc.constantFrom('0f8fad5b-d9cb-469f-a165-70867728950e'),
)
const params = fc.dictionary(
  fc.constantFrom('id', 'name', 'kind', 'page', 'a', 'b', 'version', 'format'),
  value,
  { maxKeys: 2 },
)
/** Mostly what fits, so that something is remembered. */
const asked: fc.Arbitrary<Asked> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('int', 'v1:only', 'path-int', 'maybe-path', 'either', 'mixed'),
      fc.record({ id: value }),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('str'), fc.record({ name: value })) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('choice'), fc.record({ kind: value })) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('optional'), fc.record({ page: value })) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom('ask', 'two', 'only', 'v2:int', 'in-path', 'nope', ...Object.keys(shared)),
      params,
    ),
  },
)

/** The same scheme, asked for every link: a `reverse` of its own takes the place of the forms. */
const oneByOne = (scheme: VersioningScheme): VersioningScheme => ({
  determineVersion: (request) => scheme.determineVersion(request),
  find: (request) => scheme.find!(request),
  reverse: (lookup, request, next) => scheme.reverse!(lookup, request, next),
})

describe('the forms of a scheme make the links that its reverse makes', () => {
  test.each<[string, VersioningScheme, path: string, host: string]>([
    ['the path', new URLPathVersioning(), '/p/v2/ask/', 'localhost'],
    ['a namespace', new NamespaceVersioning(), '/n/v1/ask/?format=json', 'localhost'],
    ['the host', new HostNameVersioning(), '/ask/', 'v1.example.com:81'],
    ['the query', new QueryParameterVersioning(), '/ask/?version=v1&format=json', 'localhost'],
    [
      'several',
      firstOf([new URLPathVersioning(), new QueryParameterVersioning()]),
      '/ask/?version=v1',
      'localhost',
    ],
  ])('%s', async (_title, scheme, path, host) => {
    for (const suffixes of [false, true]) {
      const [byForms, byReverse] = [serving(scheme, suffixes), serving(oneByOne(scheme), suffixes)]
      await fc.assert(
        fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async (all) => {
          expect(await linksOf(byForms, path, host, all)).toEqual(
            await linksOf(byReverse, path, host, all),
          )
        }),
        { numRuns: 60 },
      )
    }
  })
})

describe('a link like one before is what it would be as the first', () => {
  test.each<[string, VersioningScheme | null, path: string, host: string]>([
    ['no scheme', null, '/ask/', 'localhost'],
    ['with a format', null, '/ask/?format=json', 'localhost'],
    ['the path', new URLPathVersioning(), '/p/v2/ask/', 'localhost'],
    ['a namespace', new NamespaceVersioning(), '/n/v1/ask/', 'localhost'],
    ['another', new NamespaceVersioning(), '/n/v2/ask/?format=json', 'localhost'],
    ['the host', new HostNameVersioning(), '/ask/', 'v1.example.com:81'],
    ['the query', new QueryParameterVersioning(), '/ask/?version=%00%26&format=json', 'localhost'],
    [
      'several',
      firstOf([new URLPathVersioning(), new QueryParameterVersioning()]),
      '/ask/?version=v1',
      'localhost',
    ],
    [
      "a scheme of one's own that treats links one by one",
      {
        determineVersion: () => 'v1',
        reverse: (lookup, _request, next) => {
          const url = next(lookup)
          return url.includes('1') ? `${url}?odd` : url
        },
      },
      '/ask/',
      'localhost',
    ],
  ])('%s', async (_title, versioning, path, host) => {
    for (const app of [serving(versioning), serving(versioning, true)]) {
      await fc.assert(
        fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 12 }), async (all) => {
          const remembered = await linksOf(app, path, host, all)
          const each = await Promise.all(all.map((one) => linksOf(app, path, host, [one])))
          expect(remembered).toEqual(each.flat())
        }),
        { numRuns: 60 },
      )
    }
  })

  test('what an object inherits is not given, also the second time', async () => {
    const api = defineApi({ urls: { ask: '/ask/', int: '/int/:id<int>/' } })
    const heir = Object.create({ id: 1 }) as { id: number }
    const ask = api.endpoint('ask').get(({ reverse }) => {
      const [first, second] = [reverse('int', { id: 7 }), reverse('int', { id: 8 })]
      expect(() => reverse('int', heir)).toThrow('"id" is missing')
      const more = { id: 9, other: 1 }
      expect(() => reverse('int', more)).toThrow('takes no "other"')
      return [first, second]
    })
    const app = api.serve([ask, api.endpoint('int').get(() => null)], {
      configuration: configurationOf(),
    })
    const { data } = await client(app).get('/ask/')
    expect(data).toEqual(['http://localhost/int/7/', 'http://localhost/int/8/'])
  })
})
