// With accounts, whoever has one can be asking; who says schemes of their own decides.
import {
  type AnonymousUser,
  BasicAuthentication,
  IsAuthenticated,
  type Token,
  TokenAuthentication,
  type User,
  defineApi,
  include,
} from 'colophon'
import { accountEndpoints, accountUrls, adminEndpoints, adminUrls } from 'colophon/admin'
import type { Accounts } from 'colophon/accounts'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, urls } from './fixtures.ts'

export function defaults(accounts: Accounts, perhaps: Accounts | undefined): void {
  const api = defineApi({ urls, accounts })
  const open = api.endpoint('token')
  // the default schemes name users
  expectType<Equal<RequestTo<typeof open>['user'], User | AnonymousUser>>()
  // and bring no credential
  expectType<Equal<RequestTo<typeof open>['auth'], null>>()
  const members = api.group({ permissions: [new IsAuthenticated()] }).endpoint('token')
  // a permission narrows them
  expectType<Equal<RequestTo<typeof members>['user'], User>>()
  const closed = defineApi({ urls, accounts, permissions: [new IsAuthenticated()] })
  // also one of the api
  closed.endpoint('token').get(({ user }) => user.email)
  const off = api.endpoint('token', { authentication: [] })
  // an endpoint without schemes has nobody
  expectType<Equal<RequestTo<typeof off>['user'], AnonymousUser>>()
  const nobody = defineApi({ urls, accounts, authentication: [] }).endpoint('token')
  // nor has an api without
  expectType<Equal<RequestTo<typeof nobody>['user'], AnonymousUser>>()
  const tokens = defineApi({ urls, accounts, authentication: [new TokenAuthentication(accounts)] })
  const token = tokens.endpoint('token')
  // what is said takes the place of the default
  expectType<Equal<RequestTo<typeof token>['auth'], Token | null>>()
  const none = defineApi({ urls }).endpoint('token')
  // without accounts there is nobody
  expectType<Equal<RequestTo<typeof none>['user'], AnonymousUser>>()
  const unsure = defineApi({ urls, ...(perhaps === undefined ? {} : { accounts: perhaps }) })
  const some = unsure.endpoint('token')
  // with accounts perhaps, perhaps somebody
  expectType<Equal<RequestTo<typeof some>['user'], User | AnonymousUser>>()
  // @ts-expect-error accounts are made by defineAccounts
  defineApi({ urls, accounts: { users: [] } })
}

export function basic(accounts: Accounts): void {
  const api = defineApi({ urls, authentication: [new BasicAuthentication(accounts)] })
  const one = api.endpoint('token')
  expectType<Equal<RequestTo<typeof one>['user'], User | AnonymousUser>>()
  expectType<Equal<RequestTo<typeof one>['auth'], null>>()
  const both = api.endpoint('token', {
    authentication: [new BasicAuthentication(accounts), new TokenAuthentication(accounts)],
  })
  // with tokens beside it there may be one
  expectType<Equal<RequestTo<typeof both>['auth'], Token | null>>()
  // @ts-expect-error passwords are checked somewhere
  const lost = new BasicAuthentication({ realm: 'api' })
  // @ts-expect-error a realm is a text
  const odd = new BasicAuthentication({ users: accounts.users, realm: 7 })
  return void [lost, odd]
}

export function administered(accounts: Accounts): void {
  adminEndpoints(defineApi({ urls: adminUrls }), { accounts })
  adminEndpoints(defineApi({ urls: { office: include('/office', adminUrls) } }), { accounts })
  const own = defineApi({ urls: { ...urls, ...accountUrls } })
  accountEndpoints(own, { accounts })
  const { 'admin-audit': _, ...most } = adminUrls
  // @ts-expect-error the administration needs all of its addresses
  adminEndpoints(defineApi({ urls: most }), { accounts })
  // @ts-expect-error those of an account are others
  adminEndpoints(own, { accounts })
}
