// Links outside of requests are checked like those within.
import {
  type App,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  defineApi,
  include,
} from 'colophon'
import type { Kernel } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { api } from './fixtures.ts'

const makePlain = () => api.serve([])
declare const app: ReturnType<typeof makePlain>

export function plain(): void {
  const link = app.urlFor('article-detail', { id: 7 })
  // a link is a text
  expectType<Equal<typeof link, string>>()
  app.urlFor('article-list')
  app.urlFor('home', { language: 'de' })
  app.urlFor('article-detail', { id: 7 }, { origin: 'https://example.com', version: 'v1' })
  app.urlFor('article-list', {}, { format: 'json' })
  // @ts-expect-error no address has this name
  app.urlFor('article-lost')
  // @ts-expect-error `id` is a number
  app.urlFor('article-detail', { id: 'seven' })
  // @ts-expect-error `id` is asked for
  app.urlFor('article-detail')
  // @ts-expect-error also where options follow
  app.urlFor('article-detail', {}, { version: 'v1' })
  // @ts-expect-error names are full names
  app.urlFor('report-list')
  // @ts-expect-error nobody fills in a version of the path
  app.urlFor('editions')
  // @ts-expect-error there is no such option
  app.urlFor('article-list', {}, { host: 'example.com' })
  // @ts-expect-error an origin is a text
  app.urlFor('article-list', {}, { origin: new URL('https://example.com') })
}

const versioning = new URLPathVersioning()
const makePaths = () =>
  defineApi({ urls: { item: '/:version<v1|v2>/:id<int>/' }, versioning }).serve([])
const editions = {
  outside: '/outside/',
  v1: include('/v1', { item: '/:id<int>/', old: '/old/' }),
  v2: include('/v2', { item: '/:id<int>/' }),
} as const
const allowedVersions = ['v1', 'v2'] as const
const makeSpaces = () =>
  defineApi({ urls: editions, versioning: new NamespaceVersioning(), allowedVersions }).serve([])
const makeFirst = () =>
  defineApi({
    urls: editions,
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1'],
  }).serve([])
const makeQuery = () =>
  defineApi({ urls: editions, versioning: new QueryParameterVersioning() }).serve([])

export function schemes(
  paths: ReturnType<typeof makePaths>,
  spaces: ReturnType<typeof makeSpaces>,
  first: ReturnType<typeof makeFirst>,
  query: ReturnType<typeof makeQuery>,
): void {
  // the scheme of the api fills in its parameter
  paths.urlFor('item', { id: 7 }, { version: 'v2' })
  // which may also be given
  paths.urlFor('item', { id: 7, version: 'v2' })
  // @ts-expect-error with one of its values
  paths.urlFor('item', { id: 7, version: 'v3' })
  // @ts-expect-error the other parameters are asked for
  paths.urlFor('item', {}, { version: 'v2' })
  // short names where every version has them
  spaces.urlFor('item', { id: 7 }, { version: 'v2' })
  // @ts-expect-error v2 has no such name
  spaces.urlFor('old', {}, { version: 'v1' })
  spaces.urlFor('v1:old')
  spaces.urlFor('outside')
  // of one version all its names
  first.urlFor('old', {}, { version: 'v1' })
  // @ts-expect-error a version in the query fills in no namespace
  query.urlFor('item', { id: 7 })
  query.urlFor('v1:item', { id: 7 })
}

export function whoever(some: App): void {
  // an application is one, whatever its addresses
  const whole: readonly App[] = [app, some]
  const kernel: Kernel = app
  // @ts-expect-error but nobody knows which names it has
  some.urlFor('article-list', {})
  return void [whole, kernel]
}
