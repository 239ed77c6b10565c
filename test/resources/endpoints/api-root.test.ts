import { expect, test } from 'vitest'
import {
  NamespaceVersioning,
  URLPathVersioning,
  apiRoot,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'

const quiet = { configuration: configurationOf() }
const ok = () => 'ok'
const links = { articles: 'article-list', reports: 'report-list' } as const

test('X6 in a namespace its own addresses come first, then those outside', async () => {
  const api = defineApi({
    urls: defineUrls({
      'report-list': '/reports/',
      'article-list': '/articles/',
      inner: include('/inner', { root: '/', 'article-list': '/articles/' }),
    }),
  })
  const app = api.serve(
    [
      api.endpoint('report-list').get(ok),
      api.endpoint('article-list').get(ok),
      api.endpoint('inner:root').get(apiRoot(links)),
      api.endpoint('inner:article-list').get(ok),
    ],
    quiet,
  )
  expect((await client(app).get('/inner/')).data).toEqual({
    articles: 'http://localhost/inner/articles/',
    reports: 'http://localhost/reports/',
  })
})

test('X5 what a version does not have is left out', async () => {
  const api = defineApi({
    urls: defineUrls({
      v1: include('/v1', { root: '/', 'article-list': '/articles/' }),
      v2: include('/v2', { root: '/', 'article-list': '/articles/', 'report-list': '/reports/' }),
    }),
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1', 'v2'],
  })
  const app = api.serve(
    [
      api.endpoint('root').get(apiRoot(links)),
      api.endpoint('article-list').get(ok),
      api.endpoint('v2:report-list').get(ok),
    ],
    quiet,
  )
  const { get } = client(app)
  expect((await get('/v1/')).data).toEqual({ articles: 'http://localhost/v1/articles/' })
  expect((await get('/v2/')).data).toEqual({
    articles: 'http://localhost/v2/articles/',
    reports: 'http://localhost/v2/reports/',
  })
})

test('X5 the version of the path and the suffix stay', async () => {
  const api = defineApi({
    urls: defineUrls({
      root: '/:version<v1|v2>/root',
      'article-list': '/:version<v1|v2>/articles',
      'report-list': '/reports',
    }),
    formatSuffixes: true,
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v1',
  })
  const app = api.serve(
    [
      api.endpoint('root').get(apiRoot(links)),
      api.endpoint('article-list').get(ok),
      api.endpoint('report-list').get(ok),
    ],
    quiet,
  )
  const { get } = client(app)
  expect((await get('/v2/root')).data).toEqual({
    articles: 'http://localhost/v2/articles',
    reports: 'http://localhost/reports',
  })
  expect((await get('/v2/root.json')).data).toMatchObject({
    articles: 'http://localhost/v2/articles.json',
  })
})

test('a name that no address has refuses to start, and names the nearest', () => {
  const api = defineApi({ urls: defineUrls({ root: '/', 'doctor-list': '/doctors/' }) })
  const root = apiRoot({ doctors: 'doctors-list' as never })
  const endpoints = [api.endpoint('root').get(root), api.endpoint('doctor-list').get(ok)]
  expect(() => api.serve(endpoints, quiet)).toThrow(
    'GET of endpoint root: Its link "doctors": No address is named "doctors-list". Did you mean "doctor-list"?',
  )
})
