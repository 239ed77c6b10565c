import { describe, expect, test } from 'vitest'
import { type PageReader, createClient, routesOf } from '../../../src/client.ts'
import { standardPage } from '../../../src/addons/client/rows.ts'
import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  include,
  list,
  reply,
} from '../../../src/index.ts'
import type { CountedPage, Paginator } from '../../../src/types.ts'
import { expectLinear } from '../../setup/linear.ts'
import { json, service } from './service.ts'

interface Row {
  readonly id: number
}
const numbered = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id }))

class Linked extends PageNumberPagination {
  override respond({ next }: CountedPage, results: readonly unknown[]) {
    const headers = next === null ? {} : { Link: `<${next}>; title="a, b"; rel="last next"` }
    return reply(results, { headers })
  }
}
class Nested extends LimitOffsetPagination {
  override respond({ next }: CountedPage, results: readonly unknown[]) {
    return reply({ links: { next }, items: results })
  }
}
const nestedPage: PageReader<Row> = (data) => {
  const { links, items } = data as { links: { next: string | null }; items: readonly Row[] }
  return { rows: items, next: links.next }
}

const urls = defineUrls({
  v2: include('/v2', { rows: '/rows/' }),
  v1: include('/v1', { rows: '/old/' }),
})

/** A client of a list in memory, which a test may change while it is walked. */
function walked(rows: Row[], pagination: Paginator<never> | null, page?: PageReader<Row>) {
  const api = defineApi({ urls, pagination: pagination as null })
  const source = arraySource(rows, { key: 'id' })
  const app = api.serve([api.endpoint('rows').get(list({ source }))], {
    configuration: configurationOf({ SECRET_KEY: 'a long random text' }),
  })
  const asked: string[] = []
  const client = createClient<{
    version: 'v2'
    operations: { rows: { get: { data: { next: string | null; results: Row[] } } } }
  }>({
    baseUrl: 'http://localhost',
    routes: routesOf(urls),
    version: 'v2',
    ...(page && { page }),
    fetch(url, init) {
      asked.push(url.pathname + url.search)
      return app.fetch(new Request(url, init))
    },
  })
  return { client, asked }
}

const ids = (count: number): number[] => numbered(count).map(({ id }) => id)

describe.each([
  ['cursors', new CursorPagination({ pageSize: 3, ordering: 'id' }), undefined],
  ['page numbers', new PageNumberPagination({ pageSize: 3 }), undefined],
  ['limit and offset', new LimitOffsetPagination({ defaultLimit: 3 }), undefined],
  ['no pages', null, undefined],
  ['a style with links in a header', new Linked({ pageSize: 3 }), undefined],
  ['a style of its own', new Nested({ defaultLimit: 3 }), nestedPage],
] as const)('%s', (_, pagination, page) => {
  test.each([0, 1, 3, 8, 9])('%i rows come in their order', async (count) => {
    for (const prefetch of [false, true]) {
      const { client } = walked(numbered(count), pagination, page)
      const seen: number[] = []
      for await (const { id } of client.rows('rows', { prefetch })) seen.push(id)
      expect(seen).toEqual(ids(count))
    }
  })

  test('from the checkpoint behind each row, the rest comes', async () => {
    const { client } = walked(numbered(8), pagination, page)
    const rows = client.rows('rows')
    const checkpoints = [rows.checkpoint()]
    for await (const { id } of rows) checkpoints[id + 1] = rows.checkpoint()
    expect(checkpoints).toHaveLength(9)
    for (const [given, checkpoint] of checkpoints.entries()) {
      expect(checkpoint.length).toBeLessThan(400)
      const rest: number[] = []
      for await (const { id } of client.rows('rows').resume(checkpoint)) rest.push(id)
      expect(rest).toEqual(ids(8).slice(given))
    }
  })
})

