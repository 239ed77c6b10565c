// What a composition proves about the user, and which objects permissions judge.
import {
  AllowAny,
  AnonRateThrottle,
  type AnonymousUser,
  type ApiRequest,
  IsAdminUser,
  IsAuthenticated,
  type MaybePromise,
  type RequestWith,
  type User,
  UserRateThrottle,
  allOf,
  anyOf,
  found,
  not,
  retrieve,
} from 'colophon'
import type { Opinion, Permission } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type Article, type RequestTo, api, brief, members, person } from './fixtures.ts'

declare class IsEditor implements Permission<unknown, { readonly role: 'editor' }> {
  readonly '~grants'?: { readonly role: 'editor' }
  hasPermission(request: ApiRequest): boolean
}
declare class IsAuthor implements Permission<Article> {
  hasObjectPermission(request: ApiRequest, article: Article): Promise<boolean>
}
declare class IsReader implements Permission<{ readonly id: number }> {
  hasObjectPermission(request: ApiRequest, row: { readonly id: number }): Opinion
}
interface Employee {
  readonly isAuthenticated: true
  readonly role: 'editor' | 'reader'
}
declare const badge: {
  authenticate(): { readonly user: Employee; readonly auth: null } | null
}

export function compositions(list: readonly Permission[]): void {
  const authenticated = new IsAuthenticated()
  const both = api.endpoint('token', { permissions: [allOf(authenticated, new IsAuthor())] })
  // all: what each of them proves
  expectType<Equal<RequestTo<typeof both>['user'], User>>()
  const editors = api.endpoint('token', {
    authentication: [badge],
    permissions: [allOf(authenticated, new IsEditor())],
  })
  // together
  expectType<Equal<RequestTo<typeof editors>['user']['role'], 'editor'>>()
  const either = api.endpoint('token', { permissions: [anyOf(authenticated, new IsAdminUser())] })
  // any: what all of them prove
  expectType<Equal<RequestTo<typeof either>['user'], User>>()
  const open = api.endpoint('token', { permissions: [anyOf(authenticated, new AllowAny())] })
  // nothing, where one of them proves nothing
  expectType<Equal<RequestTo<typeof open>['user'], User | AnonymousUser>>()
  const owners = api.endpoint('token', { permissions: [anyOf(authenticated, new IsAuthor())] })
  // rules for objects prove nothing about the user
  expectType<Equal<RequestTo<typeof owners>['user'], User | AnonymousUser>>()
  const contrary = api.endpoint('token', { permissions: [not(authenticated)] })
  // not: nothing
  expectType<Equal<RequestTo<typeof contrary>['user'], User | AnonymousUser>>()
  const nested = api.endpoint('token', {
    permissions: [allOf(not(new IsAdminUser()), anyOf(authenticated, allOf(authenticated)))],
  })
  // nested
  expectType<Equal<RequestTo<typeof nested>['user'], User>>()
  const unknown = api.endpoint('token', { permissions: [allOf(...list)] })
  // a list that nobody knows
  expectType<Equal<RequestTo<typeof unknown>['user'], User | AnonymousUser>>()
  // the object must suit each of them
  expectType<
    Equal<
      Parameters<NonNullable<ReturnType<typeof objects>['hasObjectPermission']>>[1],
      Article & { readonly id: number }
    >
  >()
  // @ts-expect-error a class is no permission
  allOf(IsAuthenticated)
  // @ts-expect-error nor is an answer
  anyOf(true)
  // @ts-expect-error not takes one, and then words
  not(authenticated, authenticated)
  // @ts-expect-error words are a text, a list or an object
  not(authenticated, { message: 7 })
}

declare class IsMember {
  hasPermission(request: RequestWith<{ user: User }>): boolean
}
declare class IsFirst implements Permission<
  Article,
  unknown,
  RequestWith<{ params: { id: number } }>
> {
  hasObjectPermission(request: RequestWith<{ params: { id: number } }>, row: Article): boolean
}

