// What a style says of its pages, in documents and in the check of lists that nothing bounds.
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  type Reply,
  reply,
} from '../../../src/index.ts'
import { SERVICE_DEFAULTS } from '../../../src/core/settings/service-keys.ts'

type ParameterFacts = ReturnType<PageNumberPagination['parameters']>[number]
type Settings = Parameters<PageNumberPagination['bounds']>[0]
const under = (maxOffset: number | null, more: object = {}) =>
  ({ ...SERVICE_DEFAULTS, maxOffset, ...more }) as unknown as Settings
const ROWS = { type: 'array' }

describe('the place of a page', () => {
  const offset = new LimitOffsetPagination({ defaultLimit: 5 })
  const placed = (maxOffset: number | null) =>
    offset.parameters(under(maxOffset)).find(({ name }) => name === 'offset')!.schema

  test('is counted from 0 by an offset, as far as the service lets it', () => {
    expect(placed(null)).toEqual({ type: 'integer', minimum: 0, default: 0 })
    expect(placed(400)).toEqual({ type: 'integer', minimum: 0, maximum: 400, default: 0 })
  })

  test('is counted from 1 by a number, and may be a word where the last page is known', () => {
    const number = { type: 'integer', minimum: 1, default: 1 }
    const described = (options: object) => {
      const style = new PageNumberPagination({ pageSize: 5, ...options })
      const [{ description, schema }] = style.parameters(under(null)) as [ParameterFacts]
      return [description, schema]
    }
    const word = 'Number of the page, or a word for the last one.'
    expect(described({})).toEqual([word, { anyOf: [number, { type: 'string', enum: ['last'] }] }])
    expect(described({ lastPageStrings: [] })).toEqual([word, number])
    expect(described({ count: 'none' })).toEqual(['Number of the page.', number])
  })

  test('has no bound but that of the service, or of the style where it is nearer', () => {
    const passed = (maxOffset: number | null, own?: number) =>
      new PageNumberPagination({ pageSize: 5, ...(own && { maxOffset: own }) }).bounds(
        under(maxOffset),
      ).offset
    expect([
      passed(null),
      passed(400),
      passed(null, 300),
      passed(400, 300),
      passed(200, 300),
    ]).toEqual([null, 400, 300, 300, 200])
  })
})

test.each([
  ['exact', { type: 'integer', minimum: 0 }, undefined, null],
  ['capped', { type: 'integer', minimum: 0 }, ['at_least'], 10_000],
  ['estimated', { type: ['integer', 'null'] }, ['estimated'], 0],
  ['none', { type: ['integer', 'null'] }, undefined, 0],
] as const)('a count that is %s', (count, schema, precision, counted) => {
  const style = new PageNumberPagination({ pageSize: 5, count })
  const { properties } = style.schema(ROWS, under(null)) as {
    readonly properties: Readonly<Record<string, object>>
  }
  expect(properties['count']).toEqual({ ...schema, examples: [123] })
  expect(properties['count_precision']).toEqual(precision && { type: 'string', enum: precision })
  expect(style.bounds(under(null)).count).toBe(counted)
})

test('nothing bounds a list without any size, and nothing is left out or counted (P31)', () => {
  const all = { rows: null, offset: 0, count: 0 }
  expect(new PageNumberPagination({ pageSize: null }).bounds(under(null))).toEqual(all)
  const asked = new PageNumberPagination({ pageSize: null, pageSizeQueryParam: 'size' })
  expect(asked.bounds(under(null))).toEqual({ ...all, offset: null, count: null })
})

describe('the parameters of a style', () => {
  const number = (schema: object) => ({ type: 'integer', ...schema })
  const sized = (name: string, schema: object, more = '') => ({
    name,
    description: `How many rows a page has at most.${more}`,
    schema: number({ minimum: 1, ...schema }),
  })
  const page = {
    name: 'p',
    description: 'Number of the page, or a word for the last one.',
    schema: { anyOf: [number({ minimum: 1, default: 1 }), { type: 'string', enum: ['last'] }] },
  }
  const skipped = {
    name: 'offset',
    description: 'How many rows are left out before the page.',
    schema: number({ minimum: 0, default: 0 }),
  }
  const cursor = {
    name: 'c',
    description: 'Where the page begins: a text out of the link of another page.',
    schema: { type: 'string' },
  }
  const byNumber = (options: object) =>
    new PageNumberPagination({ pageQueryParam: 'p', ...options })
  const sizes = { pageSize: 5, pageSizeQueryParam: 'size' }

  test.each([
    ['a number', byNumber({ pageSize: 5 }), {}, [page]],
    ['a size', byNumber(sizes), {}, [page, sized('size', { default: 5 })]],
    [
      'a size up to the most',
      byNumber({ ...sizes, maxPageSize: 5 }),
      {},
      [page, sized('size', { maximum: 5, default: 5 })],
    ],
    [
      'a size up to the most of the service',
      byNumber({ ...sizes, maxPageSize: 9 }),
      { maxPageSize: 4 },
      [page, sized('size', { maximum: 4, default: 4 })],
    ],
    [
      'a size less than that without it',
      byNumber({ ...sizes, maxPageSize: 3 }),
      {},
      [page, sized('size', { maximum: 3 }, ' Without it: 5.')],
    ],
    [
      'a size, and all without it',
      byNumber({ ...sizes, pageSize: null, maxPageSize: 3 }),
      {},
      [page, sized('size', { maximum: 3 }, ' Without it: all.')],
    ],
    ['any size', byNumber({ ...sizes, pageSize: null }), {}, [page, sized('size', {})]],
    [
      'a limit and an offset',
      new LimitOffsetPagination({ defaultLimit: 5 }),
      {},
      [sized('limit', { default: 5 }), skipped],
    ],
    ['an offset', new LimitOffsetPagination({ limitQueryParam: null }), {}, [skipped]],
    ['a cursor', new CursorPagination({ cursorQueryParam: 'c' }), {}, [cursor]],
    [
      'a cursor and a size',
      new CursorPagination({ cursorQueryParam: 'c', ...sizes }),
      {},
      [cursor, sized('size', { default: 5 })],
    ],
  ])('%s', (_, style, settings, parameters) => {
    expect(style.parameters(under(null, settings))).toEqual(parameters)
  })
})

