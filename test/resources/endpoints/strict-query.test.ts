// With `strictQuery`, a parameter that nothing reads is 400, before anything is done.
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  FieldFilter,
  LimitOffsetPagination,
  OrderingFilter,
  PageNumberPagination,
  QueryParameterVersioning,
  SearchFilter,
  arraySource,
  configurationOf,
  defineApi,
  field,
  firstOf,
  german,
  paginated,
  resource,
  resourceUrls,
  serializer,
} from '../../../src/index.ts'
import type { FilterBackend } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

interface Row {
  readonly id: number
  readonly title: string
}
const rows: readonly Row[] = [
  { id: 1, title: 'Printer' },
  { id: 2, title: 'Paper' },
]
const source = arraySource(rows, { key: 'id' })
const ticket = serializer({
  id: field.integer({ readOnly: true }),
  subject: field.text({ source: 'title', until: 'v2', required: false }),
  title: field.text({ since: 'v2', required: false }),
})
const done: string[] = []
const store = {
  key: 'id' as const,
  source,
  find: (id: number) => rows.find((row) => row.id === id) ?? null,
  insert: () => (done.push('insert'), rows[0]!),
  update: () => (done.push('update'), rows[0]!),
  remove: () => (done.push('remove'), true),
}
const month: FilterBackend = {
  filter: (all, { query }) => (query.get('month'), all),
  parameters: ({ orderingParam }) => [{ name: 'month' }, { name: `${orderingParam}-month` }],
}
const silent: FilterBackend = { filter: (all, { query }) => (query.get('silent'), all) }

function serve(settings: object = {}, options: object = {}) {
  const api = defineApi({
    urls: {
      ...resourceUrls('ticket', '/tickets/', ':id<int>'),
      'ticket-close': '/tickets/:id<int>/close/',
      plain: '/plain/',
      pages: '/pages/',
    },
    versioning: firstOf([new QueryParameterVersioning({ versionParam: 'v' })]),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    strictQuery: true,
    filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter(), month, silent],
    pagination: new PageNumberPagination({ pageSize: 5, pageSizeQueryParam: 'size' }),
    messages: { de: german },
    ...settings,
  })
  const tickets = resource(api, 'ticket', {
    store,
    serializer: ticket,
    searchFields: ['title'],
    orderingFields: ['id', 'title', 'subject'],
    filterFields: ['subject', 'title__in'],
    actions: { close: { detail: true, post: () => (done.push('close'), null) } },
  } as never)
  const plain = api.endpoint('plain', options).get(({ query }) => query.get('day') ?? 'none')
  const pages = api.endpoint('pages').get((request) => paginated(request, source))
  const app = api.serve([...tickets, plain, pages], {
    configuration: configurationOf({ SECRET_KEY: 'a secret that is long enough' }),
  })
  return client(app)
}

const status = async (target: string, settings?: object, options?: object) =>
  (await serve(settings, options).get(target)).status

describe('known', () => {
  test.each([
    ['page=1&size=2', {}],
    ['limit=1&offset=0', { pagination: new LimitOffsetPagination({ defaultLimit: 5 }) }],
    [
      'offset=0',
      { pagination: new LimitOffsetPagination({ limitQueryParam: null, defaultLimit: 5 }) },
    ],
    ['cursor=', { pagination: new CursorPagination({ pageSize: 5, ordering: 'id' }) }],
    ['search=paper&ordering=-id', {}],
    ['q=paper&o=-id', { searchParam: 'q', orderingParam: 'o' }],
    ['title__in=Paper', {}],
    ['v=v1&subject=Paper', {}],
    ['format=json', {}],
    ['as=json', { urlFormatOverride: 'as' }],
    ['month=5&ordering-month=1', {}],
    ['trace=1', { queryParams: ['trace'] }],
    ['', {}],
  ])('?%s', async (query, settings) => {
    expect(await status(`/tickets/?${query}`, settings)).toBe(200)
  })

  test.each(['/tickets/1/?title__in=Printer', '/tickets/1/?search=printer&v=v1&subject=Printer'])(
    'what narrows single objects, too: %s',
    async (target) => expect(await status(target)).toBe(200),
  )

  test('what a handler declares', async () => {
    expect(await status('/plain/?day=1', {}, { queryParams: ['day'] })).toBe(200)
    expect(await status('/plain/?day=1')).toBe(400)
    // which is the last word, as with every setting
    expect(await status('/plain/?trace=1', { queryParams: ['trace'] })).toBe(200)
    expect(await status('/plain/?trace=1', { queryParams: ['trace'] }, { queryParams: [] })).toBe(
      400,
    )
    expect(await status('/pages/?page=1')).toBe(400)
    expect(await status('/pages/?page=1', { queryParams: ['page'] })).toBe(200)
  })
})

