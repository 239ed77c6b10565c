import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Sessions } from '../../src/accounts/sessions.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { AuthenticationFailed } from '../../src/core/errors/api-errors.ts'
import { SERVICE_DEFAULTS } from '../../src/core/settings/service-keys.ts'
import { fakeClock } from '../../src/testing.ts'
import { asynchronous } from '../contract/asynchronous.ts'
import { openAccounts } from './fixtures.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

/** No password let anybody in. */
const verified = { hashOf: () => null, refused: () => new AuthenticationFailed() }
const DAY = 24 * 3600 * 1000

async function withAlice(options: Parameters<typeof openAccounts>[0] = {}) {
  const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
  const accounts = await openAccounts({ now: clock.now, ...options })
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  const rows = () =>
    accounts.database.read({ sql: 'select * from colophon_session', parameters: [] })
  return { ...accounts, clock, alice, rows }
}

describe('a session', () => {
  test('names its user, from its beginning to its end', async () => {
    const { sessions, alice, clock } = await withAlice()
    const cookie = await sessions.start(alice)
    expect(await sessions.read(cookie)).toEqual({
      user: { ...alice, lastLogin: new Date(clock.now()) },
      created: new Date(clock.now()),
      expires: new Date(clock.now() + 14 * DAY),
    })
  })

  test('is read by its cookie, and by no other value', async () => {
    const { sessions, alice } = await withAlice()
    const cookie = await sessions.start(alice)
    expect(await sessions.read(cookie)).toHaveProperty('user.username', 'alice')
    expect(await sessions.read('x'.repeat(43))).toBeNull()
  })

  test('is read from a database far away', async () => {
    const { database, alice } = await withAlice()
    const { sessions: store, users } = storesOf(asynchronous(database))
    const sessions = new Sessions({ store, users, verified, secretKeys: () => ['a secret'] })
    const cookie = await sessions.start(alice)
    expect(sessions.read(cookie)).toBeInstanceOf(Promise)
    expect((await sessions.read(cookie))?.user.username).toBe('alice')
    expect(await sessions.end(cookie)).toBe(true)
    expect(await sessions.read(cookie)).toBeNull()
  })

  test('is 256 random bits, another one each time', async () => {
    const { sessions, alice } = await withAlice()
    const cookies = new Set<string>()
    for (let count = 0; count < 50; count += 1) cookies.add(await sessions.start(alice))
    expect(cookies.size).toBe(50)
    for (const cookie of cookies) expect(Buffer.from(cookie, 'base64url')).toHaveLength(32)
  })

  test('S22 replaces the one that the browser had', async () => {
    const { sessions, alice } = await withAlice()
    const first = await sessions.start(alice)
    const second = await sessions.start(alice, first)
    expect(second).not.toBe(first)
    expect(await sessions.read(first)).toBeNull()
    expect(await sessions.read(second)).not.toBeNull()
  })

  test('of another browser goes on', async () => {
    const { sessions, alice } = await withAlice()
    const first = await sessions.start(alice)
    await sessions.start(alice)
    expect(await sessions.read(first)).not.toBeNull()
  })

  test('writes the last login, and tells of it', async () => {
    const { sessions, users, events, alice, clock } = await withAlice()
    const told: string[] = []
    events.on('login.succeeded', ({ user }) => void told.push(user.username))
    clock.advance(5000)
    await sessions.start(alice)
    expect((await users.byId(alice.id))?.lastLogin).toEqual(new Date(clock.now()))
    expect(told).toEqual(['alice'])
  })
})

