import { DIALECTS, dialectOf } from '../setup/dialects.ts'
import { describe, expect, test } from 'vitest'
import { type AccountsDatabase, storesOf } from '../../src/accounts/tables/stores.ts'
import type { NewToken } from '../../src/core/ports/account-stores.ts'
import { queryBuilder } from '../../src/storage/sql/prepared.ts'
import { CONSTRAINT, newUser } from './user-store.ts'

const CREATED = new Date('2026-03-04T05:06:07.891Z')

const FACTS = { name: '', scopes: null, created: CREATED, expires: null, lastUsed: null }

function token(digest: string, facts: Partial<NewToken> = {}): NewToken {
  return { ...FACTS, digest, sealed: `sealed ${digest}`, ...facts }
}

/** What comes back of it. */
function stored(digest: string, facts: Partial<NewToken> = {}): object {
  const { digest: _, ...rest } = token(digest, facts)
  return { id: expect.any(Number) as number, ...rest, clearKey: null }
}

/** A row as somebody writes it who copies the table of DRF. */
export async function insertClear(
  database: AccountsDatabase,
  userId: number,
  key: string,
  created: Date,
): Promise<void> {
  await database.write(
    queryBuilder(DIALECTS[dialectOf(database)])
      .insertInto('colophon_token')
      .values({ clear_key: key, user_id: userId, created: created.getTime() })
      .compile(),
  )
}

export interface TokenStoreFixture {
  /** A database with its tables. */
  open(): Promise<AccountsDatabase>
  deleteUser(database: AccountsDatabase, id: number): Promise<void>
}

