import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import type { Token } from '../../src/core/ports/credentials.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { temporaryPath, writeNow } from '../contract/temporary.ts'
import { openAccounts } from './fixtures.ts'

async function withAlice() {
  const accounts = await openAccounts({ now: () => 1_735_689_600_123 })
  return { ...accounts, alice: await accounts.users.create({ username: 'alice' }) }
}

describe('the token of a user', () => {
  test('K2 has a key of 40 lower-case hexadecimal digits', async () => {
    const { tokens, alice } = await withAlice()
    const token = await tokens.obtain(alice)
    expect(token.key).toMatch(/^[0-9a-f]{40}$/)
    expect(token.user).toEqual(alice)
    expect(token.created).toEqual(new Date(1_735_689_600_123))
  })

  test('K24 is the same on every call', async () => {
    const { tokens, alice } = await withAlice()
    const first = await tokens.obtain(alice)
    const again = await tokens.obtain(alice)
    expect([again.key, again.created]).toEqual([first.key, first.created])
  })

  test('K24 is one, however many ask for it at once', async () => {
    const { tokens, alice } = await withAlice()
    const found = await Promise.all(Array.from({ length: 10 }, () => tokens.obtain(alice)))
    expect(new Set(found.map(({ key }) => key)).size).toBe(1)
  })

  test('names its user, synchronously where the database is', async () => {
    const { tokens, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    for (const _ of ['the first time', 'and when its digest is remembered']) {
      const token = tokens.verify(key) as Token
      expect(token).not.toBeInstanceOf(Promise)
      expect([token.key, token.user, token.created]).toEqual([
        key,
        alice,
        new Date(1_735_689_600_123),
      ])
    }
  })

  test.each(['', 'nope', '0'.repeat(40), 'x'.repeat(100_000), '\u0000', '\ud800', "' or 1=1"])(
    'is not %j',
    async (key) => {
      const { tokens, alice } = await withAlice()
      await tokens.obtain(alice)
      expect(tokens.verify(key)).toBeNull()
    },
  )

  test('K7 shows a deactivated user as such', async () => {
    const { tokens, users, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    await tokens.verify(key)
    await users.update(alice, { isActive: false })
    expect((await tokens.verify(key))?.user.isActive).toBe(false)
  })

  test('K42 is dead at once when there is a new one', async () => {
    const { tokens, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    await tokens.verify(key)
    const fresh = await tokens.regenerate(alice)
    expect(tokens.verify(key)).toBeNull()
    expect((await tokens.verify(fresh.key))?.user).toEqual(alice)
    expect((await tokens.obtain(alice)).key).toBe(fresh.key)
  })

  test('K42 is made by regenerating where there was none', async () => {
    const { tokens, alice } = await withAlice()
    const { key } = await tokens.regenerate(alice)
    expect((await tokens.verify(key))?.user).toEqual(alice)
  })

  test('K7 is gone at once when it is revoked', async () => {
    const { tokens, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    await tokens.verify(key)
    expect(await tokens.revoke(alice)).toBe(true)
    expect(tokens.verify(key)).toBeNull()
    expect(await tokens.revoke(alice)).toBe(false)
    expect((await tokens.obtain(alice)).key).not.toBe(key)
  })

  test('K3 may have a key that was given; K5 a second one is not made', async () => {
    const { tokens, alice } = await withAlice()
    expect((await tokens.create(alice, 'given'))?.key).toBe('given')
    expect((await tokens.verify('given'))?.user).toEqual(alice)
    expect(await tokens.create(alice, 'another')).toBeNull()
    expect((await tokens.obtain(alice)).key).toBe('given')
  })

  test('is made where one that was in its way is revoked in the same moment', async () => {
    const { tokens, alice, database } = await withAlice()
    await tokens.create(alice, 'first')
    const sql = `create trigger faster before insert on colophon_token when exists (select 1 from colophon_token)
      begin delete from colophon_token; select raise(fail, 'another one is there'); end`
    await database.write({ sql, parameters: [] })
    expect((await tokens.create(alice, 'second'))?.key).toBe('second')
  })

  test.each(['', 'x'.repeat(41)])('K3 has no key like %j', async (key) => {
    const { tokens, alice } = await withAlice()
    await expect(tokens.create(alice, key)).rejects.toThrow('between 1 and 40 characters')
  })

  test('hides its key everywhere but in its member', async () => {
    const { tokens, alice } = await withAlice()
    const token = await tokens.obtain(alice)
    for (const text of [inspect(token), inspect({ deep: [token] }), JSON.stringify(token)]) {
      expect(text).not.toContain(token.key)
    }
    expect(JSON.parse(JSON.stringify(token))).toEqual({
      key: '[secret]',
      user: 'alice',
      name: '',
      scopes: null,
      created: '2025-01-01T00:00:00.123Z',
      expires: null,
      lastUsed: null,
    })
  })
})

describe('I3 tokens at rest', () => {
  test('a dump of the database holds no usable key', async () => {
    const path = temporaryPath()
    const database = openSqlite({ path })
    await database.migrate()
    const { users, tokens } = createAccounts({ database, secretKey: () => 'a secret' })
    const alice = await users.create({ username: 'alice' })
    const keys = [(await tokens.obtain(alice)).key, (await tokens.regenerate(alice)).key]
    const dump = () =>
      readdirSync(dirname(path)).map((file) => readFileSync(join(dirname(path), file), 'latin1'))
    const before = dump().join('\n')
    database.close()
    const bytes = before + dump().join('\n')
    expect(bytes).toContain('alice')
    for (const key of keys) {
      for (const form of [
        key,
        Buffer.from(key, 'hex').toString('latin1'),
        Buffer.from(key).toString('base64url'),
      ]) {
        expect(bytes).not.toContain(form)
      }
    }
  })

  test('another secret finds no token, and says why it cannot show one', async () => {
    const { database, tokens, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    const other = createAccounts({ database, secretKey: () => 'another secret' })
    expect(other.tokens.verify(key)).toBeNull()
    const error = await other.tokens.obtain(alice).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).toContain(
      'Say that key in SECRET_KEY_FALLBACKS, or make a new token with -r.',
    )
    const fresh = await other.tokens.regenerate(alice)
    expect((await other.tokens.obtain(alice)).key).toBe(fresh.key)
  })

  test('a sealed key that was moved to another user opens no more', async () => {
    const { database, tokens, users, alice } = await withAlice()
    const bob = await users.create({ username: 'bob' })
    await tokens.obtain(alice)
    writeNow(database, 'update colophon_token set user_id = ?', bob.id)
    await expect(tokens.obtain(bob)).rejects.toThrow(ConfigurationError)
  })

  test('more keys than are remembered are all found', async () => {
    const { tokens, alice } = await withAlice()
    const { key } = await tokens.obtain(alice)
    await tokens.verify(key)
    for (let number = 0; number < 5000; number++)
      expect(tokens.verify(`guess ${number}`)).toBeNull()
    expect((await tokens.verify(key))?.user).toEqual(alice)
  })
})

describe('SECRET_KEY', () => {
  test('is missing, which is said when it is needed', async () => {
    const { tokens, users } = await openAccounts({ secretKey: () => '' })
    const alice = await users.create({ username: 'alice' })
    expect(() => tokens.verify('key')).toThrow(ConfigurationError)
    await expect(tokens.obtain(alice)).rejects.toThrow('SECRET_KEY is missing')
  })

  test('is read when first needed, and once', async () => {
    let reads = 0
    const { tokens } = await openAccounts({ secretKey: () => `secret ${++reads}` })
    expect(reads).toBe(0)
    await tokens.verify('one')
    await tokens.verify('two')
    expect(reads).toBe(1)
  })
})
