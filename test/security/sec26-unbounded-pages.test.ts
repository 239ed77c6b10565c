// SEC26, I20: how much one request can ask for. More: test/security/finding-07-ceilings.test.ts; live:
// `npm run attack -- huge-pages`.
import { expect, test } from 'vitest'
import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const rows = Array.from({ length: 500 }, (_, index) => ({ id: index + 1 }))
const api = defineApi({ urls: { pages: '/pages/', window: '/window/', feed: '/feed/' } })
const source = arraySource(rows, { key: 'id' })
const styles = {
  pages: new PageNumberPagination({ pageSize: 10, pageSizeQueryParam: 'size', maxOffset: 300 }),
  window: new LimitOffsetPagination({ defaultLimit: 10, maxOffset: 300 }),
  feed: new CursorPagination({ pageSize: 10, pageSizeQueryParam: 'size', ordering: 'id' }),
}
const endpoints = (Object.keys(styles) as (keyof typeof styles)[]).map((name) =>
  api.endpoint(name, { pagination: styles[name] }).get(list({ source })),
)
const configuration = configurationOf({ MAX_PAGE_SIZE: 50, SECRET_KEY: 'a secret of these tests' })
const { get } = client(api.serve(endpoints, { configuration }))

test.each([
  '/window/?limit=51',
  '/window/?limit=1000000000',
  `/window/?limit=${'9'.repeat(400)}`,
  '/window/?limit=-1',
  '/window/?limit=1e9',
  '/pages/?size=1000000000',
  '/pages/?size=0',
  '/feed/?size=1000000000',
  `/feed/?size=${'9'.repeat(400)}`,
])('%s is a page of at most 50', async (path) => {
  const { status, data } = await get(path)
  expect(status).toBe(200)
  expect((data as { results: unknown[] }).results.length).toBeLessThanOrEqual(50)
})

test.each([
  '/window/?offset=301',
  `/window/?offset=${'9'.repeat(400)}`,
  '/pages/?page=32',
  `/pages/?page=${'9'.repeat(400)}`,
])('%s is too deep', async (path) => {
  const { status } = await get(path)
  expect([400, 404]).toContain(status)
})