/** What every store of tokens has to do. */
export function testTokenStore(name: string, { open, deleteUser }: TokenStoreFixture): void {
  async function withAlice() {
    const database = await open()
    return {
      database,
      tokens: storesOf(database).tokens,
      alice: await storesOf(database).users.insert(newUser('alice')),
    }
  }

  describe(`${name} keeps tokens`, () => {
    test('a digest finds the user as the user is now', async () => {
      const { database, tokens, alice } = await withAlice()
      expect(await tokens.insert(alice.id, token('d1'))).toBe(true)
      expect(await tokens.byDigest('d1')).toEqual({
        ...FACTS,
        id: expect.any(Number) as number,
        user: alice,
      })
      await storesOf(database).users.update(alice.id, { isActive: false })
      expect((await tokens.byDigest('d1'))?.user.isActive).toBe(false)
    })

    test('the token of a user comes back as it was stored', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('d1'))
    })

    test('what is not there is null', async () => {
      const { tokens, alice } = await withAlice()
      expect(await tokens.byDigest('d1')).toBeNull()
      expect(await tokens.ofUser(alice.id, '')).toBeNull()
    })

    test('a token begins only while the user has a hash, where one is said', async () => {
      const { database, tokens, alice } = await withAlice()
      const [expires, scopes] = [new Date('2027-01-02T03:04:05.678Z'), ['read', 'write']]
      const facts = { name: 'ci', scopes, expires }
      expect(await tokens.insert(alice.id, token('d1', facts), 'hash')).toBe(true)
      expect(await tokens.ofUser(alice.id, 'ci')).toEqual(stored('d1', facts))
      expect(await tokens.insert(alice.id, token('d2'), 'hash')).toBe(true)
      expect(await tokens.insert(alice.id, token('d3'), 'hash')).toBe(false)
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('d2'))
      await tokens.delete(alice.id, '')
      await storesOf(database).users.update(alice.id, { password: 'another hash' })
      expect(await tokens.insert(alice.id, token('d4'), 'hash')).toBe(false)
      await storesOf(database).users.update(alice.id, { isActive: false })
      expect(await tokens.insert(alice.id, token('d5'), 'another hash')).toBe(false)
      expect(await tokens.ofUser(alice.id, '')).toBeNull()
    })

    test('K5 a user has one token: the second is not inserted', async () => {
      const { tokens, alice } = await withAlice()
      expect(await tokens.insert(alice.id, token('d1'))).toBe(true)
      expect(await tokens.insert(alice.id, token('d2'))).toBe(false)
      expect(await tokens.byDigest('d2')).toBeNull()
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('d1'))
    })

    test('K4 a digest that another user has is an error, and overwrites nothing', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await storesOf(database).users.insert(newUser('bob'))
      await tokens.insert(alice.id, token('d1'))
      await expect(async () => tokens.insert(bob.id, token('d1'))).rejects.toThrow(CONSTRAINT)
      expect((await tokens.byDigest('d1'))?.user.username).toBe('alice')
      expect(await tokens.ofUser(bob.id, '')).toBeNull()
    })

    test('a token of nobody is an error', async () => {
      const { tokens } = await withAlice()
      await expect(async () => tokens.insert(4711, token('d1'))).rejects.toThrow('credentials')
      await expect(async () => tokens.replace(4711, token('d1'))).rejects.toThrow('credentials')
      expect(await tokens.byDigest('d1')).toBeNull()
    })

    test('K42 a replaced token is dead at once; where there was none there is one now', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await storesOf(database).users.insert(newUser('bob'))
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.replace(alice.id, token('d2'))).toBe(true)
      expect(await tokens.replace(bob.id, token('d3'))).toBe(false)
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
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('new'))
    })

    test('K7 a deleted token is gone at once', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.delete(alice.id, '')).toBe(true)
      expect(await tokens.byDigest('d1')).toBeNull()
      expect(await tokens.delete(alice.id, '')).toBe(false)
    })

    test('K1 the token goes with its user, and the number of the user is given to nobody else', async () => {
      const { database, tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      await deleteUser(database, alice.id)
      expect(await tokens.byDigest('d1')).toBeNull()
      expect((await storesOf(database).users.insert(newUser('bob'))).id).not.toBe(alice.id)
    })

    test('I4 tokens with names live beside the usual one, with everything that was said', async () => {
      const { tokens, alice } = await withAlice()
      const ci = {
        name: 'ci',
        scopes: ['read', 'write:all'],
        expires: new Date(CREATED.getTime() + 1),
      }
      const none = { name: 'none', scopes: [] }
      await tokens.insert(alice.id, token('d1'))
      expect(await tokens.insert(alice.id, token('d2', ci))).toBe(true)
      expect(await tokens.insert(alice.id, token('d3', none))).toBe(true)
      expect(await tokens.insert(alice.id, token('d4', { name: 'ci' }))).toBe(false)
      expect(await tokens.byDigest('d2')).toMatchObject({ ...ci, user: alice })
      expect(await tokens.byDigest('d3')).toMatchObject(none)
      expect(await tokens.ofUser(alice.id, 'ci')).toEqual(stored('d2', ci))
      expect((await tokens.allOf(alice.id)).map((own) => own.name)).toEqual(['', 'ci', 'none'])
      expect(await tokens.delete(alice.id, 'ci')).toBe(true)
      expect(await tokens.byDigest('d2')).toBeNull()
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('d1'))
    })

    test('a token without a word about scopes is refused, and has not all of them', async () => {
      const { tokens, alice } = await withAlice()
      const careless = token('d1', { scopes: undefined as never })
      await expect(async () => tokens.insert(alice.id, careless)).rejects.toThrow(TypeError)
      expect(await tokens.byDigest('d1')).toBeNull()
    })

    test('a name is the own name of a user', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await storesOf(database).users.insert(newUser('bob'))
      expect(await tokens.insert(alice.id, token('d1', { name: 'ci' }))).toBe(true)
      expect(await tokens.insert(bob.id, token('d2', { name: 'ci' }))).toBe(true)
      expect(await tokens.delete(bob.id, 'ci')).toBe(true)
      expect((await tokens.byDigest('d1'))?.user.username).toBe('alice')
    })

    test('a new key keeps name, scopes and expiry, and forgets the last use; nobody has none', async () => {
      const { tokens, alice } = await withAlice()
      const ci = { name: 'ci', scopes: ['read'], expires: new Date(CREATED.getTime() + 1) }
      await tokens.insert(alice.id, token('d1', ci))
      await tokens.used([(await tokens.byDigest('d1'))!.id], CREATED)
      const later = new Date(CREATED.getTime() + 5)
      const key = { digest: 'd2', sealed: 'sealed d2' }
      expect(await tokens.rekey(alice.id, 'ci', key, later)).toBe(true)
      expect(await tokens.byDigest('d1')).toBeNull()
      expect(await tokens.ofUser(alice.id, 'ci')).toEqual(stored('d2', { ...ci, created: later }))
      expect(await tokens.rekey(alice.id, '', key, later)).toBe(false)
      expect(await tokens.ofUser(alice.id, '')).toBeNull()
    })

    test('the last use is noted for several at once', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('d1'))
      await tokens.insert(alice.id, token('d2', { name: 'two' }))
      await tokens.insert(alice.id, token('d3', { name: 'three' }))
      const id = async (digest: string): Promise<number> => (await tokens.byDigest(digest))!.id
      const at = new Date(CREATED.getTime() + 9)
      await tokens.used([await id('d1'), await id('d3'), 4711], at)
      const uses = (await tokens.allOf(alice.id)).map(({ lastUsed }) => lastUsed)
      expect(uses).toEqual([at, at, null])
    })

    test('I3 a key in clear, as DRF keeps it, finds its user', async () => {
      const { database, tokens, alice } = await withAlice()
      await insertClear(database, alice.id, 'clear key', CREATED)
      const facts = { ...FACTS, id: expect.any(Number) as number }
      expect(await tokens.byClearKey('clear key')).toEqual({
        ...facts,
        user: alice,
        clearKey: 'clear key',
      })
      expect(await tokens.ofUser(alice.id, '')).toEqual({
        ...facts,
        sealed: null,
        clearKey: 'clear key',
      })
      expect(await tokens.byClearKey('other')).toBeNull()
      expect(await tokens.insert(alice.id, token('d1'))).toBe(false)
    })

    test('I3 it is sealed in one step, and as long as it is the one that was found', async () => {
      const { database, tokens, alice } = await withAlice()
      await insertClear(database, alice.id, 'clear key', CREATED)
      const { id } = (await tokens.byClearKey('clear key'))!
      const key = { digest: 'd1', sealed: 'sealed d1' }
      expect(await tokens.reseal(id, 'another key', key)).toBe(false)
      expect(await tokens.reseal(id, 'clear key', key)).toBe(true)
      expect(await tokens.reseal(id, 'clear key', key)).toBe(false)
      expect(await tokens.byClearKey('clear key')).toBeNull()
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('d1'))
    })

    test('what is sealed under another secret likewise; what was replaced meanwhile stays', async () => {
      const { tokens, alice } = await withAlice()
      await tokens.insert(alice.id, token('old'))
      const { id } = (await tokens.byDigest('old'))!
      const key = { digest: 'new', sealed: 'sealed new' }
      expect(await tokens.reseal(id, 'old', key)).toBe(true)
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('new'))
      await tokens.replace(alice.id, token('other'))
      expect(await tokens.reseal(id, 'new', { digest: 'old', sealed: '' })).toBe(false)
      expect(await tokens.ofUser(alice.id, '')).toEqual(stored('other'))
    })

    test('the tokens of everybody come in pages, by number', async () => {
      const { database, tokens, alice } = await withAlice()
      const bob = await storesOf(database).users.insert(newUser('bob'))
      await tokens.insert(bob.id, token('d1'))
      await tokens.insert(alice.id, token('d2'))
      const [first, second, ...others] = await tokens.after(0)
      expect([first!.user.username, second!.user.username, others]).toEqual(['bob', 'alice', []])
      expect(await tokens.after(first!.id)).toEqual([second])
      expect(await tokens.after(second!.id)).toEqual([])
    })
  })
}
