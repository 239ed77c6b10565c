// Where each scheme of versions puts the version, as OpenAPI has it.
import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  firstOf,
  include,
} from '../../../src/index.ts'
import type { VersioningScheme } from '../../../src/types.ts'
import {
  type OpenApiDocument,
  openApi,
  openApiDocument,
  openApiDocuments,
} from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const ok = () => 'ok'
const configuration = configurationOf({ ALLOWED_HOSTS: ['.example.com'] })

function serve(
  path: `/${string}`,
  versioning: VersioningScheme,
  defaultVersion: string | null = null,
) {
  const api = defineApi({
    urls: { 'city-list': path },
    versioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion,
  })
  return api.serve([api.endpoint('city-list').get(ok)], { configuration })
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly { readonly schema: object }[]
  readonly responses: Readonly<Record<string, { readonly content: object }>>
}

const operation = (document: OpenApiDocument, path = '/cities/'): Described =>
  document.paths[path]!['get'] as Described
const mediaTypes = (document: OpenApiDocument): string[] =>
  Object.keys(operation(document).responses['2XX']!.content)

test('a namespace: each version has its own addresses, and operations the same names', () => {
  const paths = { 'city-list': '/cities/' } as const
  const urls = defineUrls({ v1: include('/v1', paths), v2: include('/v2', paths), open: '/open/' })
  const api = defineApi({
    urls,
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const open = api.endpoint('open', { versioning: null }).get(ok)
  const app = api.serve([api.endpoint('city-list').get(ok), open], { configuration })
  const documents = openApiDocuments(app)
  expect([...documents.keys()]).toEqual(['v1', 'v2'])
  expect(Object.keys(documents.get('v1')!.paths)).toEqual(['/v1/cities/', '/open/'])
  expect(Object.keys(documents.get('v2')!.paths)).toEqual(['/v2/cities/', '/open/'])
  for (const [version, document] of documents)
    expect(operation(document, `/${version}/cities/`).operationId).toBe('getCityList')
})

test.each([
  ['a namespace', new NamespaceVersioning(), '/v1/cities/'],
  ['a parameter of the path', new URLPathVersioning(), '/v1/cities/'],
])('%s: an address without a place for it is in all documents', async (_, versioning, cities) => {
  const paths = { 'city-list': '/cities/' } as const
  const isByPath = versioning instanceof URLPathVersioning
  const urls = isByPath
    ? defineUrls({ token: '/token/', 'city-list': '/:version<v1|v2>/cities/' })
    : defineUrls({ token: '/token/', v1: include('/v1', paths), v2: include('/v2', paths) })
  const api = defineApi({
    urls: urls as unknown as { token: '/token/'; 'city-list': '/:version<v1|v2>/cities/' },
    versioning: versioning as URLPathVersioning,
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
    versionHeader: 'API-Version',
  })
  const endpoints = [
    api.endpoint('token').get(({ version }) => version),
    api.endpoint('city-list').get(ok),
  ]
  const app = api.serve(endpoints, { configuration })
  const document = openApiDocument(app, { version: 'v1' })
  expect(Object.keys(document.paths)).toEqual(['/token/', cities])
  const answered = document.paths['/token/']!['get'] as {
    responses: { '2XX': { headers: object } }
  }
  expect(answered.responses['2XX'].headers).toEqual({
    'API-Version': { $ref: '#/components/headers/API-Version' },
  })
  // Its requests have the default, whatever their clients read (V31, V43).
  const { get, options } = client(app).expectContract()
  const headers = { host: 'example.com' }
  expect((await get('/token/', { headers })).data).toBe('v2')
  expect((await options('/token/', { headers })).data).toMatchObject({ versions: ['v2'] })
  expect(app.describe().map(({ versions }) => versions)[0]).toEqual(['v2'])
})

test('a parameter of the path: the version stands in it', () => {
  const app = serve('/:version<v1|v2>/cities/', new URLPathVersioning())
  expect(Object.keys(openApiDocument(app, { version: 'v1' }).paths)).toEqual(['/v1/cities/'])
  expect(Object.keys(openApiDocument(app).paths)).toEqual(['/v2/cities/'])
})

test('a parameter of the path that admits one version only', () => {
  const app = serve('/:version<v1>/cities/', new URLPathVersioning())
  expect(openApiDocument(app, { version: 'v2' }).paths).toEqual({})
})

test('a parameter of the query, needed unless the version is the default', () => {
  const app = serve('/cities/', new QueryParameterVersioning(), 'v1')
  const parameters = (version: string) => operation(openApiDocument(app, { version })).parameters
  expect(parameters('v2')).toEqual([
    expect.objectContaining({ name: 'version', in: 'query', required: true }),
  ])
  expect(parameters('v2')[0]!.schema).toEqual({ type: 'string', enum: ['v2'] })
  expect(parameters('v1')[0]).toMatchObject({ required: false, schema: { enum: ['v1'] } })
})

test('Accept: the version is a parameter of the media type', () => {
  const app = serve('/cities/', new AcceptHeaderVersioning(), 'v1')
  expect(mediaTypes(openApiDocument(app, { version: 'v2' }))).toEqual([
    'application/json; version=v2',
    '*/*',
  ])
  expect(mediaTypes(openApiDocument(app, { version: 'v1' }))).toEqual(['application/json', '*/*'])
})

test('a host: the version is a variable of a server', () => {
  const app = serve('/cities/', new HostNameVersioning())
  const { servers } = openApiDocument(app, { version: 'v2' }).paths['/cities/']!
  expect(servers).toEqual([
    {
      url: '//{version}.example.com',
      variables: { version: { enum: ['v2'], default: 'v2' } },
    },
  ])
})

describe('the document of a version that is in the host', () => {
  const serversOf = (pattern: RegExp, hosts: readonly string[], version: string) => {
    const api = defineApi({
      urls: { city: '/city/', openapi: '/openapi.json' },
      versioning: new HostNameVersioning({ hostnameRegex: pattern }),
      allowedVersions: ['v1', 'v2'],
      defaultVersion: 'v1',
    })
    const documents = api.endpoint('openapi', { versioning: null }).get(openApi())
    const app = api.serve([api.endpoint('city').get(ok), documents], {
      configuration: configurationOf({ ALLOWED_HOSTS: hosts }),
    })
    return openApiDocument(app, { version }).paths['/city/']!['servers']
  }
  const at = (url: string, version: string) => [
    { url, variables: { version: { enum: [version], default: version } } },
  ]
  test.each(['v1', 'v2'])('of %s, wherever it is read, by the hosts of the service', (version) => {
    const servers = serversOf(/^(v[12])\.(?:eu|us)\.example\.com$/, ['.eu.example.com'], version)
    expect(servers).toEqual(at('//{version}.eu.example.com', version))
  })
  test.each(['v1', 'v2'])('of %s by the pattern, where that is plain', (version) => {
    const servers = serversOf(/^(?<version>v[12])\.my-city\.example\.com$/, ['.com'], version)
    expect(servers).toEqual(at('//{version}.my-city.example.com', version))
  })
  test.each(['v1', 'v2'])('of %s says so, where no host is known', (version) => {
    const description = `Hosts of version ${version}, of which the document knows none: see ALLOWED_HOSTS.`
    const servers = serversOf(/^(v[12])\.(?:eu|us)\.example\.com$/, ['.com'], version)
    expect(servers).toEqual([{ url: '/', description }])
  })
})

test('several schemes: the first that works, and the others as they may be used', () => {
  const app = serve(
    '/cities/',
    firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]),
  )
  const document = openApiDocument(app, { version: 'v2' })
  expect(mediaTypes(document)).toEqual(['application/json; version=v2', '*/*'])
  expect(operation(document).parameters).toMatchObject([{ name: 'version', required: false }])
})

test('of several lists, that of most endpoints has the newest', () => {
  const api = defineApi({
    urls: defineUrls({ a: '/a/', b: '/b/', c: '/:version<v1>/c/', crm: '/crm/' }),
    versioning: new QueryParameterVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const allowedVersions = ['2025-01', '2026-01'] as const
  const crm = api.endpoint('crm', { allowedVersions }).get(ok)
  const c = api.endpoint('c', { versioning: new URLPathVersioning(), allowedVersions: ['v1'] })
  const others = [api.endpoint('a').get(ok), api.endpoint('b').get(ok), c.get(ok)]
  const app = api.serve([crm, ...others], { configuration })
  expect([...openApiDocuments(app).keys()]).toEqual([...allowedVersions, 'v1', 'v2'])
  expect(openApiDocument(app).info['version']).toBe('v2')
})

test('a version that no endpoint has is refused', () => {
  const app = serve('/cities/', new QueryParameterVersioning())
  expect(() => openApiDocument(app, { version: 'v3' })).toThrow('"v3". There are: v1, v2.')
  const { serve: withoutVersions } = defineApi({ urls: {} })
  expect(() => openApiDocument(withoutVersions([]), { version: 'v1' })).toThrow(
    '"v1". The service has none.',
  )
})
