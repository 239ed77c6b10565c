// How much a client can ask for at once, where an operator says it; and who is told where nobody does (I20).
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  type Settings,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  list,
} from '../../src/index.ts'
import type { CountedPage } from '../../src/types.ts'
import { readConfiguration } from '../../src/core/settings/configuration.ts'
import { client } from '../../src/testing.ts'

const ROWS = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }))
const SECRET = 'k'.repeat(10).concat('7f3a9c51e0d2b846', 'A5c9Xw2LqRt8Zy4N')

type Rows = ReturnType<typeof arraySource<{ readonly id: number }>>
type Style = Settings['pagination']

/** What lists ask of the source: how many rows each time. */
function counted(): { readonly source: Rows; readonly asked: readonly number[] } {
  const asked: number[] = []
  const rows: Rows = arraySource(ROWS, { key: 'id' })
  const source = new Proxy(rows, {
    get(from, name) {
      const member: unknown = Reflect.get(from, name, from)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]): unknown => {
        if (name === 'slice') asked.push(given[1] as number)
        if (name === 'seek') asked.push((given[0] as { limit: number }).limit)
        return Reflect.apply(member, from, given)
      }
    },
  })
  return { source, asked }
}

interface Said {
  readonly pagination: Style
  readonly keys?: Readonly<Record<string, unknown>>
  readonly own?: number | null
}

async function rowsOf({ pagination, keys = {}, own }: Said, query: string) {
  const { source, asked } = counted()
  const api = defineApi({ urls: defineUrls({ rows: '/' }), pagination })
  const endpoint = api.endpoint('rows', own === undefined ? {} : { maxPageSize: own })
  const app = api.serve([endpoint.get(list({ source }))], {
    configuration: configurationOf({ SECRET_KEY: SECRET, ...keys }),
  })
  const { status, data } = await client(app).get(`/${query}`)
  expect(status).toBe(200)
  const { results } = Array.isArray(data) ? { results: data } : (data as { results: unknown[] })
  return { rows: results.length, most: Math.max(...asked) }
}

const ordering = 'id'

class Twice extends LimitOffsetPagination {
  override respond(page: CountedPage, results: readonly unknown[]) {
    return super.respond({ ...page, count: 2 * (page.count ?? 0) }, results)
  }
}

describe('MAX_PAGE_SIZE caps what clients ask for, what styles say, and what nobody says', () => {
  const keys = { MAX_PAGE_SIZE: 7 }

  test.each<[string, Style, string]>([
    ['limit and offset', new LimitOffsetPagination(), '?limit=1000000000'],
    ['limit and offset, no limit asked', new LimitOffsetPagination(), ''],
    ['its own default', new LimitOffsetPagination({ defaultLimit: 40 }), ''],
    ['its own maximum', new LimitOffsetPagination({ maxLimit: 40 }), '?limit=40'],
    ['uncounted', new LimitOffsetPagination({ count: 'none' }), '?limit=1000000000'],
    ['page numbers', new PageNumberPagination({ pageSizeQueryParam: 'size' }), '?size=1000000000'],
    ['page numbers, no size', new PageNumberPagination(), ''],
    ['page numbers, a large size', new PageNumberPagination({ pageSize: 40 }), ''],
    ['cursors', new CursorPagination({ ordering, pageSizeQueryParam: 'size' }), '?size=1000000000'],
    ['cursors, no size', new CursorPagination({ ordering }), ''],
    ['a style of one’s own that is made of one', new Twice(), '?limit=1000000000'],
    ['cursors, a large size', new CursorPagination({ ordering, pageSize: 40 }), ''],
  ])('%s', async (_what, pagination, query) => {
    const { rows, most } = await rowsOf({ pagination, keys }, query)
    expect(rows).toBe(7)
    // One row more tells whether there is a next page.
    expect(most).toBeLessThanOrEqual(8)
  })

  test.each<[string, Style, string]>([
    ['a smaller limit', new LimitOffsetPagination(), '?limit=3'],
    ['a smaller page', new PageNumberPagination({ pageSize: 3 }), ''],
    ['a smaller maximum', new LimitOffsetPagination({ maxLimit: 3 }), '?limit=5'],
  ])('%s stays', async (_what, pagination, query) => {
    expect((await rowsOf({ pagination, keys }, query)).rows).toBe(3)
  })

  test('PAGE_SIZE above it is cut down', async () => {
    const said = { pagination: new PageNumberPagination(), keys: { ...keys, PAGE_SIZE: 20 } }
    expect((await rowsOf(said, '')).rows).toBe(7)
  })

  test('an endpoint has the last word, as with every setting', async () => {
    const pagination = new LimitOffsetPagination()
    expect((await rowsOf({ pagination, keys, own: 9 }, '?limit=99')).rows).toBe(9)
    expect((await rowsOf({ pagination, keys, own: null }, '?limit=99')).rows).toBe(50)
  })

  test('without it the document’s defaults hold', async () => {
    const pagination = new LimitOffsetPagination()
    expect((await rowsOf({ pagination }, '?limit=1000000000')).rows).toBe(50)
    expect((await rowsOf({ pagination }, '')).rows).toBe(50)
  })
})

