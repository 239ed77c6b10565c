// Verbs, handlers and behaviours, and what is served.
import {
  type ApiRequest,
  type App,
  type Behaviour,
  type Endpoint,
  type Handler,
  type Token,
  type User,
  configurationOf,
  obtainToken,
  reply,
} from 'colophon'
import type { Facts } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, accounts, api, members, versioned } from './fixtures.ts'

declare const general: (request: ApiRequest) => string
declare const needsUser: (request: ApiRequest<Facts & { user: User }>) => number
declare const behaviour: Behaviour<ApiRequest<Facts & { user: User }>>

export function handlers(): void {
  const token = api.endpoint('token')
  const withGet = token.get(() => 'hello')
  // a verb makes an endpoint of the same kind
  expectType<Equal<typeof withGet, typeof token>>()
  // a value, a promise, a reply or nothing: a handler returns what it likes
  token
    .get(() => ({ hello: 'world' }))
    .post((request) => request.body())
    .put(() => reply({ id: 7 }, { status: 201 }))
    .patch(async () => reply(null))
    .delete(() => {})
  // @ts-expect-error a handler is a function
  token.get({ hello: 'world' })
  // @ts-expect-error a verb has a handler
  token.get()
  // @ts-expect-error HEAD follows GET by itself
  token.head(() => null)
  // @ts-expect-error and OPTIONS is always there
  token.options(() => null)
  // a handler that asks for nothing special suits every endpoint
  members.endpoint('article-detail').get(general)
  // one that asks for a user suits those that have one
  members.endpoint('token').get(needsUser)
  // @ts-expect-error and no others
  api.endpoint('token').get(needsUser)
  // the same for behaviours
  members.endpoint('token').get(behaviour)
  // @ts-expect-error which are no easier to please
  api.endpoint('token').get(behaviour)
  members.endpoint('token').get({
    handle: ({ user }) => {
      // a behaviour written in place sees the request of its endpoint
      expectType<Equal<typeof user, User>>()
    },
  })
  // a handler is happy with more than it asks for
  expectType<Handler<ApiRequest> extends Handler<RequestTo<typeof token>> ? true : false>()
}

export function requests(): void {
  api.endpoint('token').post(async (request) => {
    const data = await request.body()
    // nobody knows what a client sends
    expectType<Equal<typeof data, unknown>>()
    // @ts-expect-error so it is looked at first
    const { username } = data
    // a header may be missing
    expectType<Equal<ReturnType<typeof request.header>, string | null>>()
    // @ts-expect-error so may what the door knows
    request.environ['REMOTE_USER'].trim()
    return username
  })
}

export function tokens(): void {
  const door = api.endpoint('token')
  // the token endpoint, as it is
  door.post(obtainToken({ accounts }))
  door.post(
    obtainToken({
      accounts,
      respond: ({ token, user }) => {
        // the answer may tell of the token
        expectType<Equal<typeof token, Token>>()
        // and of its owner
        expectType<Equal<typeof user, User>>()
        return { key: token.key, email: user.email }
      },
    }),
  )
  // @ts-expect-error the answer is an object
  door.post(obtainToken({ accounts, respond: (issued) => issued.token.key }))
  // @ts-expect-error a user has no password to tell
  door.post(obtainToken({ accounts, respond: ({ user }) => ({ secret: user.password }) }))
  // @ts-expect-error users and tokens are kept somewhere
  door.post(obtainToken())
  // @ts-expect-error both of them
  door.post(obtainToken({ accounts: { users: accounts.users } }))
  // it suits every endpoint
  expectType<Equal<ReturnType<typeof obtainToken>, Behaviour<ApiRequest>>>()
  versioned.endpoint('token').post(obtainToken({ accounts }))
}

export function served(): void {
  const mine = members.endpoint('article-detail').get(({ user, params }) => user.id + params.id)
  const yours = versioned.endpoint('token').get(({ version }) => version)
  const configuration = configurationOf()
  const app = api.serve([mine, yours, api.endpoint('home')], { configuration })
  // endpoints of all kinds are served together, and whoever does not ask for links takes any application
  const whole: App = app
  const either: readonly (typeof mine | typeof yours)[] = [mine, yours]
  // also as a list of their own
  api.serve(either)
  // any endpoint is one of those that can be served
  expectType<typeof mine extends Endpoint<never> ? true : false>()
  // @ts-expect-error an endpoint for members is none for everybody
  const open: Endpoint<ApiRequest> = mine
  // @ts-expect-error a handler is not an endpoint
  api.serve([general])
  // @ts-expect-error nor is a name
  api.serve(['token'])
  // @ts-expect-error a list is served
  api.serve(mine)
  // @ts-expect-error a group serves nothing by itself
  members.serve([mine])
  // @ts-expect-error what is served does not change
  app.service = {}
  return void [open, whole]
}
