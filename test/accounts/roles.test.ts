// Roles of users as the application declares them: kept, read, refused, and gone at the next request.
import { describe, expect, test, vi } from 'vitest'
import { type AccountsOptions, createAccounts } from '../../src/accounts/create-accounts.ts'
import { InvalidAccount } from '../../src/accounts/account-input.ts'
import { PermissionDenied } from '../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import type { Incoming } from '../../src/core/ports/request.ts'
import type { User } from '../../src/core/ports/credentials.ts'
import {
  BasicAuthentication,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
} from '../../src/index.ts'
import { migratedSqlite, temporarySqlite } from '../contract/temporary.ts'
import { SERVERS, migratedDatabase } from '../setup/databases.ts'
import { CHEAP } from './fixtures.ts'

const ROLES = ['receptionist', 'doctor', 'front-desk'] as const
type Role = (typeof ROLES)[number]

const databaseOf = (name: 'sqlite' | (typeof SERVERS)[number]) =>
  name === 'sqlite' ? migratedSqlite() : migratedDatabase(name)

describe.each(['sqlite', ...SERVERS] as const)('roles on %s', (name) => {
  async function open(options: Partial<AccountsOptions<Role>> = {}) {
    const database = await databaseOf(name)
    const parts = { database, secretKey: () => 'a secret', passwordCost: CHEAP }
    const accounts = createAccounts({ ...parts, roles: ROLES, manyTokens: true, ...options })
    const write = (sql: string) => database.write({ sql, parameters: [] })
    return { ...accounts, accounts, parts, write }
  }

  test('are none at first, kept in the order in which they are declared, and replaced', async () => {
    const { users } = await open()
    const alice = await users.create({ username: 'alice' })
    expect(alice.roles).toEqual([])
    const bob = await users.create({ username: 'bob', roles: ['doctor', 'receptionist', 'doctor'] })
    expect(bob.roles).toEqual(['receptionist', 'doctor'])
    expect((await users.byId(bob.id))?.roles).toEqual(['receptionist', 'doctor'])
    await users.update(bob, { email: 'b@example.com' })
    expect((await users.byUsername('bob'))?.roles).toEqual(['receptionist', 'doctor'])
    await users.update(bob, { roles: ['front-desk'] })
    const all: (readonly Role[])[] = []
    for await (const { roles } of users.all()) all.push(roles)
    expect(all).toEqual([[], ['front-desk']])
    await users.update(bob, { roles: [] })
    expect((await users.byId(bob.id))?.roles).toEqual([])
  })

  test('that are not declared are refused, and nothing is written', async () => {
    const { users, parts } = await open()
    const wrong = ['docter' as Role]
    await expect(users.create({ username: 'bob', roles: wrong })).rejects.toThrow(InvalidAccount)
    expect(await users.byUsername('bob')).toBeNull()
    const alice = await users.create({ username: 'alice', roles: ['doctor'] })
    const changed = users.update(alice, { roles: ['receptionist', ...wrong], email: 'a@b.example' })
    await expect(changed).rejects.toThrow('There is no role "docter".')
    expect(await users.byId(alice.id)).toEqual(alice)
    const without = createAccounts(parts)
    const any = { username: 'eve', roles: ['doctor'] }
    await expect(without.users.create(any)).rejects.toThrow('There is no role "doctor".')
    expect(Object.keys((await without.users.byId(alice.id))!)).not.toContain('roles')
  })

  test('that are declared no more give nothing, and the log has them once', async () => {
    const info = vi.fn<(record: { readonly event?: unknown }) => void>()
    const { users, parts, write } = await open({ logger: { info, error: info } })
    const alice = await users.create({ username: 'alice' })
    await write("update colophon_user set roles = 'doctor surgeon'")
    for (let time = 0; time < 3; time++)
      expect((await users.byId(alice.id))?.roles).toEqual(['doctor'])
    const record = { event: 'role.not_declared', role: 'surgeon' }
    const told = info.mock.calls.filter(([{ event }]) => event === record.event)
    expect(told).toEqual([[record]])
    const fewer = createAccounts({ ...parts, roles: ['surgeon'] })
    expect((await fewer.users.byId(alice.id))?.roles).toEqual(['surgeon'])
  })

  test('are changed at the next request, as is_active is, by every scheme', async () => {
    const { accounts, users, tokens, sessions, write } = await open()
    const roles = ['doctor', 'receptionist'] as const
    const alice = await users.create({ username: 'alice', password: 'wonderland', roles })
    const { key } = await tokens.obtain(alice)
    const named = (await tokens.issue(alice, { name: 'ci' }))!
    const cookie = await sessions.start(alice)
    const basic = Buffer.from('alice:wonderland').toString('base64')
    const schemes = [
      () => new TokenAuthentication(accounts).authenticate(sent(`Token ${key}`)),
      () => new TokenAuthentication(accounts).authenticate(sent(`Token ${named.key}`)),
      () => new BasicAuthentication(accounts).authenticate(sent(`Basic ${basic}`)),
      () => new SessionAuthentication(accounts).authenticate(sent(null, `sessionid=${cookie}`)),
      () => new RemoteUserAuthentication(accounts).authenticate(sent(null)),
    ]
    const seen = (): Promise<unknown[]> =>
      Promise.all(
        schemes.map(async (authenticate) => {
          try {
            return (await authenticate())?.user.roles ?? null
          } catch {
            return null
          }
        }),
      )
    const each = (value: unknown) => schemes.map(() => value)
    expect(await seen()).toEqual(each(['receptionist', 'doctor']))
    // As another process does it, which no memory of this one hears of.
    await write("update colophon_user set roles = 'receptionist'")
    expect(await seen()).toEqual(each(['receptionist']))
    await write('update colophon_user set is_active = false')
    expect(await seen()).toEqual(each(null))
    await write("update colophon_user set is_active = true, roles = 'front-desk'")
    expect(await seen()).toEqual(each(['front-desk']))
  })

  test('are narrowed by the scopes of a token, at each request, and never widened', async () => {
    const { accounts, users, tokens } = await open()
    const alice = await users.create({ username: 'alice', roles: ['doctor', 'receptionist'] })
    const issue = async (token: string, scopes: readonly string[] | null) =>
      (await tokens.issue(alice, { name: token, scopes }))!.key
    const keys = [
      await issue('all', null),
      await issue('one', ['read', 'role:receptionist']),
      await issue('two', ['role:doctor', 'role:receptionist']),
      await issue('other', ['role:front-desk']),
      await issue('none', ['read']),
    ]
    const seen = () =>
      Promise.all(
        keys.map(async (key) => {
          const scheme = new TokenAuthentication(accounts)
          return (await scheme.authenticate(sent(`Token ${key}`)))?.user.roles
        }),
      )
    const both = ['receptionist', 'doctor']
    expect(await seen()).toEqual([both, ['receptionist'], both, [], []])
    await users.update(alice, { roles: ['doctor', 'front-desk'] })
    expect(await seen()).toEqual([['doctor', 'front-desk'], [], ['doctor'], ['front-desk'], []])
    await expect(issue('wrong', ['role:docter'])).rejects.toThrow('There is no role "docter".')
    expect((await tokens.of(alice)).map(({ name: each }) => each)).not.toContain('wrong')
  })

  test('are changed by superusers alone, and the audit trail has them', async () => {
    const { accounts, users } = await open()
    const root = await users.create({ username: 'root', isSuperuser: true })
    const staff = await users.create({ username: 'staff', isStaff: true, roles: ['doctor'] })
    const alice = await users.create({ username: 'alice', roles: ['doctor'] })
    const by = (user: User) => accounts.by({ user }).users
    for (const refused of [
      () => by(staff).create({ username: 'eve', roles: ['receptionist'] }),
      () => by(staff).update(alice, { roles: ['doctor', 'receptionist'] }),
      () => by(staff).update(alice, { roles: [] }),
      () => by(staff).update(staff, { roles: ['doctor', 'receptionist'] }),
      () => by(alice).update(alice, { roles: ['receptionist'] }),
    ]) {
      await expect(refused()).rejects.toThrow(PermissionDenied)
      await expect(refused()).rejects.toThrow('Only superusers may change this: roles.')
    }
    // A form sends back what it was given.
    await by(staff).update(alice, { roles: ['doctor'], email: 'a@example.com' })
    await by(staff).create({ username: 'bob', roles: [] })
    await by(root).update(alice, { roles: ['receptionist'] })
    await by(root).create({ username: 'carol', roles: ['doctor'] })
    expect((await users.byId(alice.id))?.roles).toEqual(['receptionist'])
    const sql = 'select details from colophon_audit order by id'
    const rows = await accounts.database.read<{ details: string }>({ sql, parameters: [] })
    expect(rows.map(({ details }) => JSON.parse(details) as object)).toEqual([
      { fields: ['email', 'roles'], roles: ['doctor'] },
      { staff: false, superuser: false, roles: [] },
      { fields: ['roles'], roles: ['receptionist'] },
      { staff: false, superuser: false, roles: ['doctor'] },
    ])
  })

  test('come to nobody by what lets someone else in', async () => {
    const { accounts, users, tokens } = await open()
    const root = await users.create({ username: 'root', isSuperuser: true })
    const staff = await users.create({ username: 'staff', isStaff: true, roles: ['front-desk'] })
    const chief = await users.create({ username: 'chief', isStaff: true, roles: ['doctor'] })
    const alice = await users.create({
      username: 'alice',
      password: 'wonderland',
      roles: ['doctor'],
    })
    await tokens.issue(alice, { name: 'ci' })
    const ways = (actor: User) => {
      const own = accounts.by({ user: actor })
      return [
        () => own.users.setPassword(alice, 'another secret'),
        () => own.tokens.issue(alice, { name: `of ${actor.username}` }),
        () => own.tokens.obtain(alice),
        () => own.tokens.regenerate(alice),
        () => own.tokens.rotate(alice, 'ci'),
        () => own.sessions.start(alice),
        () => own.users.update(alice, { email: `${actor.username}@example.com` }),
      ]
    }
    await tokens.obtain(alice)
    const rename = () => accounts.by({ user: staff }).users.update(alice, { username: 'al' })
    for (const way of [...ways(staff), rename])
      await expect(way()).rejects.toThrow('with roles that you do not have: doctor.')
    expect(await users.authenticate('alice', 'wonderland')).not.toBeNull()
    expect(await tokens.of(alice)).toHaveLength(2)
    for (const actor of [chief, root, alice])
      for (const way of ways(actor)) expect(await way()).not.toBeNull()
    // To keep someone out gives no one anything.
    await accounts.by({ user: staff }).tokens.revoke(alice, 'ci')
    expect(await accounts.by({ user: staff }).users.update(alice, { isActive: false })).toBe(true)
  })
})

