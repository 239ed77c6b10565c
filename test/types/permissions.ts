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
  action,
  allOf,
  anyOf,
  defineApi,
  defineUrls,
  field,
  found,
  not,
  resource,
  resourceUrls,
  retrieve,
  serializer,
} from 'colophon'
import type { Opinion, Permission, RowStore } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import {
  type Article,
  type RequestTo,
  api,
  brief,
  members,
  person,
  tokenAuthentication,
} from './fixtures.ts'

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

export function singleActions(): void {
  // newcomer 3: permissions of single actions know what those of the group have proved, and those before them
  const signedIn = new IsAuthenticated()
  const member = new IsMember()
  const open = defineApi({
    urls: defineUrls({
      ...resourceUrls('note', '/notes/', ':id<int>'),
      'note-pin': '/notes/:id<int>/pin/',
      'note-count': '/notes/count/',
    }),
    authentication: [tokenAuthentication()],
  })
  const given = { store: notes, serializer: note } as const
  resource(open, 'note', {
    ...given,
    permissions: { create: [signedIn, member], update: [signedIn], destroy: [allOf(signedIn)] },
    // what they prove holds where they have agreed
    performCreate: (input, { user }, store) => store.insert({ ...input, owner: user.username }),
    performUpdate: (row, _input, { user }) => {
      // PATCH is for everyone
      expectType<Equal<typeof user, User | AnonymousUser>>()
      return row
    },
    performDestroy: (_row, { user }) => user.username,
    actions: {
      pin: {
        detail: true,
        post: {
          input: note,
          permissions: [signedIn, member],
          perform: ({ request, input }) => [emailOf(request), input.text],
        },
        put: {
          permissions: [not(signedIn)],
          perform: ({ request: { user } }) => user.isAuthenticated,
        },
      },
    },
  })
  resource(open.group({ permissions: [signedIn] }), 'note', {
    ...given,
    only: ['list', 'partialUpdate'],
    permissions: { list: [member] },
    actions: { count: { detail: false, get: { permissions: [member], perform: () => 7 } } },
  })
  // @ts-expect-error an anonymous user is none: ThisPermissionNeeds
  resource(open, 'note', { ...given, only: ['list'], permissions: { list: [member] } })
  // @ts-expect-error what comes later has proved nothing yet
  resource(open, 'note', { ...given, only: ['list'], permissions: { list: [member, signedIn] } })
  // @ts-expect-error there is no such action
  resource(open, 'note', { ...given, only: ['list'], permissions: { lst: [], list: [] } })
  resource(open, 'note', {
    ...given,
    only: ['list'],
    actions: {
      count: {
        detail: false,
        // @ts-expect-error an action of one's own is asked likewise
        get: { permissions: [member], perform: () => 7 },
      },
    },
  })
  const pin = open.endpoint('note-pin')
  pin.post(action({ permissions: [signedIn, member], perform: ({ request }) => emailOf(request) }))
  // @ts-expect-error and that of an endpoint
  pin.post(action({ permissions: [member], perform: () => undefined }))
}
declare function emailOf(request: RequestWith<{ user: User }>): string
interface Note {
  readonly id: number
  readonly text: string
  readonly owner: string
}
declare const notes: RowStore<Note, number, Omit<Note, 'id'>, Partial<Note>>
const note = serializer({ id: field.integer({ readOnly: true }), text: field.text() })

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