describe('a walk', () => {
  const cursors = new CursorPagination({ pageSize: 3, ordering: 'id' })

  test('goes on where it was left', async () => {
    const { client } = walked(numbered(8), cursors)
    const rows = client.rows('rows')
    const seen: number[] = []
    for (let i = 0; i < 9; i++)
      for await (const { id } of rows) {
        seen.push(id)
        break
      }
    expect(seen).toEqual(ids(8))
  })

  test('asks for a page when it is needed, and for the next one beside when asked to', async () => {
    const lazy = walked(numbered(8), cursors)
    for await (const { id } of lazy.client.rows('rows')) if (id === 0) break
    expect(lazy.asked).toHaveLength(1)
    const eager = walked(numbered(8), cursors)
    for await (const { id } of eager.client.rows('rows', { prefetch: true })) if (id === 0) break
    expect(eager.asked).toHaveLength(2)
  })

  test('is of the version that is pinned', async () => {
    const { client, asked } = walked(numbered(4), cursors)
    await allOf(client.rows('rows'))
    expect(asked).toEqual(['/v2/rows/', expect.stringMatching(/^\/v2\/rows\/\?cursor=/)])
  })

  test('a page that fails is asked for again by the next loop', async () => {
    const answers = [
      json({ results: [{ id: 1 }], next: 'https://api.example/notes/?page=2' }),
      json({}, { status: 404 }),
      json({ results: [{ id: 2 }], next: null }),
    ]
    const { client } = service(answers)
    const rows = client.rows('note-list')
    const seen: number[] = []
    const take = async () => {
      for await (const { id } of rows) seen.push(id)
    }
    await expect(take()).rejects.toMatchObject({ status: 404 })
    await take()
    expect(seen).toEqual([1, 2])
  })

  test('ends the request for the next page where it is left', async () => {
    const signals: AbortSignal[] = []
    const fetch = async (_: URL, { signal }: RequestInit): Promise<Response> => {
      if (signals.push(signal!) === 2) return new Promise(() => undefined)
      return json({ results: [{ id: 1 }], next: 'https://api.example/notes/?page=2' })
    }
    for await (const _ of service([], { fetch }).client.rows('note-list', { prefetch: true })) break
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })

  test('a page that fails before anyone waits for it is no failure of the walk', async () => {
    const first = json({ results: [{ id: 1 }], next: 'https://api.example/notes/?page=2' })
    const { client, asked } = service([first, json({}, { status: 404 })])
    for await (const _ of client.rows('note-list', { prefetch: true })) {
      // Long enough for a rejection without a handler to be one.
      await new Promise((resolve) => setTimeout(resolve, 5))
      break
    }
    expect(asked).toHaveLength(2)
  })

  test('stands at the end of a page without the name of any row', async () => {
    const rows = walked(numbered(8), cursors).client.rows('rows')
    for await (const { id } of rows) if (id === 2) break
    expect(JSON.parse(rows.checkpoint())).toMatchObject({ given: [], edge: [], done: false })
  })

  test('turns pages one by one', async () => {
    const { client } = walked(numbered(5), cursors)
    const first = await client.page('rows')
    expect(first.rows.map(({ id }) => id)).toEqual([0, 1, 2])
    const second = await client.page('rows', { next: first.next })
    expect([second.rows.length, second.next]).toEqual([2, null])
  })
})

describe('what has changed meanwhile', () => {
  /** Takes so many rows, changes the list, and takes the rest in a new client from the checkpoint. */
  async function around(taken: number, change: (rows: Row[]) => void, key?: (row: Row) => number) {
    const rows = Array.from({ length: 9 }, (_, i) => ({ id: 10 * i }))
    const { client } = walked(rows, new CursorPagination({ pageSize: 3, ordering: 'id' }))
    const options = key === undefined ? {} : { key }
    const walk = client.rows('rows', options)
    const seen: number[] = []
    for await (const { id } of walk) {
      seen.push(id)
      if (seen.length === taken) break
    }
    change(rows)
    const checkpoint = walk.checkpoint()
    for await (const { id } of client.rows('rows', options).resume(checkpoint)) seen.push(id)
    return seen
  }
  const remove =
    (...gone: number[]) =>
    (rows: Row[]) => {
      const left = rows.filter(({ id }) => !gone.includes(id))
      rows.splice(0, rows.length, ...left)
    }
  const insert =
    (...added: number[]) =>
    (rows: Row[]) => {
      rows.push(...added.map((id) => ({ id })))
      rows.sort((one, other) => one.id - other.id)
    }
  const all = [0, 10, 20, 30, 40, 50, 60, 70, 80]

  test.each([
    ['nothing', 2, () => undefined, all],
    ['a row that was given is gone', 2, remove(0), all],
    ['the last row that was given is gone', 2, remove(10), all],
    ['all rows that were given are gone', 2, remove(0, 10), all],
    ['the row behind is gone', 2, remove(20), all.filter((id) => id !== 20)],
    ['a row was inserted before', 2, insert(5), all],
    ['a row was inserted behind', 2, insert(15), [0, 10, 15, ...all.slice(2)]],
    // The first page is now full of them, and the rows that were given are on the second.
    [
      'a page of rows was inserted before',
      2,
      insert(-3, -2, -1),
      [0, 10, -3, -2, -1, ...all.slice(2)],
    ],
    [
      'and the last row is gone',
      2,
      (rows: Row[]) => {
        remove(10)(rows)
        insert(-3, -2, -1)(rows)
      },
      [0, 10, -3, -2, -1, ...all.slice(2)],
    ],
    [
      'at the end of a page, rows around were changed',
      3,
      (rows: Row[]) => {
        remove(20, 30)(rows)
        insert(15, 25)(rows)
      },
      [0, 10, 20, 25, ...all.slice(4)],
    ],
  ] as const)('%s', async (_, taken, change, expected) => {
    expect(await around(taken, change)).toEqual(expected)
    expect(await around(taken, change, ({ id }) => id)).toEqual(expected)
  })
})

