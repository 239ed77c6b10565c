import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  arraySource,
  configurationOf,
  defineApi,
  list,
  reply,
} from '../../../src/index.ts'
import type { FilterBackend, ListSource, ListView, Paginator } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { notebook } from '../../behaviour/fixtures.ts'

interface Fruit {
  readonly id: number
  readonly name: string
  readonly price: number
}
const fruits: readonly Fruit[] = [
  { id: 1, name: 'pear', price: 3 },
  { id: 2, name: 'apple', price: 3 },
  { id: 3, name: 'Pineapple', price: 9 },
  { id: 4, name: 'fig', price: 1 },
]
const source = arraySource(fruits)
const ids = { represent: ({ id }: Fruit) => id }
const configuration = configurationOf()

/** Serves one list; `filters` are the setting, and `get` gives its body. */
function served(
  handler: Parameters<ReturnType<ReturnType<typeof anApi>['endpoint']>['get']>[0],
  filters: readonly FilterBackend[] = [],
  keys: Readonly<Record<string, unknown>> = {},
) {
  const api = anApi(filters)
  const app = api.serve([api.endpoint('fruits').get(handler)], {
    configuration: configurationOf(keys),
  })
  return async (query = '') => {
    const { status, data } = await client(app).get(`/fruits/${query}`)
    return status === 200 ? data : { status, data }
  }
}
const anApi = (filters: readonly FilterBackend[] = []) =>
  defineApi({ urls: { fruits: '/fruits/' }, filters, logger: notebook() })

const ALL = [new SearchFilter(), new OrderingFilter(), new FieldFilter()]
const dear: FilterBackend = {
  filter: (found) => found.where([{ field: 'price', operator: 'gt', value: 2 }]),
}
const declared = {
  searchFields: ['name'],
  orderingFields: ['price', 'name'],
  ordering: '-price',
  filterFields: ['price'],
} as const

describe('P2 filters, in their order, then pages', () => {
  const get = served(list({ source, serializer: ids, ...declared }), ALL)

  test.each([
    ['the order of the list', '', [3, 1, 2, 4]],
    ['a search', '?search=app', [3, 2]],
    ['an order', '?ordering=name', [3, 2, 4, 1]],
    ['a value', '?price=3', [1, 2]],
    ['all of it', '?search=p&price=3&ordering=name', [2, 1]],
    ['unknown parameters say nothing', '?id=3&colour=red', [3, 1, 2, 4]],
  ])('%s', async (_, query, expected) => {
    expect(await get(query)).toEqual(expected)
  })

  test('a value that is none of the type is 400, and names its parameter', async () => {
    expect(await get('?price=cheap')).toEqual({
      status: 400,
      data: { price: [expect.any(String)] },
    })
  })

  test('P2 the count is the count after filtering, P10 links keep the filters', async () => {
    const paged = served(
      list({
        source,
        serializer: ids,
        ...declared,
        pagination: new PageNumberPagination({ pageSize: 1 }),
      }),
      ALL,
    )
    expect(await paged('?search=app&ordering=name&page=2')).toEqual({
      count: 2,
      next: null,
      previous: 'http://localhost/fruits/?ordering=name&search=app',
      results: [2],
    })
  })

  test('each filter gets what the one before it gave', async () => {
    const seen: unknown[] = []
    const noting = (name: string): FilterBackend => ({
      filter(found) {
        seen.push([name, found.count()])
        return found.where([{ field: 'price', operator: 'lt', value: 9 }])
      },
    })
    await served(list({ source }), [noting('first'), noting('second')])()
    expect(seen).toEqual([
      ['first', 4],
      ['second', 3],
    ])
  })
})

