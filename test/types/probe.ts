import { IsAuthenticated, IsAdminUser, URLPathVersioning, BaseVersioning, byVersion, defineApi, list, obtainToken, reply, ApiError, PageNumberPagination,
  type Authenticator, type Incoming, type ApiRequest, type Facts, type Paginator, type ListSource, type Page, type Reply, type RouteTable, type Serializer, type AnonymousUser, type User, type Token, type VersioningScheme, defineUrls, include, type Permission, type Behaviour } from 'colophon'
import { type Article, accounts, api, articles, articlesBy, brief, full, members, people, urls, tokenAuthentication } from './fixtures.ts'
import { type Equal, expectType } from './expect.ts'

declare const apiKey: 0
const keyScheme = () => ({
  authenticate: (request) => request.header('x') === 's' ? { user: { isAuthenticated: true, name: 'robot' }, auth: null } : null,
}) satisfies Authenticator

export function probe1() {
  defineApi({ urls, authentication: [keyScheme()], permissions: [new IsAuthenticated()] }).endpoint('token').get(({ user }) => { expectType<Equal<typeof user.name, string>>() })
  // robot never
  defineApi({ urls, permissions: [IsAuthenticated] })
  defineApi({ urls, permissions: IsAuthenticated })
  defineApi({ urls, permissions: [{ hasPermision: () => true }] })
  api.group({ permisions: [] })
  api.endpoint('token', { permisions: [] })
  defineApi({ urls, pagesize: 3 })
  api.group({ pageSize: undefined })
  api.group({ permissions: undefined })
  api.endpoint('token', { pageSize: '20' })
}
interface Seekable<out Row> extends ListSource<Row> { seek(): readonly Row[] }
declare class Cursor implements Paginator<Seekable<unknown>> {
  paginate(source: Seekable<unknown>): Promise<Page | null>
  respond(page: Page, results: readonly unknown[]): Reply
}
declare const seekable: Seekable<Article>
export function probe2() {
  api.endpoint('article-list').get(list({ source: articles, pagination: new Cursor() })) // must fail
  api.endpoint('article-list').get(list({ source: seekable, pagination: new Cursor() }))
  api.endpoint('article-list').get(list({ source: articles, serializer: people })) // must fail
  api.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row: Article & { more: 1 }) => row.more } })) // must fail
  api.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row) => { expectType<Equal<typeof row, Article>>() } } }))
  api.endpoint('article-list').get(list({ source: articles, serializer: { represent(row, request) { expectType<Equal<typeof row, Article>>(); return request.reverse('article-list') } } }))
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: { represent: (row, request) => { expectType<Equal<typeof row, Article>>(); expectType<Equal<typeof request.user, User>>(); } } }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: (request) => ({ represent: (row) => row.id + request.user.id }) }))
  members.endpoint('article-list').get(list({ serializer: full, source: async ({ user }) => articlesBy(user.id) }))
  api.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id) })) // must fail
  api.endpoint('article-list').get(list({ source: [1, 2] })) // must fail
  api.endpoint('article-list').get((request: ApiRequest) => request.user)
  members.endpoint('article-list').get((request: ApiRequest<Facts & { user: User }>) => request.user.id)
  members.endpoint('article-list').get((request: ApiRequest<Facts & { user: User; routes: RouteTable<typeof urls> }>) => request.reverse('article-list'))
  api.endpoint('article-list').get((request: ApiRequest<Facts & { user: User }>) => request.user.id) // must fail
  api.endpoint('article-list').get({ handle: (request) => request.user.id?.toFixed() })
  api.endpoint('article-list').get({ handle: (request: ApiRequest<Facts & { user: User }>) => request.user.id }) // must fail
}
const t2 = () => defineUrls({ a: '/a/:id<int>/', v1: include('/v1', { a: '/a/:n/' }) })
type R2 = RouteTable<ReturnType<typeof t2>>
export function probe3(r: R2) {
  r.nothing
  defineApi({ urls: t2() }).endpoint('a').get((request) => {
     request.params.nope
     request.reverse('a', { id: 3 })
  })
}
class Plain extends BaseVersioning { determineVersion(request: Incoming) { return this.allowed(request.header('v'), request) } }
export function probe4(general: VersioningScheme, nope: { determineVersion(request: ApiRequest): string | null }, nopeAuth: { authenticate(request: ApiRequest): null }) {
  const v = defineApi({ urls, versioning: new URLPathVersioning() })
  v.endpoint('edition').get(({ reverse, version }) => { reverse('edition', { slug: 'x' }); reverse('edition', { slug: 'x', version: 'v1' }); expectType<Equal<typeof version, string | null>>() })
  v.endpoint('edition').get(({ reverse }) => reverse('edition', { version: 'v1' })) // fail
  v.endpoint('edition').get(({ reverse }) => reverse('edition')) // fail
  v.endpoint('edition').get(({ reverse }) => reverse('edition', { slug: 'x', version: 'v3' })) // fail
  const w = defineApi({ urls, versioning: new URLPathVersioning({ versionParam: 'slug' }) })
  w.endpoint('edition').get(({ reverse }) => reverse('edition', { version: 'v1' }))
  w.endpoint('edition').get(({ reverse }) => reverse('edition', { slug: 'v1' })) // fail
  const x = defineApi({ urls, versioning: new Plain() })
  x.endpoint('edition').get(({ reverse }) => reverse('edition', { slug: 'v1' })) // fail
  const y = defineApi({ urls, versioning: general })
  y.endpoint('edition').get(({ reverse }) => reverse('edition', { slug: 'v1' })) // fail
  api.endpoint('edition').get(({ reverse }) => reverse('edition', { slug: 'v1' })) // fail
  api.endpoint('edition', { versioning: nope }) // fail
  api.endpoint('edition', { authentication: [nopeAuth] }) // fail
  const z = defineApi({ urls, versioning: new URLPathVersioning(), allowedVersions: [], defaultVersion: 'v1' })
  z.endpoint('token').get(({ version }) => expectType<Equal<typeof version, string>>())
  const a = defineApi({ urls, versioning: new URLPathVersioning(), allowedVersions: ['v1', 'v2'], defaultVersion: 'v2' })
  a.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }) }))
  a.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: brief }) })) // fail
  a.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: { represent: (row) => row.id }, v2: full }) }))
  a.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: people, v2: full }) })) // fail
  a.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full, v3: full }) }))
  a.group({ defaultVersion: null }).endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }) })) // fail
  a.group({ defaultVersion: null }).endpoint('article-list').get(list({ source: articles, serializer: byVersion({ v1: brief, v2: full }, full) }))
  v.endpoint('token', { versioning: new URLPathVersioning({ versionParam: 'slug' }) }).get(({ reverse }) => reverse('edition', { version: 'v1' }))
  v.endpoint('token', { versioning: null }).get(({ reverse }) => reverse('edition', { slug: 'x' })) // fail
  v.endpoint('token').post(obtainToken({ accounts }))
  v.endpoint('token').post(obtainToken({ accounts, respond: ({ token, user }) => ({ key: token.key, id: user.id }) }))
  v.endpoint('token').post(obtainToken({ accounts, respond: ({ token }) => token.key })) // fail
  v.serve([v.endpoint('token').get(() => 1), members.endpoint('token').get(({ user }) => user.id)])
}
export function probe5() {
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: full }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id) , serializer: people})) // fail
}
