import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  configurationOf,
  defineApi,
  field,
  resource,
  serializer,
  unique,
  uniqueTogether,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import type { ReadContext } from '../../../src/resources/serializers/declaration.ts'
import { onLibraries } from '../../behaviour/library.ts'

const at = (existing: object | null = null) => ({ existing, partial: false }) as ReadContext

const libraries = await onLibraries()

describe.each(libraries)('uniqueness on $on', ({ articles, reset }) => {
  let row: { id: number; title: string; slug: string; words: number }
  beforeAll(async () => {
    await reset()
    const fresh = { words: 10, author: 1, place: null, owner: 'ada' }
    row = await articles.insert({ ...fresh, title: 'Fjords', slug: 'Fjord-One' })
  })

  test('regardless of upper and lower case', async () => {
    const loose = unique(articles, 'slug', { ignoreCase: true })
    expect(await loose('fJORD-oNE', at())).toMatchObject({ code: 'unique' })
    expect(await loose('fJORD-oNE', at(row))).toBe(null)
    expect(await loose('fjord_one', at())).toBe(null)
    expect(await loose('fjord%', at())).toBe(null)
  })

  test('of a combination', async () => {
    const both = uniqueTogether(articles, ['slug', 'words'], { ignoreCase: ['slug'] })
    expect(await both({ slug: 'FJORD-ONE', words: 10 }, at())).toMatchObject({ code: 'unique' })
    expect(await both({ slug: 'FJORD-ONE', words: 11 }, at())).toBe(null)
    expect(await both({ slug: 'FJORD-ONE', words: 10 }, at(row))).toBe(null)
    expect(await both({ slug: 'FJORD-ONE', words: 'ten' }, at())).toBe(null)
  })
})

test('of a resource tells nothing of the rows that its scope leaves out', async () => {
  const { articles, reset } = libraries[0]!
  await reset()
  const text = (column: 'title' | 'slug') => field.text({ validators: [unique(articles, column)] })
  const article = serializer({ title: text('title'), slug: text('slug') })
  const api = defineApi({
    urls: { 'article-list': '/:author<int>/', 'article-detail': '/:author<int>/:id<int>/' },
  })
  const served = resource(api, 'article', {
    store: articles,
    serializer: article,
    scope: ({ params }) => ({ author: params.author }),
    performCreate: (input, _request, store) => store.insert({ ...input, words: 1, owner: 'ada' }),
  })
  const { post, patch } = client(api.serve(served, { configuration: configurationOf() }))
  const insert = async (author: number, title: string, slug: string) => {
    const { status, data } = await post(`/${author}/`, { json: { title, slug } })
    return status === 201 ? status : data
  }
  const taken = ['This value is already in use.']
  expect(await insert(1, 'Lakes', 'lakes')).toBe(201)
  expect(await insert(1, 'Lakes', 'lakes')).toEqual({ title: taken, slug: taken })
  expect(await insert(2, 'Lakes', 'lakes-again')).toBe(201)
  expect((await patch('/1/1/', { json: { title: 'Rivers' } })).status).toBe(200)
  expect(await insert(1, 'Rivers', 'other')).toEqual({ title: taken })
  // A constraint of the whole table has the last word.
  expect(await insert(2, 'Rivers', 'lakes')).toEqual({ slug: taken })
})

test('of a combination with the scope of a resource, where one refuses and the other does not', async () => {
  const { articles, reset } = libraries[0]!
  await reset()
  const article = serializer(
    {
      title: field.text(),
      slug: field.text(),
      words: field.integer(),
      place: field.integer({ nullable: true }),
      owner: field.text(),
    },
    { validators: [uniqueTogether(articles, ['author', 'place'])] },
  )
  const asked = vi.fn<(input: object) => void>()
  const api = defineApi({
    urls: { 'article-list': '/:author<int>/', 'article-detail': '/:author<int>/:id<int>/' },
  })
  const served = resource(api, 'article', {
    store: articles,
    serializer: article,
    scope: ({ params }) => ({ author: params.author }),
    performCreate: (input, _request, store) => {
      asked(input)
      return store.insert(input)
    },
  })
  const { post, patch } = client(api.serve(served, { configuration: configurationOf() }))
  const json = { title: 'x', slug: 'x', words: 1, place: 2, owner: 'ada' }
  const taken = await post('/1/', { json })
  expect([taken.status, taken.data]).toEqual([400, { place: ['This value is already in use.'] }])
  expect(asked).not.toHaveBeenCalled()
  expect((await post('/2/', { json })).status).toBe(201)
  expect((await patch('/1/1/', { json: { place: 2 } })).status).toBe(400)
  expect((await patch('/1/1/', { json: { place: 1 } })).status).toBe(200)
})
