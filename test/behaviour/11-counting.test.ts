import { describe, expect, test } from 'vitest'
import {
  type App,
  ConfigurationError,
  type CountOptions,
  LimitOffsetPagination,
  OffsetTooLarge,
  PageNumberPagination,
  StandardPaginator,
  defineApi,
  list,
} from '../../src/index.ts'
import type { ListSource } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { type SourceOf, byId, onSources } from './counted-sources.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, addresses, quiet } from './fixtures.ts'

const POLICIES = {
  exact: {},
  over: { count: 'capped', countCap: 5 },
  at: { count: 'capped', countCap: 10 },
  under: { count: 'capped', countCap: 11 },
  none: { count: 'none' },
} satisfies Record<string, CountOptions>

type Policy = keyof typeof POLICIES
const names = Object.keys(POLICIES) as Policy[]
const deep = { maxOffset: 6 }
const deepStyles = {
  'pn-deep': new PageNumberPagination({ pageSize: 3, ...deep }),
  'pn-deep-none': new PageNumberPagination({ pageSize: 3, count: 'none', ...deep }),
  'lo-deep': new LimitOffsetPagination({ defaultLimit: 3, ...deep }),
  'lo-deep-none': new LimitOffsetPagination({ defaultLimit: 3, count: 'none', ...deep }),
  'lo-first': new LimitOffsetPagination({ defaultLimit: 3, maxOffset: 0 }),
  'pn-any': new PageNumberPagination({ pageSize: 3, maxOffset: null }),
}
const api = defineApi({
  urls: addresses([
    ...names.flatMap((name) => [`pn-${name}`, `lo-${name}`, `none-${name}`]),
    ...Object.keys(deepStyles),
  ]),
})
const serveOn = (sourceOf: SourceOf): App => {
  const endpoints = names.flatMap((name) => {
    const policy = POLICIES[name]
    const pages = new PageNumberPagination({ pageSize: 3, ...policy })
    const stretches = new LimitOffsetPagination({ defaultLimit: 3, ...policy })
    const shown = (count: number) => list({ source: sourceOf(count), serializer: byId })
    return [
      api.endpoint(`pn-${name}`, { pagination: pages }).get(shown(10)),
      api.endpoint(`lo-${name}`, { pagination: stretches }).get(shown(10)),
      api.endpoint(`none-${name}`, { pagination: pages }).get(shown(0)),
    ]
  })
  const limited = Object.entries(deepStyles).map(([name, pagination]) =>
    api.endpoint(name, { pagination }).get(list({ source: sourceOf(10), serializer: byId })),
  )
  return api.serve([...endpoints, ...limited], quiet)
}
const services = (await onSources()).map(({ on, sourceOf }) => ({ on, app: serveOn(sourceOf) }))

/** The members of a count, as a body has them. */
const COUNTS: Readonly<Record<Policy, object>> = {
  exact: { count: 10 },
  over: { count: 5, count_precision: 'at_least' },
  at: { count: 10 },
  under: { count: 10 },
  none: { count: null },
}
const pageOf = (
  path: string,
  count: object,
  results: readonly number[],
  next: string | null,
  previous: string | null,
) => ({
  status: 200,
  data: {
    ...count,
    next: next === null ? null : `http://localhost${path}${next}`,
    previous: previous === null ? null : `http://localhost${path}${previous}`,
    results,
  },
})

const numbersRows = names.flatMap((name): Row[] => {
  const path = `/pn-${name}/`
  const count = COUNTS[name]
  return [
    [`I16 ${name}: page 1`, `GET ${path}`, pageOf(path, count, [1, 2, 3], '?page=2', null)],
    [`I16 ${name}: page 2`, `GET ${path}?page=2`, pageOf(path, count, [4, 5, 6], '?page=3', '')],
    [`I16 ${name}: the last`, `GET ${path}?page=4`, pageOf(path, count, [10], null, '?page=3')],
    [`P34 ${name}: none behind it`, `GET ${path}?page=5`, { status: 404, data: DETAIL }],
    [
      `P34 ${name}: none so far`,
      `GET ${path}?page=${'9'.repeat(40)}`,
      { status: 404, data: DETAIL },
    ],
    [`P34 ${name}: no page 0`, `GET ${path}?page=0`, { status: 404, data: DETAIL }],
    [`P34 ${name}: no number`, `GET ${path}?page=x`, { status: 404, data: DETAIL }],
    [
      `P35 ${name}: no rows`,
      `GET /none-${name}/`,
      pageOf('/none/', { count: name === 'none' ? null : 0 }, [], null, null),
    ],
    [`P35 ${name}: no second page of no rows`, `GET /none-${name}/?page=2`, 404],
  ]
})

