// What the claims are made about: a small service, declared and never made.
import {
  type Endpoint,
  IsAuthenticated,
  type Reply,
  TokenAuthentication,
  URLPathVersioning,
  type User,
  defineApi,
  defineUrls,
  include,
} from 'colophon'
import type {
  ListSource,
  Page,
  Paginator,
  PasswordVerifier,
  Serializer,
  TokenIssuer,
  TokenVerifier,
} from 'colophon/types'

export interface Article {
  readonly id: number
  readonly title: string
}
/** A list that can do more than lists must. */
export interface Seekable<out Row> extends ListSource<Row> {
  seek(position: string | null): Promise<readonly Row[]>
}
export declare const articles: ListSource<Article>
export declare function articlesBy(author: number): ListSource<Article>
export declare const timeline: Seekable<Article>
export declare function timelineOf(author: number): Promise<Seekable<Article>>
/** A style that asks for more than a list. */
export declare class SeekPagination implements Paginator<Seekable<unknown>> {
  paginate(source: Seekable<unknown>): Promise<Page | null>
  respond(page: Page, results: readonly unknown[]): Reply
}

export declare const brief: Serializer<Article, { headline: string }>
export declare const full: Serializer<Article, { title: string; url: string }>
export declare const person: Serializer<User, { name: string }>

export declare const accounts: { users: PasswordVerifier; tokens: TokenVerifier & TokenIssuer }
export const tokenAuthentication = (): TokenAuthentication =>
  new TokenAuthentication({ tokens: accounts.tokens })

const makeUrls = () =>
  defineUrls({
    token: '/token/',
    'article-list': '/articles/',
    'article-detail': '/articles/:id<int>/',
    text: '/text/:word/:again<str>/',
    codes: '/codes/:key<uuid>/:name<slug>/:rest<path>',
    choice: '/choice/:language<de|en|fr>/',
    person: ['/people/:id<int>/', '/people/:name/'],
    home: ['/', '/:language<de|en>/'],
    edition: '/:version<v1|v2>/editions/:slug<slug>/',
    editions: '/:version<v1|v2>/editions/',
    shelf: '/:ver<v1|v2>/shelf/',
    v1: include('/v1', { 'report-list': '/reports/', report: '/reports/:key<uuid>/' }),
    v2: include('/v2', {
      'report-list': '/reports/',
      report: '/reports/:id<int>/',
      staff: include('/staff/:team<slug>', { member: '/:id<int>/' }),
    }),
  })
export declare const urls: ReturnType<typeof makeUrls>

const makeApi = () => defineApi({ urls, authentication: [tokenAuthentication()] })
/** Tokens, and nothing else said. */
export declare const api: ReturnType<typeof makeApi>

const makeMembers = () => api.group({ permissions: [new IsAuthenticated()] })
/** Those who showed a token. */
export declare const members: ReturnType<typeof makeMembers>

const makeVersioned = () =>
  api.group({
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    defaultVersion: 'v2',
  })
/** Two versions, one of them for those who name none. */
export declare const versioned: ReturnType<typeof makeVersioned>

/** The request that an endpoint's handlers are given. */
export type RequestTo<E> = E extends Endpoint<infer Rq> ? Rq : never
