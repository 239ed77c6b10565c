// Who a request with a session is from, on endpoints and on pages, and which addresses logging in needs.
import {
  type AnonymousUser,
  SessionAuthentication,
  type Token,
  TokenAuthentication,
  type User,
  defineApi,
  defineUrls,
  include,
  loginSession,
  logoutSession,
  showSession,
} from 'colophon'
import type { SessionKeeper } from 'colophon/types'
import { loginPages, loginUrls, pagePolicy } from 'colophon/browsable'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, accounts as others } from './fixtures.ts'

declare const accounts: typeof others & { readonly sessions: SessionKeeper }
const urls = defineUrls({ ...loginUrls, home: '/', item: '/items/:id<int>/' })

export function schemes(): void {
  const session = new SessionAuthentication(accounts)
  const api = defineApi({ urls, authentication: [session] })
  const home = api.endpoint('home')
  // a user or nobody, and no credential
  expectType<Equal<RequestTo<typeof home>['user'], User | AnonymousUser>>()
  expectType<Equal<RequestTo<typeof home>['auth'], null>>()
  const token = new TokenAuthentication(accounts)
  const both = api.endpoint('home', { authentication: [session, token] })
  // with tokens beside it, a token or nothing
  expectType<Equal<RequestTo<typeof both>['auth'], Token | null>>()
  // @ts-expect-error a scheme for sessions needs sessions
  void new SessionAuthentication({ tokens: accounts.tokens })
}

export function pages(): void {
  const api = defineApi({ urls })
  const group = api.group(pagePolicy({ accounts }))
  const home = group.endpoint('home')
  // whoever sees a page has logged in
  expectType<Equal<RequestTo<typeof home>['user'], User>>()
  const open = group.endpoint('home', { permissions: [] })
  // a public page is for anybody
  expectType<Equal<RequestTo<typeof open>['user'], User | AnonymousUser>>()
  const item = group.endpoint('item')
  // pages have parameters like endpoints, and no version
  expectType<Equal<RequestTo<typeof item>['params'], { readonly id: number }>>()
  expectType<Equal<RequestTo<typeof item>['version'], null>>()
}

export function logins(): void {
  const api = defineApi({ urls })
  loginPages(api, { accounts })
  loginPages(api.group(pagePolicy({ accounts })), { accounts })
  loginPages(defineApi({ urls: { auth: include('/accounts', loginUrls) } }), { accounts })
  // @ts-expect-error the pages need an address each
  loginPages(defineApi({ urls: { login: '/login/' } }), { accounts })
  // @ts-expect-error passwords are not enough to begin a session
  loginPages(api, { accounts: others })
  api
    .endpoint('home')
    .get(showSession({ accounts, show: ({ username }) => username }))
    .post(loginSession({ accounts }))
    .delete(logoutSession({ accounts }))
  // @ts-expect-error there is no such fact
  showSession({ accounts, show: ({ password }) => password })
}
