import { describe, expect, test } from 'vitest'
import type { LoginRefusal } from '../../src/core/ports/events.ts'
import { InvalidAccount } from '../../src/accounts/account-input.ts'
import { UsernameTaken } from '../../src/core/errors/storage-errors.ts'
import { writeNow } from '../contract/temporary.ts'
import { argon2Work } from '../setup/hashes.ts'
import { openAccounts } from './fixtures.ts'

describe('a new user', () => {
  test('is active and nothing else, unless something is said', async () => {
    const { users } = await openAccounts({ now: () => 1_735_689_600_000 })
    expect(await users.create({ username: 'alice' })).toMatchObject({
      isAuthenticated: true,
      username: 'alice',
      email: '',
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: new Date(1_735_689_600_000),
      lastLogin: null,
    })
    const flags = { isActive: false, isStaff: true, isSuperuser: true }
    expect(
      await users.create({ username: 'bob', email: 'bob@example.com', ...flags }),
    ).toMatchObject({
      email: 'bob@example.com',
      ...flags,
    })
  })

  test('takes a name that nobody has', async () => {
    const { users } = await openAccounts()
    await users.create({ username: 'alice' })
    await expect(users.create({ username: 'alice' })).rejects.toThrow(UsernameTaken)
  })

  test('has one name, however it is typed', async () => {
    const { users } = await openAccounts()
    const { username } = await users.create({ username: 'ﬁona' })
    expect(username).toBe('fiona')
    await expect(users.create({ username: 'fiona' })).rejects.toThrow(UsernameTaken)
    expect(await users.byUsername('ﬁona')).toMatchObject({ username: 'fiona' })
  })

  test.each([
    ['', 'A user name must not be empty.'],
    ['x'.repeat(151), 'at most 150 characters'],
    ['ﬁ'.repeat(76), 'at most 150 characters'],
    ['ali\u0000ce', 'not contain control characters'],
    ['ali\u0085ce', 'not contain control characters'],
    ['ali\nce', 'not contain control characters'],
    ['ali\ud800ce', 'not contain control characters'],
    [' alice', 'white space'],
    ['alice\u3000', 'white space'],
    ['   ', 'white space'],
  ])('is not called %j', async (username, message) => {
    const { users } = await openAccounts()
    const error = await users.create({ username }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidAccount)
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining(message) })
    expect(await users.byUsername(username)).toBeNull()
  })

  test.each([
    'x'.repeat(255),
    'a\u0000b@example.com',
    '\u202ea@example.com',
    'a\u200bb@example.com',
    'a\u2066b@example.com',
    'a\u2028b@example.com',
    'a@example.com,b@example.com',
    'Ada <ada@example.com>',
    '=?utf-8?q?ada?=@example.com',
    '-f@example.com',
  ])('has no address like %j', async (email) => {
    const { users } = await openAccounts()
    await expect(users.create({ username: 'alice', email })).rejects.toThrow(InvalidAccount)
    expect(await users.byUsername('alice')).toBeNull()
  })

  test.each(['zoë', '山田', "o'dell", 'first last', 'alice@example.com', 'x'.repeat(150)])(
    'may be called %j',
    async (username) => {
      const { users } = await openAccounts()
      expect((await users.create({ username })).username).toBe(username)
    },
  )
})

