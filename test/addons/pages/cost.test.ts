// What a page costs beside its JSON: the same statements, and not much on the line. `npm run bench -- pages` has the time.
import { expect, test } from 'vitest'
import {
  PageNumberPagination,
  QueryParameterVersioning,
  arraySource,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  retrieve,
  serializer,
  update,
} from '../../../src/index.ts'
import { sqlSource } from '../../../src/sql.ts'
import { client } from '../../../src/testing.ts'
import { noting } from '../../behaviour/filter-sources.ts'
import { temporarySqlite } from '../../contract/temporary.ts'
import { expectLinear } from '../../setup/linear.ts'
import { cities } from './cities.ts'

test('a list is read by the statements that its JSON is read by, and none more', async () => {
  const { app, sent } = await cities(temporarySqlite())
  for (const path of ['/', '/?page=7', '/?search=City+1&ordering=-name&population__gte=5000']) {
    const ask = () => client(app).get(path)
    // What the columns of a condition are is asked once.
    await ask()
    sent()
    await ask()
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

test('100 rows of four short columns are some 50 kB', async () => {
  const { app } = await cities(temporarySqlite())
  const { text } = await client(app).get('/?page=3', { headers: { accept: 'text/html' } })
  expect(text.match(/<b>"population"<\/b>/g)).toHaveLength(100)
  expect(Buffer.byteLength(text)).toBeLessThan(55_000)
})

test('a page costs in proportion to the parameters of its address', async () => {
  const versioning = new QueryParameterVersioning({
    allowedVersions: ['1', '2'],
    defaultVersion: '1',
  })
  const api = defineApi({ urls: { list: '/' }, versioning })
  const app = api.serve([api.endpoint('list').get(list({ source: arraySource([{ id: 1 }]) }))])
  await expectLinear(
    async (size) => {
      const names = Array.from({ length: size }, (_, at) => at.toString(36))
      const sent = { headers: { accept: 'text/html' } }
      const { status } = await client(app).get(`/?${names.join('&')}`, sent)
      expect(status).toBe(200)
    },
    { size: 2000 },
  )
})

test('a row with a long list is a page of a megabyte at most, without an input for each item', async () => {
  const marks = Array(95_001).fill(0)
  const row = { id: 1, marks }
  const mark = serializer({
    id: field.integer({ readOnly: true }),
    marks: field.list(field.integer()),
  })
  const api = defineApi({ urls: { row: '/' } })
  const endpoint = api
    .endpoint('row')
    .get(retrieve({ find: () => row, serializer: mark }))
    .put(update({ find: () => row, serializer: mark, save: (_input, _request, one) => one }))
  const http = client(api.serve([endpoint]))
  const page = () => http.get('/', { headers: { accept: 'text/html' } })
  const { text } = await page()
  expect(text.match(/<input/g)).toBeNull()
  expect(Buffer.byteLength(text)).toBeLessThan(1_100_000)
  marks.length = 3
  expect((await page()).text.match(/<input/g)!.length).toBeGreaterThan(3)
})
