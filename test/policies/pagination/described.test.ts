// What a style says of its pages, in documents and in the check of lists that nothing bounds.
import { describe, expect, test } from 'vitest'
import { LimitOffsetPagination, PageNumberPagination } from '../../../src/index.ts'
import { SERVICE_DEFAULTS } from '../../../src/core/settings/service-keys.ts'

type ParameterFacts = ReturnType<PageNumberPagination['parameters']>[number]
type Settings = Parameters<PageNumberPagination['bounds']>[0]
const under = (maxOffset: number | null) =>
  ({ ...SERVICE_DEFAULTS, maxOffset }) as unknown as Settings
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
    readonly properties: Record<string, { readonly enum?: readonly string[] }>
  }
  expect(properties['count']).toEqual({ ...schema, examples: [123] })
  expect(properties['count_precision']?.enum).toEqual(precision)
  expect(style.bounds(under(null)).count).toBe(counted)
})

test('nothing bounds a list without any size, and nothing is left out or counted (P31)', () => {
  const all = { rows: null, offset: 0, count: 0 }
  expect(new PageNumberPagination({ pageSize: null }).bounds(under(null))).toEqual(all)
  const asked = new PageNumberPagination({ pageSize: null, pageSizeQueryParam: 'size' })
  expect(asked.bounds(under(null))).toEqual({ ...all, offset: null, count: null })
})
