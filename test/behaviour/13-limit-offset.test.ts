import { describe, expect, test } from 'vitest'
import {
  type App,
  ConfigurationError,
  LimitOffsetPagination,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type SourceOf, byId, onSources } from './counted-sources.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, addresses, numbers, quiet } from './fixtures.ts'

const lo = new LimitOffsetPagination({ defaultLimit: 3, maxLimit: 5 })
const STYLES = {
  lo,
  setting: new LimitOffsetPagination(),
  off: new LimitOffsetPagination({ defaultLimit: null }),
  'off-capped': new LimitOffsetPagination({ defaultLimit: null, maxLimit: 2 }),
  zero: new LimitOffsetPagination({ defaultLimit: 0 }),
  fixed: new LimitOffsetPagination({ defaultLimit: 3, limitQueryParam: null }),
  renamed: new LimitOffsetPagination({
    defaultLimit: 3,
    limitQueryParam: 'n[]',
    offsetQueryParam: 'start at',
  }),
  generous: new LimitOffsetPagination({ defaultLimit: 6, maxLimit: 4 }),
  any: new LimitOffsetPagination({ defaultLimit: 3 }),
}
const api = defineApi({
  urls: addresses([...Object.keys(STYLES), 'sized', 'bare', 'empty']),
})
const serveOn = (sourceOf: SourceOf): App => {
  const shown = (count: number) => list({ source: sourceOf(count), serializer: byId })
  const endpoints = Object.entries(STYLES).map(([name, pagination]) =>
    api.endpoint(name, { pagination, pageSize: null }).get(shown(10)),
  )
  const { setting } = STYLES
  const others = [
    api.endpoint('sized', { pagination: setting, pageSize: 4 }).get(shown(10)),
    api.endpoint('bare', { pagination: null }).get(shown(10)),
    api.endpoint('empty', { pagination: lo }).get(shown(0)),
  ]
  return api.serve([...endpoints, ...others], quiet)
}
const services = (await onSources()).map(({ on, sourceOf }) => ({ on, app: serveOn(sourceOf) }))

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
type Parts = readonly [
  rule: string,
  query: string,
  results: readonly number[],
  next: string | null,
  previous: string | null,
  count?: number,
]
const rowsOf = (path: string, answers: readonly Parts[]): Row[] =>
  answers.map(([rule, query, results, next, previous, count = 10]) => [
    `${rule} ${path}${query.slice(0, 60)}`,
    `GET ${path}${query}`,
    {
      status: 200,
      data: {
        count,
        next: next === null ? null : `http://localhost${path}${next}`,
        previous: previous === null ? null : `http://localhost${path}${previous}`,
        results,
      },
    },
  ])

const FIRST = ['limit=', 'limit=0', 'limit=-1', 'limit=x', 'limit=2.0', 'limit=1e3']
const START = ['offset=0', 'offset=-1', 'offset=x', 'offset=', 'offset=-0', 'offset=+0', 'offset']
const VECTOR: Parts[] = [
  ['L2, L11', '', [1, 2, 3], '?limit=3&offset=3', null],
  ['L2', '?limit=100', [1, 2, 3, 4, 5], '?limit=5&offset=5', null],
  ['L2', '?limit=5', [1, 2, 3, 4, 5], '?limit=5&offset=5', null],
  ['L9', '?offset=2', [3, 4, 5], '?limit=3&offset=5', '?limit=3'],
  ['L9', '?offset=3', [4, 5, 6], '?limit=3&offset=6', '?limit=3'],
  ['L8, L9', '?offset=4&limit=2&q=1', [5, 6], '?limit=2&offset=6&q=1', '?limit=2&offset=2&q=1'],
  ['L10', '?limit=2&offset=1', [2, 3], '?limit=2&offset=3', '?limit=2'],
  ['L8', '?offset=7', [8, 9, 10], null, '?limit=3&offset=4'],
  ['L8', '?offset=9', [10], null, '?limit=3&offset=6'],
  ['L6', '?offset=10', [], null, '?limit=3&offset=7'],
  ['L6', '?offset=1000', [], null, '?limit=3&offset=997'],
]

