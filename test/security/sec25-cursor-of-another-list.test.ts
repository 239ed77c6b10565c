import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  OrderingFilter,
  URLPathVersioning,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const notes = Array.from({ length: 24 }, (_, id) => ({ id, thread: id % 2, size: id % 5 }))
const api = defineApi({
  urls: { notes: '/threads/:thread<int>/notes/', versioned: '/:version/notes/' },
  pagination: new CursorPagination({ pageSize: 3, ordering: 'id' }),
  filters: [new OrderingFilter()],
})
const ofThread = list({
  source: ({ params }) =>
    arraySource(
      notes.filter(({ thread }) => thread === params['thread']),
      { key: 'id' },
    ),
  orderingFields: ['id', 'size'],
})
const versioned = api
  .endpoint('versioned', { versioning: new URLPathVersioning(), allowedVersions: ['v1', 'v2'] })
  .get(list({ source: arraySource(notes, { key: 'id' }) }))
const app = api.serve([api.endpoint('notes').get(ofThread), versioned], {
  configuration: configurationOf({ SECRET_KEY: 'a secret of these tests' }),
})

const ask = (path: string) => client(app).get(path)
const cursorAfter = async (path: string): Promise<string> => {
  const { data } = await ask(path)
  return new URL((data as { next: string }).next).searchParams.get('cursor')!
}

describe('SEC25: a cursor is one of the list that it was made for', () => {
  test('it is good where it was made', async () => {
    const cursor = await cursorAfter('/threads/0/notes/')
    const { status, data } = await ask(`/threads/0/notes/?cursor=${cursor}`)
    expect(status).toBe(200)
    expect((data as { results: unknown[] }).results).toEqual(
      [6, 8, 10].map((id) => ({ id, thread: 0, size: id % 5 })),
    )
  })

  test.each([
    ['of another path parameter', '/threads/0/notes/', '/threads/1/notes/'],
    ['of another version', '/v1/notes/', '/v2/notes/'],
    ['of another ordering', '/threads/0/notes/', '/threads/0/notes/?ordering=size'],
    ['of the opposite ordering', '/threads/0/notes/?ordering=id', '/threads/0/notes/?ordering=-id'],
  ])('one %s is 404', async (_, made, used) => {
    const cursor = await cursorAfter(made)
    const { status } = await ask(`${used}${used.includes('?') ? '&' : '?'}cursor=${cursor}`)
    expect(status).toBe(404)
  })
})
