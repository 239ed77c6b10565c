// What accounts in the hands of someone write down, and what they refuse.
import { describe, expect, test } from 'vitest'
import { type Accounts, createAccounts } from '../../src/accounts/create-accounts.ts'
import type { Actor } from '../../src/core/ports/events.ts'
import type { User } from '../../src/core/ports/credentials.ts'
import {
  AuthenticationFailed,
  Conflict,
  PermissionDenied,
} from '../../src/core/errors/api-errors.ts'
import { DatabaseUnavailable, UsernameTaken } from '../../src/core/errors/storage-errors.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { SERVERS, migratedDatabase, migratedDatabaseUrl, opened } from '../setup/databases.ts'
import { CHEAP } from './fixtures.ts'
import { storesIn, storesOf } from '../../src/accounts/tables/stores.ts'

const AT = 1_735_689_600_000
const OPERATOR: Actor = {
  user: null,
  operator: { systemUser: 'root', command: 'user create' },
}

/** No refresh token ends. */
const GUARD = {
  sqlite: [
    `create trigger guard before delete on colophon_family begin select raise(abort, 'guarded'); end`,
  ],
  mysql: [
    `create trigger guard before delete on colophon_family for each row signal sqlstate '45000' set message_text = 'guarded'`,
  ],
  postgres: [
    `create function guard() returns trigger language plpgsql as $$ begin raise 'guarded'; end $$`,
    `create trigger guard before delete on colophon_family for each row execute function guard()`,
  ],
}

interface Entry {
  readonly action: string
  readonly actor: string
  readonly username: string
  readonly token: string | null
  readonly details: string
}