export function needs(): void {
  // newcomer 8: a permission says what it must know of a request, and stands only where that is known
  const signedIn = new IsAuthenticated()
  const member = new IsMember()
  api.endpoint('article-list', { permissions: [signedIn, member] })
  // @ts-expect-error an anonymous user is none
  api.endpoint('article-list', { permissions: [member] })
  // @ts-expect-error what comes later has proved nothing yet
  api.endpoint('article-list', { permissions: [member, signedIn] })
  api.group({ permissions: [signedIn, member] }).endpoint('article-list')
  // @ts-expect-error a group is asked as an endpoint is
  api.group({ permissions: [member] })
  api.endpoint('article-detail', { permissions: [new IsFirst()] })
  // @ts-expect-error this address has no parameter
  api.endpoint('article-list', { permissions: [new IsFirst()] })
  // @ts-expect-error nor has every address of a group
  api.group({ permissions: [new IsFirst()] })
  // in place, with the type of the request
  api.group({
    permissions: [
      signedIn,
      { hasPermission: ({ user }: RequestWith<{ user: User }>) => user.email !== '' },
    ],
  })
  // compositions ask from left to right, too
  api.group({ permissions: [allOf(signedIn, member)] })
  api.group({ permissions: [signedIn, anyOf(new IsAdminUser(), not(member))] })
  // @ts-expect-error the other way round
  api.group({ permissions: [allOf(member, signedIn)] })
  // @ts-expect-error either may be the first to know the user
  api.group({ permissions: [anyOf(signedIn, member)] })
  // @ts-expect-error not needs what is inside
  api.group({ permissions: [not(member)] })
  // @ts-expect-error with schemes of its own, an endpoint has other users
  api.group({ permissions: [signedIn, member] }).endpoint('article-list', {
    authentication: [badge],
  })
}

export function throttles(): void {
  // newcomer 8: throttles say it likewise, and are asked once the permissions have agreed
  const byPlan = new UserRateThrottle({
    rate: ({ user }: RequestWith<{ user: User }>) => (user.isStaff ? null : '10/min'),
  })
  members.group({ throttles: [byPlan, new AnonRateThrottle()] })
  members.endpoint('article-list', { throttles: [byPlan] })
  // @ts-expect-error an anonymous user is not limited by this
  api.endpoint('article-list', { throttles: [byPlan] })
  // @ts-expect-error in a group neither
  api.group({ throttles: [byPlan] })
  // in place, with the type of the request
  members.endpoint('article-detail', {
    throttles: [
      {
        limits({ user, params }) {
          expectType<Equal<typeof user, User>>()
          expectType<Equal<typeof params, { readonly id: number }>>()
          return null
        },
      },
    ],
  })
}

const objects = () => anyOf(new IsAuthor(), new IsReader())

export function opinions(): Permission[] {
  return [
    // words of the moment
    { hasPermission: () => ({ allowed: false, message: 'closed', code: 'closed' }) },
    { hasPermission: async ({ method }) => method === 'GET' || { allowed: false } },
    // @ts-expect-error a yes needs no words
    { hasPermission: () => ({ allowed: true }) },
    // @ts-expect-error to forget the answer is no answer
    { hasPermission: () => undefined },
  ]
}

declare const article: Article | undefined

export function objectsOfEndpoints(): void {
  const detail = members.endpoint('article-detail')
  detail.get(retrieve({ find: () => article, serializer: brief }))
  detail.get(
    retrieve({
      find: async ({ user, params }) => {
        // it knows who is asking, and what for
        expectType<Equal<typeof user, User>>()
        expectType<Equal<typeof params, { readonly id: number }>>()
        return article
      },
      serializer: ({ user }) => {
        // so does whoever chooses how it is shown
        expectType<Equal<typeof user, User>>()
        return brief
      },
    }),
  )
  // @ts-expect-error the serializer must understand the row
  detail.get(retrieve({ find: () => article, serializer: person }))
  // @ts-expect-error something must find it
  detail.get(retrieve({ serializer: brief }))
  detail.delete(async (request) => {
    const row = found(request, article)
    // what may not have been there is there
    expectType<Equal<typeof row, MaybePromise<Article>>>()
    const later = await found(request, Promise.resolve(article ?? null))
    expectType<Equal<typeof later, Article>>()
    // asked by hand
    const checked = request.checkObjectPermissions(later)
    expectType<Equal<typeof checked, MaybePromise<void>>>()
    await checked
  })
}
