// Tokens of others: the types of claims, users and roles.
import { type AnonymousUser, HasRole, IsAuthenticated, type User, defineApi } from 'colophon'
import type { AccountUser, Accounts } from 'colophon/accounts'
import {
  type Claims,
  type ClaimsUser,
  type JWTAuth,
  JWTAuthentication,
  accountUser,
  claimsUser,
} from 'colophon/jwt'
import * as v from 'valibot'
import { type Equal, expectType } from './expect.ts'
import { urls } from './fixtures.ts'

declare const accounts: Accounts
declare const members: Accounts<AccountUser<'manager' | 'clerk'>>
const provider = { issuer: 'https://id/', audience: 'api', jwks: 'https://id/keys' }
const permissions = [new IsAuthenticated()] as const

export function withoutAccounts(): void {
  const authentication = [new JWTAuthentication(provider)]
  const open = defineApi({ urls, authentication }).endpoint('token')
  open.get(({ user, auth }) => {
    // as much as the token says, or nobody in particular
    expectType<Equal<typeof user, ClaimsUser | AnonymousUser>>()
    // the claims, or nothing
    expectType<Equal<typeof auth, JWTAuth | null>>()
    // @ts-expect-error there may be no token
    auth.claims.sub.trim()
    // what a standard names has its type
    if (auth !== null) expectType<Equal<typeof auth.claims.exp, number>>()
    // anything else may be anything
    if (auth !== null) expectType<Equal<(typeof auth.claims)['tenant'], unknown>>()
    // @ts-expect-error it does not hold the token
    if (auth !== null) auth.key.trim()
  })
  // where the scheme stands makes no difference
  defineApi({
    urls,
    authentication: [
      new JWTAuthentication({ ...provider, claims: v.object({ tenant: v.number() }) }),
    ],
    permissions: [new IsAuthenticated()],
  })
    .endpoint('token')
    .get(({ user, auth }) => {
      expectType<Equal<typeof user, ClaimsUser>>()
      if (auth !== null) expectType<Equal<typeof auth.claims.tenant, number>>()
    })
  const closed = defineApi({ urls, authentication, permissions }).endpoint('token')
  // a permission has proved it
  closed.get(({ user }) => expectType<Equal<typeof user, ClaimsUser>>())
}

export function claims(): readonly unknown[] {
  const scheme = new JWTAuthentication({
    ...provider,
    claims: v.object({ tenant: v.number() }),
    // the mapping sees what the schema gives
    user: ({ tenant, sub }) => ({ isAuthenticated: true as const, tenant, name: sub }),
  })
  const api = defineApi({ urls, authentication: [scheme], permissions })
  api.endpoint('token').get(({ user, auth }) => {
    // as the mapping makes it
    expectType<Equal<typeof user.tenant, number>>()
    // as the schema has it, beside what every token has
    if (auth !== null) expectType<Equal<typeof auth.claims.tenant, number>>()
    if (auth !== null) expectType<Equal<typeof auth.claims.sub, string>>()
  })
  return [
    // @ts-expect-error no such claim is known to be a text
    new JWTAuthentication({ ...provider, user: ({ tenant }) => ({ tenant: tenant.trim() }) }),
    // @ts-expect-error a mapping gives a user, or none
    new JWTAuthentication({ ...provider, user: () => 'ada' }),
  ]
}

export function withAccounts(): void {
  const scheme = new JWTAuthentication({ ...provider, user: accountUser(accounts) })
  defineApi({ urls, authentication: [scheme], permissions })
    .endpoint('token')
    // the account
    .get(({ user }) => expectType<Equal<typeof user, User>>())
  accountUser(members, { roles: { claim: 'roles', map: { boss: 'manager' } } })
  // @ts-expect-error such a role is not declared
  accountUser(members, { roles: { claim: 'roles', map: { boss: 'admin' } } })
  // @ts-expect-error accounts without roles give none
  accountUser(accounts, { roles: { claim: 'roles', map: { boss: 'manager' } } })
  accountUser(accounts, { create: ({ email }) => ({ email: String(email) }) })
  // @ts-expect-error nothing makes staff
  accountUser(accounts, { create: () => ({ isStaff: true }) })
  // @ts-expect-error the name is made of claims, which may be anything
  accountUser(accounts, { name: ({ employee }: Claims) => employee })
}

export function roles(): void {
  const user = claimsUser({ roles: { claim: 'roles', map: { boss: 'manager', help: 'clerk' } } })
  const api = defineApi({ urls, authentication: [new JWTAuthentication({ ...provider, user })] })
  api.endpoint('token', { permissions: [new HasRole('clerk')] }).get((request) => {
    // those of the map
    expectType<Equal<(typeof request.user.roles)[number], 'manager' | 'clerk'>>()
  })
  // @ts-expect-error no claim gives it
  api.endpoint('token', { permissions: [new HasRole('admin')] })
}

export function whatIsMissing(): readonly JWTAuthentication[] {
  return [
    // @ts-expect-error a token for another service would be valid
    new JWTAuthentication({ issuer: 'https://id/', jwks: 'https://id/keys' }),
    // @ts-expect-error anyone's tokens would be
    new JWTAuthentication({ audience: 'api', jwks: 'https://id/keys' }),
  ]
}
