import { list, byVersion, PageNumberPagination, type ListSource, type Serializer, type ApiRequest, type Handler, type MaybePromise, type Paginator, type Page, type Reply, type User, type Facts } from 'colophon'
import { articles, articlesBy, full, brief, members, api, people, type Article } from './fixtures.ts'
import { type Equal, expectType } from './expect.ts'
interface Spec<Rq, Row, Source extends ListSource<unknown>> {
  source: (Source & ListSource<Row>) | ((request: Rq) => MaybePromise<Source & ListSource<Row>>)
  serializer?: Serializer<Row, unknown, NoInfer<Rq>> | ((request: NoInfer<Rq>) => Serializer<Row, unknown, NoInfer<Rq>>)
  pagination?: Paginator<Source, any> | null
}
declare function zz<Rq extends ApiRequest, Row, Source extends ListSource<unknown> = ListSource<Row>>(spec: Spec<Rq, Row, Source>): Handler<Rq>
interface Seekable<out Row> extends ListSource<Row> { seek(): readonly Row[] }
declare class Cursor implements Paginator<Seekable<unknown>> {
  paginate(source: Seekable<unknown>): Promise<Page | null>
  respond(page: Page, results: readonly unknown[]): Reply
}
declare const seekable: Seekable<Article>
declare const seekableBy: (id: number) => Seekable<Article>
declare const idOnly: Serializer<{ id: number }, number>
declare const forUsers: Serializer<Article, number, ApiRequest<Facts & { user: User }>>
declare class Ser implements Serializer<Article> { represent(row: Article): number }
declare class SerBad implements Serializer<Article> { represent(row: Article & { more: 1 }): number }
export function good() {
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: full }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: full }))
  members.endpoint('article-list').get(list({ serializer: full, source: async ({ user }) => articlesBy(user.id)  }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: {represent: (row) => { expectType<Equal<typeof row, Article>>(); return row.id} } }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: {represent: (row: Article) => row.id} }))
  members.endpoint('article-list').get(list({ source: async ({ user }) => articlesBy(user.id), serializer: () => full }))
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: ({ user }) => user.isStaff ? full : brief }))
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: ({ user }) => ({ represent: (row) => row.id + user.id }) }))
  members.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row) => { expectType<Equal<typeof row, Article>>(); return row.id } } }))
  members.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row, { user }) => row.id + user.id } }))
  members.endpoint('article-list').get(list({ source: articles, serializer: { represent(row, { user }) { return row.id + user.id } } }))
  members.endpoint('article-list').get(list({ serializer: { represent: (row) => row.id }, source: articles }))
  members.endpoint('article-list').get(list({ source: articles }))
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id) }))
  members.endpoint('article-list').get(list({ source: articles, serializer: idOnly }))
  members.endpoint('article-list').get(list({ source: articles, serializer: forUsers }))
  members.endpoint('article-list').get(list({ source: articles, serializer: new Ser() }))
  members.endpoint('article-list').get(list({ source: () => articles, serializer: new Ser(), pagination: null }))
  members.endpoint('article-list').get(list({ source: ({ user }) => seekableBy(user.id), serializer: full, pagination: new Cursor() }))
  members.endpoint('article-list').get(list({ source: ({ user }) => seekableBy(user.id), pagination: new Cursor(), serializer: { represent: (row) => row.id } }))
  members.endpoint('article-list').get(list({ source: seekable, pagination: new PageNumberPagination(), serializer: { represent: (row) => row.id } }))
  members.endpoint('article-list').get(list({ pagination: new PageNumberPagination(), source: ({ user }) => seekableBy(user.id), serializer: { represent: (row) => row.id } }))
  members.endpoint('article-list').get(list({ source: { count: () => 1, slice: () => [{ id: 1 }] }, serializer: { represent: (row) => row.id } }))
  members.endpoint('article-list').get(list({ source: { count: () => 1, slice: (a, b) => [{ id: a + b }] }, serializer: { represent: (row) => row.id } }))
  list({ source: articles, serializer: full })
  const v = api.group({ versioning: { determineVersion: () => 'a' }, allowedVersions: ['a', 'b'], defaultVersion: 'a' })
  v.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ a: full, b: brief }) }))
  v.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id ?? 0), serializer: byVersion({ a: full, b: brief }) }))
  v.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ a: full, b: { represent: (row) => row.id } }) }))
  v.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ a: full, b: { represent: (row: { id: number }) => row.id } }) }))
  v.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ a: idOnly, b: { represent: (row: { id: number }, { reverse }) => reverse('article-list') } }) }))
  v.endpoint('article-list').get(list({ source: articles, serializer: byVersion({ a: idOnly, b: { represent: ({ id }, { reverse }) => id + reverse('article-list') } }) }))
}
export function bad() {
  members.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: people }))
  members.endpoint('article-list').get(list({ source: articles, serializer: people }))
  members.endpoint('article-list').get(list({ source: articles, serializer: new SerBad() }))
  members.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row: Article & { more: 1 }) => row.id } }))
  members.endpoint('article-list').get(list({ source: articles, serializer: { represent: (row) => row.more } }))
  api.endpoint('article-list').get(list({ source: articles, serializer: forUsers }))
  api.endpoint('article-list').get(list({ source: () => articles, serializer: forUsers }))
  api.endpoint('article-list').get(list({ source: articles, pagination: new Cursor() }))
  api.endpoint('article-list').get(list({ source: articles, serializer: full, pagination: new Cursor() }))
  api.endpoint('article-list').get(list({ source: () => articles, pagination: new Cursor() }))
  api.endpoint('article-list').get(list({ source: [1] }))
  api.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id) }))
  api.endpoint('article-list').get(list({ source: ({ user }) => articlesBy(user.id), serializer: full }))
}
