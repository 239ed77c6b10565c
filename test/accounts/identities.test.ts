// Who users are at identity providers: linked, found, and never the last way in taken away.
import { describe, expect, test } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { Conflict, PermissionDenied } from '../../src/core/errors/api-errors.ts'
import { UsernameTaken } from '../../src/core/errors/storage-errors.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { SERVERS, migratedDatabase } from '../setup/databases.ts'
import { CHEAP } from './fixtures.ts'

const AT = 1_735_689_600_000
const ADA = { issuer: 'https://id.example.com/', subject: 'ada' }
const OTHER = { issuer: 'https://id.example.com', subject: 'ada' }

describe.each(['sqlite', ...SERVERS] as const)('identities on %s', (name) => {
  async function open() {
    const database = await (name === 'sqlite' ? migratedSqlite() : migratedDatabase(name))
    const accounts = createAccounts({
      database,
      secretKey: () => 'a secret',
      passwordCost: CHEAP,
      now: () => AT,
    })
    const events: string[] = []
    for (const type of ['identity.linked', 'identity.unlinked'] as const)
      accounts.events.on(type, ({ user, subject }) => {
        events.push(`${type} ${user.username} ${subject}`)
      })
    const ada = await accounts.users.create({ username: 'ada' })
    const bob = await accounts.users.create({ username: 'bob', password: 'wonderland' })
    const subjectsOf = async (user: typeof ada) =>
      (await accounts.identities.of(user)).map(({ issuer }) => issuer)
    return { ...accounts, accounts, ada, bob, events, subjectsOf }
  }

  test('are found by every character of issuer and subject, and belong to one user', async () => {
    const { identities, ada, bob, events } = await open()
    expect(await identities.find(ADA)).toBeNull()
    expect(await identities.link(ada, ADA)).toBe(true)
    expect(await identities.link(ada, ADA)).toBe(true)
    expect(await identities.link(bob, ADA)).toBe(false)
    expect(await identities.find(ADA)).toEqual({
      ...ADA,
      id: expect.any(Number),
      created: new Date(AT),
      lastUsed: null,
      user: ada,
    })
    const others = [OTHER, { ...ADA, subject: 'Ada' }, { ...ADA, subject: 'ada ' }]
    for (const other of others) expect(await identities.find(other)).toBeNull()
    for (const other of others) expect(await identities.link(bob, other)).toBe(true)
    await identities.used((await identities.find(ADA))!)
    expect(await identities.of(ada)).toMatchObject([{ ...ADA, lastUsed: new Date(AT) }])
    expect(events.slice(0, 2)).toEqual(['identity.linked ada ada', 'identity.linked bob ada'])
  })

  test('come with a new account, or the account does not come', async () => {
    const { accounts, events, users } = await open()
    const make = (username: string, identity = ADA) =>
      accounts.by({ user: null }).users.create({ username }, undefined, { identity })
    const made = await Promise.allSettled(['carol', 'dan', 'eve'].map((each) => make(each)))
    const [first, ...more] = made.filter(({ status }) => status === 'fulfilled')
    const carol = (first as PromiseFulfilledResult<(typeof accounts)['~user'] & object>).value
    expect([more.length, await users.count()]).toEqual([0, 3])
    for (const each of made)
      if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(Conflict)
    expect((await accounts.identities.find(ADA))?.user).toEqual(carol)
    await expect(make('bob', OTHER)).rejects.toThrow(UsernameTaken)
    expect(await accounts.identities.find(OTHER)).toBeNull()
    expect(events).toEqual([`identity.linked ${carol.username} ada`])
    await expect(users.create({ username: 'fay' }, undefined, { identity: OTHER })).rejects.toThrow(
      TypeError,
    )
  })

  test('of 20 links at the same moment one is made', async () => {
    const { identities, ada, bob, events } = await open()
    const links = Array.from({ length: 20 }, (_, at) => identities.link(at % 2 ? ada : bob, ADA))
    const made = await Promise.all(links)
    expect(made.filter(Boolean)).toHaveLength(10)
    expect(events).toHaveLength(1)
  })

  test('the last way in stays: of two that go at the same moment, one does', async () => {
    const { identities, ada, bob, events, subjectsOf } = await open()
    await identities.link(ada, ADA)
    await expect(identities.unlink(ada, ADA)).rejects.toThrow(Conflict)
    await identities.link(ada, OTHER)
    const both = await Promise.allSettled([ADA, OTHER].map((each) => identities.unlink(ada, each)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await subjectsOf(ada)).toHaveLength(1)
    const [left] = await identities.of(ada)
    expect(await identities.unlink(bob, left!)).toBe(false)
    expect(await identities.unlink(ada, left!, { evenLast: true })).toBe(true)
    expect(await identities.unlink(ada, left!, { evenLast: true })).toBe(false)
    // Who has a password can still log in.
    await identities.link(bob, ADA)
    expect(await identities.unlink(bob, ADA)).toBe(true)
    expect(events.filter((each) => each.startsWith('identity.unlinked'))).toHaveLength(3)
  })

  test('so it does for 20 users at once', async () => {
    const { accounts, identities, subjectsOf } = await open()
    const left = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const user = await accounts.users.create({ username: `user ${at}` })
        const own = [ADA, OTHER].map((each) => ({ ...each, subject: String(at) }))
        for (const each of own) await identities.link(user, each)
        await Promise.allSettled(own.map((each) => identities.unlink(user, each)))
        return (await subjectsOf(user)).length
      }),
    )
    expect(left).toEqual(Array(20).fill(1))
  })

  test('the trail has who linked and unlinked what, and staff links nobody who is above them', async () => {
    const { accounts, database, ada, bob, subjectsOf } = await open()
    const by = accounts.by({ user: ada, requestId: 'r1' })
    expect(await by.identities.link(ada, ADA)).toBe(true)
    expect(await by.identities.link(ada, ADA)).toBe(true)
    expect(await by.identities.link(ada, OTHER)).toBe(true)
    expect(await by.identities.unlink(ada, OTHER)).toBe(true)
    await expect(by.identities.unlink(ada, ADA)).rejects.toThrow(Conflict)
    const root = await accounts.users.create({ username: 'root', isSuperuser: true })
    await expect(by.identities.link(root, OTHER)).rejects.toThrow(PermissionDenied)
    expect(await subjectsOf(root)).toEqual([])
    const twice = Array.from({ length: 4 }, () =>
      accounts.by({ user: bob }).identities.link(bob, OTHER),
    )
    expect(await Promise.all(twice)).toEqual(Array(4).fill(true))
    const sql = 'select actor, action, details from colophon_audit order by id'
    const entries = await database.read<Record<string, string>>({ sql, parameters: [] })
    expect(
      entries.map((each) => [each['actor'], each['action'], JSON.parse(each['details']!)]),
    ).toEqual([
      ['ada', 'identity.linked', ADA],
      ['ada', 'identity.linked', OTHER],
      ['ada', 'identity.unlinked', OTHER],
      ['bob', 'identity.linked', OTHER],
    ])
  })

  test('go with their user, and hold no text that the table cannot', async () => {
    const { identities, database, ada } = await open()
    await identities.link(ada, ADA)
    await database.write({
      sql: `delete from colophon_user where username = 'ada'`,
      parameters: [],
    })
    expect(await identities.find(ADA)).toBeNull()
    for (const subject of ['', 'a'.repeat(256), 'a\0', 'a\ud800']) {
      expect(await identities.find({ ...ADA, subject })).toBeNull()
      await expect(identities.link(ada, { ...ADA, subject })).rejects.toThrow(RangeError)
    }
  })
})
