import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  FieldFilter,
  PageNumberPagination,
  URLPathVersioning,
  arraySource,
  defineUrls,
  field,
  hyperlinks,
  include,
  serializer,
} from '../../../src/index.ts'
import { requestFor } from '../../../src/testing.ts'
import { ada } from '../../behaviour/fixtures.ts'

describe('what a request is made of', () => {
  test('nothing: an anonymous GET of the root', async () => {
    const { method, path, user, auth, version, params } = await requestFor()
    expect([method, path, auth, version, params]).toEqual(['GET', '/', null, null, {}])
    expect(user.isAuthenticated).toBe(false)
  })

  test('a path with parameters and a query', async () => {
    const { params, query, path } = await requestFor('/notes/:id<int>/:word/?page=2', {
      params: { id: 7, word: 'a b' },
    })
    expectTypeOf(params).toEqualTypeOf<{ readonly id: number; readonly word: string }>()
    expect([params, query.get('page'), path]).toEqual([
      { id: 7, word: 'a b' },
      '2',
      '/notes/7/a%20b/',
    ])
  })

  test('who asks, with what credential, in what version', async () => {
    const { user, auth, version } = await requestFor('/', { as: ada, auth: 'key', version: 'v2' })
    expectTypeOf(user).toEqualTypeOf<typeof ada>()
    expectTypeOf(version).toEqualTypeOf<'v2'>()
    expect([user, auth, version]).toEqual([ada, 'key', 'v2'])
  })

  test('headers, cookies, the environment, and a body that is read later', async () => {
    const { header, body, environ } = await requestFor('/', {
      method: 'POST',
      json: { a: 1 },
      headers: { 'X-Mine': 'yes' },
      environ: { REMOTE_USER: 'joe' },
    })
    expect([header('x-mine'), await body(), environ['REMOTE_USER']]).toEqual([
      'yes',
      { a: 1 },
      'joe',
    ])
  })

  test('settings: what code goes by, but nothing that refuses', async () => {
    const refuses = { hasPermission: () => false }
    const never = { admit: () => ({ allowed: false, wait: 1 }) }
    const { settings } = await requestFor('/', {
      settings: { pageSize: 3, permissions: [refuses], throttles: [never] },
    })
    expect(settings.pageSize).toBe(3)
  })
})

describe('addresses', () => {
  const urls = defineUrls({
    v1: include('/v1', { 'note-detail': '/notes/:id<int>/' }),
    root: '/:version<v1|v2>/',
  })

  test('are those of the table, with links', async () => {
    const { reverse, endpointName, namespace } = await requestFor('/v1/notes/:id<int>/', {
      urls,
      params: { id: 7 },
    })
    expect([endpointName, namespace]).toEqual(['v1:note-detail', ['v1']])
    expect(reverse('v1:note-detail', { id: 8 })).toBe('http://localhost/v1/notes/8/')
  })

  test('a scheme finds the version, which has to be the one that was named', async () => {
    const settings = { versioning: new URLPathVersioning() }
    const { version } = await requestFor('/v2/', { urls, settings, version: 'v2' })
    expect(version).toBe('v2')
    await expect(requestFor('/v2/', { urls, settings, version: 'v1' })).rejects.toThrow(
      'requestFor(): /v2/ is of version v2, not v1.',
    )
  })

  test('a path that no address fits is an error of the test', async () => {
    await expect(requestFor('/elsewhere/', { urls })).rejects.toThrow(
      /^requestFor\(\): GET \/elsewhere\/ was refused: 404/,
    )
  })
})

describe('what it is for', () => {
  test('serializers, with hyperlinks', async () => {
    const urls = defineUrls({ 'note-detail': '/notes/:id<int>/' })
    const note = serializer({
      url: hyperlinks(urls).identity('note-detail'),
      text: field.text({ maxLength: 5 }),
    })
    const request = await requestFor('/notes/:id<int>/', { urls, params: { id: 1 } })
    expect(note.represent({ id: 4, text: 'Hello' }, request)).toEqual({
      url: 'http://localhost/notes/4/',
      text: 'Hello',
    })
    await expect(note.parse({ text: 'too long' }, request)).rejects.toMatchObject({ status: 400 })
  })

  test('paginators and filters', async () => {
    const rows = arraySource<Record<string, unknown>>([1, 2, 3, 4, 5].map((id) => ({ id })))
    const request = await requestFor('/?page=2&id__gt=1', { settings: { pageSize: 3 } })
    const fields = {
      searchFields: null,
      orderingFields: null,
      ordering: null,
      filterFields: [{ name: 'id__gt', field: 'id', operator: 'gt' as const }],
    }
    const filtered = new FieldFilter().filter(rows, request, fields)
    const page = await new PageNumberPagination().paginate(filtered, request)
    expect(page!.rows).toEqual([{ id: 5 }])
  })
})