describe('which filters work', () => {
  test.each([
    ['searchFields', 'SearchFilter'],
    ['filterFields', 'FieldFilter'],
    ['orderingFields', 'OrderingFilter'],
    ['ordering', 'OrderingFilter'],
  ] as const)('none are a default: %s that none reads are refused', (option, filter) => {
    const handler = list({ source, serializer: ids, [option]: declared[option] })
    const others = ALL.filter((each) => each.constructor.name !== filter)
    const problem = `GET of endpoint fruits: no filter reads "${option}": add new ${filter}() to`
    expect(() => served(handler, others)).toThrow(problem)
    expect(() => served(handler, [], { DEFAULT_FILTER_BACKENDS: [filter] })).not.toThrow()
    expect(() => served(handler, [{ filter: (found) => found }])).not.toThrow()
  })

  test('those of the list alone, in place of the setting', async () => {
    const get = served(
      list({ source, serializer: ids, searchFields: ['name'], filters: [new SearchFilter()] }),
      ALL,
    )
    expect(await get('?search=app&ordering=name')).toEqual([2, 3])
    const none = served(list({ source, serializer: ids, filters: [] }), [dear])
    expect(await none()).toEqual([1, 2, 3, 4])
    const unread = list({ source, serializer: ids, ...declared, filters: [] })
    expect(() => served(unread, ALL)).toThrow('no filter reads "searchFields"')
  })

  test('those of a configuration, with its names of the parameters', async () => {
    const get = served(list({ source, serializer: ids, ...declared }), [], {
      DEFAULT_FILTER_BACKENDS: [
        { class: 'SearchFilter', max_terms: 1 },
        'OrderingFilter',
        'FieldFilter',
      ],
      SEARCH_PARAM: 'q',
      ORDERING_PARAM: 'sort',
    })
    expect(await get('?q=app&sort=name&search=fig&ordering=price')).toEqual([3, 2])
    expect(await get('?q=app+pear')).toMatchObject({ status: 400 })
    expect(await get('?price=9')).toEqual([3])
  })

  test('a list that declares nothing is left alone by the built-in ones', async () => {
    const plain: ListSource<number> = { count: () => 1, slice: () => [7] }
    expect(await served(list({ source: plain }), ALL)('?search=x&ordering=x')).toEqual([7])
  })

  test('a filter of the application always works, if it does not say otherwise', async () => {
    const cheap: FilterBackend = {
      filter: (found) => found.where([{ field: 'price', operator: 'lt', value: 2 }]),
    }
    expect(await served(list({ source, serializer: ids }), [cheap])()).toEqual([4])
    const idle: FilterBackend = { ...cheap, applies: () => false }
    expect(await served(list({ source, serializer: ids }), [idle])()).toEqual([1, 2, 3, 4])
  })

  test('each endpoint of a shared list has its own', async () => {
    const shared = list({ source, serializer: ids, ...declared })
    const api = defineApi({ urls: { a: '/a/', b: '/b/' } })
    const app = api.serve(
      [
        api.endpoint('a', { filters: ALL }).get(shared),
        api.endpoint('b', { filters: [...ALL, dear] }).get(shared),
      ],
      { configuration },
    )
    const dataOf = async (path: string) => (await client(app).get(path)).data
    expect(await dataOf('/a/?search=fig')).toEqual([4])
    expect(await dataOf('/b/?search=fig')).toEqual([])
    expect(await dataOf('/a/?search=fig')).toEqual([4])
  })
})

describe('a source that cannot be filtered', () => {
  const plain: ListSource<Fruit> = { count: () => 4, slice: () => fruits }
  const own: FilterBackend = { filter: (found) => found }

  test('is refused when the service starts', () => {
    expect(() => served(list({ source: plain }), [own])).toThrow(ConfigurationError)
    expect(() => served(list({ source: plain }), [own])).toThrow(/where\(\) and orderBy\(\)/)
  })

  test('or at the first request, where a function gives it: 500, and no rows', async () => {
    const get = served(list({ source: () => plain }), [own])
    expect(await get()).toMatchObject({ status: 500 })
  })

  test('it is none where the list has no filters', async () => {
    expect(await served(list({ source: plain, serializer: ids, filters: [] }), [own])()).toEqual([
      1, 2, 3, 4,
    ])
  })
})

