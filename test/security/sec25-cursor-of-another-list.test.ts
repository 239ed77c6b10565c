import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  URLPathVersioning,
  arraySource,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'

const owner = (id: number) => ({ id, isAuthenticated: true })

const notes = Array.from({ length: 24 }, (_, id) => ({ id, thread: id % 2, size: id % 5 }))
const api = defineApi({
  urls: {
    notes: '/threads/:thread<int>/notes/',
    mine: '/mine/',
    versioned: '/:version/notes/',
  },
  pagination: new CursorPagination({ pageSize: 3, ordering: 'id' }),
  filters: [new FieldFilter(), new OrderingFilter()],
})
const ofThread = list({
  source: ({ params }) =>
    arraySource(
      notes.filter(({ thread }) => thread === params['thread']),
      { key: 'id' },
    ),
  orderingFields: ['id', 'size'],
  filterFields: ['size', 'id__gte'],
})
const mine = api
  .endpoint('mine', {
    pagination: new CursorPagination({ pageSize: 3, ordering: 'id', bindTo: 'user' }),
  })
  .get(list({ source: arraySource(notes, { key: 'id' }) }))
const versioned = api
  .endpoint('versioned', { versioning: new URLPathVersioning(), allowedVersions: ['v1', 'v2'] })
  .get(list({ source: arraySource(notes, { key: 'id' }) }))
const app = api.serve([api.endpoint('notes').get(ofThread), mine, versioned], {
  configuration: configurationOf({ SECRET_KEY: 'a secret of these tests' }),
})

const ask = (path: string, as?: object) => client(app).get(path, as && { as })
const cursorAfter = async (path: string, as?: object): Promise<string> => {
  const { data } = await ask(path, as)
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
    ['of another filter', '/threads/0/notes/?id__gte=1', '/threads/0/notes/?id__gte=2'],
    ['of no filter', '/threads/0/notes/', '/threads/0/notes/?id__gte=1'],
    ['of a filter that is gone', '/threads/0/notes/?id__gte=1', '/threads/0/notes/'],
    ['of another ordering', '/threads/0/notes/', '/threads/0/notes/?ordering=size'],
    ['of the opposite ordering', '/threads/0/notes/?ordering=id', '/threads/0/notes/?ordering=-id'],
  ])('one %s is 404', async (_, made, used) => {
    const cursor = await cursorAfter(made)
    const { status } = await ask(`${used}${used.includes('?') ? '&' : '?'}cursor=${cursor}`)
    expect(status).toBe(404)
  })
  test('one of another user is 404 where it is bound to users', async () => {
    const [ada, bob] = [owner(1), owner(2)]
    const cursor = await cursorAfter('/mine/', ada)
    const path = `/mine/?cursor=${cursor}`
    const statuses = [await ask(path, ada), await ask(path, bob), await ask(path)]
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 404])
  })

  test('the version is no other list: a walk may go on in the next one', async () => {
    const cursor = await cursorAfter('/v1/notes/')
    expect((await ask(`/v2/notes/?cursor=${cursor}`)).status).toBe(200)
  })
})
