import { describe, expect, test } from 'vitest'
import { type AccountsDatabase, storesOf } from '../../src/accounts/tables/stores.ts'
import type { StoredSession } from '../../src/core/ports/account-stores.ts'
import { CONSTRAINT, newUser } from './user-store.ts'

const CREATED = new Date('2026-03-04T05:06:07.891Z')
const EXPIRES = new Date('2026-03-18T05:06:07.891Z')

export interface SessionStoreFixture {
  /** A database with its tables. */
  open(): Promise<AccountsDatabase>
  deleteUser(database: AccountsDatabase, id: number): Promise<void>
}

/** What every store of sessions has to do. */
export function testSessionStore(name: string, { open, deleteUser }: SessionStoreFixture): void {
  async function withPeople() {
    const database = await open()
    const alice = await storesOf(database).users.insert(newUser('alice'))
    const bob = await storesOf(database).users.insert(newUser('bob'))
    const session = (digest: string, facts: Partial<StoredSession> = {}): StoredSession => ({
      digest,
      userId: alice.id,
      created: CREATED,
      expires: EXPIRES,
      ...facts,
    })
    return { database, sessions: storesOf(database).sessions, alice, bob, session }
  }

  describe(`${name} keeps sessions`, () => {
    test('a digest finds the user as the user is now, and both points in time', async () => {
      const { database, sessions, alice, session } = await withPeople()
      await sessions.insert(session('d1'))
      expect(await sessions.byDigest('d1')).toEqual({
        user: alice,
        created: CREATED,
        expires: EXPIRES,
      })
      await storesOf(database).users.update(alice.id, { isActive: false })
      expect((await sessions.byDigest('d1'))?.user.isActive).toBe(false)
    })

    test('what is not there is null', async () => {
      const { sessions } = await withPeople()
      expect(await sessions.byDigest('d1')).toBeNull()
      expect(await sessions.byDigest('')).toBeNull()
    })

    test('a user has as many sessions as browsers', async () => {
      const { sessions, alice, session } = await withPeople()
      await Promise.all(['d1', 'd2', 'd3'].map(async (digest) => sessions.insert(session(digest))))
      const found = await Promise.all(['d1', 'd2', 'd3'].map(async (d) => sessions.byDigest(d)))
      expect(found.map((each) => each?.user)).toEqual([alice, alice, alice])
    })

    test('a digest that is there is an error, and overwrites nothing', async () => {
      const { sessions, bob, session } = await withPeople()
      await sessions.insert(session('d1'))
      await expect(async () => sessions.insert(session('d1', { userId: bob.id }))).rejects.toThrow(
        CONSTRAINT,
      )
      expect((await sessions.byDigest('d1'))?.user.username).toBe('alice')
    })

    test('without a hash, a session begins while its user is there and active', async () => {
      const { database, sessions, alice, session } = await withPeople()
      expect(await sessions.insert(session('d1', { userId: 4711 }))).toBe(false)
      await storesOf(database).users.update(alice.id, { isActive: false })
      expect(await sessions.insert(session('d2'))).toBe(false)
      await storesOf(database).users.update(alice.id, { isActive: true })
      expect(await sessions.insert(session('d3'))).toBe(true)
      const found = await Promise.all(['d1', 'd2', 'd3'].map(async (d) => sessions.byDigest(d)))
      expect(found.map((each) => each !== null)).toEqual([false, false, true])
    })

    test('a session begins only while the user has a hash, where one is said', async () => {
      const { database, sessions, alice, session } = await withPeople()
      expect(await sessions.insert(session('d1'), 'hash')).toBe(true)
      expect(await sessions.byDigest('d1')).toEqual({
        user: alice,
        created: CREATED,
        expires: EXPIRES,
      })
      await storesOf(database).users.update(alice.id, { password: 'another hash' })
      expect(await sessions.insert(session('d2'), 'hash')).toBe(false)
      expect(await sessions.insert(session('d3'), 'another hash')).toBe(true)
      await storesOf(database).users.update(alice.id, { isActive: false })
      expect(await sessions.insert(session('d4'), 'another hash')).toBe(false)
      expect(await sessions.insert(session('d5', { userId: 4711 }), 'hash')).toBe(false)
      const found = await Promise.all(
        ['d2', 'd3', 'd4', 'd5'].map(async (d) => sessions.byDigest(d)),
      )
      expect(found.map((each) => each !== null)).toEqual([false, true, false, false])
    })

    test('a deleted session is gone at once, and the others stay', async () => {
      const { sessions, session } = await withPeople()
      await sessions.insert(session('d1'))
      await sessions.insert(session('d2'))
      expect(await sessions.delete('d1')).toBe(true)
      expect(await sessions.byDigest('d1')).toBeNull()
      expect(await sessions.byDigest('d2')).not.toBeNull()
      expect(await sessions.delete('d1')).toBe(false)
    })

    test('S7 all sessions of a user end, and nobody else’s', async () => {
      const { sessions, bob, alice, session } = await withPeople()
      await sessions.insert(session('d1'))
      await sessions.insert(session('d2'))
      await sessions.insert(session('d3', { userId: bob.id }))
      expect(await sessions.deleteOfUser(alice.id)).toBe(2)
      expect(await sessions.byDigest('d1')).toBeNull()
      expect(await sessions.byDigest('d2')).toBeNull()
      expect(await sessions.byDigest('d3')).not.toBeNull()
      expect(await sessions.deleteOfUser(alice.id)).toBe(0)
    })

    test('all but one end, where one is to stay', async () => {
      const { sessions, alice, session } = await withPeople()
      await sessions.insert(session('d1'))
      await sessions.insert(session('d2'))
      expect(await sessions.deleteOfUser(alice.id, 'd2')).toBe(1)
      expect(await sessions.byDigest('d1')).toBeNull()
      expect(await sessions.byDigest('d2')).not.toBeNull()
    })

    test('those that are over are forgotten, to the millisecond', async () => {
      const { sessions, session } = await withPeople()
      await sessions.insert(session('over', { expires: new Date(1000) }))
      await sessions.insert(session('now', { expires: new Date(2000) }))
      await sessions.insert(session('later', { expires: new Date(2001) }))
      expect(await sessions.deleteExpired(new Date(2000))).toBe(2)
      expect(await sessions.byDigest('over')).toBeNull()
      expect(await sessions.byDigest('now')).toBeNull()
      expect(await sessions.byDigest('later')).not.toBeNull()
    })

    test('a session that is over is still told of until then: the time is the asker’s', async () => {
      const { sessions, session } = await withPeople()
      await sessions.insert(session('d1', { expires: new Date(1000) }))
      expect((await sessions.byDigest('d1'))?.expires).toEqual(new Date(1000))
    })

    test('of more than a thousand, those that end first are deleted, but never the new one', async () => {
      const { sessions, bob, session } = await withPeople()
      const ending = (digest: string, at: number, more = {}) =>
        sessions.insert(session(digest, { expires: new Date(at), ...more }))
      await ending('of bob', 1, { userId: bob.id })
      const numbers = Array.from({ length: 1000 }, (_, at) => at + 1)
      for (let at = 0; at < 1000; at += 100)
        await Promise.all(numbers.slice(at, at + 100).map((each) => ending(`d${each}`, each)))
      const left = async () => {
        const asked = ['of bob', 'd1', 'd2', 'd3', 'new', 'soon']
        const found = await Promise.all(asked.map(async (each) => sessions.byDigest(each)))
        return asked.filter((_, at) => found[at] !== null)
      }
      expect(await left()).toEqual(['of bob', 'd1', 'd2', 'd3'])
      await ending('new', 2000)
      expect(await left()).toEqual(['of bob', 'd2', 'd3', 'new'])
      await ending('soon', 1)
      expect(await left()).toEqual(['of bob', 'd2', 'd3', 'new', 'soon'])
      await ending('d1', 3000)
      expect(await left()).toEqual(['of bob', 'd1', 'd3', 'new'])
    })

    test('sessions go with their user', async () => {
      const { database, sessions, alice, session } = await withPeople()
      await sessions.insert(session('d1'))
      await deleteUser(database, alice.id)
      expect(await sessions.byDigest('d1')).toBeNull()
    })
  })
}
