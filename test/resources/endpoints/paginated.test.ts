import { beforeEach, describe, expect, test } from 'vitest'
import {
  LimitOffsetPagination,
  PageNumberPagination,
  arraySource,
  configurationOf,
  defineApi,
  list,
  paginated,
  reply,
} from '../../../src/index.ts'
import type { Paginator } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

const letters = arraySource(['a', 'b', 'c', 'd', 'e'])
const shout = { represent: (letter: string) => letter.toUpperCase() }
const style = new PageNumberPagination({ pageSize: 2 })
const api = defineApi({
  urls: {
    paged: '/paged/',
    limited: '/limited/',
    bare: '/bare/',
    later: '/later/',
    shown: '/shown/',
  },
  pagination: style,
})
const app = api.serve(
  [
    api.endpoint('paged').get((request) => paginated(request, letters, shout)),
    api
      .endpoint('limited', { pagination: new LimitOffsetPagination() })
      .get((request) => paginated(request, letters)),
    api.endpoint('bare', { pagination: null }).get((request) => paginated(request, letters, shout)),
    api.endpoint('later').get(async (request) => {
      const rows = { count: async () => 3, slice: async () => ['c'] }
      return await paginated(request, rows)
    }),
    api
      .endpoint('shown')
      .get((request) =>
        paginated(request, letters, { represent: (letter, { path }) => path + letter }),
      ),
  ],
  { configuration: configurationOf() },
)
const get = async (path: string) => {
  const { status, data } = await client(app).get(path)
  return status === 200 ? data : status
}

describe('P18 a page from any handler', () => {
  test('in the style of the endpoint', async () => {
    expect(await get('/paged/?page=2')).toEqual({
      count: 5,
      next: 'http://localhost/paged/?page=3',
      previous: 'http://localhost/paged/',
      results: ['C', 'D'],
    })
    expect(await get('/paged/?page=4')).toBe(404)
    expect(await get('/limited/?limit=1&offset=4')).toMatchObject({ count: 5, results: ['e'] })
  })
  test('the bare array without a style, or where it declines (P1, P3)', async () => {
    expect(await get('/bare/?page=2')).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(await get('/limited/')).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
  test('of a source that is asked', async () => {
    expect(await get('/later/?page=2')).toMatchObject({ count: 3, results: ['c'] })
  })
  test('serializers see the request', async () => {
    expect(await get('/shown/?page=3')).toMatchObject({ results: ['/shown/e'] })
  })
})

describe('H1 page controls', () => {
  let asked = 0
  beforeEach(() => {
    asked = 0
  })
  const controlled: Paginator = {
    paginate: () => ({
      rows: ['a'],
      controls() {
        asked += 1
        const data = { previousUrl: null, nextUrl: '/next/', pageLinks: [] }
        return { template: { name: 'test', render: () => '<nav>here</nav>' }, data }
      },
    }),
    respond: (_page, results) => reply(results, { headers: { 'X-Style': 'kept' } }),
  }
  const pages = defineApi({ urls: { list: '/' }, pagination: controlled })
  const service = pages.serve([pages.endpoint('list').get(list({ source: letters }))], {
    configuration: configurationOf(),
  })

  test('nobody makes them for JSON', async () => {
    const { text, header } = await client(service).get('/')
    expect([text, header('x-style'), asked]).toEqual(['["a"]', 'kept', 0])
  })
  test('a page for people shows them, with everything else', async () => {
    const { text, header } = await client(service).get('/', { headers: { accept: 'text/html' } })
    expect(text).toContain('<nav>here</nav>')
    expect([header('x-style'), asked]).toEqual(['kept', 1])
  })
})
