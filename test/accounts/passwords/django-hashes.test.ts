import { argon2Sync, hash, pbkdf2Sync, scryptSync } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { describe, expect, test } from 'vitest'
import { verifyPassword } from '../fixtures.ts'
import { readHash } from '../../../src/accounts/passwords/password-hasher.ts'
import { expectLinear } from '../../setup/linear.ts'

// Published by others: Django's documentation and tests, and the crate djangohashers.
const PUBLISHED = [
  [
    'pbkdf2_sha256',
    'lètmein',
    'pbkdf2_sha256$390000$seasalt$8xBlGd3jVgvJ+92hWPxi5ww0uuAuAnKgC45eudxro7c=',
  ],
  [
    'pbkdf2_sha256, older',
    'ExjGmyUT73bFoT',
    'pbkdf2_sha256$24000$KQ8zeK6wKRuR$cmhbSt1XVKuO4FGd9+AX8qSBD4Z0395nZatXTJpEtTY=',
  ],
  ['pbkdf2_sha1', 'lètmein', 'pbkdf2_sha1$390000$seasalt2$aDapRanzW8aHTz97v2TcfHzWD+I='],
  [
    'scrypt',
    'lètmein',
    'scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
  ],
  [
    'argon2id',
    'secret',
    'argon2$argon2id$v=19$m=102400,t=2,p=8$Y041dExhNkljRUUy$TMa6A8fPJhCAUXRhJXCXdw',
  ],
  ['argon2i', 'secret', 'argon2$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$YC9+jJCrQhs5R6db7LlN8Q'],
  [
    'bcrypt_sha256',
    'ExjGmyUT73bFoT',
    'bcrypt_sha256$$2b$12$LZSJchsWG/DrBy1erNs4eeYo6tZNlLFQmONdxN9HPesa1EyXVcTXK',
  ],
  [
    'bcrypt',
    'ExjGmyUT73bFoT',
    'bcrypt$$2b$12$LZSJchsWG/DrBy1erNs4ee31eJ7DaWiuwhDOC7aqIyqGGggfu6Y/.',
  ],
] as const

const SALT = 'salt of 22 characters.'
const TEXTS = ['ﬁne', '', ' ', 'wonderland', 'пароль-密码-ñ', 'pa$$word', 'x'.repeat(200)]

/** The formats as they are documented. */
const MADE: readonly (readonly [name: string, make: (password: string) => string])[] = [
  [
    'pbkdf2_sha256',
    (password) =>
      `pbkdf2_sha256$1000$${SALT}$${pbkdf2Sync(password, SALT, 1000, 32, 'sha256').toString('base64')}`,
  ],
  [
    'pbkdf2_sha1',
    (password) =>
      `pbkdf2_sha1$1000$${SALT}$${pbkdf2Sync(password, SALT, 1000, 20, 'sha1').toString('base64')}`,
  ],
  [
    'scrypt',
    (password) =>
      `scrypt$1024$${SALT}$8$5$${scryptSync(password, SALT, 64, { N: 1024, r: 8, p: 5 }).toString('base64')}`,
  ],
  [
    'argon2',
    (password) => {
      const nonce = Buffer.from(SALT)
      const cost = { memory: 64, passes: 2, parallelism: 8 }
      const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, ...cost })
      return `argon2$argon2id$v=19$m=64,t=2,p=8$${unpadded(nonce)}$${unpadded(tag)}`
    },
  ],
  [
    'better-auth',
    (password) => {
      const [salt, text] = ['0123456789abcdef'.repeat(2), password.normalize('NFKC')]
      const cost = { N: 16384, r: 16, p: 1, maxmem: 2 ** 26 }
      return `${salt}:${scryptSync(text, salt, 64, cost).toString('hex')}`
    },
  ],
  ['bcrypt_sha256', (password) => `bcrypt_sha256$${bcrypt.hashSync(hash('sha256', password), 4)}`],
  ['bcrypt', (password) => `bcrypt$${bcrypt.hashSync(password.slice(0, 30), 4)}`],
]

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

