// What the claims are made about: a small service, declared and never made.
import {
  IsAuthenticated,
  type ListSource,
  type PasswordVerifier,
  type Serializer,
  TokenAuthentication,
  type TokenIssuer,
  type TokenVerifier,
  type User,
  defineApi,
  defineUrls,
  include,
} from 'colophon'

export interface Article {
  readonly id: number
  readonly title: string
}

export declare const accounts: { users: PasswordVerifier; tokens: TokenVerifier & TokenIssuer }
export declare const articles: ListSource<Article>
export declare function articlesBy(author: number): ListSource<Article>
export declare const brief: Serializer<Article, { headline: string }>
export declare const full: Serializer<Article, { title: string; url: string }>
export declare const people: Serializer<User, { name: string }>

export const tokenAuthentication = (): TokenAuthentication =>
  new TokenAuthentication({ tokens: accounts.tokens })

const makeUrls = () =>
  defineUrls({
    'token': '/token/',
    'article-list': '/articles/',
    'article-detail': '/articles/:id<int>/',
    'file': '/files/:path<path>',
    'person': ['/people/:id<int>/', '/people/:name/'],
    'home': ['/', '/:language<de|en>/'],
    'edition': '/:version<v1|v2>/:slug<slug>/',
    'v1': include('/v1', { 'report-list': '/reports/', 'report': '/reports/:id<uuid>/' }),
    'v2': include('/v2', {
      'report-list': '/reports/',
      'staff': include('/staff/:team<slug>', { member: '/:id<int>/' }),
    }),
  })

export declare const urls: ReturnType<typeof makeUrls>

const makeApi = () => defineApi({ urls, authentication: [tokenAuthentication()] })

/** Tokens, and nothing else said. */
export declare const api: ReturnType<typeof makeApi>

const makeMembers = () => api.group({ permissions: [new IsAuthenticated()] })

/** Those who showed a token. */
export declare const members: ReturnType<typeof makeMembers>
