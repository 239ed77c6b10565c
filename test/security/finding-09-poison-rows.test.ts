// A row that cannot be shown must not take a list from everybody: it does not come in, and where it is
// there already, what has no form is null.
import { describe, expect, test } from 'vitest'
import {
  arraySource,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  partialUpdate,
  resource,
  retrieve,
  serializer,
} from '../../src/index.ts'
import type { AnyField } from '../../src/types.ts'
import { sqlSource, sqlTable } from '../../src/sql.ts'
import { client } from '../../src/testing.ts'
import {
  DATABASES,
  type Dialect,
  freshDatabase,
  run,
  withValues,
} from '../storage/sql/query/query-fixture.ts'

type Line = Readonly<Record<string, unknown>>

/** Keys that a client may choose, and no address of the route can hold. */
const POISON = ['..', '.']

const tags = () => {
  const rows: { slug: string; name: string }[] = []
  const lines: Line[] = []
  const urls = defineUrls({ 'tag-list': '/tags/', 'tag-detail': '/tags/:slug/' })
  const logger = { error: (line: Line) => lines.push(line) }
  const api = defineApi({ urls, logger })
  const tag = serializer({
    url: field.identity({ route: 'tag-detail', param: 'slug' }),
    slug: field.text(),
    name: field.text({ default: '' }),
  })
  const find = ({ params }: { params: { slug: string } }) =>
    rows.find(({ slug }) => slug === params.slug)
  const app = api.serve(
    [
      api
        .endpoint('tag-list')
        .get((request) => list({ source: arraySource(rows), serializer: tag }).handle(request))
        .post(
          create({
            serializer: tag,
            save: (input) => {
              rows.push(input)
              return input
            },
          }),
        ),
      api
        .endpoint('tag-detail')
        .get(retrieve({ find, serializer: tag }))
        .patch(
          partialUpdate({
            find,
            serializer: tag,
            save: (input, _request, row) => Object.assign(row, input),
          }),
        ),
    ],
    { configuration: configurationOf() },
  )
  return { ...client(app), rows, lines }
}

describe('what reverse cannot address is refused on input', () => {
  test.each(POISON)('POST of %j is 400 under the field, and nothing is stored', async (slug) => {
    const { post, get, rows } = tags()
    const { status, data } = await post('/tags/', { json: { slug } })
    expect([status, data]).toEqual([400, { slug: ['This value cannot be part of an address.'] }])
    expect(rows).toEqual([])
    expect((await get('/tags/')).status).toBe(200)
  })

  test.each(POISON)('PATCH to %j, too', async (slug) => {
    const { patch, rows } = tags()
    rows.push({ slug: 'a', name: '' })
    expect((await patch('/tags/a/', { json: { slug } })).status).toBe(400)
    expect(rows).toEqual([{ slug: 'a', name: '' }])
  })

  test('what an address can hold is taken, slashes and all', async () => {
    const { post, get } = tags()
    for (const slug of ['a/b', '...', 'ü', '%2e', 'a/../b']) {
      const { status, header, data } = await post('/tags/', { json: { slug } })
      expect(status).toBe(201)
      const { url } = data as { url: string }
      expect(header('location')).toBe(url)
      expect((await get(new URL(url).pathname)).data).toMatchObject({ slug })
    }
  })
})

describe('where it is there already', () => {
  test('the list is shown, the link is null, and the log is told once a second, with a count', async () => {
    const { get, rows, lines } = tags()
    rows.push({ slug: 'a', name: 'A' }, { slug: '..', name: 'B' }, { slug: '', name: 'C' })
    const { status, data } = await get('/tags/')
    expect(status).toBe(200)
    expect(data).toEqual([
      { url: 'http://localhost/tags/a/', slug: 'a', name: 'A' },
      { url: null, slug: '..', name: 'B' },
      { url: null, slug: '', name: 'C' },
    ])
    for (let index = 0; index < 20; index++) await get('/tags/')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      event: 'value.unshowable',
      endpoint: 'tag-list',
      field: 'url',
      value: '".."',
      count: 1,
    })
  })

  test('a path parameter that reverse could not put back is in no path', async () => {
    const { get, rows } = tags()
    rows.push({ slug: '..', name: '' }, { slug: '.', name: '' })
    for (const path of ['/tags/%2E%2E/', '/tags/%2e/', '/tags/.%2e/', '/tags/%2E./'])
      expect((await get(path)).status).toBe(404)
  })

  test.each(['/rest/%2E%2E', '/rest/a/%2e%2e/b', '/rest/a/%2E'])('nor %s', async (path) => {
    const api = defineApi({ urls: defineUrls({ rest: '/rest/:path<path>' }) })
    const endpoint = api.endpoint('rest').get(({ reverse, params }) => reverse('rest', params))
    const { get } = client(api.serve([endpoint], { configuration: configurationOf() }))
    expect((await get(path)).status).toBe(404)
    expect((await get('/rest/a/..b')).data).toBe('http://localhost/rest/a/..b')
  })
})

