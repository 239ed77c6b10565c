// What an operator is shown of a service that works and is open to more than it should be (I20).
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  FieldFilter,
  LimitOffsetPagination,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  type Settings,
  URLPathVersioning,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  resource,
  serializer,
} from '../../../src/index.ts'
import type { FilterBackend } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

const SECRET_KEY = 'a secret of these tests'
const source = arraySource([{ id: 1, name: 'one' }], { key: 'id' })

interface Given {
  readonly pagination: Settings['pagination']
  readonly filters?: readonly FilterBackend[]
  readonly keys?: Readonly<Record<string, unknown>>
}

function findings({ pagination, filters = [], keys = {} }: Given) {
  const api = defineApi({ urls: { rows: '/rows/', health: '/health/' }, pagination, filters })
  const searchFields = filters.some((each) => each instanceof SearchFilter)
    ? (['name'] as const)
    : null
  const filterFields = filters.some((each) => each instanceof FieldFilter)
    ? (['id', 'name__icontains'] as const)
    : null
  const rows = api.endpoint('rows').get(list({ source, searchFields, filterFields }))
  const app = api.serve([rows, api.endpoint('health').get(() => 'well')], {
    configuration: configurationOf({ SECRET_KEY, ...keys }),
  })
  return app.findings()
}

const kinds = (given: Given): readonly string[] => findings(given).map(({ kind }) => kind)

const capped = new PageNumberPagination({ pageSize: 5, count: 'capped', maxOffset: 100 })
const exact = new PageNumberPagination({ pageSize: 5, maxOffset: 100 })
const feed = new CursorPagination({ pageSize: 5, ordering: 'id' })
const own = { paginate: () => null, respond: () => null as never }
const search = [new SearchFilter()]

describe('I20: what is found of a list', () => {
  test.each<[string, Given, readonly string[]]>([
    ['no style', { pagination: null }, ['whole-list']],
    ['no style, and a ceiling', { pagination: null, keys: { MAX_PAGE_SIZE: 9 } }, ['whole-list']],
    ['no page size, so no offset', { pagination: new PageNumberPagination() }, ['whole-list']],
    [
      'any limit, any offset',
      { pagination: new LimitOffsetPagination({ defaultLimit: 5 }) },
      ['whole-list', 'unlimited-offset'],
    ],
    [
      'any offset',
      { pagination: new LimitOffsetPagination({ defaultLimit: 5, maxLimit: 9 }) },
      ['unlimited-offset'],
    ],
    ['any page', { pagination: new PageNumberPagination({ pageSize: 5 }) }, ['unlimited-offset']],
    [
      'both keys',
      { pagination: new LimitOffsetPagination(), keys: { MAX_PAGE_SIZE: 9, MAX_OFFSET: 0 } },
      [],
    ],
    ['a depth', { pagination: exact }, []],
    ['cursors', { pagination: feed }, []],
    [
      'cursors of any size',
      { pagination: new CursorPagination({ ordering: 'id' }) },
      ['whole-list'],
    ],
    ['a style that does not say', { pagination: own }, ['whole-list']],
    [
      'a style that says',
      { pagination: { ...own, bounds: () => ({ rows: 1, offset: 2, count: 3 }) } },
      [],
    ],
    [
      'a search that counts every match',
      { pagination: exact, filters: search },
      ['uncapped-search'],
    ],
    [
      'a search without pages',
      { pagination: null, filters: search },
      ['whole-list', 'uncapped-search'],
    ],
    ['a search that counts so far', { pagination: capped, filters: search }, []],
    ['a search behind cursors', { pagination: feed, filters: search }, []],
    [
      'a filter that looks into texts',
      { pagination: exact, filters: [new FieldFilter()] },
      ['uncapped-search'],
    ],
    ['an order', { pagination: exact, filters: [new OrderingFilter()] }, []],
    [
      'a filter of one’s own that searches',
      { pagination: exact, filters: [{ filter: (rows) => rows, searches: () => true }] },
      ['uncapped-search'],
    ],
    ['a filter of one’s own', { pagination: exact, filters: [{ filter: (rows) => rows }] }, []],
  ])('%s', (_what, given, expected) => {
    expect(kinds(given)).toEqual(expected)
  })

  test('each has its endpoint, a sentence and a fix', () => {
    const [first, ...others] = findings({ pagination: new LimitOffsetPagination() })
    expect(others.map(({ kind }) => kind)).toEqual(['unlimited-offset'])
    expect(first).toEqual({
      endpoint: 'rows',
      kind: 'whole-list',
      message: 'One request can read all rows, because nothing limits the size of a page.',
      fix: 'Set MAX_PAGE_SIZE, the most rows of a page.',
    })
    expect(others[0]!.fix).toContain('MAX_OFFSET')
    const [unpaged] = findings({ pagination: null, keys: { PAGE_SIZE: 5 } })
    expect(unpaged!.fix).toContain('PAGE_SIZE alone has no effect')
    expect(findings({ pagination: own })[0]!.message).toContain('Object does not say')
  })

  test('every address of an endpoint is named by its full name', () => {
    const api = defineApi({
      urls: { a: '/:version/a/', b: '/:version/b/' },
      versioning: new URLPathVersioning(),
      allowedVersions: ['v1'],
    })
    const endpoints = [
      api.endpoint('a').get(list({ source })),
      api.endpoint('b').get(list({ source })),
    ]
    const app = api.serve(endpoints, { configuration: configurationOf() })
    expect(app.findings().map(({ endpoint }) => endpoint)).toEqual(['a', 'b'])
  })

  test('a filter with fields that are only compared is no search', () => {
    const api = defineApi({ urls: { rows: '/' }, pagination: exact, filters: [new FieldFilter()] })
    const rows = api
      .endpoint('rows')
      .get(list({ source, filterFields: ['id', 'name__istartswith'] }))
    expect(api.serve([rows], { configuration: configurationOf() }).findings()).toEqual([])
  })
})