describe.each(['sqlite', ...SERVERS] as const)('the audit trail on %s', (name) => {
  async function open() {
    const database = await (name === 'sqlite' ? migratedSqlite() : migratedDatabase(name))
    const accounts: Accounts = createAccounts({
      database,
      secretKey: () => 'a secret',
      passwordCost: CHEAP,
      manyTokens: true,
      refreshTokens: {},
      revokeTokensOnPasswordChange: true,
      now: () => AT,
    })
    const { users } = accounts
    const root = await users.create({ username: 'root', isStaff: true, isSuperuser: true })
    const staff = await users.create({ username: 'staff', isStaff: true })
    const alice = await users.create({ username: 'alice', password: 'wonderland' })
    const by = (user: User) => accounts.by({ user, requestId: 'r1' })
    const trail = () =>
      database.read<Entry>({ sql: 'select * from colophon_audit order by id', parameters: [] })
    const lines = async () =>
      (await trail()).map(({ actor, action, username, token }) =>
        [actor || '-', action, username, token].filter((part) => part !== null).join(' '),
      )
    return { ...accounts, accounts, database, root, staff, alice, by, trail, lines }
  }

  test('lets no one take the name of another, and says so', async () => {
    const { by, root, alice, lines } = await open()
    const rename = by(root).users.update(alice, { username: 'staff' })
    await expect(rename).rejects.toThrow(new UsernameTaken('staff'))
    expect(await lines()).toEqual([])
  })

  test('tells time, actor, action, whose account, details and request, and no secret', async () => {
    const { by, staff, alice, trail, lines } = await open()
    const { users, tokens, sessions } = by(staff)
    const bob = await users.create({ username: 'bob', password: 'a very secret one' })
    await users.setPassword(bob, 'another secret')
    await users.update(bob, { email: 'b@example.com' })
    await users.update(bob, { isActive: false })
    await users.update(bob, { isActive: true })
    const expires = new Date(AT + 1000)
    const issued = await tokens.issue(alice, { name: 'ci', scopes: ['read'], expires })
    const rotated = await tokens.rotate(alice, 'ci')
    const overlapping = await tokens.rotate(alice, 'ci', { overlap: 60_000 })
    const obtained = await tokens.obtain(alice)
    const anew = await tokens.regenerate(alice)
    await tokens.revoke(alice, 'ci')
    const cookie = await sessions.start(alice)
    await sessions.endAllOf(alice)
    expect(await lines()).toEqual([
      'staff user.created bob',
      'staff user.password_changed bob',
      'staff user.changed bob',
      'staff user.deactivated bob',
      'staff user.activated bob',
      'staff token.created alice ci',
      'staff token.rotated alice ci',
      'staff token.changed alice ci',
      'staff token.created alice ci',
      'staff token.created alice ',
      'staff token.rotated alice ',
      'staff token.revoked alice ci',
      'staff sessions.ended alice',
    ])
    const entries = await trail()
    const text = JSON.stringify(entries, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    const secrets = [issued, rotated, overlapping, obtained, anew].map((token) => token!.key)
    for (const secret of [...secrets, cookie, 'a very secret one', 'another secret', 'argon2'])
      expect(text).not.toContain(secret)
    const [created] = entries as readonly object[] as readonly Record<string, unknown>[]
    expect(created).toMatchObject({ system_user: '', command: '', request_id: 'r1' })
    expect([Number(created!['at']), Number(created!['actor_id'])]).toEqual([AT, staff.id])
    const details = entries.map((entry) => JSON.parse(entry.details) as object)
    expect(details[0]).toEqual({ staff: false, superuser: false })
    expect(details[2]).toEqual({ fields: ['email'] })
    expect(details[5]).toEqual({ scopes: ['read'], expires: expires.toISOString() })
    expect(details.at(-1)).toEqual({ count: 1 })
  })

  test('has operators by the account of their system and the command, and lets them do all', async () => {
    const { accounts, root, staff, trail } = await open()
    const { users, tokens } = accounts.by(OPERATOR)
    await users.create({ username: 'chief', isStaff: true, isSuperuser: true })
    await users.update(root, { isActive: false })
    await users.update(staff, { isActive: false })
    await tokens.ensure(root)
    const entries = (await trail()) as readonly object[]
    expect(entries).toHaveLength(4)
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor: '',
        actor_id: null,
        system_user: 'root',
        command: 'user create',
        request_id: null,
      })
  })

  test('is silent about what did not happen, and about everything that others do', async () => {
    const { accounts, by, staff, alice, trail } = await open()
    const { users, tokens, sessions } = by(staff)
    await tokens.obtain(alice)
    const before = (await trail()).length
    await expect(users.create({ username: 'alice' })).rejects.toBeInstanceOf(UsernameTaken)
    expect(await tokens.create(alice)).toBeNull()
    expect(await tokens.rotate(alice, 'none')).toBeNull()
    expect(await tokens.revoke(alice, 'none')).toBe(false)
    expect(await tokens.revokeMany([999])).toBe(0)
    expect(await sessions.endAllOf(alice)).toBe(0)
    expect(await sessions.endKept('none')).toBe(false)
    await users.authenticate('alice', 'wonderland')
    await accounts.users.update(alice, { email: 'a@example.com' })
    expect(await trail()).toHaveLength(before)
  })

  test('and the change are kept together or not at all', async () => {
    const { database, by, staff, alice, tokens, users } = await open()
    await tokens.issue(alice, { name: 'ci' })
    await database.write({ sql: 'drop table colophon_audit', parameters: [] })
    const mine = by(staff)
    await expect(mine.tokens.revoke(alice, 'ci')).rejects.toThrow('colophon_audit')
    await expect(mine.tokens.issue(alice, { name: 'new' })).rejects.toThrow('colophon_audit')
    await expect(mine.users.update(alice, { isActive: false })).rejects.toThrow('colophon_audit')
    await expect(mine.users.create({ username: 'bob' })).rejects.toThrow('colophon_audit')
    expect((await tokens.of(alice)).map((each) => each.name)).toEqual(['ci'])
    expect(await users.byId(alice.id)).toMatchObject({ isActive: true })
    expect(await users.byUsername('bob')).toBeNull()
  })

  test.each(['a new password', 'a deactivation'])(
    '%s and the end of sessions are kept together or not at all',
    async (what) => {
      const { database, accounts, alice, users, sessions, families, tokens, trail } = await open()
      const [session] = [await sessions.start(alice), await families.begin(alice)]
      await tokens.obtain(alice)
      const told: string[] = []
      for (const type of ['family.ended', 'token.revoked', 'user.deactivated'] as const)
        accounts.events.on(type, () => void told.push(type))
      const change = ({ users: theirs }: Accounts): Promise<boolean> =>
        what === 'a new password'
          ? theirs.setPassword(alice, 'looking-glass')
          : theirs.update(alice, { isActive: false })
      for (const sql of GUARD[name]) await database.write({ sql, parameters: [] })
      for (const broken of [accounts, accounts.by(OPERATOR)])
        await expect(change(broken)).rejects.toThrow('guarded')
      expect(await users.authenticate('alice', 'wonderland')).not.toBeNull()
      expect(await sessions.read(session)).not.toBeNull()
      expect(await tokens.of(alice)).toHaveLength(1)
      expect([told, await trail()]).toEqual([[], []])
    },
  )

  test('a user who is gone gets neither token nor identity', async () => {
    const { accounts, alice, users } = await open()
    await users.remove(alice)
    for (const { tokens, identities } of [accounts, accounts.by(OPERATOR)])
      for (const attempt of [
        () => tokens.obtain(alice),
        () => tokens.issue(alice, { name: 'ci' }),
        () => tokens.regenerate(alice),
        () => identities.link(alice, { issuer: 'i', subject: 's' }),
      ])
        await expect(attempt()).rejects.toBeInstanceOf(AuthenticationFailed)
  })

  test('staff and superusers are changed by superusers and themselves only', async () => {
    const { by, accounts, root, staff, alice, lines } = await open()
    const other = await accounts.users.create({ username: 'other', isStaff: true })
    await accounts.tokens.obtain(root)
    const [token] = await idsOf(accounts, root)
    const mine = by(staff)
    for (const attempt of [
      () => mine.users.setPassword(root, 'mine now'),
      () => mine.users.setPassword(other, 'mine now'),
      () => mine.users.update(other, { isActive: false }),
      () => mine.users.update(alice, { isStaff: true }),
      () => mine.users.update(staff, { isSuperuser: true }),
      () => mine.users.create({ username: 'eve', isStaff: true }),
      () => mine.users.create({ username: 'eve', isSuperuser: true }),
      () => mine.tokens.issue(root, { name: 'ci' }),
      () => mine.tokens.regenerate(other),
      () => mine.tokens.revoke(root),
      () => mine.tokens.revokeMany([token!]),
      () => mine.sessions.endAllOf(root),
    ])
      await expect(attempt()).rejects.toBeInstanceOf(PermissionDenied)
    expect(await accounts.tokens.of(root)).toHaveLength(1)
    expect(await lines()).toEqual([])
    await mine.users.setPassword(staff, 'my own')
    await by(root).users.update(alice, { isStaff: true })
    expect(await lines()).toEqual(['staff user.password_changed staff', 'root user.changed alice'])
  })

  test('an actor who is not active any more changes nothing', async () => {
    const { by, accounts, staff, alice } = await open()
    const mine = by(staff)
    await accounts.users.update(staff, { isActive: false })
    await expect(mine.users.update(alice, { isActive: false })).rejects.toBeInstanceOf(
      PermissionDenied,
    )
    await expect(mine.users.create({ username: 'eve' })).rejects.toBeInstanceOf(PermissionDenied)
    const stranger = accounts.by({ user: { id: alice.id, username: 'stranger' } })
    await expect(stranger.tokens.obtain(alice)).rejects.toBeInstanceOf(PermissionDenied)
  })

  test('no user deactivates the own account, or the last member of staff', async () => {
    const { by, accounts, root, staff, alice, users } = await open()
    await expect(by(root).users.update(root, { isActive: false })).rejects.toMatchObject({
      status: 409,
      message: 'You cannot deactivate your own account.',
    })
    const boss = await users.create({ username: 'boss', isSuperuser: true })
    await by(boss).users.update(root, { isActive: false })
    await expect(by(boss).users.update(staff, { isActive: false })).rejects.toBeInstanceOf(Conflict)
    await by(boss).users.update(alice, { isActive: false })
    expect(await accounts.users.byId(staff.id)).toMatchObject({ isActive: true })
  })

  test('has a new password of who came by the old one, and nothing where that is another one by now', async () => {
    const { accounts, alice, by, lines } = await open()
    const mine = by(alice)
    const [one, late] = [
      (await mine.users.authenticate('alice', 'wonderland'))!,
      (await mine.users.authenticate('alice', 'wonderland'))!,
    ]
    expect(await mine.users.setPassword(one, 'looking-glass')).toBe(true)
    await expect(mine.users.setPassword(late, 'a third')).rejects.toThrow(AuthenticationFailed)
    expect(await lines()).toEqual(['alice user.password_changed alice'])
    expect(await accounts.users.authenticate('alice', 'looking-glass')).not.toBeNull()
  })

  test('where there is no staff any more, others can be deactivated all the same', async () => {
    const { by, root, staff, alice, users } = await open()
    const boss = await users.create({ username: 'boss', isSuperuser: true })
    for (const one of [root, staff]) await users.update(one, { isActive: false })
    for (const one of [alice, staff])
      expect(await by(boss).users.update(one, { isActive: false })).toBe(true)
  })

  test('has each time that a key was shown again', async () => {
    const { by, staff, alice, lines } = await open()
    const [made, shown] = [
      await by(staff).tokens.obtain(alice),
      await by(staff).tokens.obtain(alice),
    ]
    expect(shown.key).toBe(made.key)
    // The usual token has no name.
    expect((await lines()).map((line) => line.trim())).toEqual([
      'staff token.created alice',
      'staff token.shown alice',
    ])
  })

  test('two who deactivate each other at the same moment leave one', async () => {
    const { by, users } = await open()
    for (let round = 0; round < 5; round++) {
      const [one, two] = await Promise.all(
        ['a', 'b'].map((letter) =>
          users.create({ username: `${letter}${round}`, isStaff: true, isSuperuser: true }),
        ),
      )
      const done = await Promise.allSettled([
        by(one!).users.update(two!, { isActive: false }),
        by(two!).users.update(one!, { isActive: false }),
      ])
      expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const left = await Promise.all([one!, two!].map(({ id }) => users.byId(id)))
      expect(left.filter((user) => user!.isActive)).toHaveLength(1)
    }
  })

  test('many tokens are revoked together: exactly those, whichever they are', async () => {
    const { by, accounts, staff, alice, users, tokens, lines } = await open()
    const bob = await users.create({ username: 'bob' })
    let seed = 7
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    for (let round = 0; round < 6; round++) {
      for (const user of [alice, bob])
        for (let at = 0; at < 5; at++) await tokens.issue(user, { name: `${round} ${at}` })
      const all = [...(await idsOf(accounts, alice)), ...(await idsOf(accounts, bob))]
      const chosen = all.filter(() => random() < 0.4)
      const noted = (await lines()).length
      expect(await by(staff).tokens.revokeMany([...chosen, ...chosen, 999_999])).toBe(chosen.length)
      const left = [...(await idsOf(accounts, alice)), ...(await idsOf(accounts, bob))]
      expect(left).toEqual(all.filter((id) => !chosen.includes(id)))
      expect(await lines()).toHaveLength(noted + chosen.length)
    }
  })
})