describe('a hash that Django made', () => {
  test.each(PUBLISHED)('%s fits its password and no other', async (_, password, encoded) => {
    expect(await verifyPassword(password, encoded)).toBe(true)
    expect(await verifyPassword(`${password}z`, encoded)).toBe(false)
  })

  test.each(MADE)('%s: every text can be a password', async (name, make) => {
    for (const text of name === 'bcrypt' ? TEXTS.slice(0, 4) : TEXTS) {
      const encoded = make(text)
      expect(await verifyPassword(text, encoded)).toBe(true)
      expect(await verifyPassword(`${text}.`, encoded)).toBe(false)
    }
  })

  test('bcrypt_sha256 reads a password to its end', async () => {
    const encoded = `bcrypt_sha256$${bcrypt.hashSync(hash('sha256', 'x'.repeat(100)), 4)}`
    expect(await verifyPassword('x'.repeat(72), encoded)).toBe(false)
    expect(await verifyPassword('x'.repeat(100), encoded)).toBe(true)
  })
})

const ANY = 'A'.repeat(43)

describe('what nobody has to work on', () => {
  test.each([
    ['unusable', '!'],
    ['unusable, as Django writes it', '!KHdO7xKRJcZEkJzPkDnRVkzxZzDuJVGGVjjRNlHL'],
    ['no iteration', `pbkdf2_sha256$0$salt$${ANY}=`],
    ['ten times ten million iterations', `pbkdf2_sha256$10000001$salt$${ANY}=`],
    ['more digits than a number holds', `pbkdf2_sha256$${'9'.repeat(30)}$salt$${ANY}=`],
    ['negative iterations', `pbkdf2_sha256$-1000$salt$${ANY}=`],
    ['another digest', `pbkdf2_md5$1000$salt$${ANY}=`],
    ['a part too many', `pbkdf2_sha256$1000$sa$lt$${ANY}=`],
    ['scrypt: N is no power of two', `scrypt$1000$salt$8$1$${ANY}=`],
    ['scrypt: N is 1', `scrypt$1$salt$8$1$${ANY}=`],
    ['scrypt: 8 GiB', `scrypt$8388608$salt$8$1$${ANY}=`],
    ['scrypt: half a GiB', `scrypt$524288$salt$8$1$${ANY}=`],
    ['scrypt: a block of nothing', `scrypt$1024$salt$0$1$${ANY}=`],
    ['scrypt: hours', `scrypt$131072$salt$8$999$${ANY}=`],
    ['argon2: 95 GiB', `argon2$argon2id$v=19$m=99999999,t=1,p=1$c2FsdHNhbHQ$${ANY}`],
    ['argon2: more than 1 GiB', `argon2$argon2id$v=19$m=1048577,t=1,p=1$c2FsdHNhbHQ$${ANY}`],
    ['argon2: hours', `argon2$argon2id$v=19$m=1048576,t=9999,p=1$c2FsdHNhbHQ$${ANY}`],
    ['argon2 of the first version', `argon2$argon2i$m=8,t=1,p=1$c29tZXNhbHQ$${ANY}`],
    ['bcrypt: 31 rounds', `bcrypt$$2b$31$${'a'.repeat(53)}`],
    ['bcrypt: 3 rounds', `bcrypt$$2b$03$${'a'.repeat(53)}`],
    ['bcrypt without Django in front', `$2b$12$${'a'.repeat(53)}`],
    ['better-auth: a longer salt', `${'a'.repeat(34)}:${'a'.repeat(128)}`],
    ['better-auth: capitals', `${'A'.repeat(32)}:${'a'.repeat(128)}`],
    ['md5', 'md5$seasalt$3f86d0d3d465b7b458c231bf3555c0e3'],
    ['sha1', 'sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8'],
    ['a hash of nothing', 'pbkdf2_sha256$1000$salt$'],
  ])('%s', (_, encoded) => {
    expect(readHash(encoded)).toBeNull()
  })

  test.each(['$', 'pbkdf2_sha256$', 'scrypt$1$', '$argon2id$v=19$m=1', 'bcrypt$$2b$12$'])(
    'a long text costs what its length costs: %s',
    (part) =>
      expectLinear(
        (size) => {
          expect(readHash(part + '1'.repeat(size))).toBeNull()
          expect(readHash(part.repeat(size / 5))).toBeNull()
        },
        { size: 12_500 },
      ),
  )
})