describe('a session ends', () => {
  test('by itself, to the second', async () => {
    const { sessions, alice, clock } = await withAlice({
      sessionSettings: () => ({ ...SERVICE_DEFAULTS, sessionCookieAge: 60 }),
    })
    const cookie = await sessions.start(alice)
    clock.advance(59_999)
    expect(await sessions.read(cookie)).not.toBeNull()
    clock.advance(1)
    expect(await sessions.read(cookie)).toBeNull()
  })

  test('when it is ended, at once and once', async () => {
    const { sessions, alice } = await withAlice()
    const cookie = await sessions.start(alice)
    expect(await sessions.end(cookie)).toBe(true)
    expect(await sessions.read(cookie)).toBeNull()
    expect(await sessions.end(cookie)).toBe(false)
  })

  test('S7 with the password, before `setPassword` is over', async () => {
    const { sessions, users, alice } = await withAlice()
    const bob = await users.create({ username: 'bob' })
    const [first, second, other] = await Promise.all(
      [alice, alice, bob].map((user) => sessions.start(user)),
    )
    await users.setPassword(alice, 'looking-glass')
    expect(await sessions.read(first!)).toBeNull()
    expect(await sessions.read(second!)).toBeNull()
    expect(await sessions.read(other!)).not.toBeNull()
  })

  test('S7 with the deactivation of its user, and is over after an activation too', async () => {
    const { sessions, users, alice, rows } = await withAlice()
    const cookie = await sessions.start(alice)
    await users.update(alice, { isActive: true, email: 'alice@example.com' })
    expect(await sessions.read(cookie)).not.toBeNull()
    await users.update(alice, { isActive: false })
    expect([await sessions.read(cookie), rows()]).toEqual([null, []])
    await users.update(alice, { isActive: true })
    expect(await sessions.read(cookie)).toBeNull()
  })

  test('S7 while its user is not active, whoever wrote that', async () => {
    const { sessions, alice, database } = await withAlice()
    const cookie = await sessions.start(alice)
    await storesOf(database).users.update(alice.id, { isActive: false })
    expect(await sessions.read(cookie)).toBeNull()
  })

  test('with all others of its user, or all but one', async () => {
    const { sessions, alice } = await withAlice()
    const kept = await sessions.start(alice)
    const first = await sessions.start(alice)
    const second = await sessions.start(alice)
    expect(await sessions.endAllOf(alice, { except: kept })).toBe(2)
    expect([await sessions.read(first), await sessions.read(second)]).toEqual([null, null])
    expect(await sessions.read(kept)).not.toBeNull()
    expect(await sessions.endAllOf(alice)).toBe(1)
    expect(await sessions.read(kept)).toBeNull()
  })
})