describe.each(DATABASES)('%s: a resource that is keyed by a text', (_name, dialect) => {
  async function serving() {
    const database = await freshDatabase(dialect)
    await run(database, `create table tag (slug varchar(40) primary key, name varchar(40))`)
    const db = database.kysely<{ tag: { slug: string; name: string | null } }>()
    const store = sqlTable({ database, db, table: 'tag', key: 'slug' })
    const urls = defineUrls({ 'tag-list': '/tags/', 'tag-detail': '/tags/:slug<slug>/' })
    const api = defineApi({ urls })
    const tag = serializer({
      slug: field.text(),
      name: field.text({ required: false, nullable: true }),
    })
    const app = api.serve([...resource(api, 'tag', { store, serializer: tag })], {
      configuration: configurationOf(),
    })
    return client(app)
  }

  test('takes no key that its own address cannot hold, also without a link', async () => {
    const { post, patch, put, get } = await serving()
    for (const slug of [...POISON, 'a b', 'a/b', 'ü'])
      expect(await post('/tags/', { json: { slug } })).toMatchObject({
        status: 400,
        data: { slug: ['This value cannot be part of an address.'] },
      })
    expect((await post('/tags/', { json: { slug: 'a' } })).status).toBe(201)
    expect((await patch('/tags/a/', { json: { slug: '..' } })).status).toBe(400)
    expect((await put('/tags/a/', { json: { slug: '.' } })).status).toBe(400)
    expect((await patch('/tags/a/', { json: { slug: 'b' } })).status).toBe(200)
    expect((await get('/tags/')).data).toMatchObject([{ slug: 'b' }])
  })
})

/** A type, what is stored in a row, the field that shows it, and what is shown; the second row is well. */
type Hostile = readonly [
  type: string,
  stored: string,
  field: AnyField,
  shown: unknown,
  well: string,
]