describe('a checkpoint', () => {
  /** The members of it, after so many rows of the list or from a checkpoint on. */
  async function standing(rows: Row[], taken: number, from?: string) {
    const { client } = walked(rows, new CursorPagination({ pageSize: 3, ordering: 'id' }))
    const walk = from === undefined ? client.rows('rows') : client.rows('rows').resume(from)
    let count = 0
    for await (const _ of walk) if (++count === taken) break
    const { given, edge, at } = JSON.parse(walk.checkpoint()) as Record<string, unknown>
    return { text: walk.checkpoint(), at, given, edge }
  }
  const numbers = (...ids_: number[]): Row[] => ids_.map((id) => ({ id }))

  test('has the page, the rows of it that were given, and the last with the next one', async () => {
    const all = numbers(0, 10, 20, 30)
    expect(await standing(all, 1)).toMatchObject({ at: '/v2/rows/', given: [0], edge: [0, 10] })
    expect(await standing(all, 2)).toMatchObject({ given: [0, 10], edge: [10, 20] })
    expect(await standing(all, 3)).toMatchObject({ given: [], edge: [] })
  })

  test('has no row any more that is gone, once its page is behind', async () => {
    const { text } = await standing(numbers(0, 10, 20, 30), 2)
    const rest = numbers(10, 20, 30)
    expect(await standing(rest, 1, text)).toMatchObject({ given: [0, 10, 20], edge: [20, 30] })
    expect(await standing(rest, 2, text)).toMatchObject({ given: [], edge: [] })
  })

  test('knows its place by the last row, where the next one is gone', async () => {
    const { text } = await standing(numbers(0, 10, 20, 30), 2)
    const others = numbers(10, 25, 35, 45)
    expect(await standing(others, 1, text)).toMatchObject({ edge: [25, 35] })
    expect(await standing(others, 2, text)).toMatchObject({ given: [], edge: [] })
  })

  test('keeps its place while pages come that were inserted before it', async () => {
    const { text } = await standing(numbers(0, 10, 20, 30), 2)
    const more = numbers(-3, -2, -1, 0, 20, 30, 40)
    expect(await standing(more, 1, text)).toMatchObject({ given: [0, 10, -3], edge: [10, 20] })
    expect(await standing(more, 3, text)).toMatchObject({ given: [0, 10], edge: [10, 20] })
  })

  test.each([
    [{ url: 'u', name: 'a' }, 'u'],
    [{ pk: 3 }, 3],
    [{ key: 'k' }, 'k'],
    [{ key: 'k', id: 1 }, 1],
    ['text', 'text'],
    // It has to stay the same in later releases: checkpoints are kept.
    [{ name: 'Bodø' }, '#1gywla3.13mtu4f'],
    [null, '#8a5w3g.25kq0g'],
  ])('knows the row %j as %j', async (row, key) => {
    const { client } = service([json([row, row, row])])
    const walk = client.rows('note-list') as AsyncIterable<unknown> & { checkpoint(): string }
    let count = 0
    for await (const _ of walk) if (++count === 2) break
    expect(JSON.parse(walk.checkpoint())).toMatchObject({ given: [key, `2\u0000${key}`] })
  })

  test('has a whole number beyond 2^53 with all of its digits', async () => {
    const text = '[{"id":9007199254740993},{"id":1}]'
    const answer = new Response(text, { headers: { 'content-type': 'application/json' } })
    const walk = service([answer]).client.rows('note-list')
    for await (const _ of walk) break
    expect(JSON.parse(walk.checkpoint())).toMatchObject({ given: ['9007199254740993'] })
  })

  test.each([
    { at: 7 },
    { at: 'notes/' },
    { given: 7 },
    { given: ['a', null] },
    { edge: 7 },
    { edge: [{}, 'a'] },
    { done: 1 },
  ])('with %j is none', (forged) => {
    const { client } = service([])
    const whole = JSON.parse(client.rows('note-list').checkpoint()) as object
    const text = JSON.stringify({ ...whole, ...forged })
    expect(() => client.rows('note-list').resume(text)).toThrow('no checkpoint of rows')
  })
})

