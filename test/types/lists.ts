// A list: the source says what a row is, the serializer must understand it, the style must get by with the source.
import {
  type AnonymousUser,
  type ApiRequest,
  type Behaviour,
  PageNumberPagination,
  type Reply,
  type User,
  arraySource,
  byVersion,
  list,
} from 'colophon'
import type { Facts, ListSource, Paginator, Serializer } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import {
  type Article,
  type Seekable,
  SeekPagination,
  api,
  articles,
  articlesBy,
  brief,
  full,
  members,
  person,
  timeline,
  timelineOf,
  versioned,
} from './fixtures.ts'

const articleList = () => api.endpoint('article-list')
const memberList = () => members.endpoint('article-list')

export function sources(): void {
  memberList().get(
    list({
      source: ({ user }) => {
        // a function sees who is asking, as the permissions left it
        expectType<Equal<typeof user, User>>()
        return articlesBy(user.id)
      },
      serializer: full,
    }),
  )
  articleList().get(
    list({
      source: ({ user }) => {
        // or did not
        expectType<Equal<typeof user, User | AnonymousUser>>()
        return articles
      },
    }),
  )
  // @ts-expect-error an anonymous user has no number
  articleList().get(list({ source: ({ user }) => articlesBy(user.id) }))
  // a promise will do
  memberList().get(list({ source: async ({ user }) => articlesBy(user.id), serializer: full }))
  // the serializer may stand first
  memberList().get(list({ serializer: full, source: ({ user }) => articlesBy(user.id) }))
  // so will an object that counts and slices
  articleList().get(list({ source: { count: () => 1, slice: () => [7] } }))
  // @ts-expect-error an array does not count
  articleList().get(list({ source: [1, 2, 3] }))
  // @ts-expect-error a source is needed
  articleList().get(list({ serializer: full }))
}

declare class FeedPagination implements Paginator<Seekable<Article>> {
  paginate(source: Seekable<Article>): null
  respond(): Reply
}
declare const wide: Serializer<{ readonly id: number }, number>
declare const needsMore: { represent(row: Article & { readonly body: string }): string }
declare const forUsers: Serializer<Article, number, ApiRequest<Facts & { user: User }>>

/** All in one expression: the rows of a source that is made there are known to serializers that are written there. */
export function inPlace(): void {
  versioned.endpoint('article-list').get(
    list({
      source: arraySource([{ id: 1, title: 'a' }]),
      serializer: byVersion({
        v1: { represent: ({ title }) => title.length },
        v2: { represent: ({ id, title }) => [id, title] },
      }),
    }),
  )
}

export function serializers(): void {
  // @ts-expect-error a person's serializer does not understand articles
  articleList().get(list({ source: articles, serializer: person }))
  // @ts-expect-error nor where a function gives them
  articleList().get(list({ source: () => articles, serializer: person }))
  // @ts-expect-error nor chosen by the request
  articleList().get(list({ source: articles, serializer: () => person }))
  // @ts-expect-error an article has no body
  articleList().get(list({ source: articles, serializer: needsMore }))
  // less than the row is enough
  articleList().get(list({ source: articles, serializer: wide }))
  // a function chooses by the request
  memberList().get(
    list({ source: articles, serializer: ({ user }) => (user.isStaff ? full : brief) }),
  )
  memberList().get(
    list({
      source: ({ user }) => articlesBy(user.id),
      serializer: {
        represent: (row, { user, reverse }) => {
          // the row of the source arrives
          expectType<Equal<typeof row, Article>>()
          // with the request of the endpoint
          expectType<Equal<typeof user, User>>()
          // @ts-expect-error whose links are checked
          return reverse('article-detail', { id: row.title })
        },
      },
    }),
  )
  // @ts-expect-error a row has what it has
  articleList().get(list({ source: articles, serializer: { represent: (row) => row.body } }))
  // a serializer may ask for a certain request
  memberList().get(list({ source: articles, serializer: forUsers }))
  // @ts-expect-error and is refused where the request may be another
  articleList().get(list({ source: articles, serializer: forUsers }))
}

export function styles(): void {
  // a style that seeks, over a source that can
  articleList().get(list({ source: timeline, serializer: full, pagination: new SeekPagination() }))
  // @ts-expect-error this source cannot
  articleList().get(list({ source: articles, serializer: full, pagination: new SeekPagination() }))
  // @ts-expect-error nor can this one
  articleList().get(list({ source: () => articles, pagination: new SeekPagination() }))
  // a function that promises such a source
  memberList().get(
    list({ source: ({ user }) => timelineOf(user.id), pagination: new SeekPagination() }),
  )
  // a style that asks for little takes a richer source
  articleList().get(list({ source: timeline, pagination: new PageNumberPagination() }))
  // `null`: no pages
  articleList().get(list({ source: articles, pagination: null }))
  // @ts-expect-error left out is one thing, undefined another
  articleList().get(list({ source: articles, pagination: undefined }))
}

export function variance(): void {
  // a style of little needs is a style of greater needs
  expectType<Paginator<ListSource<unknown>> extends Paginator<Seekable<unknown>> ? true : false>()
  // not the other way round
  expectType<Paginator<Seekable<unknown>> extends Paginator<ListSource<unknown>> ? false : true>()
  // nor for a class that is no such style by name
  expectType<FeedPagination extends Paginator<ListSource<Article>> ? false : true>()
  // a serializer of little is a serializer of more
  expectType<typeof wide extends Serializer<Article> ? true : false>()
  // not the other way round
  expectType<Serializer<Article> extends typeof wide ? false : true>()
  // a source of more is a source of little
  expectType<ListSource<Article> extends ListSource<{ id: number }> ? true : false>()
  const apart = list({ source: articles, serializer: full })
  // made apart, a list suits any request
  expectType<typeof apart extends Behaviour<infer Rq> ? Equal<Rq, ApiRequest> : false>()
  memberList().get(apart)
}
