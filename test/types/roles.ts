// Roles that an application declares: on users, in what changes them, and on who a request is from.
import {
  type AnonymousUser,
  BasicAuthentication,
  HasRole,
  IsAdminUser,
  IsAuthenticated,
  RemoteUserAuthentication,
  SessionAuthentication,
  type Token,
  TokenAuthentication,
  type User,
  allOf,
  anyOf,
  defineApi,
  loginSession,
  not,
  obtainToken,
  showSession,
} from 'colophon'
import { type AccountUser, type Accounts, defineAccounts } from 'colophon/accounts'
import { adminEndpoints, adminUrls } from 'colophon/admin'
import { type SqlDatabase, column } from 'colophon/sql'
import { type Equal, expectType } from './expect.ts'
import { type RequestTo, urls } from './fixtures.ts'

declare const database: SqlDatabase
const declared = () => defineAccounts({ database, roles: ['receptionist', 'doctor'] })
const plain = () => defineAccounts({ database })
type Member = User & { readonly roles: readonly ('receptionist' | 'doctor')[] }

export async function users(): Promise<void> {
  const accounts = declared()
  expectType<Equal<typeof accounts, Accounts<Member>>>()
  expectType<Equal<AccountUser<'receptionist' | 'doctor'>, Member>>()
  // who declares none has users as before
  expectType<Equal<ReturnType<typeof plain>, Accounts>>()
  const alice = await accounts.users.create({ username: 'alice', roles: ['doctor'] })
  expectType<Equal<typeof alice, Member>>()
  const found = await accounts.users.byId(1)
  expectType<Equal<typeof found, Member | null>>()
  for await (const each of accounts.users.all()) expectType<Equal<typeof each, Member>>()
  await accounts.users.update(alice, { roles: [] })
  // @ts-expect-error no such role
  await accounts.users.create({ username: 'bob', roles: ['docter'] })
  // @ts-expect-error nor in a change
  await accounts.users.update(alice, { roles: ['docter'] })
  // @ts-expect-error none are declared
  await plain().users.create({ username: 'bob', roles: ['doctor'] })
  // @ts-expect-error nor is there anything to read
  void (await plain().users.byId(1))?.roles
  // the same in the hands of someone
  await accounts.by({ user: alice }).users.update(alice, { roles: ['doctor'] })
  defineAccounts({
    database,
    roles: ['doctor'],
    onUserCreated: async (user, own) => {
      expectType<Equal<typeof user.roles, readonly 'doctor'[]>>()
      await own.users.update(user, { roles: ['doctor'] })
    },
  })
}

export function requests(): void {
  const accounts = declared()
  const usual = defineApi({ urls, accounts }).endpoint('token')
  expectType<Equal<RequestTo<typeof usual>['user'], Member | AnonymousUser>>()
  const authentication = [
    new TokenAuthentication(accounts),
    new BasicAuthentication(accounts),
    new SessionAuthentication(accounts),
    new RemoteUserAuthentication(accounts),
  ] as const
  const all = defineApi({ urls, authentication, permissions: [new IsAuthenticated()] })
  const named = all.endpoint('token')
  expectType<Equal<RequestTo<typeof named>['user'], Member>>()
  expectType<Equal<RequestTo<typeof named>['auth'], Token<Member> | null>>()
  // sessions and tokens that are begun know them too
  loginSession({ accounts, show: ({ id, roles }) => ({ id, doctor: roles.includes('doctor') }) })
  // @ts-expect-error no such role
  showSession({ accounts, show: ({ roles }) => roles.includes('docter') })
  obtainToken({ accounts, respond: ({ token, user }) => ({ key: token.key, roles: user.roles }) })
  // whoever takes accounts takes these
  adminEndpoints(defineApi({ urls: adminUrls, accounts }), { accounts })
}

declare const guard: { authenticate(): { readonly user: Guard; readonly auth: null } | null }
interface Guard {
  readonly isAuthenticated: true
  readonly roles: readonly 'guard'[]
}

export function permissions(some: string): void {
  const doctor = new HasRole('doctor')
  const accounts = declared()
  const api = defineApi({ urls, accounts })
  const doctors = api.endpoint('token', { permissions: [doctor] })
  // it has proved that there is a user
  expectType<Equal<RequestTo<typeof doctors>['user'], Member>>()
  api.endpoint('token', { permissions: [new HasRole('receptionist', 'doctor')] })
  api.group({ permissions: [anyOf(new IsAdminUser(), doctor)] })
  api.group({ permissions: [allOf(new IsAuthenticated(), not(doctor))] })
  defineApi({ urls, accounts, permissions: [doctor] })
  // @ts-expect-error no such role
  api.endpoint('token', { permissions: [new HasRole('docter')] })
  // @ts-expect-error one of them is none
  api.endpoint('token', { permissions: [new HasRole('receptionist', 'doctor', 'docter')] })
  // @ts-expect-error in a group neither
  api.group({ permissions: [new HasRole('docter')] })
  // @ts-expect-error nor in a composition
  api.group({ permissions: [anyOf(new IsAdminUser(), new HasRole('docter'))] })
  // @ts-expect-error nor for the whole api
  defineApi({ urls, accounts, permissions: [new HasRole('docter')] })
  // @ts-expect-error any text may be none
  api.endpoint('token', { permissions: [new HasRole(some)] })
  // @ts-expect-error these users have no roles
  defineApi({ urls, accounts: plain(), permissions: [doctor] })
  // a scheme of one's own has its own
  api.endpoint('token', { authentication: [guard], permissions: [new HasRole('guard')] })
  // @ts-expect-error and no other
  api.endpoint('token', { authentication: [guard], permissions: [doctor] })
}

const withColumns = () =>
  defineAccounts({
    database,
    roles: ['doctor'],
    columns: {
      clinic: column.references('clinic', { nullable: true }),
      onCall: column.boolean({ default: false }),
      grade: column.choice(['junior', 'senior'], { default: 'junior' }),
      badge: column.text({ nullable: true, maxLength: 8 }),
    },
  })

export async function columns(): Promise<void> {
  const accounts = withColumns()
  const alice = await accounts.users.create({
    username: 'alice',
    roles: ['doctor'],
    clinic: 3,
    onCall: true,
  })
  expectType<Equal<typeof alice.clinic, number | null>>()
  expectType<Equal<typeof alice.onCall, boolean>>()
  expectType<Equal<typeof alice.grade, 'junior' | 'senior'>>()
  expectType<Equal<typeof alice.badge, string | null>>()
  expectType<Equal<typeof alice.roles, readonly 'doctor'[]>>()
  await accounts.users.update(alice, { clinic: null, grade: 'senior' })
  // @ts-expect-error a number
  await accounts.users.update(alice, { clinic: '3' })
  // @ts-expect-error never NULL
  await accounts.users.update(alice, { onCall: null })
  // @ts-expect-error no such grade
  await accounts.users.create({ username: 'bob', grade: 'chief' })
  // @ts-expect-error no such column
  await accounts.users.create({ username: 'bob', floor: 3 })
  const api = defineApi({ urls, accounts, permissions: [new HasRole('doctor')] })
  const doctors = api.endpoint('token')
  expectType<Equal<RequestTo<typeof doctors>['user']['clinic'], number | null>>()
  const alone = () => defineAccounts({ database, columns: { floor: column.integer() } })
  const someone = await alone().users.byId(1)
  expectType<Equal<typeof someone, (User & { readonly floor: number }) | null>>()
  // @ts-expect-error no roles
  void someone?.roles
}
