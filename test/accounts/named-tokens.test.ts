import { describe, expect, test } from 'vitest'
import { InvalidAccount } from '../../src/accounts/account-input.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { openAccounts } from './fixtures.ts'

const START = 1_735_689_600_000
const DAY = 86_400_000

async function withAlice() {
  let now = START
  const accounts = await openAccounts({ manyTokens: true, noteTokenUse: 0, now: () => now })
  const told: string[] = []
  accounts.events.on('token.refused', (event) => void told.push(event.reason))
  const alice = await accounts.users.create({ username: 'alice' })
  return { ...accounts, alice, told, advance: (milliseconds: number) => void (now += milliseconds) }
}

describe('I4 tokens with names', () => {
  test('live beside the usual one, each with scopes and expiry of its own', async () => {
    const { tokens, alice } = await withAlice()
    const usual = await tokens.obtain(alice)
    const expires = new Date(START + DAY)
    const ci = await tokens.issue(alice, { name: 'ci', scopes: ['read'], expires })
    const phone = await tokens.issue(alice, { name: 'phone' })
    expect(ci).toMatchObject({ name: 'ci', scopes: ['read'], expires, user: alice })
    expect(await tokens.verify(ci!.key)).toMatchObject({ name: 'ci', scopes: ['read'], expires })
    expect(await tokens.verify(phone!.key)).toMatchObject({ scopes: null, expires: null })
    expect(await tokens.verify(usual.key)).toMatchObject({ name: '', scopes: null })
    expect(await tokens.obtain(alice)).toMatchObject({ key: usual.key, name: '' })
    expect(await tokens.issue(alice, { name: 'ci' })).toBeNull()
  })

  test('are listed and revoked one by one, and never with a key', async () => {
    const { tokens, alice } = await withAlice()
    const ci = await tokens.issue(alice, { name: 'ci', scopes: [] })
    const phone = await tokens.issue(alice, { name: 'phone' })
    const listed = await tokens.of(alice)
    expect(listed.map(({ name }) => name)).toEqual(['ci', 'phone'])
    for (const { key } of [ci!, phone!]) expect(JSON.stringify(listed)).not.toContain(key)
    expect(await tokens.revoke(alice, 'ci')).toBe(true)
    expect(await tokens.revoke(alice, 'ci')).toBe(false)
    expect(await tokens.revoke(alice)).toBe(false)
    expect(tokens.verify(ci!.key)).toBeNull()
    expect((await tokens.verify(phone!.key))?.user).toEqual(alice)
    expect(await tokens.revokeAll(alice)).toBe(1)
    expect(tokens.verify(phone!.key)).toBeNull()
  })

  test('get a new key and stay what they are', async () => {
    const { tokens, alice, advance } = await withAlice()
    const input = { name: 'ci', scopes: ['read'], expires: new Date(START + DAY) }
    const old = await tokens.issue(alice, input)
    advance(1000)
    const fresh = await tokens.rotate(alice, 'ci')
    expect(fresh).toMatchObject({ ...input, created: new Date(START + 1000) })
    expect(tokens.verify(old!.key)).toBeNull()
    expect(await tokens.verify(fresh!.key)).toMatchObject(input)
    expect(await tokens.rotate(alice)).toBeNull()
    expect(await tokens.rotate(alice, 'none')).toBeNull()
    const usual = await tokens.obtain(alice)
    expect((await tokens.rotate(alice))?.key).not.toBe(usual.key)
    expect(tokens.verify(usual.key)).toBeNull()
  })

  test.each([
    ['is broken off', () => Promise.reject(new Error('The database has gone.')), 'has gone'],
    ['finds the user gone', () => ({ changes: 0 }), 'credentials'],
  ])('stay as they are where a rotation with an overlap %s', async (_, insert, thrown) => {
    const { tokens, alice, database } = await withAlice()
    const before = await tokens.issue(alice, { name: 'ci', expires: new Date(START + DAY) })
    const listed = await tokens.of(alice)
    const real = database.write.bind(database)
    database.write = (statement) =>
      statement.sql.startsWith('insert into "colophon_token"') ? insert() : real(statement)
    const rotation = tokens.rotate(alice, 'ci', { overlap: 60_000 })
    await expect(rotation).rejects.toThrow(thrown)
    expect(await tokens.of(alice)).toEqual(listed)
    database.write = real
    expect(await tokens.verify(before!.key)).toMatchObject({ name: 'ci' })
    expect(await tokens.rotate(alice, 'ci', { overlap: 60_000 })).toMatchObject({ name: 'ci' })
    expect(await tokens.of(alice)).toHaveLength(2)
  })

  test('are rotated with an overlap as often as is asked, within one millisecond and whatever their names', async () => {
    const { tokens, alice } = await withAlice()
    const long = 'x'.repeat(70)
    const names = ['ci', 'ci', `${long} a`, `${long} b`]
    for (const name of new Set(names)) await tokens.issue(alice, { name })
    for (const name of names)
      expect(await tokens.rotate(alice, name, { overlap: 60_000 })).toMatchObject({ name })
    const listed = (await tokens.of(alice)).map(({ name }) => name)
    expect(listed.filter((name) => / replaced 2025-01-01T00:00:00.000Z /.test(name))).toHaveLength(
      4,
    )
    expect(Math.max(...listed.map(({ length }) => length))).toBeLessThanOrEqual(100)
  })

  test('are refused from the moment they expire, like a token that is not known', async () => {
    const { tokens, alice, told, advance } = await withAlice()
    const token = await tokens.issue(alice, { name: 'day', expires: new Date(START + DAY) })
    advance(DAY - 1)
    expect((await tokens.verify(token!.key))?.user).toEqual(alice)
    advance(1)
    expect(tokens.verify(token!.key)).toBeNull()
    expect(tokens.verify('nope')).toBeNull()
    expect(told).toEqual(['expired', 'unknown'])
  })

  test('of all users come in order, page after page', async () => {
    const { users, tokens, alice } = await withAlice()
    for (let number = 0; number < 501; number++) await tokens.issue(alice, { name: `${number}` })
    const bob = await users.create({ username: 'bob' })
    await tokens.obtain(bob)
    const found: string[] = []
    for await (const { user, name } of tokens.all()) found.push(`${user.username} ${name}`)
    expect(found).toHaveLength(502)
    expect(found.slice(0, 2)).toEqual(['alice 0', 'alice 1'])
    expect(found.at(-1)).toBe('bob ')
    const names: string[] = []
    for await (const { username } of users.all()) names.push(username)
    expect(names).toEqual(['alice', 'bob'])
    expect(await users.count()).toBe(2)
  })

  test('are made only where an application has them', async () => {
    const { users, tokens } = await openAccounts()
    const bob = await users.create({ username: 'bob' })
    for (const attempt of [
      tokens.issue(bob, { name: 'ci' }),
      tokens.import(bob, { key: 'k', name: 'ci' }),
    ]) {
      const error = await attempt.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(String(error)).toContain('manyTokens: true')
    }
    expect(await tokens.of(bob)).toEqual([])
  })

  test.each([
    ['an empty name', { name: '' }],
    ['a name of white space', { name: ' ' }],
    ['white space around a name', { name: 'ci ' }],
    ['a long name', { name: 'x'.repeat(101) }],
    ['a control character', { name: 'c\u0000i' }],
    ['a mark that turns the direction', { name: 'ci\u202ex' }],
    ['a character that is not seen', { name: 'c\u200bi' }],
    ['half a character', { name: '\ud800' }],
    ['a scope with a space', { name: 'ci', scopes: ['read write'] }],
    ['an empty scope', { name: 'ci', scopes: [''] }],
    ['a scope that is not ASCII', { name: 'ci', scopes: ['lesen-ü'] }],
    ['a scope with a quotation mark', { name: 'ci', scopes: ['"'] }],
    [
      'too many scopes',
      { name: 'ci', scopes: Array.from({ length: 300 }, (_, at) => `scope-${at}`) },
    ],
    ['no point in time', { name: 'ci', expires: new Date(NaN) }],
  ])('cannot have %s', async (_, input) => {
    const { tokens, alice } = await withAlice()
    await expect(tokens.issue(alice, input)).rejects.toThrow(InvalidAccount)
    expect(await tokens.of(alice)).toEqual([])
  })

  test('a scope that is said twice is one', async () => {
    const { tokens, alice } = await withAlice()
    const token = await tokens.issue(alice, { name: 'ci', scopes: ['read', 'write', 'read'] })
    expect((await tokens.verify(token!.key))?.scopes).toEqual(['read', 'write'])
  })

  test('the usual token is made for whoever has none', async () => {
    const { tokens, alice } = await withAlice()
    await tokens.issue(alice, { name: 'ci' })
    expect(await tokens.ensure(alice)).toBe(true)
    expect(await tokens.ensure(alice)).toBe(false)
    expect((await tokens.of(alice)).map(({ name }) => name)).toEqual(['', 'ci'])
  })
})
