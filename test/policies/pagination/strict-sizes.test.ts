// Where queries are strict, the size of a page and the place of its beginning are judged, as names are.
import { describe, expect, test } from 'vitest'
import {
  LimitOffsetPagination,
  PageNumberPagination,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const source = arraySource(Array.from({ length: 30 }, (_, id) => ({ id })))
const byNumber = new PageNumberPagination({
  pageSize: 5,
  pageSizeQueryParam: 'page_size',
  maxPageSize: 10,
})
const byOffset = new LimitOffsetPagination({ defaultLimit: 5, maxLimit: 10 })

function served(pagination: typeof byNumber | typeof byOffset, options: object) {
  const api = defineApi({ urls: { row: '/' }, pagination, ...options })
  return api.serve([api.endpoint('row').get(list({ source }))], {
    configuration: configurationOf(),
  })
}

const asked = async (pagination: typeof byNumber | typeof byOffset, query: string, strict = true) =>
  client(served(pagination, { strictQuery: strict })).get(`/?${query}`)

const WHOLE = 'This is not a whole number.'

describe('a size or a place that cannot be', () => {
  test.each([
    [byNumber, 'page_size=many', { page_size: [WHOLE] }],
    [byNumber, 'page_size=2.5', { page_size: [WHOLE] }],
    [byNumber, 'page_size=0', { page_size: ['The value must be at least 1.'] }],
    [byNumber, 'page_size=11', { page_size: ['The value must be at most 10.'] }],
    [byOffset, 'limit=-1', { limit: ['The value must be at least 1.'] }],
    [byOffset, 'limit=11', { limit: ['The value must be at most 10.'] }],
    [byOffset, 'offset=x', { offset: [WHOLE] }],
    [byOffset, 'offset=-1', { offset: ['The value must be at least 0.'] }],
  ])('%o ?%s is refused by a strict service alone', async (pagination, query, refusal) => {
    const { status, data } = await asked(pagination, query)
    expect([status, data]).toEqual([400, refusal])
    expect((await asked(pagination, query, false)).status).toBe(200)
  })

  test('what fits, and an empty value, is taken', async () => {
    for (const query of ['page_size=10', 'page_size=1', 'page_size='])
      expect((await asked(byNumber, query)).status).toBe(200)
    for (const query of ['limit=10', 'offset=0', 'limit=&offset=29'])
      expect((await asked(byOffset, query)).status).toBe(200)
  })

  test('the most of the service counts, too', async () => {
    const app = served(byNumber, { strictQuery: true, maxPageSize: 8 })
    const { data } = await client(app).get('/?page_size=9')
    expect(data).toEqual({ page_size: ['The value must be at most 8.'] })
  })
})

test('a page that nothing is asked of may be larger than what can be asked for: no default beyond the maximum', () => {
  const pagination = new LimitOffsetPagination({ defaultLimit: 30, maxLimit: 20 })
  const { paths } = openApiDocument(served(pagination, {}))
  const { get } = paths['/'] as { get: { parameters: readonly object[] } }
  expect(get.parameters[0]).toEqual({
    name: 'limit',
    in: 'query',
    description: 'How many rows a page has at most. Without it: 30.',
    schema: { type: 'integer', minimum: 1, maximum: 20 },
  })
})