const last = Number.MAX_SAFE_INTEGER
const BEHIND = [
  '9223372036854775807',
  '9223372036854775808',
  '1' + '0'.repeat(30),
  '9'.repeat(4300),
]
const HOSTILE: Parts[] = [
  ['L5, I15 beyond what is exact', `?offset=${last}`, [], null, `?limit=3&offset=${last - 3}`],
  ...BEHIND.map((offset): Parts => [
    `L5, I15 ${offset.length} digits are clamped`,
    `?offset=${offset}`,
    [],
    null,
    `?limit=3&offset=${last - 3}`,
  ]),
  ...BEHIND.map((limit): Parts => [
    `L2, L13 ${limit.length} digits of limit`,
    `?limit=${limit}`,
    [1, 2, 3, 4, 5],
    '?limit=5&offset=5',
    null,
  ]),
  [
    'P12 4,301 digits are no number',
    `?offset=${'9'.repeat(4301)}`,
    [1, 2, 3],
    '?limit=3&offset=3',
    null,
  ],
  ['P12 nor as a limit', `?limit=${'9'.repeat(4301)}`, [1, 2, 3], '?limit=3&offset=3', null],
  ['P12 NUL is no number', '?offset=%00', [1, 2, 3], '?limit=3&offset=3', null],
  ['P12 nor behind one', '?offset=5%00&limit=4%00', [1, 2, 3], '?limit=3&offset=3', null],
  ['P8 a lone percent sign', '?offset=%&limit=%', [1, 2, 3], '?limit=3&offset=3', null],
  [
    'P12 digits of other scripts',
    '?offset=%D9%A3&limit=%EF%BC%92',
    [1, 2, 3],
    '?limit=3&offset=3',
    null,
  ],
  ['P12 underscores', '?offset=1_0&limit=1_0', [1, 2, 3], '?limit=3&offset=3', null],
  ['P12 SQL', '?offset=1;drop%20table%20numbered--', [1, 2, 3], '?limit=3&offset=3', null],
  [
    'P12 exponents, signs, hexadecimals',
    '?offset=1e30&limit=0x2',
    [1, 2, 3],
    '?limit=3&offset=3',
    null,
  ],
  [
    'P12 white space and a sign',
    '?offset=%20%2B4%20&limit=%092',
    [5, 6],
    '?limit=2&offset=6',
    '?limit=2&offset=2',
  ],
  [
    'P11 the last of a repeated parameter',
    '?offset=9&offset=1&limit=5&limit=2',
    [2, 3],
    '?limit=2&offset=3',
    '?limit=2',
  ],
  [
    'P11 also where it says nothing',
    '?offset=9&offset=&limit=2&limit=',
    [1, 2, 3],
    '?limit=3&offset=3',
    null,
  ],
  [
    'P11 names are case-sensitive',
    '?Offset=5&LIMIT=1',
    [1, 2, 3],
    '?LIMIT=1&Offset=5&limit=3&offset=3',
    null,
  ],
]

describe.each(services)('on $on', ({ app, on }) => {
  describe('L12 the vector', () => {
    throughDoors(
      app,
      [
        ...rowsOf('/lo/', VECTOR),
        ...rowsOf(
          '/lo/',
          [...FIRST, ...START].map((query): Parts => [
            'L2, L5',
            `?${query}`,
            [1, 2, 3],
            '?limit=3&offset=3',
            null,
          ]),
        ),
      ],
      on,
    )
  })

  describe('hostile values', () => {
    throughDoors(app, rowsOf('/lo/', HOSTILE), on)
    throughDoors(
      app,
      rowsOf('/any/', [
        ['L13 no limit is too large', `?limit=${'9'.repeat(30)}`, ALL, null, null],
        [
          'L13 nor with an offset',
          `?limit=${'9'.repeat(30)}&offset=4`,
          ALL.slice(4),
          null,
          `?limit=${last}`,
        ],
        ['P15 a limit of a billion', '?limit=1000000000&offset=9', [10], null, '?limit=1000000000'],
      ]),
      on,
    )
  })

  describe('L1, L3, L4 attributes', () => {
    throughDoors(
      app,
      [
        ['L3 no limit: a bare array', 'GET /off/?offset=5', { status: 200, data: ALL }],
        ['L3 nonsense is no limit', 'GET /off/?limit=x&offset=5', { status: 200, data: ALL }],
        ['L3 a limit of 0 is none', 'GET /zero/?offset=5', { status: 200, data: ALL }],
        ['L3 the setting is null, too', 'GET /setting/?offset=5', { status: 200, data: ALL }],
        ['P1 no style', 'GET /bare/?limit=2&offset=5', { status: 200, data: ALL }],
        ...rowsOf('/off/', [
          ['L3 a client that gives one', '?limit=4', [1, 2, 3, 4], '?limit=4&offset=4', null],
        ]),
        ...rowsOf('/off-capped/', [
          ['L3 at most the maximum', '?limit=4', [1, 2], '?limit=2&offset=2', null],
        ]),
        ...rowsOf('/sized/', [['L1, P4 the setting', '', [1, 2, 3, 4], '?limit=4&offset=4', null]]),
        ...rowsOf('/fixed/', [
          ['L4 the client cannot choose', '?limit=5', [1, 2, 3], '?limit=5&offset=3', null],
          ['L4 but move', '?offset=6&limit=5', [7, 8, 9], '?limit=5&offset=9', '?limit=5&offset=3'],
        ]),
        ...rowsOf('/renamed/', [
          [
            'L1 other names',
            '?n[]=2&start at=4'.replace(' ', '%20'),
            [5, 6],
            '?n%5B%5D=2&start+at=6',
            '?n%5B%5D=2&start+at=2',
          ],
          [
            'L1 the usual ones are then nothing',
            '?limit=2&offset=4',
            [1, 2, 3],
            '?limit=2&n%5B%5D=3&offset=4&start+at=3',
            null,
          ],
        ]),
        ...rowsOf('/generous/', [
          ['P14 a maximum caps the client only', '', [1, 2, 3, 4, 5, 6], '?limit=6&offset=6', null],
          ['P14 the client', '?limit=6', [1, 2, 3, 4], '?limit=4&offset=4', null],
        ]),
        ...rowsOf('/empty/', [
          ['L7 no rows', '', [], null, null, 0],
          ['L7 with an offset', '?offset=4', [], null, '?limit=3&offset=1', 0],
          ['L7 with a small one', '?offset=2', [], null, '?limit=3', 0],
        ]),
      ],
      on,
    )
  })
})