test('I20: the list of a resource is looked at, also where its store is found for each request', () => {
  const urls = { 'team-list': '/teams/', 'club-list': '/clubs/' } as const
  const api = defineApi({ urls: defineUrls(urls), pagination: exact, filters: search })
  const team = serializer({ code: field.text() })
  const store = {
    key: 'code' as const,
    source: arraySource([{ code: 'a' }]),
    find: () => null,
    insert: (row: { readonly code: string }) => row,
    update: () => null,
    remove: () => false,
  }
  const spec = { serializer: team, only: ['list'], searchFields: ['code'] } as const
  const endpoints = [
    ...resource(api, 'team', { ...spec, store }),
    ...resource(api, 'club', { ...spec, store: () => store }),
  ]
  const found = api.serve(endpoints, { configuration: configurationOf() }).findings()
  expect(found.map(({ endpoint, kind }) => [endpoint, kind])).toEqual([
    ['team-list', 'uncapped-search'],
    ['club-list', 'uncapped-search'],
  ])
})

describe('MAX_OFFSET caps the depth of both counted styles', () => {
  const rows = arraySource(Array.from({ length: 50 }, (_, id) => ({ id })))
  const asking = (
    pagination: Settings['pagination'],
    keys: Readonly<Record<string, unknown>>,
    maxOffset?: number | null,
  ) => {
    const api = defineApi({ urls: { rows: '/' }, pagination })
    const settings = maxOffset === undefined ? {} : { maxOffset }
    const app = api.serve([api.endpoint('rows', settings).get(list({ source: rows }))], {
      configuration: configurationOf(keys),
    })
    return async (query: string) => (await client(app).get(`/${query}`)).status
  }

  test.each<[string, Settings['pagination'], string, string]>([
    ['limit and offset', new LimitOffsetPagination(), '?limit=5&offset=20', '?limit=5&offset=21'],
    ['page numbers', new PageNumberPagination({ pageSize: 10 }), '?page=3', '?page=4'],
    ['the last page', new PageNumberPagination({ pageSize: 30 }), '?page=1', '?page=last'],
    [
      'its own is larger',
      new LimitOffsetPagination({ maxOffset: 40 }),
      '?limit=5&offset=20',
      '?limit=5&offset=40',
    ],
    [
      'its own is smaller',
      new LimitOffsetPagination({ maxOffset: 10 }),
      '?limit=5&offset=10',
      '?limit=5&offset=11',
    ],
  ])('%s', async (_what, pagination, good, bad) => {
    const ask = asking(pagination, { MAX_OFFSET: 20 })
    expect([await ask(good), await ask(bad)]).toEqual([200, 400])
  })

  test('0 is the first page alone, and null no limit', async () => {
    const pagination = new PageNumberPagination({ pageSize: 10 })
    const first = asking(pagination, { MAX_OFFSET: 0 })
    expect([await first('?page=1'), await first('?page=2')]).toEqual([200, 400])
    expect(await asking(pagination, { MAX_OFFSET: 0 }, null)('?page=2')).toBe(200)
    expect(await asking(pagination, {}, 0)('?page=2')).toBe(400)
  })

  test('the answer names the limit that took effect', async () => {
    const api = defineApi({
      urls: { rows: '/' },
      pagination: new LimitOffsetPagination({ maxOffset: 30 }),
    })
    const app = api.serve([api.endpoint('rows').get(list({ source: rows }))], {
      configuration: configurationOf({ MAX_OFFSET: 20 }),
    })
    const { data } = await client(app).get('/?limit=1&offset=25')
    expect(JSON.stringify(data)).toContain('20')
  })

  test.each([-1, 1.5, '20'])('MAX_OFFSET %o refuses to start', (MAX_OFFSET) => {
    expect(() => asking(null, { MAX_OFFSET })).toThrow(/MAX_OFFSET .*whole number/)
  })
})
