import { describe, expect, test } from 'vitest'
import {
  type App,
  PageNumberPagination,
  StandardPaginator,
  defineApi,
  list,
} from '../../src/index.ts'
import type { PaginatorImplementation } from '../../src/types.ts'
import { type Row, throughDoors } from './doors.ts'
import { type SourceOf, byId, onSources } from './counted-sources.ts'
import { DETAIL, addresses, quiet } from './fixtures.ts'

/** At most 2 pages, whatever the count: deep pages cost too much here. */
const shallow: PaginatorImplementation = {
  numPages: (count, size) => Math.min(2, Math.ceil(count / size)),
  window: (number, _count, size) => ({ offset: (number - 1) * size, limit: size }),
}
const STYLES = {
  pn: new PageNumberPagination({ pageSize: 3, pageSizeQueryParam: 'page_size', maxPageSize: 5 }),
  renamed: new PageNumberPagination({ pageSize: 3, pageQueryParam: 'p' }),
  words: new PageNumberPagination({ pageSize: 3, lastPageStrings: ['end', 'ultima'] }),
  wordless: new PageNumberPagination({ pageSize: 3, lastPageStrings: [] }),
  off: new PageNumberPagination({ pageSize: null, pageSizeQueryParam: 'size' }),
  zero: new PageNumberPagination({ pageSize: 0 }),
  capped: new PageNumberPagination({ pageSize: 10, pageSizeQueryParam: 'size', maxPageSize: 5 }),
  any: new PageNumberPagination({ pageSize: 3, pageSizeQueryParam: 'size' }),
  'no-max': new PageNumberPagination({ pageSize: 3, pageSizeQueryParam: 'size', maxPageSize: 0 }),
  message: new PageNumberPagination({ pageSize: 3, invalidPageMessage: 'Turn back.' }),
  shallow: new PageNumberPagination({ pageSize: 3, paginator: shallow }),
  cased: new PageNumberPagination({ pageSize: 3, pageSizeQueryParam: 'Size' }),
}
const EMPTY = { empty: STYLES.pn, 'none-shallow': STYLES.shallow }
const api = defineApi({ urls: addresses(Object.keys({ ...STYLES, ...EMPTY })) })
const serveOn = (sourceOf: SourceOf): App => {
  const serveList =
    (count: number) =>
    ([name, pagination]: [string, PageNumberPagination]) =>
      api.endpoint(name, { pagination }).get(list({ source: sourceOf(count), serializer: byId }))
  return api.serve(
    [...Object.entries(STYLES).map(serveList(10)), ...Object.entries(EMPTY).map(serveList(0))],
    quiet,
  )
}
const services = (await onSources()).map(({ on, sourceOf }) => ({ on, app: serveOn(sourceOf) }))

const page = (
  path: string,
  results: number[],
  next: string | null,
  previous: string | null,
  count = 10,
) => ({
  status: 200,
  data: {
    count,
    next: next === null ? null : `http://localhost${path}${next}`,
    previous: previous === null ? null : `http://localhost${path}${previous}`,
    results,
  },
})
const none = { status: 404, data: DETAIL }
const rowsOf = (
  path: string,
  answers: readonly (readonly [rule: string, query: string, ...Parts])[],
): Row[] =>
  answers.map(([rule, query, ...parts]) => [
    `${rule} ${query || '(no query)'}`,
    `GET ${path}${query}`,
    page(path, ...parts),
  ])
type Parts = readonly [
  results: number[],
  next: string | null,
  previous: string | null,
  count?: number,
]