test('a lock that PostgreSQL does not give is the reason, not the transaction that it ends', async () => {
  const database = await migratedDatabase('postgres', { lockTimeout: 50 })
  const accounts = createAccounts({
    database,
    secretKey: () => 'a secret',
    passwordCost: CHEAP,
    manyTokens: true,
  })
  const alice = await accounts.users.create({ username: 'alice' })
  const [subject, mine] = [{ issuer: 'i', subject: 's' }, accounts.by(OPERATOR)]
  await database.transaction(async ({ write }) => {
    const tables = 'colophon_identity, colophon_token, colophon_user'
    await write({ sql: `lock table ${tables} in share mode`, parameters: [] })
    for (const attempt of [
      () => mine.identities.link(alice, subject),
      () => mine.tokens.issue(alice, { name: 'ci' }),
      () => mine.users.create({ username: 'bob' }, undefined, { identity: subject }),
    ])
      await expect(attempt()).rejects.toBeInstanceOf(DatabaseUnavailable)
  })
})

test.each([
  ['that someone removes while it is added anew is added', new Error('Duplicate entry'), 2],
  ['that meets a lock waits for it once', new DatabaseUnavailable('locked'), 1],
])('a passkey %s', async (_, error, attempts) => {
  const database = await migratedSqlite()
  const stores = storesOf(database)
  const { factors } = stores
  let attempted = 0
  const replace: typeof factors.replace = async (...given) => {
    if (++attempted > 1) return factors.replace(...given)
    throw error
  }
  const once = Object.assign(Object.create(factors) as typeof factors, { replace })
  const options = { database, secretKey: () => 'a secret', passwordCost: CHEAP }
  const accounts = createAccounts(options, { ...stores, factors: once })
  const alice = await accounts.users.create({ username: 'alice' })
  const passkey = { credentialId: 'c', publicKey: 'k', handle: 'h', transports: [], counter: 0 }
  const adding = accounts.factors.addPasskey(alice, 'phone', passkey)
  if (attempts === 1) await expect(adding).rejects.toBe(error)
  await adding.catch(() => undefined)
  expect([attempted, (await accounts.factors.passkeys(alice)).length]).toEqual([
    attempts,
    attempts - 1,
  ])
})

