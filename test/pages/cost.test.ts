// What a page costs beside its JSON: the same statements, three times the CPU time at most, and not much on the line.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  type App,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  retrieve,
  serializer,
  update,
} from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { type Statement, sqlSource } from '../../src/sqlite.ts'
import { client } from '../../src/testing.ts'
import { noting } from '../behaviour/filter-sources.ts'
import { temporarySqlite } from '../contract/temporary.ts'

interface City {
  readonly id: number
  readonly name: string
  readonly country: string
  readonly population: number
}

/** A list of cities, and the statements that it has sent since it was asked last. */
async function cities(): Promise<{ readonly app: App; readonly sent: () => readonly string[] }> {
  const database = temporarySqlite()
  const run = (sql: string) => database.write({ sql, parameters: [] })
  await run(
    'create table city (id integer primary key, name text, country text, population integer)',
  )
  await run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into city select i, 'City ' || i, 'Country ' || (i % 50), i * 1000 from n`,
  )
  const statements: Statement[] = []
  const source = sqlSource({
    database: noting(database, (statement) => statements.push(statement)),
    query: database
      .kysely<{ city: City }>()
      .selectFrom('city')
      .select(['id', 'name', 'country', 'population']),
    key: 'id',
  })
  const api = defineApi({
    urls: { cities: '/' },
    pagination: new PageNumberPagination({ pageSize: 100 }),
  })
  const city = serializer({
    id: field.integer(),
    name: field.text(),
    country: field.text(),
    population: field.integer(),
  })
  const filters = [new SearchFilter(), new OrderingFilter(), new FieldFilter()]
  const app = api.serve([
    api.endpoint('cities', { filters }).get(
      list({
        source,
        serializer: city,
        searchFields: ['name'],
        orderingFields: ['name', 'population'],
        filterFields: ['country', 'population__gte'],
      }),
    ),
  ])
  return { app, sent: () => statements.splice(0).map(({ sql }) => sql) }
}

test('a list is read by the statements that its JSON is read by, and none more', async () => {
  const { app, sent } = await cities()
  for (const path of ['/', '/?page=7', '/?search=City+1&ordering=-name&population__gte=5000']) {
    await client(app).get(path)
    const asJson = sent()
    expect(asJson.length).toBeGreaterThan(0)
    const { status } = await client(app).get(path, { headers: { accept: 'text/html' } })
    expect([status, sent()]).toEqual([200, asJson])
  }
})

test('forms ask nothing of the tables that their keys lead to, however long those are', async () => {
  const database = temporarySqlite()
  const run = (sql: string) => database.write({ sql, parameters: [] })
  await run('create table author (id integer primary key, name text)')
  await run('create table book (id integer primary key, author integer, editor integer)')
  await run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into author select i, 'Author ' || i from n`,
  )
  await run('insert into book values (1, 7, 8)')
  const sent: string[] = []
  const noted = noting(database, ({ sql }) => sent.push(sql))
  const tables = database.kysely<{
    author: { id: number; name: string }
    book: { id: number; author: number; editor: number }
  }>()
  const authors = sqlSource({
    database: noted,
    query: tables.selectFrom('author').selectAll(),
    key: 'id',
  })
  const query = tables.selectFrom('book').selectAll()
  const books = sqlSource({ database: noted, query, key: 'id' })
  const find = async (id: number) =>
    (await authors.where([{ field: 'id', operator: 'equals', value: id }]).slice(0, 1))[0]
  const book = serializer({
    id: field.integer({ readOnly: true }),
    author: field.hyperlink('author-detail'),
    editor: field.related({ find, list: 'author-list' }),
  })
  const api = defineApi({
    urls: defineUrls({
      books: '/books/',
      book: '/books/:id<int>/',
      'author-list': '/authors/',
      'author-detail': '/authors/:id<int>/',
    }),
    pagination: new PageNumberPagination({ pageSize: 100 }),
  })
  const row = async () => (await books.slice(0, 1))[0]
  const app = api.serve([
    api
      .endpoint('books')
      .get(list({ source: books, serializer: book }))
      .post(create({ serializer: book, save: () => ({ id: 2, author: 1, editor: 1 }) })),
    api
      .endpoint('book')
      .get(retrieve({ find: row, serializer: book }))
      .put(update({ find: row, serializer: book, save: (_input, _request, one) => one })),
    api.endpoint('author-list').get(list({ source: authors })),
    api.endpoint('author-detail').get(({ params }) => find(params.id)),
  ])
  for (const path of ['/books/', '/books/1/']) {
    sent.length = 0
    await client(app).get(path)
    const asJson = sent.splice(0)
    const { text } = await client(app).get(path, { headers: { accept: 'text/html' } })
    expect([path, sent]).toEqual([path, asJson])
    expect(sent.join()).not.toContain('author"."')
    expect(text).toContain('data-list="/authors/" data-member="url"')
    expect(text).toContain('data-list="/authors/" data-member="id"')
    expect(text).not.toContain('Author 299')
  }
})

test('100 rows are less than 100 kB', async () => {
  const { app } = await cities()
  const { text } = await client(app).get('/?page=3', { headers: { accept: 'text/html' } })
  expect(text.match(/<b>"population"<\/b>/g)).toHaveLength(100)
  expect(Buffer.byteLength(text)).toBeLessThan(100_000)
})

test('a page takes at most three times the CPU time of its JSON', async () => {
  const { app } = await cities()
  const server = await serve(app, { port: 0 })
  const worker = new Worker(CLIENT, { eval: true })
  const costOf = async (accept: string): Promise<number> => {
    const before = process.threadCpuUsage()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
    worker.postMessage({ url: server.url, accept, count: 100 })
    await once(worker, 'message')
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 100
  }
  let [json, page] = [Infinity, Infinity]
  // The cheapest round counts: the machine has other things to do.
  for (let round = 0; round < 30 && !(round > 8 && page <= 3 * json); round++) {
    json = Math.min(json, await costOf('application/json'))
    page = Math.min(page, await costOf('text/html'))
  }
  await worker.terminate()
  await server.close()
  expect({ json, page, isCheap: page <= 3 * json }).toEqual({ json, page, isCheap: true })
}, 60_000)

/** Asks one after the other, on a thread whose CPU time is its own. */
const CLIENT = `
const { parentPort } = require('node:worker_threads')
const { Agent, get } = require('node:http')
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const ask = (url, accept) =>
  new Promise((done) => get(url, { agent, headers: { accept } }, (answer) => answer.resume().on('end', done)))
parentPort.on('message', async ({ url, accept, count }) => {
  for (let page = 1; page <= count; page++) await ask(new URL('/?page=' + ((page % 49) + 1), url), accept)
  parentPort.postMessage(null)
})`