/** What schemes ask of a request. */
function sent(authorization: string | null, cookie: string | null = null): Incoming {
  const headers: Readonly<Record<string, string | null>> = { authorization, cookie }
  return {
    method: 'GET',
    header: (name: string) => headers[name] ?? null,
    cookies: new Map(cookie === null ? [] : [cookie.split('=') as [string, string]]),
    environ: { REMOTE_USER: 'alice' },
    guesses: null,
  } as unknown as Incoming
}

test.each([['a b'], ['é'], [''], ['x'.repeat(51)], ['1st']])('%j is no role', async (role) => {
  const database = await migratedSqlite()
  const define = () => createAccounts({ database, secretKey: () => 'a', roles: [role] })
  expect(define).toThrow(ConfigurationError)
})

test('a role is declared once, and all of them fit', async () => {
  const database = await migratedSqlite()
  const define = (roles: readonly string[]) => () =>
    createAccounts({ database, secretKey: () => 'a', roles })
  expect(define(['doctor', 'doctor'])).toThrow('"doctor" cannot be kept')
  expect(define(Array.from({ length: 50 }, (_, at) => `r${at}`.padEnd(50, 'x')))).toThrow(
    '2000 characters',
  )
})

test('only a service that declares roles asks for their column', async () => {
  const pending = async (roles: readonly string[]) => {
    const database = temporarySqlite()
    createAccounts({ database, secretKey: () => 'a', roles })
    database.onlyUsed?.()
    return database.pendingMigrations()
  }
  const always = ['0001_users', '0006_audit', '0010_addresses', '0015_links_epoch']
  expect(await pending([])).toEqual(always)
  expect(await pending(['doctor'])).toEqual([...always, '0007_roles'].toSorted())
  const database = temporarySqlite()
  const { users } = createAccounts({ database, secretKey: () => 'a', passwordCost: CHEAP })
  database.onlyUsed?.()
  await database.migrate()
  const none = { username: 'alice', roles: [] }
  expect(await users.create(none)).toMatchObject({ username: 'alice' })
})