describe('unknown', () => {
  const refused = (...names: string[]) => ({
    status: 400,
    data: Object.fromEntries(
      names.map((name) => [name, ['This address has no such query parameter.']]),
    ),
  })

  test.each([
    ['all are named, each once', '/tickets/?nope=1&page=1&no=&nope=2', ['nope', 'no']],
    ['a parameter of another version', '/tickets/?subject=x', ['subject']],
    ['a lookup that is not declared', '/tickets/?title=x', ['title']],
    ['what a filter does not declare', '/tickets/?silent=1', ['silent']],
    ['pages of single objects', '/tickets/1/?page=1&ordering=id', ['page', 'ordering']],
    ['names of every object', '/plain/?__proto__=1&constructor=2', ['__proto__', 'constructor']],
    ['an empty name', '/plain/?=1', ['']],
  ])('%s: %s', async (_, target, names) => {
    const { status: code, text } = await serve().get(target)
    expect({
      status: code,
      names: [...text.matchAll(/"([^"]*)":\[/g)].map(([, name]) => name),
    }).toEqual({ status: 400, names })
    expect(await serve({ strictQuery: false }).get(target)).toMatchObject({ status: 200 })
  })

  test('the parameter of a setting that is switched off', async () => {
    const { status: code, data } = await serve({ urlFormatOverride: null }).get(
      '/plain/?format=json',
    )
    expect({ status: code, data }).toEqual(refused('format'))
  })

  test('in the language of the client', async () => {
    const headers = { 'accept-language': 'de' }
    const { data } = await serve().get('/plain/?nope=1', { headers })
    expect(data).toEqual({ nope: ['Diese Adresse hat keinen solchen Abfrageparameter.'] })
  })

  test.each([
    ['post', '/tickets/'],
    ['put', '/tickets/1/'],
    ['patch', '/tickets/1/'],
    ['delete', '/tickets/1/'],
    ['post', '/tickets/1/close/'],
  ] as const)('nothing is done: %s %s', async (verb, target) => {
    done.length = 0
    const json = { title: 'x' }
    expect((await serve()[verb](`${target}?nope=1`, { json })).status).toBe(400)
    expect(done).toEqual([])
    expect((await serve()[verb](target, { json })).status).toBeLessThan(300)
    expect(done).toHaveLength(1)
  })

  test('HEAD is refused as GET is; OPTIONS and unknown methods are answered as ever', async () => {
    const { head, options, post, get } = serve()
    expect((await head('/plain/?nope=1')).status).toBe(400)
    expect((await options('/plain/?nope=1')).status).toBe(200)
    expect((await post('/plain/?nope=1')).status).toBe(405)
    expect((await get('/lost/?nope=1')).status).toBe(404)
  })

  test('permissions come first', async () => {
    const permissions = [{ hasPermission: () => false }]
    expect(await status('/plain/?nope=1', {}, { permissions })).toBe(403)
  })

  test('a refusal names a thousand at most', async () => {
    const names = Array.from({ length: 1500 }, (_, at) => `n${at}`).join('&')
    const { data } = await serve().get(`/plain/?${names}`)
    expect(Object.keys(data as object)).toHaveLength(1000)
  })

  test('an order of unknown names', async () => {
    const target = '/tickets/?ordering=-id,subject,-nope,,subject'
    const { status: code, data } = await serve().get(target)
    expect({ status: code, data }).toEqual({
      status: 400,
      data: { ordering: ['This list cannot be ordered by: subject, nope.'] },
    })
    expect(await status(target, { strictQuery: false })).toBe(200)
    expect(await status('/tickets/?ordering=-subject&v=v1')).toBe(200)
    expect(await status('/tickets/?ordering=')).toBe(200)
  })

  test('cursors are not bound to the check', async () => {
    const pagination = new CursorPagination({ pageSize: 1, ordering: 'id' })
    const { get } = serve({ pagination, queryParams: ['trace'] })
    const { data } = await get('/tickets/?format=json&trace=1')
    const { searchParams } = new URL((data as { next: string }).next)
    const target = `/tickets/?cursor=${searchParams.get('cursor')!}&v=v1&trace=2`
    expect((await get(target)).status).toBe(200)
  })
})

test('keys of a configuration', async () => {
  const api = defineApi({ urls: { plain: '/plain/' } })
  const start = (keys: object) =>
    client(
      api.serve([api.endpoint('plain').get(() => 'well')], {
        configuration: configurationOf({ ...keys }),
      }),
    )
  const { get } = start({ STRICT_QUERY: true, QUERY_PARAMS: ['day'] })
  expect((await get('/plain/?day=1')).status).toBe(200)
  expect((await get('/plain/?night=1')).status).toBe(400)
  expect((await start({}).get('/plain/?night=1')).status).toBe(200)
  expect(() => start({ STRICT_QUERY: 'yes' })).toThrow(/STRICT_QUERY.*true or false/)
  expect(() => start({ QUERY_PARAMS: 'day' })).toThrow(/QUERY_PARAMS.*list of texts/)
  expect(() => start({ QUERY_PARAMS: [7] })).toThrow(/QUERY_PARAMS.*list of texts/)
})
