// `openApi`: the documents of a service as one of its endpoints.
import { expect, test } from 'vitest'
import {
  BasicAuthentication,
  IsAdminUser,
  NamespaceVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { type OpenApiDocument, openApi, openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const ok = () => 'ok'
const configuration = configurationOf()
const paths = { 'city-list': '/cities/', openapi: '/openapi.json' } as const
const urls = defineUrls({ v1: include('/v1', paths), v2: include('/v2', paths) })

function serve(options?: Parameters<typeof openApi>[0]) {
  const api = defineApi({
    urls,
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const cities = api.endpoint('city-list').get(ok).post(ok)
  return api.serve([cities, api.endpoint('openapi').get(openApi(options))], { configuration })
}

test('each version has its document, with an address for each', async () => {
  const app = serve({ title: 'Gazetteer' })
  const answer = await client(app).get('/v1/openapi.json')
  const document = answer.data as OpenApiDocument
  expect(document.info).toEqual({
    title: 'Gazetteer',
    version: 'v1',
    description: 'Version v1 of Gazetteer.',
    contact: { name: 'Gazetteer' },
    license: { name: 'Not stated', identifier: 'NOASSERTION' },
  })
  expect(Object.keys(document.paths)).toEqual(['/v1/cities/', '/v1/openapi.json'])
  expect(document['x-versions']).toEqual([
    { version: 'v1', url: '?version=v1' },
    { version: 'v2', url: '?version=v2' },
  ])
  const other = await client(app).get('/v1/openapi.json?version=v2')
  expect((other.data as OpenApiDocument).info['version']).toBe('v2')
})

test('what the api says of itself stands in every document, before what is made up', async () => {
  const about = {
    title: 'Gazetteer',
    description: 'Cities of the world.',
    contact: { email: 'help@gazetteer.org' },
    license: { name: 'CC BY 4.0', identifier: 'CC-BY-4.0' },
  }
  const api = defineApi({ urls: { openapi: '/openapi.json' }, about })
  const app = api.serve([api.endpoint('openapi').get(openApi({ title: 'Cities' }))], {
    configuration,
  })
  const { data } = await client(app).get('/openapi.json')
  expect((data as OpenApiDocument).info).toEqual({ ...about, title: 'Cities', version: '1' })
  expect(openApiDocument(app).info).toEqual({ ...about, version: '1' })
  expect(openApiDocument(app, { description: 'Ours.' }).info['description']).toBe('Ours.')
})

test('a version that no endpoint has is 404', async () => {
  const { status, data } = await client(serve()).get('/v1/openapi.json?version=v9')
  expect([status, data]).toEqual([404, { detail: 'This version does not exist.' }])
})

test('without the parameter there is the version of the request alone', async () => {
  const app = serve({ versionParam: null })
  const { data } = await client(app).get('/v1/openapi.json?version=v2')
  expect((data as OpenApiDocument).info['version']).toBe('v1')
  expect((data as OpenApiDocument)['x-versions']).toEqual([{ version: 'v1' }, { version: 'v2' }])
})

test('who has the document already gets 304', async () => {
  const app = serve()
  const first = await client(app).get('/v2/openapi.json')
  const tag = first.header('etag')!
  expect(first.header('cache-control')).toBe('no-cache')
  const again = await client(app).get('/v2/openapi.json', { headers: { 'if-none-match': tag } })
  expect([again.status, again.header('etag')]).toEqual([304, tag])
  const other = await client(app).get('/v1/openapi.json', { headers: { 'if-none-match': tag } })
  expect(other.status).toBe(200)
})

test('endpoints may be left out', async () => {
  const app = serve({ shows: ({ name }) => !name.endsWith('openapi') })
  const { data } = await client(app).get('/v2/openapi.json')
  expect(Object.keys((data as OpenApiDocument).paths)).toEqual(['/v2/cities/'])
})

test('the permissions of the endpoint decide who sees it', async () => {
  const users = { authenticate: async () => null }
  const api = defineApi({ urls: { openapi: '/openapi.json' } })
  const policy = {
    authentication: [new BasicAuthentication({ users })],
    permissions: [new IsAdminUser()],
  }
  const app = api.serve([api.endpoint('openapi', policy).get(openApi())], { configuration })
  expect((await client(app).get('/openapi.json')).status).toBe(401)
})