const offsetRows = names.flatMap((name): Row[] => {
  const path = `/lo-${name}/`
  const count = COUNTS[name]
  const row = (query: string, ...parts: [number[], string | null, string | null]): Row => [
    `I16 ${name}: ${query || 'the first'}`,
    `GET ${path}${query}`,
    pageOf(path, count, ...parts),
  ]
  return [
    row('', [1, 2, 3], '?limit=3&offset=3', null),
    row('?offset=6', [7, 8, 9], '?limit=3&offset=9', '?limit=3&offset=3'),
    row('?offset=7', [8, 9, 10], null, '?limit=3&offset=4'),
    row('?offset=9', [10], null, '?limit=3&offset=6'),
    row('?offset=1000', [], null, '?limit=3&offset=997'),
    row('?limit=10', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], null, null),
    row(`?limit=${'9'.repeat(30)}`, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], null, null),
  ]
})

const refused = {
  status: 400,
  data: { detail: expect.stringMatching(/largest offset.* is 6\..*cursor pagination/) as unknown },
}

describe.each(services)('on $on', ({ app, on }) => {
  describe('I16 page numbers', () => {
    throughDoors(app, numbersRows, on)
    throughDoors(
      app,
      [
        [
          'P33 exact',
          'GET /pn-exact/?page=last',
          pageOf('/pn-exact/', { count: 10 }, [10], null, '?page=3'),
        ],
        [
          'P33 below the cap',
          'GET /pn-under/?page=last',
          pageOf('/pn-under/', { count: 10 }, [10], null, '?page=3'),
        ],
        [
          'P33 at the cap',
          'GET /pn-at/?page=last',
          pageOf('/pn-at/', { count: 10 }, [10], null, '?page=3'),
        ],
        [
          'P33 of no rows',
          'GET /none-over/?page=last',
          pageOf('/none/', { count: 0 }, [], null, null),
        ],
        ['P33 over the cap', 'GET /pn-over/?page=last', { status: 404, text: /more than 5 rows/ }],
        ['P33 uncounted', 'GET /pn-none/?page=last', { status: 404, text: /not counted/ }],
      ],
      on,
    )
  })

  describe('I16 limit and offset', () => {
    throughDoors(app, offsetRows, on)
  })

  describe('the depth guard', () => {
    throughDoors(
      app,
      [
        ['page at the limit', 'GET /pn-deep/?page=3', 200],
        ['page behind it', 'GET /pn-deep/?page=4', refused],
        [
          'page far behind it, though there is none',
          `GET /pn-deep/?page=${'9'.repeat(40)}`,
          refused,
        ],
        ['last page behind it', 'GET /pn-deep/?page=last', refused],
        ['no page is still none', 'GET /pn-deep/?page=x', 404],
        ['page behind it, uncounted', 'GET /pn-deep-none/?page=4', refused],
        ['offset at the limit', 'GET /lo-deep/?offset=6', 200],
        ['offset behind it', 'GET /lo-deep/?offset=7', refused],
        ['offset far behind it', `GET /lo-deep/?offset=${'9'.repeat(40)}`, refused],
        ['offset behind it, uncounted', 'GET /lo-deep-none/?offset=7', refused],
        ['0 allows the first page', 'GET /lo-first/', 200],
        ['and no other', 'GET /lo-first/?offset=1', 400],
        ['null allows any', 'GET /pn-any/?page=4', 200],
        [
          'links do not hide that there is more',
          'GET /lo-deep/?offset=5&limit=3',
          pageOf('/lo-deep/', { count: 10 }, [6, 7, 8], '?limit=3&offset=8', '?limit=3&offset=2'),
        ],
      ],
      on,
    )
  })
})

test('the depth guard has a code', () => {
  expect(new OffsetTooLarge(6)).toMatchObject({ status: 400, code: 'max_offset' })
})

/** Ten rows, or so; what is asked is written down. */
function watched(
  estimate: number | null | undefined,
  later: boolean,
): ListSource<number> & { readonly asked: string[] } {
  const all = Array.from({ length: 10 }, (_, index) => index + 1)
  const asked: string[] = []
  const answer = <T>(question: string, value: T): T | Promise<T> => {
    asked.push(question)
    return later ? Promise.resolve(value) : value
  }
  return {
    asked,
    count: (cap) =>
      answer(cap === undefined ? 'count' : `count ${cap}`, Math.min(10, (cap ?? 10) + 1)),
    slice: (offset, limit) => answer(`slice ${offset} ${limit}`, all.slice(offset, offset + limit)),
    ...(estimate === undefined ? {} : { estimate: () => answer('estimate', estimate) }),
  }
}

