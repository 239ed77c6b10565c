import { argon2Sync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decoyHash, hashPassword, isCurrent } from '../../../src/accounts/passwords/argon2.ts'
import {
  isPossiblePassword,
  isUnusable,
  readHash,
  unusablePassword,
} from '../../../src/accounts/passwords/password-hasher.ts'
import { CHEAP, verifyPassword } from '../fixtures.ts'

describe('a password hash', () => {
  test('fits its password and no other', async () => {
    const encoded = await hashPassword('wonderland', CHEAP)
    expect(await verifyPassword('wonderland', encoded)).toBe(true)
    for (const other of ['Wonderland', 'wonderland ', '', 'wonder']) {
      expect(await verifyPassword(other, encoded)).toBe(false)
    }
  })

  test.each(['', '  two spaces  ', 'pa:ss:word', 'пароль-密码-ñ', 'a\u0000b', 'x'.repeat(5000)])(
    'K26 every text can be a password: %j',
    async (password) => {
      expect(await verifyPassword(password, await hashPassword(password, CHEAP))).toBe(true)
    },
  )

  test('is a PHC text with the cost of argon2id at the recommended least', async () => {
    expect(await hashPassword('wonderland')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    )
  })

  test('is another one each time', async () => {
    expect(await hashPassword('wonderland', CHEAP)).not.toBe(
      await hashPassword('wonderland', CHEAP),
    )
  })

  test('of another program is read with the cost that it says', async () => {
    const parameters = {
      message: 'elsewhere',
      nonce: Buffer.from('somesalt'),
      parallelism: 2,
      tagLength: 24,
    }
    const tag = argon2Sync('argon2id', { ...parameters, memory: 64, passes: 3 })
    const encoded = `$argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHQ$${tag.toString('base64')}`
    expect(await verifyPassword('elsewhere', encoded)).toBe(true)
    expect(await verifyPassword('elsewhere', encoded.replace('t=3', 't=4'))).toBe(false)
  })

  test.each([
    '',
    'wonderland',
    '$argon2x$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=4,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=64,t=1,p=0$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=64,t=1,p=1$$',
  ])('in a format that is not known fits nothing: %j', async (encoded) => {
    expect(readHash(encoded)).toBeNull()
    expect(await verifyPassword('wonderland', encoded)).toBe(false)
  })

  test('that is unusable fits nothing, itself included', async () => {
    const unusable = unusablePassword()
    expect(readHash(unusable)).toBeNull()
    expect(isUnusable(unusable)).toBe(true)
    expect(await verifyPassword(unusable, unusable)).toBe(false)
    expect(unusablePassword()).not.toBe(unusable)
  })

  test('that is a decoy looks like any other and fits nothing', async () => {
    expect(isCurrent(decoyHash(CHEAP), CHEAP)).toBe(true)
    expect(decoyHash(CHEAP)).toHaveLength((await hashPassword('', CHEAP)).length)
    expect(await verifyPassword('', decoyHash(CHEAP))).toBe(false)
  })

  test('is current as long as new ones are made like it', async () => {
    const encoded = await hashPassword('wonderland', CHEAP)
    expect(isCurrent(encoded, CHEAP)).toBe(true)
    for (const cost of [
      { ...CHEAP, memory: 16 },
      { ...CHEAP, passes: 2 },
      { ...CHEAP, memory: 16, parallelism: 2 },
    ]) {
      expect(isCurrent(encoded, cost)).toBe(false)
    }
    expect(isCurrent(`argon2${encoded}`, CHEAP)).toBe(false)
    expect(isCurrent(encoded.slice(0, -1), CHEAP)).toBe(false)
  })
})

describe('a password', () => {
  test.each([
    ['x'.repeat(4096), true],
    ['x'.repeat(4097), false],
    ['ñ'.repeat(2048), true],
    ['ñ'.repeat(2049), false],
    ['x'.repeat(2 ** 20), false],
    ['', true],
    ['a\u0000b', true],
    ['\ud800', false],
    ['a\udc00b', false],
    ['\u{1f510}', true],
  ])('%j can be one: %j', (text, possible) => {
    expect(isPossiblePassword(text)).toBe(possible)
  })
})
