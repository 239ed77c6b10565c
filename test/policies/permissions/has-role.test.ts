import { describe, expect, test } from 'vitest'
import {
  HasRole,
  IsAdminUser,
  SessionAuthentication,
  TokenAuthentication,
  allOf,
  anyOf,
  configurationOf,
  defineApi,
  defineUrls,
  not,
} from '../../../src/index.ts'
import type { Authenticator, Permission } from '../../../src/types.ts'
import { type Accounts, createAccounts } from '../../../src/accounts/create-accounts.ts'
import { client } from '../../../src/testing.ts'
import { user } from '../../behaviour/fixtures.ts'
import { migratedSqlite } from '../../contract/temporary.ts'

const urls = defineUrls({ notes: '/notes/' })
const bob = user('bob')

async function ask(asking: unknown, permission: Permission): Promise<number> {
  const scheme: Authenticator = {
    authenticate: () => (asking === null ? null : { user: asking, auth: null }),
    authenticateHeader: () => 'Own',
  }
  const api = defineApi({ urls, authentication: [scheme], permissions: [permission] })
  const app = api.serve([api.endpoint('notes').get(() => 'yes')], {
    configuration: configurationOf(),
  })
  return (await client(app).get('/notes/')).status
}

describe('HasRole', () => {
  const either = new HasRole('doctor', 'nurse')

  test.each([
    ['one of them', { ...bob, roles: ['doctor'] }, 200],
    ['another of them', { ...bob, roles: ['guard', 'nurse'] }, 200],
    ['another one', { ...bob, roles: ['guard'] }, 403],
    ['one that begins alike', { ...bob, roles: ['doctors'] }, 403],
    ['none', { ...bob, roles: [] }, 403],
    ['no list of them', bob, 403],
    ['a text in place of a list', { ...bob, roles: 'doctor nurse' }, 403],
    ['one, and is not authenticated', { roles: ['doctor'], isAuthenticated: false }, 403],
    ['no account', null, 401],
  ])('asked about a user who has %s', async (_, asking, status) => {
    expect(await ask(asking, either)).toBe(status)
  })

  test.each([
    ['anyOf', anyOf(new IsAdminUser(), either), [403, 200, 200]],
    ['allOf', allOf(new IsAdminUser(), either), [403, 403, 403]],
    ['not', allOf(not(either), not(new IsAdminUser())), [200, 403, 403]],
  ] as const)('combines with others by %s', async (_, permission, statuses) => {
    const users = [
      { ...bob, roles: [] },
      { ...bob, roles: ['nurse'] },
      { ...bob, isStaff: true, roles: [] },
    ]
    const given = await Promise.all(users.map((each) => ask(each, permission)))
    expect(given).toEqual(statuses)
  })

  test('names its roles where it is listed', () => {
    expect(either.description).toBe('HasRole(doctor, nurse)')
    expect(() => new HasRole()).toThrow('HasRole wants a role at least')
  })

  test.each([
    ['of the api', 'DEFAULT_PERMISSION_CLASSES (from api) has HasRole, which asks'],
    ['in a composition', 'DEFAULT_PERMISSION_CLASSES (from api) has Composition, which asks'],
    ['of a verb', 'GET of '],
  ])('%s: a role that the accounts do not declare refuses to start', async (place, words) => {
    const database = await migratedSqlite()
    const declared = { database, secretKey: () => 'a secret', roles: ['nurse', 'doctor'] }
    const start = (
      name: string,
      accounts: Accounts = createAccounts(declared),
      authentication: Authenticator[] = [],
    ) => {
      // As a program without types, or with roles from elsewhere, may do it.
      const wrong = new HasRole(name as 'doctor') as unknown as Permission
      const permissions = { 'of the api': [wrong], 'in a composition': [not(anyOf(wrong))] }[place]
      const own = permissions === undefined ? { permissions: [wrong] } : {}
      const api = defineApi({ urls, accounts, authentication, permissions: permissions ?? [] })
      const notes = api.endpoint('notes').get({ handle: () => 'yes', ...own } as never)
      return () => api.serve([notes], { configuration: configurationOf() })
    }
    expect(start('docter')).toThrow(words)
    expect(start('docter')).toThrow(
      'asks for the role "docter". defineAccounts({ roles }) has nurse, doctor',
    )
    expect(start('doctor')).not.toThrow()
    const bare = createAccounts({ ...declared, roles: [] })
    const none =
      'asks for the role "docter", and no user has one: declare it, defineAccounts({ roles: ["docter"] }).'
    expect(start('docter', bare)).toThrow(none)
    expect(start('docter', bare, [new TokenAuthentication(bare)])).toThrow(none)
    // Which those of other schemes have is not known.
    class Own extends TokenAuthentication {}
    const all = [new SessionAuthentication(bare), new Own(bare)]
    expect(start('docter', bare, all)).not.toThrow()
  })
})
