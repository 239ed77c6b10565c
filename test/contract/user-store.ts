import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UserStore } from '../../src/accounts/tables/stores.ts'
import type { NewUser } from '../../src/core/ports/account-stores.ts'
import { UsernameTaken } from '../../src/core/errors/storage-errors.ts'

const JOINED = new Date('2026-01-02T03:04:05.678Z')

/** What databases call a key that is taken, or one that refers to nothing. */
export const CONSTRAINT: RegExp = /unique|duplicate|foreign key|constraint/i

export function newUser(username: string, changes: Partial<NewUser> = {}): NewUser {
  return {
    username,
    email: `${username}@example.com`,
    password: 'hash',
    isActive: true,
    isStaff: false,
    isSuperuser: false,
    dateJoined: JOINED,
    ...changes,
  }
}

/** What every store of users has to do. */
export function testUserStore(name: string, open: () => Promise<UserStore>): void {
  describe(`${name} keeps users`, () => {
    test('a new user is there with everything that was said', async () => {
      const store = await open()
      const user = await store.insert(newUser('zoë', { isStaff: true, password: 'her hash' }))
      expect(user).toEqual({
        isAuthenticated: true,
        id: user.id,
        username: 'zoë',
        email: 'zoë@example.com',
        isActive: true,
        isStaff: true,
        isSuperuser: false,
        dateJoined: JOINED,
        lastLogin: null,
      })
      expect(await store.byUsername('zoë')).toEqual({ user, password: 'her hash' })
      expect(await store.byId(user.id)).toEqual({ user, password: 'her hash' })
    })

    test('the order in which members are said means nothing', async () => {
      const store = await open()
      const reversed = Object.fromEntries(
        Object.entries(newUser('bob')).toReversed(),
      ) as unknown as NewUser
      expect(await store.insert(reversed)).toMatchObject({
        username: 'bob',
        email: 'bob@example.com',
      })
    })

    test('nobody is null', async () => {
      const store = await open()
      expect(await store.byUsername('nobody')).toBeNull()
      expect(await store.byId(4711)).toBeNull()
    })

    test('names differ by case, and a name is given once', async () => {
      const store = await open()
      const { id } = await store.insert(newUser('alice'))
      await store.insert(newUser('Alice'))
      await expect(async () => store.insert(newUser('alice', { email: 'other' }))).rejects.toThrow(
        UsernameTaken,
      )
      expect((await store.byUsername('alice'))?.user).toMatchObject({
        id,
        email: 'alice@example.com',
      })
    })

    test('a name is found, and none that lies before, between or behind those that are', async () => {
      const store = await open()
      const letters = fc.string({
        unit: fc.constantFrom('a', 'B', 'b', 'é', 'z', '@', '_', '0'),
        minLength: 1,
        maxLength: 3,
      })
      const names = fc.sample(letters, { numRuns: 60, seed: 7 })
      const known = new Set(names.slice(0, 25))
      for (const each of known) await store.insert(newUser(each))
      for (const each of [...names, '!', 'zzzz', '\u{10FFFF}'])
        expect((await store.byUsername(each))?.user.username ?? null).toBe(
          known.has(each) ? each : null,
        )
    })

    test('an update changes what it says and nothing else', async () => {
      const store = await open()
      const user = await store.insert(newUser('alice'))
      const lastLogin = new Date('2026-02-03T04:05:06.789Z')
      expect(await store.update(user.id, { isActive: false, lastLogin, password: 'new' })).toBe(
        true,
      )
      expect(await store.byId(user.id)).toEqual({
        user: { ...user, isActive: false, lastLogin },
        password: 'new',
      })
      expect(await store.update(user.id, { lastLogin: null })).toBe(true)
      expect((await store.byId(user.id))?.user.lastLogin).toBeNull()
    })

    test('an update of nobody, and one that says nothing', async () => {
      const store = await open()
      const user = await store.insert(newUser('alice'))
      expect(await store.update(4711, { isActive: false })).toBe(false)
      expect(await store.update(user.id, {})).toBe(true)
      expect(await store.update(4711, {})).toBe(false)
    })

    test('a name that another user has cannot be taken over; the own name can be kept', async () => {
      const store = await open()
      await store.insert(newUser('alice'))
      const bob = await store.insert(newUser('bob'))
      await expect(async () => store.update(bob.id, { username: 'alice' })).rejects.toThrow(
        UsernameTaken,
      )
      expect(await store.update(bob.id, { username: 'bob' })).toBe(true)
      expect((await store.byId(bob.id))?.user.username).toBe('bob')
    })

    test('what is refused for another reason is not called a taken name', async () => {
      const store = await open()
      const bob = await store.insert(newUser('bob'))
      const wrong = { email: null as unknown as string }
      for (const refused of [
        async () => store.insert(newUser('carol', wrong)),
        async () => store.update(bob.id, { username: 'bob', ...wrong }),
        async () => store.update(bob.id, wrong),
      ]) {
        const error = await refused().catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(Error)
        expect(error).not.toBeInstanceOf(UsernameTaken)
      }
      expect(await store.byId(bob.id)).toEqual({ user: bob, password: 'hash' })
    })

    test('a password in a new hash: only while the old hash is there', async () => {
      const store = await open()
      const { id } = await store.insert(newUser('alice', { password: 'old hash' }))
      expect(await store.rehash(id, 'other hash', 'new hash')).toBe(false)
      expect(await store.rehash(4711, 'old hash', 'new hash')).toBe(false)
      expect((await store.byId(id))?.password).toBe('old hash')
      expect(await store.rehash(id, 'old hash', 'new hash')).toBe(true)
      expect((await store.byId(id))?.password).toBe('new hash')
    })

    test('all of them, in pages and as a number', async () => {
      const store = await open()
      expect(await store.count()).toBe(0)
      const [alice, bob] = [
        await store.insert(newUser('alice')),
        await store.insert(newUser('bob', { isActive: false })),
      ]
      expect(await store.count()).toBe(2)
      expect(await store.after(0)).toEqual([alice, bob])
      expect(await store.after(alice.id)).toEqual([bob])
      expect(await store.after(bob.id)).toEqual([])
    })

    test('of many that want one name at once, one gets it', async () => {
      const store = await open()
      const attempts = Array.from({ length: 8 }, async () => store.insert(newUser('carol')))
      const results = await Promise.allSettled(attempts)
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(UsernameTaken)
      }
    })
  })
}