const HOSTILE: Readonly<Record<Dialect, readonly Hostile[]>> = {
  sqlite: [
    ['numeric', `'NaN'`, field.decimal({ decimalPlaces: 2 }), null, '1'],
    ['real', '9e999', field.float(), null, '1'],
    ['real', '-9e999', field.integer(), null, '1'],
    ['real', '9e999', field.bigInteger(), null, '1'],
    ['text', `'9e999'`, field.decimal({ coerceToString: false }), null, `'1'`],
    ['integer', `'many'`, field.integer(), null, '1'],
    ['integer', '9223372036854775807', field.integer(), 9223372036854775807n, '1'],
    ['date', '5', field.date(), null, `'2026-01-01'`],
    ['date', `'20260-01-01'`, field.date(), null, `'2026-01-01'`],
    ['datetime', `'soon'`, field.dateTime(), null, `'2026-01-01T00:00:00Z'`],
    ['datetime', '1e300', field.dateTime(), null, '0'],
    ['datetime', '1e15', field.dateTime(), null, '0'],
    ['datetime', `x'00'`, field.dateTime(), null, '0'],
    ['time', `'late'`, field.time(), 'late', `'10:00:00'`],
    ['', `'long'`, field.duration(), null, '60'],
    ['text', `x'ff00'`, field.text(), null, `'x'`],
    ['text', `cast(x'61ff62' as text)`, field.text(), 'a\ufffdb', `'x'`],
    ['text', `cast(x'6100' as text)`, field.text(), 'a\0', `'x'`],
    ['text', `cast(x'eda080' as text)`, field.text(), '\ufffd\ufffd\ufffd', `'x'`],
    ['text', `'{broken'`, field.json(), '{broken', `'1'`],
    ['text', `'none'`, field.list(field.integer()), null, 'null'],
    ['text', `x'00'`, field.choice(['a']), null, `'a'`],
    ['text', `x'00'`, field.hyperlink('item'), null, 'null'],
    ['boolean', '9e999', field.boolean(), true, '1'],
  ],
  postgres: [
    ['numeric', `'NaN'`, field.decimal({ decimalPlaces: 2 }), null, '1'],
    ['numeric', `'Infinity'`, field.decimal(), null, '1'],
    ['float8', `'NaN'`, field.float(), null, '1'],
    ['float8', `'-Infinity'`, field.float(), null, '1'],
    ['float8[]', `'{1,NaN}'`, field.list(field.float()), null, `'{1}'`],
    ['date', `'infinity'`, field.date(), null, `'2026-01-01'`],
    ['date', `'10000-01-01'`, field.date(), null, `'2026-01-01'`],
    ['date', `'0044-03-15 BC'`, field.date(), null, `'2026-01-01'`],
    ['timestamptz', `'-infinity'`, field.dateTime(), null, 'now()'],
    ['timestamptz', `'294276-12-31'`, field.dateTime(), null, 'now()'],
    ['timestamp', `'0044-03-15 BC'`, field.dateTime(), null, 'now()'],
    ['time', `'24:00:00'`, field.time(), '24:00:00', `'10:00'`],
    ['bigint', '9223372036854775807', field.integer(), 9223372036854775807n, '1'],
    ['bytea', `'\\xff00'`, field.text(), null, 'null'],
    ['jsonb', `'"text"'`, field.list(field.integer()), null, `'[1]'`],
  ],
  mysql: [
    ['date', `'0000-00-00'`, field.date(), null, `'2026-01-01'`],
    ['datetime', `'0000-00-00 00:00:00'`, field.dateTime(), null, 'now()'],
    ['time', `'-838:59:59'`, field.time(), '-838:59:59', `'10:00'`],
    ['bigint unsigned', '18446744073709551615', field.integer(), 18446744073709551615n, '1'],
    ['decimal(65,30)', '1e34', field.decimal(), expect.stringMatching(/^1(0){34}/), '1'],
    ['blob', `x'ff00'`, field.text(), null, 'null'],
    ['longtext', `'{broken'`, field.json(), '{broken', `'1'`],
  ],
}

describe.each(DATABASES)('%s: a hostile value', (_name, dialect) => {
  test.each(HOSTILE[dialect])('%s %s', async (type, stored, kind, shown, well) => {
    const lines: Line[] = []
    const database = await withValues(dialect, type, [])
    await run(database, ...inserts(dialect, stored, well))
    const query = database
      .kysely<{ item: { id: number; value: never } }>()
      .selectFrom('item')
      .select(['id', 'value'])
    const api = defineApi({
      urls: defineUrls({ item: '/items/:id<int>/', items: '/items/' }),
      logger: { error: (line: Line) => lines.push(line) },
    })
    const item = serializer({ id: field.integer(), value: kind })
    const app = api.serve(
      [
        api.endpoint('item').get(() => null),
        api
          .endpoint('items')
          .get(list({ source: sqlSource({ database, query, key: 'id' }), serializer: item })),
      ],
      { configuration: configurationOf() },
    )
    const { status, data } = await client(app).get('/items/')
    expect([status, lines.filter(({ event }) => event !== 'value.unshowable')]).toEqual([200, []])
    const rows = data as { id: number; value: unknown }[]
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual({ id: 1, value: typeof shown === 'bigint' ? Number(shown) : shown })
    expect(lines).toHaveLength(shown === null ? 1 : 0)
  })
})

function inserts(dialect: Dialect, stored: string, well: string): readonly string[] {
  const rows = [
    `insert into item (id, value) values (1, ${stored})`,
    `insert into item (id, value) values (2, ${well})`,
  ]
  return dialect === 'mysql' ? rows.map((row) => `set statement sql_mode='' for ${row}`) : rows
}
