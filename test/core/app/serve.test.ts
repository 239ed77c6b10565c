import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  IsAuthenticated,
  PageNumberPagination,
  configurationOf,
  defineApi,
  defineUrls,
  include,
  list,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { numbers, quiet, says } from '../../behaviour/fixtures.ts'

const ok = () => 'ok'
const urls = defineUrls({
  'article-list': '/articles/',
  'article-detail': '/articles/:id<int>/',
  v1: include('/v1', { 'report-list': '/reports/', only: '/only/' }),
  v2: include('/v2', { 'report-list': '/reports/' }),
})
const api = defineApi({ urls })
const articles = [api.endpoint('article-list').get(ok), api.endpoint('article-detail').get(ok)]
const reports = api.endpoint('report-list').get(({ namespace }) => namespace)
const only = api.endpoint('v1:only').get(ok)

describe('every address gets its endpoint', () => {
  test('a name without its namespace serves all of them', async () => {
    const app = api.serve([...articles, reports, only], quiet)
    const answers = await Promise.all(
      ['/v1/reports/', '/v2/reports/'].map(async (path) => (await client(app).get(path)).data),
    )
    expect(answers).toEqual([['v1'], ['v2']])
  })

  test('the full name goes first', async () => {
    const other = defineApi({ urls })
    const own = other.endpoint('v2:report-list').get(() => 'of v2')
    const app = other.serve([...articles, reports, own, only], quiet)
    const answers = await Promise.all(
      ['/v1/reports/', '/v2/reports/'].map(async (path) => (await client(app).get(path)).data),
    )
    expect(answers).toEqual([['v1'], 'of v2'])
  })

  test.each<[title: string, endpoints: Parameters<typeof api.serve>[0], message: RegExp]>([
    [
      'an address without one',
      [...articles, only],
      /^The address v1:report-list \(\/v1\/reports\/\) has no endpoint\./,
    ],
    [
      'one given twice',
      [...articles, reports, only, articles[0]!],
      /^endpoint article-list: given to serve\(\) twice/,
    ],
    [
      'a resource that is not spread',
      [reports, only, articles as never],
      /^serve\(\): item 3 of its list is no endpoint\. .* serve\(\[\.\.\.resource\(…\)\]\)\.$/,
    ],
    ['nothing', [undefined as never], /^serve\(\): item 1 of its list is no endpoint\. /],
    ['an endpoint alone', only as never, /^serve\(\) was given no list\. /],
    [
      'one without an address',
      [...articles.slice(1), reports, only, api.endpoint('article-lst' as 'article-list')],
      /^endpoint article-lst: the address table has no such name\. Did you mean "article-list"\?$/,
    ],
    [
      'one that is like none',
      [...articles, reports, only, api.endpoint('xyzzyplugh' as 'article-list')],
      /has no such name\. Give it an address there\.$/,
    ],
    [
      'one that is like one that is there',
      [...articles, reports, only, api.endpoint('article-lift' as 'article-list')],
      /has no such name\. Give it an address there\.$/,
    ],
  ])('%s is refused', (_, endpoints, message) => {
    expect(() => api.serve(endpoints, quiet)).toThrow(ConfigurationError)
    expect(() => api.serve(endpoints, quiet)).toThrow(message)
  })

  test.each([undefined, null, 'x', { a: 1 }])('%j is no handler', (handler) => {
    expect(() => api.endpoint('article-list').get(handler as never)).toThrow(
      /^endpoint article-list: get\(\) takes a function, or what /,
    )
  })

  test('the order of the endpoints and of their verbs means nothing', async () => {
    const base = api.endpoint('article-list')
    const one = api.serve([only, reports, ...articles.slice(1), base.get(ok).post(ok)], quiet)
    const other = api.serve([base.post(ok).get(ok), ...articles.slice(1), reports, only], quiet)
    const allow = async (app: typeof one): Promise<string | null> =>
      (await client(app).get('/articles/')).header('allow')
    expect(await allow(one)).toBe('GET, POST, HEAD, OPTIONS')
    expect(await allow(other)).toBe(await allow(one))
  })

  test('an endpoint is not changed by what is made from it', () => {
    const base = api.endpoint('article-list').get(ok)
    const both = base.post(ok)
    const methods = (endpoint: typeof base) =>
      api.serve([endpoint, ...articles.slice(1), reports, only], quiet).describe()[0]!.methods
    expect(methods(both)).toContain('POST')
    expect(Object.keys(base['~definition'].behaviours)).toEqual(['get'])
  })
})