describe.each(services)('on $on', ({ app, on }) => {
  describe('P39 the vector', () => {
    throughDoors(
      app,
      rowsOf('/pn/', [
        ['P32', '', [1, 2, 3], '?page=2', null],
        ['P32', '?page=', [1, 2, 3], '?page=2', null],
        ['P34', '?page=1', [1, 2, 3], '?page=2', null],
        ['P12', '?page=%201%20', [1, 2, 3], '?page=2', null],
        ['P37', '?page=2', [4, 5, 6], '?page=3', ''],
        ['P12', '?page=02', [4, 5, 6], '?page=3', ''],
        ['P12', '?page=%2B2', [4, 5, 6], '?page=3', ''],
        ['P12', '?page=%092', [4, 5, 6], '?page=3', ''],
        ['P37', '?page=3', [7, 8, 9], '?page=4', '?page=2'],
        ['P37', '?page=4', [10], null, '?page=3'],
        ['P33', '?page=last', [10], null, '?page=3'],
        ['P13', '?page_size=2', [1, 2], '?page=2&page_size=2', null],
        ['P38', '?page_size=100', [1, 2, 3, 4, 5], '?page=2&page_size=100', null],
        ['P13', '?page_size=0', [1, 2, 3], '?page=2&page_size=0', null],
        ['P13', '?page_size=-3', [1, 2, 3], '?page=2&page_size=-3', null],
        ['P13', '?page_size=x', [1, 2, 3], '?page=2&page_size=x', null],
        ['P13', '?page_size=', [1, 2, 3], '?page=2&page_size=', null],
        ['P13', '?page_size=2.0', [1, 2, 3], '?page=2&page_size=2.0', null],
        ['P12', '?page_size=%202', [1, 2], '?page=2&page_size=+2', null],
        [
          'P13',
          `?page_size=${'9'.repeat(30)}`,
          [1, 2, 3, 4, 5],
          `?page=2&page_size=${'9'.repeat(30)}`,
          null,
        ],
        ['P11', '?page_size=2&page_size=4', [1, 2, 3, 4], '?page=2&page_size=2&page_size=4', null],
        [
          'P10',
          '?page=3&page_size=2&format=json',
          [5, 6],
          '?format=json&page=4&page_size=2',
          '?format=json&page=2&page_size=2',
        ],
        ['P33', '?page=last&page_size=4', [9, 10], null, '?page=2&page_size=4'],
      ]),
      on,
    )
  })

  describe('P34 what is no page', () => {
    const values = [
      '5',
      '0',
      '-1',
      'abc',
      '1.0',
      '1.5',
      'LAST',
      '2;x=3',
      '1e0',
      '0x1',
      '2 3',
      '1_0',
      '٢',
      'null',
      '99999999999999999999',
      '9'.repeat(4301),
    ]
    throughDoors(
      app,
      values.map((value): Row => [
        `page ${value.slice(0, 30)}`,
        `GET /pn/?page=${encodeURIComponent(value)}`,
        none,
      ]),
      on,
    )
    throughDoors(
      app,
      [
        [
          'the message can be chosen',
          'GET /message/?page=9',
          { status: 404, data: { detail: 'Turn back.' } },
        ],
        [
          'and says what is missing where none is',
          'GET /pn/?page=9',
          { status: 404, data: { detail: 'There is no such page.' } },
        ],
      ],
      on,
    )
  })

  describe('P30, P31, P33 attributes', () => {
    throughDoors(
      app,
      [
        ...rowsOf('/renamed/', [
          ['P30 another name of the parameter', '?p=2', [4, 5, 6], '?p=3', ''],
          ['P30 the usual one is then nothing', '?page=2', [1, 2, 3], '?p=2&page=2', null],
        ]),
        ...rowsOf('/words/', [
          ['P33 other words for the last page', '?page=end', [10], null, '?page=3'],
          ['P33 any of them', '?page=ultima', [10], null, '?page=3'],
        ]),
        ['P33 the usual one is then none', 'GET /words/?page=last', none],
        ['P33 no words at all', 'GET /wordless/?page=last', none],
        [
          'P31 no size: not paginated',
          'GET /off/?page=99',
          { status: 200, data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
        ],
        [
          'P31 nonsense is no size',
          'GET /off/?size=x&page=99',
          { status: 200, data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
        ],
        ...rowsOf('/off/', [
          [
            'P31 a client that gives one switches it on',
            '?size=4&page=2',
            [5, 6, 7, 8],
            '?page=3&size=4',
            '?size=4',
          ],
        ]),
        [
          'P31 a size of 0 is none',
          'GET /zero/?page=2',
          { status: 200, data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
        ],
        ...rowsOf('/capped/', [
          [
            'P14 a maximum does not cap the default',
            '',
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            null,
            null,
          ],
          ['P13 but the client', '?size=7', [1, 2, 3, 4, 5], '?page=2&size=7', null],
          [
            'P14 nonsense is the default, uncapped',
            '?size=0',
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            null,
            null,
          ],
        ]),
        ...rowsOf('/any/', [
          ['P15 no maximum', '?size=1000000', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], null, null],
        ]),
        ...rowsOf('/no-max/', [
          [
            'P13 a maximum of 0 is none',
            '?size=1000000',
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            null,
            null,
          ],
        ]),
        ...rowsOf('/cased/', [
          ['P11 names are case-sensitive', '?size=9', [1, 2, 3], '?page=2&size=9', null],
        ]),
        [
          'P13 without a parameter of its own a size is nothing',
          'GET /words/?page_size=9',
          { status: 200, data: expect.objectContaining({ results: [1, 2, 3] }) },
        ],
      ],
      on,
    )
  })

  describe('P35, P40 no rows, and other ways to cut', () => {
    throughDoors(
      app,
      [
        ...rowsOf('/empty/', [
          ['P35 page 1 exists', '', [], null, null, 0],
          ['P35 also by number', '?page=1', [], null, null, 0],
          ['P33 also as the last', '?page=last', [], null, null, 0],
        ]),
        ['P35 page 2 does not', 'GET /empty/?page=2', none],
        ...rowsOf('/shallow/', [
          ['P40 a replacement says how many pages there are', '?page=2', [4, 5, 6], null, ''],
          ['P40 and which is the last', '?page=last', [4, 5, 6], null, ''],
        ]),
        ['P40 and what is none', 'GET /shallow/?page=3', none],
        ['P40 also page 1', 'GET /none-shallow/', none],
        ['P40 also the last', 'GET /none-shallow/?page=last', none],
      ],
      on,
    )
  })
})

test('P36 the number of pages', () => {
  const pages = [0, 1, 2, 3, 4, 6, 7].map((count) => new StandardPaginator().numPages(count, 3))
  expect(pages).toEqual([1, 1, 1, 1, 2, 2, 3])
})