test.each([
  ['<https://api.example/?page=0>; rel="prev", <https://api.example/?page=2>; rel="next"', 2],
  ['<https://api.example/?page=2>; title="a" ;rel = next', 2],
  ['<https://api.example/?page=2>; REL="last next"', 2],
  ['<https://api.example/?page=2>; rel="nextish"', null],
  ['<https://api.example/next?page=2>; rel="prev"; title="next"', null],
])('of the links %s, the next page is %j', async (link, page) => {
  const { client } = service([json([], { headers: { link } })])
  const { next } = await client.page('note-list')
  expect(next).toBe(page === null ? null : `/?page=${page}`)
})

test('a header `Link` costs what its length costs', async () => {
  const read = (size: number) => standardPage([], new Headers({ link: '<'.repeat(size) }))
  await expectLinear(read, { size: 4000 })
})

async function allOf<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

describe('what a walk does not take', () => {
  test.each(['', 'null', '{}', '{"list":"note-list"}', '[]', '"a"'])(
    'the checkpoint %s',
    (text) => {
      const { client } = service([])
      expect(() => client.rows('note-list').resume(text)).toThrow('no checkpoint')
    },
  )

  test('one of another list or query', () => {
    const { client } = service([])
    const checkpoint = client.rows('note-list', { query: { a: 1 } }).checkpoint()
    expect(() => client.rows('note-list', { query: { a: 2 } }).resume(checkpoint)).toThrow('is of')
    expect(() => client.rows('note-list', { query: { a: 1 } }).resume(checkpoint)).not.toThrow()
  })

  test.each(['https://evil.example/notes/?page=2', '//evil.example/', 'http://api.example/notes/'])(
    'a next page at %s',
    async (next) => {
      const { client, asked } = service([json({ results: [], next })])
      await expect(allOf(client.rows('note-list'))).rejects.toThrow(
        'credentials are for https://api.example alone',
      )
      const start = client.rows('note-list').checkpoint()
      const forged = JSON.stringify({ ...(JSON.parse(start) as object), at: '//evil.example/' })
      const resumed = client.rows('note-list').resume(forged)
      await expect(allOf(resumed)).rejects.toThrow('credentials are for')
      await expect(client.page('note-list', { next })).rejects.toThrow('credentials are for')
      expect(asked.map(({ url }) => url)).toEqual(['https://api.example/notes/'])
    },
  )

  /** Pages that lead to one another in a ring, behind some that do not; each has so many rows. */
  const ring = (before: number, length: number, rows: number) => {
    const { pathname } = new URL('https://api.example/notes/')
    let asked = 0
    const fetch = async (url: URL): Promise<Response> => {
      asked++
      const page = Number(url.searchParams.get('page'))
      const next = page + 1 < before + length ? page + 1 : before
      const results = numbered(rows).map(({ id }) => ({ id: page * rows + id }))
      return json({ results, next: `${pathname}?page=${next}` })
    }
    const { client } = service([], { fetch })
    return { client, asked: () => asked }
  }

  test.each([
    [0, 1],
    [0, 2],
    [1, 1],
    [7, 3],
    [40, 100],
  ])('pages in a ring: %i before it, %i in it', async (before, length) => {
    for (const rows of [0, 3]) {
      const { client, asked } = ring(before, length, rows)
      await expect(allOf(client.rows('note-list'))).rejects.toThrow('the list has no end')
      expect(asked()).toBeLessThanOrEqual(3 * (before + length) + 2)
    }
  })

  test('pages without end that have no rows', async () => {
    const { client, asked } = ring(1e9, 1, 0)
    await expect(allOf(client.rows('note-list'))).rejects.toThrow('1000 pages without a row')
    expect(asked()).toBe(1000)
  })

  test('a few pages without rows are no mistake', async () => {
    const pages = Array.from({ length: 1002 }, (_, i) =>
      json({ results: i === 2 ? [{ id: 1 }] : [], next: `?page=${i}` }),
    )
    const { client } = service([...pages, json({ results: [{ id: 2 }], next: null })])
    expect(await allOf(client.rows('note-list'))).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('an answer without rows', async () => {
    for (const data of [{ items: [] }, null, 'text', { results: [], next: 7 }]) {
      const { client } = service([json(data)])
      await expect(allOf(client.rows('note-list'))).rejects.toThrow('has no "results"')
    }
  })
})

describe('many rows in one answer', () => {
  const bare = (count: number) => {
    const answer = json(numbered(count))
    return service([() => answer.clone()]).client
  }

  test('cost eight times as much where they are eight times as many', async () => {
    const [few, many] = [bare(1500), bare(12_000)]
    const work = (count: number) => allOf((count === 1500 ? few : many).rows('note-list'))
    await expectLinear(work, { size: 1500 })
  })

  test('end with the signal, at the row that is next', async () => {
    const stop = new AbortController()
    const rows = bare(50).rows('note-list', { signal: stop.signal })
    const seen: number[] = []
    const reason = new Error('left')
    const take = async () => {
      for await (const { id } of rows) if (seen.push(id) === 7) stop.abort(reason)
    }
    await expect(take()).rejects.toBe(reason)
    expect(seen).toEqual(ids(7))
    expect(JSON.parse(rows.checkpoint())).toMatchObject({ given: ids(7) })
  })

  test('end with the signal while a page is on its way', async () => {
    const reason = new Error('left')
    const stop = new AbortController()
    const fetch = (_: URL, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason as Error))
        stop.abort(reason)
      })
    const rows = service([], { fetch }).client.rows('note-list', { signal: stop.signal })
    await expect(allOf(rows)).rejects.toBe(reason)
  })

  test('let other work have its turn', async () => {
    const stop = new AbortController()
    let turns = 0
    const timer = setInterval(() => {
      if (++turns === 5) stop.abort()
    }, 0)
    const rows = bare(100_000).rows('note-list', { signal: stop.signal })
    await expect(allOf(rows)).rejects.toThrow('aborted')
    clearInterval(timer)
    expect(turns).toBe(5)
  })
})

