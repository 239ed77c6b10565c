import { describe, expect, test } from 'vitest'
import type { Database, StoredToken } from '../../src/contract/storage.ts'
import { newUser } from './user-store.ts'

const CREATED = new Date('2026-03-04T05:06:07.891Z')

function token(digest: string): StoredToken {
  return { digest, sealed: `sealed ${digest}`, created: CREATED }
}

export interface TokenStoreFixture {
  /** A database with its tables. */
  open(): Promise<Database>
  deleteUser(database: Database, id: number): Promise<void>
}

/** What every store of tokens has to do. */
export function testTokenStore(name: string, { open, deleteUser }: TokenStoreFixture): void {
  async function withAlice() {
    const database = await open()
    return {
      database,
      tokens: database.tokens,
      alice: await database.users.insert(newUser('alice')),
    }
  }

  describe(`${name} keeps tokens`, () => {
    test('a digest finds the user as the user is now', async () => {
      const { database, tokens, alice } = await withAlice()
      expect(await tokens.insert(alice.id, token('d1'))).toBe(true)
      expect(await tokens.byDigest('d1')).toEqual({ user: alice, created: CREATED })
      await database.users.update(alice.id, { isActive: false })
      expect((await tokens.byDigest('d1'))?.user.isActive).toBe(false)
    })

    test('the token of a user comes back as it was stored', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.ofUser(alice.id)).toEqual(token('d1'))
    })

    test('what is not there is null', async () => {
      const { tokens, alice } = await withAlice()
      expect(await tokens.byDigest('d1')).toBeNull()
      expect(await tokens.ofUser(alice.id)).toBeNull()
    })

    test('K5 a user has one token: the second is not inserted', async () => {
      const { tokens, alice } = await withAlice()
      expect(await tokens.insert(alice.id, token('d1'))).toBe(true)
      expect(await tokens.insert(alice.id, token('d2'))).toBe(false)
      expect(await tokens.byDigest('d2')).toBeNull()
      expect(await tokens.ofUser(alice.id)).toEqual(token('d1'))
    })

    test('K4 a digest that another user has is an error, and overwrites nothing', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await database.users.insert(newUser('bob'))
      await tokens.insert(alice.id, token('d1'))
      await expect(async () => tokens.insert(bob.id, token('d1'))).rejects.toThrow()
      expect((await tokens.byDigest('d1'))?.user.username).toBe('alice')
      expect(await tokens.ofUser(bob.id)).toBeNull()
    })

    test('a token of nobody is an error', async () => {
      const { tokens } = await withAlice()
      await expect(async () => tokens.insert(4711, token('d1'))).rejects.toThrow()
      await expect(async () => tokens.replace(4711, token('d1'))).rejects.toThrow()
      expect(await tokens.byDigest('d1')).toBeNull()
    })

    test('K42 a replaced token is dead at once; where there was none there is one now', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await database.users.insert(newUser('bob'))
      await tokens.insert(alice.id, token('d1'))
      await tokens.replace(alice.id, token('d2'))
      await tokens.replace(bob.id, token('d3'))
      expect(await tokens.byDigest('d1')).toBeNull()
      expect((await tokens.byDigest('d2'))?.user.username).toBe('alice')
      expect((await tokens.byDigest('d3'))?.user.username).toBe('bob')
    })

    test('replacing at the same time leaves one token', async () => {
      const { tokens, alice } = await withAlice()
      const digests = Array.from({ length: 8 }, (_, index) => `d${index}`)
      await Promise.all(digests.map(async (digest) => tokens.replace(alice.id, token(digest))))
      const found = await Promise.all(digests.map(async (digest) => tokens.byDigest(digest)))
      expect(found.filter((owner) => owner !== null)).toHaveLength(1)
    })

    test('K42 what was replaced is replaced, even if a token appears in between', async () => {
      const { tokens, alice } = await withAlice()
      await Promise.all([
        (async () => tokens.replace(alice.id, token('new')))(),
        (async () => tokens.insert(alice.id, token('old')))(),
      ])
      expect(await tokens.ofUser(alice.id)).toEqual(token('new'))
    })

    test('K7 a deleted token is gone at once', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.delete(alice.id)).toBe(true)
      expect(await tokens.byDigest('d1')).toBeNull()
      expect(await tokens.delete(alice.id)).toBe(false)
    })

    test('K1 the token goes with its user, and the number of the user is given to nobody else', async () => {
      const { database, tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      await deleteUser(database, alice.id)
      expect(await tokens.byDigest('d1')).toBeNull()
      expect((await database.users.insert(newUser('bob'))).id).not.toBe(alice.id)
    })
  })
}
