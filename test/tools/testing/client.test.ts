import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  PageNumberPagination,
  URLPathVersioning,
  arraySource,
  defineApi,
  defineUrls,
  field,
  list,
  reply,
  resource,
  resourceUrls,
  retrieve,
  serializer,
} from '../../../src/index.ts'
import { Form, type UploadedFile } from '../../../src/core/std/http/form.ts'
import { client } from '../../../src/testing.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const api = defineApi({ urls: { cookies: '/cookies/', body: '/body/' } })
const app = api.serve(
  [
    api
      .endpoint('cookies')
      .get(({ header }) => header('cookie'))
      .post(() =>
        reply('set', {
          headers: { 'Set-Cookie': ['a=1; Path=/', 'b=x=y; HttpOnly', 'c=; Max-Age=0'] },
        }),
      ),
    api.endpoint('body').post(async ({ body, header }) => {
      const sent = await body()
      return {
        type: header('content-type'),
        sent: sent instanceof Form ? 'a form' : sent,
      }
    }),
  ],
  quiet,
)

describe('cookies of the test client', () => {
  test('those that an answer sets, by name', async () => {
    const { cookies } = await client(app).post('/cookies/')
    expect(cookies).toEqual({ a: '1', b: 'x=y', c: '' })
    expect((await client(app).get('/cookies/')).cookies).toEqual({})
  })

  test('are sent back as they came, but for those that were taken away', async () => {
    const { cookies } = await client(app).post('/cookies/')
    expect((await client(app).get('/cookies/', { cookies })).data).toBe('a=1; b=x=y')
  })
})

describe('bodies of the test client', () => {
  test.each([
    ['json', { json: { a: 1 } }, { type: 'application/json', sent: { a: 1 } }],
    ['a form', { form: { a: '1' } }, { type: 'application/x-www-form-urlencoded', sent: 'a form' }],
    ['an empty text, which is none', { body: '' }, { type: null, sent: {} }],
  ])('%s', async (_, options, seen) => {
    expect((await client(app).post('/body/', options)).data).toEqual(seen)
  })
})

test('multipart bodies of the test client have texts, lists, and files with name and type', async () => {
  const uploads = defineApi({ urls: { body: '/body/' } })
  const upload = uploads.endpoint('body').post(async ({ body }) => {
    const form = (await body()) as Form
    const { name, type, size } = form.get('scan') as UploadedFile
    return [form.get('title'), form.getAll('tag'), name, type, size]
  })
  const scan = new File([new Uint8Array(3)], 'ä b.png', { type: 'image/png' })
  const { data } = await client(uploads.serve([upload], quiet)).post('/body/', {
    multipart: { title: 'ä', tag: ['x', 'y'], scan },
  })
  expect(data).toEqual(['ä', ['x', 'y'], 'ä b.png', 'image/png', 3])
})

describe('an endpoint in place of a path', () => {
  const both = defineApi({
    urls: defineUrls({
      note: '/:version<v1|v2>/notes/:id<int>/',
      notes: '/:version<v1|v2>/notes/',
    }),
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    pagination: new PageNumberPagination({ pageSize: 1 }),
  })
  const note = serializer({ id: field.integer(), made: field.dateTime() })
  const rows = [1, 2].map((id) => ({ id, made: new Date(0) }))
  const one = both
    .endpoint('note')
    .get(
      retrieve({ find: ({ params }) => rows.find(({ id }) => id === params.id), serializer: note }),
    )
    .put(({ version }) => reply({ version, at: new Date(0) }, { status: 202 }))
  const all = both.endpoint('notes').get(list({ source: arraySource(rows), serializer: note }))
  const versions = both.serve([one, all], quiet)

  test('is asked at its address', async () => {
    const { data, status } = await client(versions).get(one, { params: { id: 2 } })
    expect([status, data]).toEqual([200, { id: 2, made: '1970-01-01T00:00:00Z' }])
  })

  test('in a version, with the data of a reply', async () => {
    const { data } = await client(versions).put(one, { params: { id: 2 }, version: 'v1' })
    expect(data).toEqual({ version: 'v1', at: '1970-01-01T00:00:00Z' })
  })

  test('a list with a query', async () => {
    const { data } = await client(versions).get(all, { query: { page: 2 } })
    expect((data as { results: unknown }).results).toEqual([
      { id: 2, made: '1970-01-01T00:00:00Z' },
    ])
  })

  test('only where the application has addresses', () => {
    const kernel = { handle: versions.handle }
    expect(() => client(kernel).get(one)).toThrow('an endpoint has a path only in')
  })
})

test('the endpoints of a resource type the data', async () => {
  const urls = defineUrls(resourceUrls('note', '/notes/', ':id<int>'))
  const notes = defineApi({ urls })
  const rows = [1, 2].map((id) => ({ id, made: new Date(0) }))
  const store = {
    key: 'id',
    source: arraySource(rows),
    find: (id: number) => rows.find((row) => row.id === id) ?? null,
    insert: (values: { id: number; made: Date }) => values,
    update: () => null,
    remove: () => true,
  }
  const fields = { id: field.integer(), made: field.dateTime() }
  const note = resource(notes, 'note', {
    store,
    serializer: serializer(fields),
    only: ['list', 'create', 'retrieve'],
    performCreate: ({ id }) => ({ id, made: new Date(0) }),
  })
  const { get, post } = client(notes.serve([...note], quiet))
  const one = await get(note.detail, { params: { id: 2 } })
  expectTypeOf(one.data).toEqualTypeOf<{ id: number; made: string }>()
  expect(one.data).toEqual({ id: 2, made: '1970-01-01T00:00:00Z' })
  const all = await get(note.list)
  if ('results' in all.data) throw new Error('It is not split into pages.')
  expect(all.data.map(({ id }) => id)).toEqual([1, 2])
  const { status, data } = await post(note.list, { json: { id: 3, made: '1970-01-01T00:00:00Z' } })
  expect([status, data.made]).toEqual([201, '1970-01-01T00:00:00Z'])
  const listed = resource(notes, 'note', { store, serializer: serializer(fields), only: ['list'] })
  // @ts-expect-error without an action there is no endpoint
  expect(listed.detail).toBeUndefined()
})
