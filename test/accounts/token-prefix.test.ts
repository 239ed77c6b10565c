// `tokenPrefix`: keys that scanners of secrets find, and whose forgeries cost no look at the database.
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { createAccounts } from '../../src/accounts/create-accounts.ts'
import { newKey, patternOfKeys } from '../../src/accounts/token-keys.ts'
import { migratedSqlite } from '../contract/temporary.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

async function open(tokenPrefix: string | null = 'acme') {
  const database = await migratedSqlite()
  const secretKey = () => 'a secret'
  const accounts = createAccounts({ database, secretKey, tokenPrefix, manyTokens: true })
  const alice = await accounts.users.create({ username: 'alice' })
  const plain = createAccounts({ database, secretKey, manyTokens: true })
  return { ...accounts, database, alice, plain }
}

describe('A key with a prefix', () => {
  test('is in each token that is made, and works', async () => {
    const { tokens, alice } = await open()
    const made = [
      await tokens.obtain(alice),
      await tokens.regenerate(alice),
      await tokens.issue(alice, { name: 'ci' }),
      await tokens.rotate(alice, 'ci'),
      await tokens.rotate(alice, 'ci', { overlap: 1000 }),
    ]
    for (const token of made) expect(token?.key).toMatch(/^acme_[\dA-Za-z]{33}$/)
    expect((await tokens.verify(made.at(-1)!.key))?.user).toEqual(alice)
  })

  test('ends in the CRC-32 of what stands before it', async () => {
    const { key } = await open().then(async ({ tokens, alice }) => tokens.obtain(alice))
    const digits = Array.from(key.slice(-6), (digit) => DIGITS.indexOf(digit))
    expect(digits.reduce((sum, digit) => sum * 62 + digit)).toBe(crc32(key.slice(0, -6)))
  })

  test('that is another by one character costs no statement, wherever it is', async () => {
    const { tokens, alice, database } = await open()
    const { key } = await tokens.obtain(alice)
    const rows = vi.spyOn(database, 'rows')
    for (let at = 'acme_'.length; at < key.length; at += 1) {
      const other = DIGITS[(DIGITS.indexOf(key[at]!) + 1) % DIGITS.length]!
      expect(await tokens.verify(key.slice(0, at) + other + key.slice(at + 1))).toBeNull()
    }
    for (const forged of ['acme_', `${key}0`, key.slice(0, -1), `acme_${'é'.repeat(33)}`])
      expect(await tokens.verify(forged)).toBeNull()
    expect(rows).not.toHaveBeenCalled()
    expect(await tokens.verify(key)).not.toBeNull()
    expect(rows).toHaveBeenCalled()
  })

  test('leaves keys from before, and those of other services, as they were', async () => {
    const { tokens, alice, plain } = await open()
    const old = (await plain.tokens.obtain(alice)).key
    expect(old).toMatch(/^[\da-f]{40}$/)
    expect((await tokens.verify(old))?.key).toBe(old)
    await tokens.import(alice, { name: 'drf', key: 'k-1' })
    expect((await tokens.verify('k-1'))?.name).toBe('drf')
    await expect(tokens.import(alice, { name: 'x', key: 'acme_mine' })).rejects.toThrow(
      'Only this service makes keys that begin with "acme_". Give the token another key.',
    )
    const { key } = await tokens.regenerate(alice)
    expect((await plain.tokens.verify(key))?.key).toBe(key)
  })

  test('fits its pattern, and no hash, UUID or JWT does', async () => {
    expect((await open()).tokens.pattern).toEqual(/\bacme_[0-9A-Za-z]{33}\b/g)
    expect((await open(null)).tokens.pattern).toBeNull()
    const keys = Array.from({ length: 10_000 }, () => newKey('acme'))
    const pattern = patternOfKeys('acme')!
    expect(keys.join('\n').match(pattern)).toEqual(keys)
    expect(new Set(keys).size).toBe(keys.length)
    const part = (): string => randomBytes(60).toString('base64url')
    const others = Array.from({ length: 1000 }, () => [
      hash('sha1', part()),
      randomUUID(),
      `eyJ${part()}.eyJ${part()}.${part()}`,
    ])
    expect(others.flat().filter((text) => text.match(pattern) !== null)).toEqual([])
  })

  test.each(['', 'a', 'Acme', 'acme_', 'acme-x', '1acme', 'gazette', 'ü1'])(
    'cannot begin with %j',
    async (prefix) => {
      await expect(open(prefix)).rejects.toThrow('defineAccounts: "tokenPrefix" is')
    },
  )

  test.each(['ac', 'acme12'])('may begin with %s', async (prefix) => {
    const { tokens, alice } = await open(prefix)
    const { key } = await tokens.obtain(alice)
    expect(key.length).toBeLessThanOrEqual(40)
    expect((await tokens.verify(key))?.key).toBe(key)
  })
})
