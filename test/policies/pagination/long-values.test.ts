// A client that stores a long text must not make a link that is too long to be asked for: the list would end there for all.
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  CursorPagination,
  OrderingFilter,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../../src/index.ts'
import type { QuerySource, SeekableSource } from '../../../src/types.ts'
import { readStart, writeStart } from '../../../src/policies/pagination/cursor.ts'
import { sqlSource } from '../../../src/storage/sql/query/sql-source.ts'
import type { SqlDatabase } from '../../../src/storage/sql/sql-database.ts'
import { DIALECTS, freshDatabase } from '../../proofs/databases.ts'

interface Row {
  id: number
  slug: string
  title: string
}

const long = (start: string, end: string): string => start + 'x'.repeat(20_000) + end
const SHARED = long('m', '')
/** Some differ from their neighbours in the beginning, some only behind 20,000 characters, two not at all. */
const TITLES = [
  'a',
  long('"'.repeat(20), '1'),
  'm',
  long('m', '1'),
  long('m', '2'),
  long('m', '2'),
  long('m', '3'),
  long('☕', ''),
  long('😀', ''),
  'z',
  SHARED,
]
const rowsOf = (): Row[] => TITLES.map((title, at) => ({ id: at + 1, slug: `s${at}`, title }))

type Source = QuerySource<Row, string> & SeekableSource<Row, string>

/** The addresses of a list, and a walk through it that says what it has seen. */
function listOf(source: Source, size = 1) {
  const api = defineApi({
    urls: { rows: '/rows/' },
    filters: [new OrderingFilter()],
    pagination: new CursorPagination({ ordering: 'id', pageSize: size }),
  })
  const endpoint = api
    .endpoint('rows')
    .get(list({ source, orderingFields: ['title', 'slug', 'id'] }))
  const app = api.serve([endpoint], {
    configuration: configurationOf({ SECRET_KEY: 'a long random text' }),
  })
  const links: string[] = []
  const ask = async (link: string) => {
    links.push(link)
    const answer = await app.fetch(new Request(new URL(link, 'http://localhost')))
    expect(answer.status).toBe(200)
    return (await answer.json()) as { next: string | null; previous: string | null; results: Row[] }
  }
  const walk = async (start: string, side: 'next' | 'previous' = 'next') => {
    const seen: number[] = []
    let link: string | null = start
    for (let pages = 0; link !== null && pages < 40; pages++) {
      const page = await ask(link)
      seen.push(...page.results.map(({ id }) => id))
      link = page[side]
    }
    return seen
  }
  return { ask, walk, links }
}