describe('values that are no session', () => {
  const asked: string[] = []
  const nothing = new Sessions({
    store: {
      byDigest: (digest) => (asked.push(digest), null),
      insert: async () => true,
      delete: async () => false,
      deleteOfUser: async () => 0,
      deleteExpired: async () => 0,
    },
    users: { update: async () => true },
    verified,
    secretKeys: () => ['a secret'],
  })

  for (const [title, value] of [
    ['nothing', ''],
    ['too short', 'x'.repeat(42)],
    ['too long', 'x'.repeat(44)],
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['other characters', `${'x'.repeat(42)}!`],
    ['a line break behind', `${'x'.repeat(43)}\n`],
    ['a null byte', `${'x'.repeat(42)}\0`],
    ['half a character', `${'x'.repeat(42)}\ud800`],
  ] as const) {
    test(`${title}: the database is not troubled`, async () => {
      asked.length = 0
      expect(await nothing.read(value)).toBeNull()
      expect(await nothing.end(value)).toBe(false)
      expect(nothing.csrfSecret(value)).toBeNull()
      expect(asked).toEqual([])
    })
  }

  test('one that could be: the database is asked for its digest, once', async () => {
    asked.length = 0
    expect(await nothing.read('x'.repeat(43))).toBeNull()
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('sessions at rest', () => {
  test('the table holds neither the cookie nor a digest that anybody could make', async () => {
    const { sessions, alice, rows } = await withAlice()
    const cookie = await sessions.start(alice)
    const text = JSON.stringify(rows())
    expect(text).not.toContain(cookie)
    expect(text).not.toContain(Buffer.from(cookie, 'base64url').toString('hex'))
    for (const plain of [cookie, Buffer.from(cookie, 'base64url')]) {
      expect(text).not.toContain(createHash('sha256').update(plain).digest('hex'))
    }
  })

  test('a digest from the table is no session', async () => {
    const { sessions, alice, rows } = await withAlice()
    await sessions.start(alice)
    const { digest } = rows()[0] as { digest: string }
    expect(await sessions.read(digest)).toBeNull()
    expect(await sessions.read(digest.slice(0, 43))).toBeNull()
  })

  test('another secret finds nothing; the same behind a new one does', async () => {
    const { database, sessions, alice, clock } = await withAlice()
    const cookie = await sessions.start(alice)
    const { sessions: store, users } = storesOf(database)
    const under = (...secrets: string[]) =>
      new Sessions({ store, users, verified, secretKeys: () => secrets, now: clock.now })
    expect(await under('another').read(cookie)).toBeNull()
    const rotated = under('another', 'a secret')
    expect((await rotated.read(cookie))?.user.username).toBe('alice')
    expect(await rotated.end(cookie)).toBe(true)
    expect(await rotated.read(cookie)).toBeNull()
  })

  test('a remembered digest forgets nothing: ended elsewhere is ended', async () => {
    const { database, sessions, alice } = await withAlice()
    const cookie = await sessions.start(alice)
    await sessions.read(cookie)
    await database.write({ sql: 'delete from colophon_session', parameters: [] })
    expect(await sessions.read(cookie)).toBeNull()
  })

  test('no secret is an error where a session is needed', async () => {
    for (const older of [[], ['an older secret']]) {
      const secrets = { secretKey: () => '', secretKeyFallbacks: () => older }
      const { sessions, alice } = await withAlice(secrets)
      await expect(sessions.start(alice)).rejects.toThrow(ConfigurationError)
      await expect(sessions.read('x'.repeat(43))).rejects.toThrow(ConfigurationError)
    }
  })

  test('no secret is an error also for sessions that are made without accounts', async () => {
    const { database, alice } = await withAlice()
    const { sessions: store, users } = storesOf(database)
    for (const secrets of [[], [''], ['', 'an older secret']]) {
      const sessions = new Sessions({ store, users, verified, secretKeys: () => secrets })
      await expect(sessions.start(alice)).rejects.toThrow(ConfigurationError)
      await expect(sessions.read('x'.repeat(43))).rejects.toThrow(ConfigurationError)
      expect(() => sessions.csrfSecret('x'.repeat(43))).toThrow(ConfigurationError)
    }
  })

  test('those that are over go, at most once an hour, when somebody logs in', async () => {
    const { sessions, alice, clock, rows } = await withAlice({
      sessionSettings: () => ({ ...SERVICE_DEFAULTS, sessionCookieAge: 60 }),
    })
    await sessions.start(alice)
    clock.advance(60_000)
    await sessions.start(alice)
    expect(rows()).toHaveLength(2)
    clock.advance(3_600_000)
    await sessions.start(alice)
    expect(rows()).toHaveLength(1)
    clock.advance(60_000)
    expect(await sessions.clear()).toBe(1)
    expect(rows()).toEqual([])
  })
})

describe('the CSRF secret of a session', () => {
  test('is 32 characters, always the same, and another one for another session', async () => {
    const { sessions } = await withAlice()
    const [one, two] = [sessions.newCookie(), sessions.newCookie()]
    expect(sessions.csrfSecret(one)).toMatch(/^[a-zA-Z0-9]{32}$/)
    expect(sessions.csrfSecret(one)).toBe(sessions.csrfSecret(one))
    expect(sessions.csrfSecret(one)).not.toBe(sessions.csrfSecret(two))
  })

  test('belongs to the secret of the service', async () => {
    const { database, sessions } = await withAlice()
    const { sessions: store, users } = storesOf(database)
    const other = new Sessions({ store, users, verified, secretKeys: () => ['another'] })
    const cookie = sessions.newCookie()
    expect(other.csrfSecret(cookie)).not.toBe(sessions.csrfSecret(cookie))
  })

  test('a new value is no session', async () => {
    const { sessions } = await withAlice()
    expect(await sessions.read(sessions.newCookie())).toBeNull()
  })
})

test('`accounts` have sessions that know what the operator said', async () => {
  const settings = { ...SERVICE_DEFAULTS, sessionCookieName: 'sid' }
  let asked = 0
  const { sessions } = await openAccounts({ sessionSettings: () => ((asked += 1), settings) })
  expect(asked).toBe(0)
  expect([sessions.settings, sessions.settings]).toEqual([settings, settings])
  expect(asked).toBe(1)
})