describe('an endpoint that would silently not answer is noticed', () => {
  const one = () => defineApi({ urls: { a: '/a/' } })

  test('the result of its verb was thrown away', () => {
    const own = one()
    const a = own.endpoint('a')
    a.get(ok)
    expect(() => own.serve([a], quiet)).toThrow(
      /^endpoint a: the endpoint that \.get\(\) returned is not served\. Give .*const endpoint = api\.endpoint\('a'\)\.get\(…\)/,
    )
  })

  test('so was that of its second verb', () => {
    const own = one()
    const a = own.endpoint('a').get(ok)
    a.post(ok)
    expect(() => own.serve([a], quiet)).toThrow(/that \.post\(\) returned is not served/)
    expect(() => own.serve([a.post(ok)], quiet)).not.toThrow()
  })

  test('it has no verb at all: that may be meant, so it is a line of the log', () => {
    const log: unknown[] = []
    const logger = { error: () => {}, info: (record: object) => void log.push(record) }
    const own = defineApi({ urls: { a: '/a/', b: '/b/' }, logger })
    own.serve([own.endpoint('a'), own.endpoint('b').get(ok)], quiet)
    const message = 'endpoint a: it answers OPTIONS alone. Give it a verb, such as .get(…).'
    expect(log).toEqual([{ event: 'endpoint.bare', message }])
  })

  test('a verb that is given again is not lost', () => {
    const own = one()
    const a = own.endpoint('a').get(ok)
    a.get(() => 'other')
    expect(() => own.serve([a], quiet)).not.toThrow()
  })

  test('it was made for one namespace and forgotten, and that of all namespaces would answer there', () => {
    const own = defineApi({ urls })
    own.endpoint('v2:report-list').get(() => 'of v2')
    expect(() => own.serve([...articles, reports, only], quiet)).toThrow(
      /^endpoint v2:report-list: not given to serve\(\), so report-list would answer \/v2\/reports\/\./,
    )
  })
})

describe('describe() tells what is served', () => {
  const described = defineApi({ urls, pageSize: 5 })
  const app = described.serve(
    [
      described
        .endpoint('article-list', { pageSize: 7, description: 'All of them.' })
        .get(ok)
        .post(ok),
      described.endpoint('article-detail', { title: 'One' }).delete(ok),
      described.endpoint('report-list', { metadata: null }).get(ok),
      described.endpoint('v1:only').get(ok),
    ],
    { configuration: configurationOf({ VERSION_PARAM: 'edition' }) },
  )

  test('addresses in the order of the table', () => {
    expect(
      app.describe().map(({ name, path, methods, title }) => ({ name, path, methods, title })),
    ).toEqual([
      {
        name: 'article-list',
        path: '/articles/',
        methods: ['GET', 'POST', 'HEAD', 'OPTIONS'],
        title: 'Article List',
      },
      {
        name: 'article-detail',
        path: '/articles/:id<int>/',
        methods: ['DELETE', 'OPTIONS'],
        title: 'One',
      },
      {
        name: 'v1:report-list',
        path: '/v1/reports/',
        methods: ['GET', 'HEAD'],
        title: 'Report List',
      },
      { name: 'v1:only', path: '/v1/only/', methods: ['GET', 'HEAD', 'OPTIONS'], title: 'Only' },
      {
        name: 'v2:report-list',
        path: '/v2/reports/',
        methods: ['GET', 'HEAD'],
        title: 'Report List',
      },
    ])
  })

  test('settings with the layer that said them', () => {
    const [first, second] = app.describe()
    expect([first!.settings.pageSize, first!.provenance.pageSize, first!.description]).toEqual([
      7,
      'endpoint article-list',
      'All of them.',
    ])
    expect([second!.settings.pageSize, second!.provenance.pageSize]).toEqual([5, 'api'])
    expect([second!.settings.versionParam, second!.provenance.versionParam]).toEqual([
      'edition',
      'configuration',
    ])
    expect(second!.provenance.renderers).toBe('defaults')
  })

  test('an application is frozen', () => expect(Object.isFrozen(app)).toBe(true))
})