test.each(['a user', 'an operator'])(
  'a session that is not committed yet ends by a new password of %s, however PostgreSQL isolates by itself',
  async (who) => {
    const isolation = encodeURIComponent(
      String.raw`-cdefault_transaction_isolation=repeatable\ read`,
    )
    const url = `${await migratedDatabaseUrl('postgres')}?options=${isolation}`
    const database = opened('postgres', url)
    const accounts = createAccounts({
      database,
      secretKey: () => 'a secret',
      passwordCost: CHEAP,
    })
    const alice = await accounts.users.create({ username: 'alice' })
    const [begun, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const beginning = database.transaction(async (transaction) => {
      const [created, expires] = [new Date(AT), new Date(AT)]
      const session = { digest: 'd', userId: alice.id, created, expires }
      await storesIn(transaction, database.dialect).sessions.insert(session)
      begun.resolve()
      await commit.promise
    })
    await begun.promise
    const { users } = who === 'a user' ? accounts : accounts.by(OPERATOR)
    const changing = users.setPassword(alice, 'looking-glass')
    const sql = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await expect.poll(() => database.read({ sql, parameters: [] })).toHaveLength(1)
    commit.resolve()
    await Promise.all([beginning, changing])
    expect(await accounts.sessions.endAllOf(alice)).toBe(0)
  },
)

async function idsOf({ database }: Accounts, user: User): Promise<readonly number[]> {
  return (await storesOf(database).tokens.allOf(user.id))
    .map(({ id }) => id)
    .toSorted((a, b) => a - b)
}
