// Who a request is from: what the schemes name, what stands for nobody, narrowed by the permissions.
import {
  AllowAny,
  type AnonymousUser,
  type ApiRequest,
  type Identity,
  type Incoming,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  type Token,
  TokenAuthentication,
  type User,
  defineApi,
} from 'colophon'
import type { Authenticator, Permission } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, accounts, api, members, tokenAuthentication, urls } from './fixtures.ts'

export function schemes(): void {
  api.endpoint('token').get(({ user, auth, authenticator }) => {
    // the user that the scheme names, or nobody in particular
    expectType<Equal<typeof user, User | AnonymousUser>>()
    // the token, or nothing
    expectType<Equal<typeof auth, Token | null>>()
    // the scheme that named the user, if one did
    expectType<Equal<typeof authenticator, Authenticator | null>>()
    // @ts-expect-error an anonymous user has no number
    user.id.toFixed()
    // @ts-expect-error nor an address
    user.email.length.toFixed()
    // @ts-expect-error there may be no token
    auth.key.trim()
    // `isAuthenticated` tells them apart
    if (user.isAuthenticated) expectType<Equal<typeof user, User>>()
    else expectType<Equal<typeof user, AnonymousUser>>()
  })
  const open = defineApi({ urls }).endpoint('token')
  // without schemes there is nobody
  expectType<Equal<RequestTo<typeof open>['user'], AnonymousUser>>()
  // and no credential
  expectType<Equal<RequestTo<typeof open>['auth'], null>>()
  const off = api.endpoint('token', { authentication: [] })
  // nor where an endpoint has none
  expectType<Equal<RequestTo<typeof off>['user'], AnonymousUser>>()
}

declare const guest: { readonly isAuthenticated: false; readonly basket: string[] }

export function standIns(): void {
  const none = api.endpoint('token', { unauthenticatedUser: null })
  // `null` makes it null
  expectType<Equal<RequestTo<typeof none>['user'], User | null>>()
  const some = api.endpoint('token', { unauthenticatedUser: () => guest })
  // a function makes another
  expectType<Equal<RequestTo<typeof some>['user'], User | typeof guest>>()
  const credential = api.endpoint('token', { unauthenticatedToken: () => 'none' as const })
  // the same for the credential
  expectType<Equal<RequestTo<typeof credential>['auth'], Token | 'none'>>()
  const permitted = members.endpoint('token', { unauthenticatedUser: () => guest })
  // a permission keeps the stand-in out
  expectType<Equal<RequestTo<typeof permitted>['user'], User>>()
  const whole = defineApi({ urls, unauthenticatedUser: () => guest }).endpoint('token')
  // said for the whole api, it flows too
  expectType<Equal<RequestTo<typeof whole>['user'], typeof guest>>()
}

export function permissions(list: readonly Permission[]): void {
  const member = members.endpoint('token')
  // IsAuthenticated has proved it
  expectType<Equal<RequestTo<typeof member>['user'], User>>()
  // of a number of users, only an authenticated one has a number
  members.endpoint('token').get(({ user }) => user.id.toFixed())
  const staff = api.endpoint('token', { permissions: [new IsAdminUser()] })
  // so has IsAdminUser
  expectType<Equal<RequestTo<typeof staff>['user'], User>>()
  const any = api.endpoint('token', { permissions: [new AllowAny()] })
  // AllowAny proves nothing
  expectType<Equal<RequestTo<typeof any>['user'], User | AnonymousUser>>()
  const readers = api.endpoint('token', { permissions: [new IsAuthenticatedOrReadOnly()] })
  // nor does one that lets everybody read
  expectType<Equal<RequestTo<typeof readers>['user'], User | AnonymousUser>>()
  const both = api.endpoint('token', { permissions: [new AllowAny(), new IsAuthenticated()] })
  // all must agree, so each one's proof counts
  expectType<Equal<RequestTo<typeof both>['user'], User>>()
  const unknown = api.endpoint('token', { permissions: list })
  // a list that nobody knows proves nothing
  expectType<Equal<RequestTo<typeof unknown>['user'], User | AnonymousUser>>()
  const closed = defineApi({ urls, permissions: [new IsAuthenticated()] }).endpoint('token')
  // and where no scheme names anybody, nobody gets in
  expectType<Equal<RequestTo<typeof closed>['user'], never>>()
}

// ── of one's own ─────────────────────────────────────────────────────────────

const apiKey = () =>
  ({
    authenticate: (request) =>
      request.header('x-api-key') === 'k'
        ? { user: { isAuthenticated: true, name: 'robot' }, auth: 'key' }
        : null,
  }) satisfies Authenticator

interface Employee {
  readonly isAuthenticated: true
  readonly role: 'editor' | 'reader'
}
declare const badge: Authenticator<Employee, number>

declare class IsEditor implements Permission<unknown, { readonly role: 'editor' }> {
  readonly '~grants'?: { readonly role: 'editor' }
  hasPermission(request: ApiRequest): boolean
}

export function schemesOfOnesOwn(): void {
  const robots = defineApi({ urls, authentication: [apiKey()] })
  robots.endpoint('token').get(({ user, auth }) => {
    // an object is a scheme, and its user flows
    if (user.isAuthenticated) expectType<Equal<typeof user.name, string>>()
    // so does its credential
    expectType<Equal<typeof auth, string | null>>()
  })
  robots.endpoint('token', { permissions: [new IsAuthenticated()] }).get(({ user }) => {
    // what its user may be, a permission narrows
    expectType<Equal<typeof user.name, string>>()
  })
  const two = api.endpoint('token', { authentication: [tokenAuthentication(), badge] })
  // several schemes: the user of any
  expectType<Equal<RequestTo<typeof two>['user'], User | Employee | AnonymousUser>>()
  // and its credential
  expectType<Equal<RequestTo<typeof two>['auth'], Token | number | null>>()
  two.get(async ({ user }) => {
    // @ts-expect-error tokens have no role
    return user.role
  })
  const editors = api.endpoint('token', { authentication: [badge], permissions: [new IsEditor()] })
  // a permission of one's own says what it has proved
  expectType<Equal<RequestTo<typeof editors>['user']['role'], 'editor'>>()
  // variants override what they change
  return void class extends TokenAuthentication {
    override readonly keyword = 'Bearer'
  }
}

declare const nosy: { authenticate(request: ApiRequest): Identity | null }
declare const bare: { authenticate(request: Incoming): User | null }
declare const chatty: { hasPermission(request: ApiRequest): string }

export function whatIsNoScheme(incoming: Incoming): void {
  // @ts-expect-error a scheme cannot ask who the user is: it is there to say so
  api.endpoint('token', { authentication: [nosy] })
  // @ts-expect-error nor is there a user to see
  const { user } = incoming
  // @ts-expect-error a scheme names the user together with the credential
  api.endpoint('token', { authentication: [bare] })
  // @ts-expect-error a permission says yes or no
  api.endpoint('token', { permissions: [chatty] })
  // @ts-expect-error tokens are looked up somewhere
  const lost = new TokenAuthentication({ keyword: 'Token' })
  // @ts-expect-error a keyword is a text
  const odd = new TokenAuthentication({ tokens: accounts.tokens, keyword: 7 })
  return void [user, lost, odd]
}
