import { describe, expect, test } from 'vitest'
import { TokenKeys } from '../../src/accounts/token-keys.ts'
import type { TokenStore } from '../../src/contract/account-stores.ts'
import { CursorPagination, arraySource, configurationOf, defineApi, list } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { openAccounts } from '../accounts/fixtures.ts'

// Made by commit 5f041e0, the last one with AES-GCM for tokens and a cipher of its own for cursors.
const SECRET = 'a secret of the version before, 32 bytes and more'
const ROWS = [
  {
    userId: 7,
    key: '0123456789abcdef0123456789abcdef01234567',
    digest: 'cb98df7ac1c4b272b397f536f0b80785d304523d27db479693f93f92f7b9f51d',
    sealed:
      'v1.zjmex1JXzkhAHCWsIzpf4V54785Mdlz7rxC5OwG5Gpv47tLSeUGIhAshDRxVm9pub4n9yf8Q_Yd6GkmqMrTWuiWXNFQ',
  },
  {
    userId: 8,
    key: 'short',
    digest: 'a402929b6423ac1e1227437ffcd0b07d3d4bda27f3e4cd34f69fd34b89e36545',
    sealed: 'v1.H0cs1wA6mf2-4u2NntiSQBuHymxJ-0iJrfoh4P4CRRVH',
  },
  {
    userId: 123456,
    key: 'schlüssel ☕ mit Umlaut',
    digest: '2fc914cf3fdf9a93f7a5905aebe1b9f0a72253a74026877008a57284485c3cda',
    sealed: 'v1.5KPnryZyo3SBxjn3aAob4WHn1L8i8RrMtfDVJZsKphem0PGCps_cZItuhDiS2cqfsJ-EJD8',
  },
]
const CURSORS = [
  'EdMMN9NiPG58e9nMZ_J-jSaroW3X',
  'zi2px0PbJDMujF8XNXUFg7i3UycR',
  'v03dH0ogfpxg_ea482IXrGl1cOAq',
  'h6aYYlNt7lT9Yy-x7qv9xMRqSGoy',
]

/** Sealing and opening ask no store. */
const keysUnder = (...secrets: string[]): TokenKeys =>
  new TokenKeys({ secrets, store: {} as TokenStore, onError: () => {} })

describe('I3: a token that was sealed in the first form', () => {
  const secrets = keysUnder(SECRET)

  test.each(ROWS)('$key is found and shown again', ({ userId, key, digest, sealed }) => {
    expect(secrets.digest(key)).toBe(digest)
    expect(secrets.open(sealed, userId)).toEqual({ key, outdated: null })
  })

  test.each(ROWS)('$key stays shut for others and under others', ({ userId, sealed }) => {
    expect(secrets.open(sealed, userId + 1)).toBeNull()
    expect(keysUnder('another secret').open(sealed, userId)).toBeNull()
  })

  test('stays shut when any bit of it was changed', () => {
    for (const { userId, sealed } of ROWS) {
      const bytes = Buffer.from(sealed)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const changed = Buffer.from(bytes)
        changed[bit >> 3]! ^= 1 << (bit & 7)
        expect(secrets.open(changed.toString('latin1'), userId)).toBeNull()
      }
    }
  })

  test('new ones are sealed in the second form, in which the first does not open', () => {
    const { sealed } = secrets.seal('key', 7)
    expect(sealed).toMatch(/^v2\.[\w-]+$/)
    expect(secrets.open(sealed, 7)).toEqual({ key: 'key', outdated: null })
    expect(secrets.open(sealed.replace('v2.', 'v1.'), 7)).toBeNull()
    expect(secrets.open(ROWS[0]!.sealed.replace('v1.', 'v2.'), 7)).toBeNull()
  })

  test('works in the database as it stands there: it names its user, and is handed out again', async () => {
    const { key, digest, sealed, userId } = ROWS[0]!
    const { database, tokens, users } = await openAccounts({ secretKey: () => SECRET })
    // The sealed text is bound to the id of its user.
    for (let id = 1; id <= userId; id++) await users.create({ username: `user-${id}` })
    const user = (await users.byUsername(`user-${userId}`))!
    expect(user.id).toBe(userId)
    const facts = { name: '', scopes: null, created: new Date(0), expires: null, lastUsed: null }
    expect(await database.tokens.insert(userId, { digest, sealed, ...facts })).toBe(true)
    expect((await tokens.verify(key))?.user.username).toBe(user.username)
    expect((await tokens.obtain(user)).key).toBe(key)
  })
})

describe('I2: a cursor that was made before', () => {
  const api = defineApi({ urls: { numbers: '/numbers/' } })
  const pagination = new CursorPagination({ pageSize: 4, ordering: 'id' })
  const rows = Array.from({ length: 9 }, (_, id) => ({ id }))
  const numbers = api
    .endpoint('numbers', { pagination })
    .get(list({ source: arraySource(rows, { key: 'id' }) }))
  const app = api.serve([numbers], { configuration: configurationOf({ SECRET_KEY: SECRET }) })

  test.each(CURSORS)('%s is none of this list any more: 404 (C13)', async (cursor) => {
    const { status, data } = await client(app).get(`/numbers/?cursor=${cursor}`)
    expect({ status, data }).toEqual({
      status: 404,
      data: { detail: 'This cursor is not valid for this list.' },
    })
  })
})