describe('the body of a page', () => {
  const neighbour = (query: string) => ({
    type: ['string', 'null'],
    format: 'uri',
    examples: [`https://api.example.org/accounts/?${query}`],
  })
  const paged = (next: string, previous: string, count: object = {}) => ({
    type: 'object',
    properties: {
      ...count,
      next: neighbour(next),
      previous: neighbour(previous),
      results: ROWS,
    },
    required: [...Object.keys(count), 'next', 'previous', 'results'],
  })
  const count = { count: { type: 'integer', minimum: 0, examples: [123] } }
  const numbered = paged('p=4', 'p=2', count)
  const byNumber = (options: object) =>
    new PageNumberPagination({ pageQueryParam: 'p', ...options })

  test.each([
    ['numbers', byNumber({ pageSize: 5 }), {}, numbered],
    [
      'limits',
      new LimitOffsetPagination({ limitQueryParam: 'l', offsetQueryParam: 'o' }),
      { pageSize: 5 },
      paged('l=100&o=400', 'l=100&o=200', count),
    ],
    [
      'offsets alone',
      new LimitOffsetPagination({ limitQueryParam: null, defaultLimit: 5 }),
      {},
      paged('offset=400', 'offset=200', count),
    ],
    [
      'cursors',
      new CursorPagination({ pageSize: 5, cursorQueryParam: 'c' }),
      {},
      paged('c=cD00ODY', 'c=cj0xJnA9NDg3'),
    ],
    [
      'numbers, or the bare array',
      byNumber({ pageSizeQueryParam: 'size' }),
      {},
      { oneOf: [numbered, ROWS] },
    ],
    [
      'numbers, as the service bounds all',
      byNumber({ pageSizeQueryParam: 'size' }),
      { maxPageSize: 9 },
      numbered,
    ],
    ['the bare array', byNumber({}), {}, ROWS],
  ])('of %s', (_, style, settings, schema) => {
    expect(style.schema(ROWS, under(null, settings))).toEqual(schema)
  })

  test('does not require the precision of a count, which exact ones lack', () => {
    const { required } = byNumber({ pageSize: 5, count: 'capped' }).schema(ROWS, under(null))
    expect(required).toEqual(['count', 'next', 'previous', 'results'])
  })

  test('is that of the style of an application that makes another one, where it says so', () => {
    class Bare extends PageNumberPagination {
      override respond(_page: unknown, results: readonly unknown[]): Reply {
        return reply(results)
      }
    }
    class Described extends Bare {
      protected override envelope(): ReturnType<PageNumberPagination['schema']> {
        return { described: true }
      }
    }
    class Both extends PageNumberPagination {
      override respond(_page: unknown, results: readonly unknown[]): Reply {
        return reply(results)
      }
      protected override envelope(): ReturnType<PageNumberPagination['schema']> {
        return { described: true }
      }
    }
    class Renamed extends Described {}
    const described = [Bare, Described, Both, Renamed].map((style) =>
      new style({ pageSize: 5 }).schema(ROWS, under(null)),
    )
    const own = { described: true }
    expect(described).toEqual([{}, own, own, own])
  })
})

test.each([
  ['a size that clients set', { pageSize: 5, pageSizeQueryParam: 'size', maxPageSize: 10 }, 10],
  [
    'a size that is more than they may set',
    { pageSize: 12, pageSizeQueryParam: 'size', maxPageSize: 10 },
    12,
  ],
  ['any size that clients set', { pageSize: 5, pageSizeQueryParam: 'size' }, null],
  ['a size that none can set', { pageSize: 5, maxPageSize: 10 }, 5],
])('the most rows: %s', (_, options, rows) => {
  expect(new PageNumberPagination(options).bounds(under(null)).rows).toBe(rows)
})