describe('I5 a user name and a password', () => {
  async function withAlice() {
    const refused: [string, LoginRefusal][] = []
    let now = 0
    const accounts = await openAccounts({ now: () => now })
    accounts.events.on('login.failed', ({ username, reason }) => {
      refused.push([username, reason])
    })
    const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
    return { ...accounts, alice, refused, advance: (milliseconds: number) => (now += milliseconds) }
  }

  test('name the user', async () => {
    const { users, alice, refused } = await withAlice()
    expect(await users.authenticate('alice', 'wonderland')).toEqual(alice)
    expect(refused).toEqual([])
  })

  test.each([
    ['alice', 'Wonderland', 'password'],
    ['alice', '', 'password'],
    ['Alice', 'wonderland', 'unknown'],
    ['nobody', 'wonderland', 'unknown'],
    ['', '', 'unknown'],
    ['ali\u0000ce', 'wonderland', 'unknown'],
    ['x'.repeat(10_000), 'wonderland', 'unknown'],
  ] as const)('%j and %j are refused: %s', async (username, password, reason) => {
    const { users, refused } = await withAlice()
    expect(await users.authenticate(username, password)).toBeNull()
    expect(refused).toEqual([[username.slice(0, 150), reason]])
  })

  test('of an inactive user are refused, right or wrong, also right after they were accepted', async () => {
    const { users, alice, refused } = await withAlice()
    await users.authenticate('alice', 'wonderland')
    await users.update(alice, { isActive: false })
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
    expect(await users.authenticate('alice', 'wrong')).toBeNull()
    expect(refused).toEqual([
      ['alice', 'inactive'],
      ['alice', 'password'],
    ])
  })

  test('a user without a password has none that fits', async () => {
    const { users, refused } = await withAlice()
    await users.create({ username: 'bob' })
    expect(await users.authenticate('bob', '')).toBeNull()
    expect(refused).toEqual([['bob', 'password']])
  })

  test('an old password is refused as soon as there is a new one', async () => {
    const { users, alice } = await withAlice()
    await users.authenticate('alice', 'wonderland')
    expect(await users.setPassword(alice, 'looking-glass')).toBe(true)
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
    expect(await users.authenticate('alice', 'looking-glass')).toEqual(alice)
    await users.setPassword(alice, null)
    expect(await users.authenticate('alice', 'looking-glass')).toBeNull()
  })

  test('I6 are remembered for a while, as they are now: the user is read each time', async () => {
    const { users, database, alice, advance } = await withAlice()
    await users.authenticate('alice', 'wonderland')
    await users.update(alice, { isStaff: true })
    advance(29_999)
    expect(await users.authenticate('alice', 'wonderland')).toMatchObject({ isStaff: true })
    writeNow(database, 'delete from colophon_user')
    expect(await users.authenticate('alice', 'wonderland')).toBeNull()
  })

  test('I5, I6 what costs a hash: everything but a password found right a moment ago', async () => {
    const { users } = await openAccounts({ rememberPasswords: 60_000 })
    await users.create({ username: 'alice', password: 'wonderland' })
    await users.create({ username: 'carol', password: 'wonderland', isActive: false })
    await users.create({ username: 'dave' })
    const work = argon2Work()
    const hashesOf = async (username: string, password: string): Promise<number> => {
      work.length = 0
      for (let round = 0; round < 5; round++) await users.authenticate(username, password)
      return work.length
    }
    expect(await hashesOf('alice', 'wonderland')).toBe(1)
    const refused = [
      ['alice', 'wrong'],
      ['nobody', 'x'],
      ['carol', 'wonderland'],
      ['carol', 'x'],
      ['dave', 'x'],
      ['', ''],
    ] as const
    for (const [username, password] of refused) expect(await hashesOf(username, password)).toBe(5)
  })
})

describe('a user changes', () => {
  test('as far as it is said', async () => {
    const { users } = await openAccounts()
    const alice = await users.create({ username: 'alice', email: 'a@example.com' })
    const lastLogin = new Date(5)
    expect(await users.update(alice, { username: 'alicia', isStaff: true, lastLogin })).toBe(true)
    expect(await users.byId(alice.id)).toEqual({
      ...alice,
      username: 'alicia',
      isStaff: true,
      lastLogin,
    })
    await expect(users.update(alice, { username: '' })).rejects.toThrow(InvalidAccount)
  })

  test('only where there is one', async () => {
    const { users, database } = await openAccounts()
    const alice = await users.create({ username: 'alice' })
    writeNow(database, 'delete from colophon_user')
    expect(await users.update(alice, { isStaff: true })).toBe(false)
    expect(await users.setPassword(alice, 'x')).toBe(false)
    expect(await users.byId(alice.id)).toBeNull()
  })
})