describe('what a list declares is looked at when the service starts', () => {
  const loose = (said: object) => list({ source, ...said })

  test.each([
    ['searchFields', { searchFields: ['nam'] }],
    ['with a prefix', { searchFields: ['^nam'] }],
    ['filterFields', { filterFields: ['name', 'nam__gte'] }],
    ['orderingFields', { orderingFields: ['nam'] }],
    ['ordering', { ordering: '-nam' }],
  ])('%s the source does not know', (_, said) => {
    expect(() => served(loose(said), ALL)).toThrow(/endpoint fruits.*"nam".*"name"/)
  })

  test('what the source cannot compare', () => {
    expect(() => served(loose({ searchFields: ['$name'] }), ALL)).toThrow(/iregex/)
  })

  test.each([
    [{ orderingFields: '__all__' }],
    [{ orderingFields: ['__all__'] }],
    [{ filterFields: '__all__' }],
    [{ searchFields: 'name' }],
    [{ searchFields: [''] }],
    [{ filterFields: [7] }],
    [{ ordering: '--name' }],
    [{ ordering: [] }],
  ])('%j is no list of names', (said) => {
    expect(() => loose(said)).toThrow(ConfigurationError)
  })

  test('a misspelt option would be ignored', () => {
    const what = 'list(): there is no option "seralizer". Did you mean "serializer"?'
    expect(() => loose({ seralizer: ids })).toThrow(what)
  })

  test('null declares nothing', async () => {
    const none = { searchFields: null, orderingFields: null, ordering: null, filterFields: null }
    expect(await served(list({ source, serializer: ids, ...none }), ALL)('?search=x')).toEqual([
      1, 2, 3, 4,
    ])
  })

  test('names that a request could never say are not looked for in lists of a function', async () => {
    const get = served(loose({ source: () => source, searchFields: ['nam'] }), ALL)
    expect(await get('?search=x')).toMatchObject({ status: 500 })
  })

  test('a style that the source is not enough for', () => {
    const secured = { SECRET_KEY: 'a secret that is long enough for cursors' }
    const cursor = new CursorPagination({ ordering: 'name', pageSize: 2 })
    const withStyle = (rows: unknown) =>
      list({ source: rows, pagination: cursor } as unknown as Parameters<typeof list>[0])
    expect(() => served(withStyle(source), [], secured)).toThrow(/CursorPagination/)
    expect(() => served(withStyle(arraySource(fruits, { key: 'id' })), [], secured)).not.toThrow()
  })
})

describe('C20 the order that filters decide on', () => {
  const seen: ListView[] = []
  const style: Paginator = {
    paginate(_source, _request, view) {
      seen.push(view!)
      return { rows: [] }
    },
    respond: () => reply([]),
  }
  const orderingOf = async (
    filters: readonly FilterBackend[],
    query = '',
    said: Partial<typeof declared> = declared,
  ) => {
    seen.length = 0
    await served(list({ source, pagination: style, filters, ...said }))(query)
    return seen[0]?.ordering?.map(({ field }) => field) ?? null
  }
  const deciding = (field: string | null): FilterBackend => ({
    filter: (found) => found,
    ordering: () => (field === null ? [] : [{ field, descending: false, nulls: 'first' }]),
  })

  test('what the client asks for', async () => {
    expect(await orderingOf(ALL, '?ordering=name')).toEqual(['name'])
  })
  test('or the list', async () => {
    expect(await orderingOf(ALL)).toEqual(['price'])
    expect(await orderingOf(ALL, '?ordering=secret')).toEqual(['price'])
  })
  test('or nobody', async () => {
    expect(await orderingOf(ALL, '', { orderingFields: ['price', 'name'] })).toBeNull()
    expect(await orderingOf([new SearchFilter()], '', {})).toBeNull()
    expect(await orderingOf([], '', {})).toBeNull()
  })
  test('the first filter that can decide does so', async () => {
    const filters = [new SearchFilter(), deciding('id'), new OrderingFilter()]
    expect(await orderingOf(filters, '?ordering=name')).toEqual(['id'])
  })
  test('and where its answer is empty, nobody does', async () => {
    expect(await orderingOf([deciding(null), new OrderingFilter()], '?ordering=name')).toBeNull()
  })
})