const sized = new PageNumberPagination({ pageSize: 10, pageSizeQueryParam: 'size', maxOffset: 10 })

describe('in production the lists that can be read whole are named when the service starts', () => {
  function toldWith(pagination: Style, env: Readonly<Record<string, string>>) {
    const told: Readonly<Record<string, unknown>>[] = []
    const api = defineApi({
      urls: defineUrls({ rows: '/', fixed: '/fixed/', health: '/health/' }),
      pagination,
      logger: { error: (record) => told.push(record), info: (record) => told.push(record) },
    })
    const source = arraySource(ROWS, { key: 'id' })
    api.serve(
      [
        api.endpoint('rows').get(list({ source })),
        api
          .endpoint('fixed')
          .get(
            list({ source, pagination: new PageNumberPagination({ pageSize: 3, maxOffset: 9 }) }),
          ),
        api.endpoint('health').get(() => 'well'),
      ],
      { configuration: readConfiguration({ env: { SECRET_KEY: SECRET, ...env } }) },
    )
    return told.filter(({ event }) => event === 'lists.unbounded')
  }
  const production = { NODE_ENV: 'production' }

  test.each<[string, Style]>([
    ['no style', null],
    ['any limit', new LimitOffsetPagination({ defaultLimit: 10, maxOffset: 10 })],
    ['no limit unless one is asked', new LimitOffsetPagination({ maxLimit: 10, maxOffset: 10 })],
    ['no page size', new PageNumberPagination()],
    ['any page size', sized],
    ['cursors of no size', new CursorPagination({ ordering })],
    ['a style that does not say', { paginate: () => null, respond: () => null as never }],
  ])('%s', (_what, pagination) => {
    expect(toldWith(pagination, production)).toEqual([
      {
        event: 'lists.unbounded',
        kind: 'whole-list',
        endpoints: ['rows'],
        message: expect.stringMatching(
          /^One request (can|may) read all rows.* (Set|Give) /,
        ) as unknown,
      },
    ])
    expect(toldWith(pagination, {})).toEqual([])
  })

  test('and so are offsets without a limit, in a line of their own', () => {
    const kinds = toldWith(new LimitOffsetPagination(), production).map(({ kind }) => kind)
    expect(kinds).toEqual(['whole-list', 'unlimited-offset'])
  })

  test.each<[string, Style, Readonly<Record<string, string>>]>([
    ['a ceiling', new LimitOffsetPagination(), { COLOPHON_MAX_PAGE_SIZE: '100' }],
    ['a limit and the most', new LimitOffsetPagination({ defaultLimit: 5, maxLimit: 10 }), {}],
    ['a page size', new PageNumberPagination(), { COLOPHON_PAGE_SIZE: '100' }],
  ])('not with %s', (_what, pagination, env) => {
    const keys = { COLOPHON_MAX_OFFSET: '1000', ...env }
    expect(toldWith(pagination, { ...production, ...keys })).toEqual([])
  })
})
