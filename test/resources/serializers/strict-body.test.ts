// `strictBody`: members of a body that no field has.
import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  configurationOf,
  defineApi,
  field,
  resource,
  serializer,
} from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'
import { onLibraries } from '../../behaviour/library.ts'

const [library] = await onLibraries()
const { articles, reset } = library!
const UNKNOWN = ['There is no such field.']

function appOf(options: object = {}, own: object = {}) {
  const inner = serializer({ deep: field.integer({ required: false }) })
  const article = serializer({
    id: field.integer({ readOnly: true }),
    title: field.text(),
    words: field.integer({ since: 'v2', required: false }),
    parts: field.list(field.nested(inner), { writeOnly: true, required: false }),
  })
  const api = defineApi({
    urls: { 'article-list': '/', 'article-detail': '/:id<int>/' },
    versioning: new AcceptHeaderVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
    ...options,
  })
  const given = { slug: 'a', words: 1, author: 1, place: null, owner: 'ada' }
  const served = resource(api.group(own), 'article', {
    store: articles,
    serializer: article,
    performCreate: ({ title }, _request, store) => store.insert({ ...given, title }),
    performUpdate: ({ id }, { title = '' }, _request, store) => store.update(id, { title }),
  })
  return api.serve(served, { configuration: configurationOf() })
}

describe('unknown members of bodies', () => {
  const { post, patch, put } = client(appOf({ strictBody: true }))

  test('are named, with everything else that is wrong, also within objects', async () => {
    await reset()
    const parts = [{ deep: 1 }, { deep: 'x', depth: 1 }]
    const { status, data } = await post('/', { json: { titel: 'Fjords', constructor: 1, parts } })
    expect([status, data]).toEqual([
      400,
      {
        title: ['This field is missing.'],
        titel: UNKNOWN,
        constructor: UNKNOWN,
        parts: { 1: { deep: expect.anything() as unknown, depth: UNKNOWN } },
      },
    ])
    expect(await articles.source.count()).toBe(3)
  })

  test('are refused in PATCH and PUT and forms, and what is only shown may come back', async () => {
    await reset()
    expect((await patch('/1/', { json: { titel: 'Fjords' } })).data).toEqual({ titel: UNKNOWN })
    expect((await put('/1/', { json: { title: 'Fjords', id: 1 } })).status).toBe(200)
    const form = (body: string) =>
      patch('/1/', { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect((await form('titel=a')).data).toEqual({ titel: UNKNOWN })
    expect((await form('title=a&csrfmiddlewaretoken=b')).status).toBe(200)
  })

  test('include fields of another version', async () => {
    await reset()
    const json = { title: 'a', words: 2 }
    expect((await patch('/1/', { json })).data).toEqual({ words: UNKNOWN })
    const headers = { accept: 'application/json; version=v2' }
    expect((await patch('/1/', { json, headers })).status).toBe(200)
  })

  test('are named up to a thousand', async () => {
    const json = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${at}`, at]))
    expect(Object.keys((await patch('/1/', { json })).data as object)).toHaveLength(1000)
  })

  test('are ignored without it, and a group may say otherwise', async () => {
    await reset()
    const json = { titel: 'Fjords' }
    expect((await client(appOf()).patch('/1/', { json })).status).toBe(200)
    expect((await client(appOf({}, { strictBody: true })).patch('/1/', { json })).status).toBe(400)
  })

  test('are ruled out by the document, in what clients send', () => {
    const schemas = (options: object) => {
      const { components } = openApiDocument(appOf(options), { version: 'v1' }) as unknown as {
        components: { schemas: Record<string, { additionalProperties?: boolean }> }
      }
      return Object.entries(components.schemas)
        .filter(([, schema]) => schema.additionalProperties === false)
        .map(([name]) => name)
        .toSorted()
    }
    expect(schemas({})).toEqual([])
    expect(schemas({ strictBody: true })).not.toContain('Article')
    expect(schemas({ strictBody: true }).length).toBeGreaterThan(1)
  })
})