describe.each(['an array', ...DIALECTS.map(([name]) => name)])('long texts in %s', (name) => {
  async function opened(): Promise<{
    source: Source
    remove: (id: number) => Promise<void>
    change: (id: number, title: string) => Promise<void>
  }> {
    const dialect = DIALECTS.find(([each]) => each === name)?.[1]
    if (dialect === undefined) {
      const rows = rowsOf()
      const at = (id: number) => rows.findIndex((row) => row.id === id)
      return {
        source: arraySource(rows, { key: 'id' }) as Source,
        remove: async (id) => void rows.splice(at(id), 1),
        change: async (id, title) => void (rows[at(id)]!.title = title),
      }
    }
    const database: SqlDatabase = await freshDatabase(dialect)
    onTestFinished(() => database.close())
    const text = dialect === 'mysql' ? 'longtext character set utf8mb4 collate utf8mb4_bin' : 'text'
    await database.write({
      sql: `create table item (id int primary key, slug varchar(20) not null, title ${text} not null)`,
      parameters: [],
    })
    const db = database.kysely<{ item: Row }>()
    await db.insertInto('item').values(rowsOf()).execute()
    return {
      source: sqlSource({ database, query: db.selectFrom('item').selectAll(), key: 'id' }) as never,
      remove: async (id) => void (await db.deleteFrom('item').where('id', '=', id).execute()),
      change: async (id, title) =>
        void (await db.updateTable('item').set({ title }).where('id', '=', id).execute()),
    }
  }

  test.each([1, 2, 3])(
    'no row is lost and none comes twice, in either direction, %i a page',
    async (size) => {
      const { source } = await opened()
      for (const ordering of ['title', '-title', 'title,slug', '-title,slug', 'slug,-title']) {
        const { ask, walk, links } = listOf(source, size)
        const seen = await walk(`/rows/?ordering=${ordering}`)
        expect([...seen].toSorted((a, b) => a - b)).toEqual(TITLES.map((_, at) => at + 1))
        const all = await listOf(source, 100).walk(`/rows/?ordering=${ordering}`)
        expect([ordering, seen]).toEqual([ordering, all])
        // From the last page back to the first.
        let page = await ask(links.at(-1)!)
        const back = [page.results]
        while (page.previous !== null) back.unshift((page = await ask(page.previous)).results)
        expect(back.flat().map(({ id }) => id)).toEqual(all)
        expect(Math.max(...links.map((link) => link.length))).toBeLessThan(4000)
      }
    },
  )

  // The walk goes on at the first characters: what shares them may come again or be left out, and nothing else.
  test.each([
    ['-title', 'is gone'],
    ['title', 'is gone'],
    ['-title', 'has another text'],
    ['title', 'has another text'],
  ])('by %s: a row that %s', async (ordering, how) => {
    const { source, remove, change } = await opened()
    const { ask, walk } = listOf(source)
    const order = await walk(`/rows/?ordering=${ordering}`)
    const at = order.indexOf(7)
    let page = await ask(`/rows/?ordering=${ordering}`)
    for (let pages = 0; pages < at; pages++) page = await ask(page.next!)
    expect(page.results[0]!.id).toBe(7)
    if (how === 'is gone') await remove(7)
    else await change(7, ordering === 'title' ? 'a' : 'z')
    const rest = await walk(page.next!)
    const others = (ids: readonly number[]) =>
      ids.filter((id) => !TITLES[id - 1]!.startsWith(SHARED))
    expect(others(rest)).toEqual(others(order.slice(at + 1)))
    expect(new Set(rest).size).toBe(rest.length)
  })

  test('a walk whose rows are removed as they come sees each of them', async () => {
    const { source, remove } = await opened()
    const { ask } = listOf(source, 2)
    const seen: number[] = []
    let link: string | null = '/rows/?ordering=title'
    while (link !== null) {
      const page: Awaited<ReturnType<typeof ask>> = await ask(link)
      for (const { id } of page.results) await remove(id)
      seen.push(...page.results.map(({ id }) => id))
      link = page.next
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(TITLES.map((_, at) => at + 1))
  })
})

// The beginning of one is another number, or no value of JSON.
describe.each([
  ['numeric', (at: number) => `${(at % 2) - 1 || ''}${at + 1}`.padEnd(3000, '7')],
  ['jsonb', (at: number) => JSON.stringify({ a: 'x'.repeat(3000), at })],
])('long values of %s in PostgreSQL', (type, valueOf) => {
  const COUNT = 6
  async function opened() {
    const database = await freshDatabase('postgres')
    onTestFinished(() => database.close())
    await database.write({
      sql: `create table item (id int primary key, slug text not null, title ${type} not null)`,
      parameters: [],
    })
    const db = database.kysely<{ item: Row }>()
    const rows = Array.from({ length: COUNT }, (_, at) => ({
      id: at,
      slug: `s${at}`,
      title: valueOf(at),
    }))
    await db.insertInto('item').values(rows).execute()
    const query = db.selectFrom('item').select(['id', 'slug', 'title'])
    return { db, source: sqlSource({ database, query, key: 'id' }) as unknown as Source }
  }

  test.each(['title', '-title', '-title,slug', 'slug,-title'])('by %s', async (ordering) => {
    const { source } = await opened()
    const seen = await listOf(source).walk(`/rows/?ordering=${ordering}`)
    expect(seen).toEqual(await listOf(source, 100).walk(`/rows/?ordering=${ordering}`))
    expect(seen).toHaveLength(COUNT)
  })

  test('a cursor whose row is gone is refused', async () => {
    const { db, source } = await opened()
    const { ask } = listOf(source, 3)
    const { next, results } = await ask('/rows/?ordering=title')
    await db.deleteFrom('item').where('id', '=', results.at(-1)!.id).execute()
    await expect(ask(next!)).rejects.toThrow('404')
  })
})

describe('a unique key that is long itself', () => {
  const made = async (count: number): Promise<SqlDatabase> => {
    const database = await freshDatabase('sqlite')
    onTestFinished(() => database.close())
    await database.write({
      sql: 'create table item (id int, slug text primary key, title text not null)',
      parameters: [],
    })
    const rows = Array.from({ length: count }, (_, at) => ({
      id: at,
      slug: `${'k'.repeat(3000)}${at + 100_000}`,
      title: 't',
    }))
    await database.kysely<{ item: Row }>().insertInto('item').values(rows).execute()
    return database
  }
  const sourceOf = (database: SqlDatabase): Source =>
    sqlSource({
      database,
      query: database.kysely<{ item: Row }>().selectFrom('item').selectAll(),
      key: 'slug',
    }) as never

  test('is found again', async () => {
    const { walk } = listOf(sourceOf(await made(30)))
    expect(await walk('/rows/?ordering=slug')).toEqual(Array.from({ length: 30 }, (_, at) => at))
    expect(await walk('/rows/?ordering=-title')).toEqual(
      Array.from({ length: 30 }, (_, at) => 29 - at),
    )
  })

  test('or the cursor is refused: it never begins anew', async () => {
    const { ask } = listOf(sourceOf(await made(200)), 150)
    const { next } = await ask('/rows/?ordering=slug')
    await expect(ask(next!)).rejects.toThrow('404')
  })

  test('is found among the first, however many follow', async () => {
    const { ask } = listOf(sourceOf(await made(200)), 90)
    const { next } = await ask('/rows/?ordering=slug')
    expect((await ask(next!)).results.map(({ id }) => id)).toEqual(
      Array.from({ length: 90 }, (_, at) => 90 + at),
    )
  })
})

test('a source that does not say that it takes beginnings is given whole texts', async () => {
  const whole = arraySource(rowsOf(), { key: 'id' })
  const source: SeekableSource<Row, string> = {
    count: () => whole.count(),
    slice: (offset, limit) => whole.slice(offset, limit),
    seek: ({ cut, ...request }) => {
      expect(cut).toBe(undefined)
      return whole.seek(request as never)
    },
  }
  const api = defineApi({
    urls: { rows: '/rows/' },
    pagination: new CursorPagination({ ordering: 'title', pageSize: 2 }),
  })
  const app = api.serve([api.endpoint('rows').get(list({ source }))], {
    configuration: configurationOf({ SECRET_KEY: 'a long random text' }),
  })
  const seen: number[] = []
  for (let link: string | null = 'http://localhost/rows/'; link !== null && seen.length < 40;) {
    const answer: Response = await app.fetch(new Request(link))
    const page = (await answer.json()) as { next: string | null; results: Row[] }
    seen.push(...page.results.map(({ id }) => id))
    link = page.next
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(TITLES.map((_, at) => at + 1))
})

describe('a long text in a cursor', () => {
  const start = (...position: string[]) => ({ reverse: false, position })

  test('is its beginning, however many there are and whatever they take as JSON', () => {
    for (const [one, count] of [
      ['x', 1],
      ['\0', 1],
      ['漢', 3],
      ['"', 12],
      ['😀', 12],
    ] as const) {
      const position = Array<string>(count).fill(one.repeat(20_000))
      const text = writeStart(start(...position, 'key'))
      expect(Buffer.byteLength(text)).toBeLessThan(2400 + 60 * count)
      const read = readStart(text)!
      expect(Object.keys(read.cut!)).toHaveLength(count)
      for (const [at, whole] of position.entries()) {
        const beginning = read.position![at] as string
        expect(whole.startsWith(beginning) && beginning.length > 20).toBe(true)
        expect(beginning.isWellFormed()).toBe(true)
      }
      expect(read.position!.at(-1)).toBe('key')
    }
  })

  test('is marked in the form that links of clients have', () => {
    const cut = { reverse: true, position: ['begin', 'key'], cut: { 0: 'digest' } }
    expect(readStart('[1,["c","begin","digest"],"key"]')).toEqual(cut)
  })

  test('that fits is whole', () => {
    const position = ['x'.repeat(1200), 'y'.repeat(1100)]
    expect(readStart(writeStart(start(...position)))).toEqual(start(...position))
  })
})
