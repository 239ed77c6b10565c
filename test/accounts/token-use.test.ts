import { Hmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { writeNow } from '../contract/temporary.ts'
import { type TestAccounts, openAccounts } from './fixtures.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

const START = 1_735_689_600_000
const MINUTE = 60_000

async function withAlice(noteTokenUse?: number) {
  let now = START
  const used: string[] = []
  const told: Readonly<Record<string, unknown>>[] = []
  const accounts = await openAccounts({
    now: () => now,
    logger: { error: (record) => told.push(record), info: (record) => told.push(record) },
    ...(noteTokenUse === undefined ? {} : { noteTokenUse }),
  })
  accounts.events.on('token.used', ({ user }) => void used.push(user.username))
  const alice = await accounts.users.create({ username: 'alice' })
  const { key } = await accounts.tokens.obtain(alice)
  return { ...accounts, alice, key, used, told, advance: (by: number) => void (now += by) }
}

const lastUseOf = async ({ tokens, users }: TestAccounts): Promise<Date | null> =>
  (await tokens.of((await users.byUsername('alice'))!))[0]!.lastUsed

describe('I4 when a token was last used', () => {
  test('is noted once in a while, never with the request', async () => {
    const accounts = await withAlice()
    const { tokens, key, used, advance } = accounts
    for (let request = 0; request < 1000; request++) await tokens.verify(key)
    expect(used).toEqual(['alice'])
    expect(await lastUseOf(accounts)).toBeNull()
    await sleep(1100)
    expect(await lastUseOf(accounts)).toEqual(new Date(START))
    advance(5 * MINUTE - 1)
    await tokens.verify(key)
    expect(used).toEqual(['alice'])
    advance(1)
    await tokens.verify(key)
    await tokens.verify(key)
    expect(used).toEqual(['alice', 'alice'])
    await sleep(1100)
    expect(await lastUseOf(accounts)).toEqual(new Date(START + 5 * MINUTE))
    expect((await tokens.verify(key))?.lastUsed).toEqual(new Date(START + 5 * MINUTE))
  })

  test('is known to other processes', async () => {
    const { database, key, alice, used } = await withAlice()
    await storesOf(database).tokens.used([1], new Date(START))
    for (const [now, uses] of [
      [START + 5 * MINUTE - 1, 0],
      [START + 5 * MINUTE, 1],
    ] as const) {
      const other = createAccounts({ database, secretKey: () => 'a secret', now: () => now })
      other.events.on('token.used', ({ user }) => void used.push(user.username))
      expect((await other.tokens.verify(key))?.user).toEqual(alice)
      expect(used).toHaveLength(uses)
    }
  })

  test('many tokens are noted in one statement', async () => {
    const accounts = await withAlice()
    const { users, tokens, database } = accounts
    writeNow(database, 'create table writes (at integer)')
    writeNow(
      database,
      'create trigger note after update on colophon_token begin insert into writes values (new.last_used); end',
    )
    const before = changes(accounts)
    for (let number = 0; number < 300; number++) {
      const user = await users.create({ username: `user ${number}` })
      await tokens.verify((await tokens.obtain(user)).key)
    }
    expect(changes(accounts)).toBe(before)
    await sleep(1500)
    const noted = database.read({
      sql: 'select distinct at, count(*) as tokens from writes',
      parameters: [],
    })
    expect(noted).toEqual([{ at: START, tokens: 300 }])
  })

  test('is not noted where nobody wants to know, nor for an inactive user', async () => {
    const quiet = await withAlice(0)
    await quiet.tokens.verify(quiet.key)
    const inactive = await withAlice()
    await inactive.users.update(inactive.alice, { isActive: false })
    await inactive.tokens.verify(inactive.key)
    await sleep(1100)
    for (const accounts of [quiet, inactive]) {
      expect(accounts.used).toEqual([])
      expect(await lastUseOf(accounts)).toBeNull()
    }
  })

  test('a note that cannot be written hinders nobody, and the log says so', async () => {
    const { tokens, database, key, alice, told } = await withAlice()
    writeNow(
      database,
      `create trigger refuse before update on colophon_token begin select raise(abort, 'no'); end`,
    )
    expect((await tokens.verify(key))?.user).toEqual(alice)
    await sleep(1100)
    expect(told.at(-1)).toMatchObject({ event: 'token.use_not_noted' })
    expect((await tokens.verify(key))?.user).toEqual(alice)
  })
})

function changes({ database }: TestAccounts): unknown {
  return database.read({ sql: 'select count(*) as writes from writes', parameters: [] })[0]![
    'writes'
  ]
}

describe('the digests of keys', () => {
  /** Tokens in whose database every key is one. */
  async function anyKey() {
    const { database, users, tokens } = await openAccounts()
    await tokens.create(await users.create({ username: 'alice' }), 'key 0')
    const stores = storesOf(database)
    const stored = await stores.tokens.after(0)
    const all = { ...stores.tokens, byDigest: () => stored[0]! }
    const options = { secretKey: () => 'a secret', noteTokenUse: 0, database }
    return createAccounts(options, { ...stores, tokens: all }).tokens
  }

  const workedOut = async (keys: readonly string[], tokens: TestAccounts['tokens']) => {
    const digests = vi.spyOn(Hmac.prototype, 'digest')
    for (const key of keys) await tokens.verify(key)
    const { length } = digests.mock.calls
    digests.mockRestore()
    return length
  }

  const keys = (count: number, name: string): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${name} ${at}`)

  test('are worked out once, for more keys than come in a busy hour', async () => {
    const tokens = await anyKey()
    const busy = keys(20_000, 'a key of about forty characters')
    expect(await workedOut(busy, tokens)).toBe(20_000)
    expect(await workedOut(busy, tokens)).toBe(0)
  })

  test('take a bounded room, which the keys in use keep', async () => {
    const tokens = await anyKey()
    const used = keys(100, 'used')
    await workedOut(used, tokens)
    for (let flood = 0; flood < 10; flood++) {
      await workedOut(keys(5000, `flood ${flood}, of about forty characters`), tokens)
      expect(await workedOut(used, tokens)).toBe(0)
    }
    const first = keys(5000, 'flood 0, of about forty characters')
    expect(await workedOut(first, tokens)).toBe(5000)
  })
})