test('rows that are alike are told apart by their place', async () => {
  const { client } = service([json(['x', 'x', 'y', 'x'])])
  const rows = client.rows('note-list') as AsyncIterable<unknown> & { checkpoint(): string }
  const seen: unknown[] = []
  for await (const row of rows) if (seen.push(row) === 1) break
  for await (const row of client.rows('note-list').resume(rows.checkpoint())) seen.push(row)
  expect(seen).toEqual(['x', 'x', 'y', 'x'])
})

test('rows without a name are known by what is in them', async () => {
  const page = (rows: unknown[]) => json({ results: rows, next: null })
  const { client } = service([
    page([{ a: 1 }, { a: 2 }, { a: 3 }]),
    page([{ a: 0 }, { a: 2 }, { a: 3 }]),
  ])
  const rows = client.rows('note-list') as AsyncIterable<unknown> & { checkpoint(): string }
  const seen: unknown[] = []
  for await (const row of rows) if (seen.push(row) === 2) break
  for await (const row of client.rows('note-list').resume(rows.checkpoint())) seen.push(row)
  expect(seen).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }])
  const shorter = service([page([{ a: 1 }, { a: 2 }, { a: 3 }]), page([{ a: 2 }, { a: 3 }])]).client
  const walk = shorter.rows('note-list')
  for await (const _ of walk) break
  const rest = await allOf(shorter.rows('note-list').resume(walk.checkpoint()))
  expect(rest).toEqual([{ a: 2 }, { a: 3 }])
})