describe('what could only fail at a request is refused at start, with endpoint, key and layer', () => {
  const refuses = (policy: object, message: RegExp): void => {
    const wrong = defineApi({ urls: { a: '/a/' } })
    expect(() => wrong.serve([wrong.endpoint('a', policy).get(ok)], quiet)).toThrow(message)
  }

  test.each<[title: string, policy: object, message: RegExp]>([
    [
      'a scheme that cannot authenticate',
      { authentication: [{}] },
      /^endpoint a: DEFAULT_AUTHENTICATION_CLASSES \(from endpoint a\).*authenticate\(\)/,
    ],
    [
      'a permission without an opinion on anything',
      { permissions: [{}] },
      /hasPermission or hasObjectPermission\(\)/,
    ],
    ['a throttle that cannot admit', { throttles: [{}] }, /DEFAULT_THROTTLE_CLASSES/],
    ['a style that cannot paginate', { pagination: {} }, /DEFAULT_PAGINATION_CLASS/],
    ['a scheme without versions', { versioning: {} }, /DEFAULT_VERSIONING_CLASS/],
    ['a renderer that cannot render', { renderers: [{}] }, /DEFAULT_RENDERER_CLASSES/],
    ['no renderer', { renderers: [] }, /DEFAULT_RENDERER_CLASSES \(from endpoint a\) is empty/],
    [
      'a renderer whose media type is none',
      { renderers: [{ mediaType: 'json', format: 'json', render: ok }] },
      /"json" is not a media type/,
    ],
    ['a parser that cannot parse', { parsers: [{}] }, /DEFAULT_PARSER_CLASSES/],
    ['metadata that cannot describe', { metadata: {} }, /DEFAULT_METADATA_CLASS/],
    [
      'a setting that nobody knows',
      { permisions: [] },
      /^endpoint a: there is no setting "permisions"\. Did you mean "permissions"\?$/,
    ],
  ])('%s', (_, policy, message) => refuses(policy, message))

  test('also in what holds outside every endpoint', () => {
    const wrong = defineApi({ urls: {}, renderers: [] })
    expect(() => wrong.serve([], quiet)).toThrow(ConfigurationError)
  })
})

test('hello world needs nothing', async () => {
  const hello = defineApi({ urls: { hello: '/' } })
  const app = hello.serve([hello.endpoint('hello').get(() => ({ hello: 'world' }))], quiet)
  expect((await client(app).get('/')).data).toEqual({ hello: 'world' })
})

test('a group is a layer, and may hold groups', async () => {
  const outer = defineApi({
    urls: { in: '/in/', out: '/out/', deep: '/deep/' },
    pagination: new PageNumberPagination(),
    pageSize: 2,
  })
  const shut = outer.group({ permissions: [says(false)], pageSize: 3 })
  const deep = shut.group({ permissions: [] })
  const app = outer.serve(
    [
      shut.endpoint('in', { permissions: [new IsAuthenticated()] }).get(ok),
      outer.endpoint('out').get(list({ source: numbers(9) })),
      deep.endpoint('deep').get(list({ source: numbers(9) })),
    ],
    quiet,
  )
  const get = async (path: string): Promise<unknown> => (await client(app).get(path)).data
  expect((await client(app).get('/in/')).status).toBe(403)
  expect(await get('/out/')).toMatchObject({ results: [1, 2] })
  expect(await get('/deep/')).toMatchObject({ results: [1, 2, 3] })
  expect(app.describe().map(({ provenance }) => provenance.pageSize)).toEqual([
    'group',
    'api',
    'group',
  ])
})