describe.each([
  ['at once', false],
  ['later', true],
])('what is asked of a source that answers %s', (_, later) => {
  const ask = async (
    style: PageNumberPagination | LimitOffsetPagination,
    query: string,
    estimate?: number | null,
  ) => {
    const source = watched(estimate, later)
    const own = defineApi({ urls: addresses(['n']), pagination: style })
    const app = own.serve([own.endpoint('n').get(list({ source }))], quiet)
    const { data, status } = await client(app).get(`/n/${query}`)
    return { data: data as Readonly<Record<string, unknown>>, status, asked: source.asked }
  }
  const pn = (options: object) => new PageNumberPagination({ pageSize: 3, ...options })
  const lo = (options: object) => new LimitOffsetPagination({ defaultLimit: 3, ...options })
  const capped = (countCap: number) => ({ count: 'capped', countCap })

  test.each<
    [title: string, style: ReturnType<typeof pn | typeof lo>, query: string, asked: string[]]
  >([
    ['exact', pn({}), '?page=2', ['count', 'slice 3 3']],
    ['exact', lo({}), '?offset=2', ['count', 'slice 2 3']],
    ['none: one row more, and no count', pn({ count: 'none' }), '?page=2', ['slice 3 4']],
    ['none', lo({ count: 'none' }), '?offset=2', ['slice 2 4']],
    ['none: the last page asks nothing', pn({ count: 'none' }), '?page=last', []],
    ['estimated: nor this one', pn({ count: 'estimated' }), '?page=last', []],
    ['a page that is no number asks nothing', pn({ count: 'none' }), '?page=x', []],
    ['capped', pn(capped(5)), '', ['slice 0 4', 'count 5']],
    ['capped', lo(capped(5)), '', ['slice 0 4', 'count 5']],
    ['capped: rows beyond the cap were seen', lo(capped(5)), '?offset=4', ['slice 4 4']],
    [
      'capped: exactly at the cap is not beyond it',
      lo(capped(5)),
      '?offset=1',
      ['slice 1 4', 'count 5'],
    ],
    ['capped: the last row was seen', pn(capped(20)), '?page=4', ['slice 9 4']],
    [
      'capped: a page without rows is none, whatever the count',
      pn(capped(5)),
      '?page=9',
      ['slice 24 4'],
    ],
    [
      'capped: an offset behind the end tells nothing',
      lo(capped(20)),
      '?offset=50',
      ['slice 50 4', 'count 20'],
    ],
    ['capped: the last page', pn(capped(20)), '?page=last', ['count 20', 'slice 9 4']],
    ['capped: no last page', pn(capped(5)), '?page=last', ['count 5']],
    ['maxOffset: before any count', pn({ maxOffset: 6 }), '?page=4', []],
    ['maxOffset: before any count', lo({ maxOffset: 6 }), '?offset=7', []],
    ['maxOffset: before any rows', pn({ maxOffset: 6, count: 'none' }), '?page=4', []],
    [
      'maxOffset: the last page is counted, not read',
      pn({ maxOffset: 6 }),
      '?page=last',
      ['count'],
    ],
    [
      'maxOffset: another paginator decides where a page begins',
      pn({ maxOffset: 6, paginator: new (class extends StandardPaginator {})() }),
      '?page=4',
      ['count'],
    ],
  ])('%s', async (_title, style, query, asked) => {
    expect((await ask(style, query)).asked).toEqual(asked)
  })

  test.each<[title: string, estimate: number | null | undefined, count: object]>([
    ['about', 12_345, { count: 12_345, count_precision: 'estimated' }],
    ['nothing is known', null, { count: null }],
    ['a source that knows of no estimates', undefined, { count: null }],
  ])('estimated: %s', async (_title, estimate, count) => {
    for (const style of [pn({ count: 'estimated' }), lo({ count: 'estimated' })]) {
      const { data, asked } = await ask(style, '', estimate)
      expect(data).toEqual({
        ...count,
        next: expect.any(String),
        previous: null,
        results: [1, 2, 3],
      })
      expect(asked).toEqual(['slice 0 4', ...(estimate === undefined ? [] : ['estimate'])])
    }
  })

  test('P5 members stand in this order', async () => {
    const { data } = await ask(pn(capped(5)), '')
    expect(Object.keys(data)).toEqual(['count', 'count_precision', 'next', 'previous', 'results'])
    expect(Object.keys((await ask(pn({ count: 'none' }), '')).data)).toEqual([
      'count',
      'next',
      'previous',
      'results',
    ])
  })
})

describe('a paginator of your own needs every row counted', () => {
  class Orphans extends StandardPaginator {}
  test.each(['capped', 'estimated', 'none'] as const)('%s', (count) => {
    const make = () => new PageNumberPagination({ paginator: new Orphans(), count })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(`"count: '${count}'"`)
  })
  test('exact counts, and the standard one, are fine', () => {
    expect(
      () => new PageNumberPagination({ paginator: new Orphans(), count: 'exact' }),
    ).not.toThrow()
    expect(
      () => new PageNumberPagination({ paginator: new StandardPaginator(), count: 'none' }),
    ).not.toThrow()
  })
})