test('L5, L6 each page of a walk, forwards and back', async () => {
  const { app } = services[0]!
  const walk = async (path: string, by: 'next' | 'previous'): Promise<number[][]> => {
    const { data } = await client(app).get(path)
    const page = data as { results: number[]; next: string | null; previous: string | null }
    const link = page[by]
    return [
      page.results,
      ...(link === null ? [] : await walk(new URL(link).pathname + new URL(link).search, by)),
    ]
  }
  expect((await walk('/lo/?limit=4', 'next')).flat()).toEqual(ALL)
  expect(await walk('/lo/?limit=4&offset=8', 'previous')).toEqual([
    [9, 10],
    [5, 6, 7, 8],
    [1, 2, 3, 4],
  ])
})

test('P19 a page is one count and one slice', async () => {
  const source = numbers(10)
  const own = defineApi({ urls: addresses(['n']) })
  const app = own.serve([own.endpoint('n', { pagination: lo }).get(list({ source }))], quiet)
  await client(app).get('/n/?offset=4')
  expect(source.asked).toEqual(['count', 'slice 4 3'])
})

describe('L1 from configuration', () => {
  const served = (attributes: object): App => {
    const configured = defineApi({ urls: addresses(['items']) })
    return configured.serve([configured.endpoint('items').get(list({ source: numbers(10) }))], {
      configuration: configurationOf({
        DEFAULT_PAGINATION_CLASS: { class: 'LimitOffsetPagination', ...attributes },
      }),
    })
  }
  test('every attribute', async () => {
    const app = served({
      default_limit: 2,
      limit_query_param: 'n',
      offset_query_param: 'from',
      max_limit: 4,
      max_offset: 6,
      count: 'capped',
      count_cap: 5,
      template: null,
    })
    expect((await client(app).get('/items/?n=9&from=2')).data).toEqual({
      count: 5,
      count_precision: 'at_least',
      next: 'http://localhost/items/?from=6&n=4',
      previous: 'http://localhost/items/?n=4',
      results: [3, 4, 5, 6],
    })
    expect(await client(app).get('/items/?from=7')).toMatchObject({ status: 400, data: DETAIL })
  })

  test.each<[attributes: object, message: RegExp]>([
    [{ limits: 3 }, /no attribute "limits"/],
    [{ default_limt: 3 }, /Did you mean "default_limit"\?/],
    [{ default_limit: '3' }, /LimitOffsetPagination: "defaultLimit" must be a whole number/],
    [{ default_limit: -3 }, /defaultLimit/],
    [{ default_limit: 1.5 }, /defaultLimit/],
    [{ limit_query_param: '' }, /limitQueryParam/],
    [{ offset_query_param: null }, /offsetQueryParam/],
    [{ max_limit: 'all' }, /maxLimit/],
    [{ max_offset: -1 }, /maxOffset/],
    [{ count: 'about' }, /"count" must be one of "exact", "capped", "estimated", "none"/],
    [{ count_cap: 0 }, /"countCap" must be a whole number of at least 1/],
    [{ template: 3 }, /"template" must be/],
    [{ template: 'number' }, /names "number", which is not registered\. Did you mean "numbers"\?/],
  ])('%j is refused', (attributes, message) => {
    expect(() => served(attributes)).toThrow(ConfigurationError)
    expect(() => served(attributes)).toThrow(message)
  })
})
