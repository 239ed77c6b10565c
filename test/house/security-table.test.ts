import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { PURPOSES } from '../../src/core/secrets/keys.ts'
import { readSources } from './wings.ts'

/** The files that may call a cipher, a MAC or a hash; a folder stands for all of its files. */
const CALLERS: Readonly<Record<string, readonly string[]>> = {
  createCipheriv: ['src/core/secrets/seal.ts'],
  createDecipheriv: ['src/core/secrets/seal.ts'],
  createHmac: ['src/core/secrets/digest.ts'],
  createPublicKey: ['src/core/secrets/digest.ts'],
  createSecretKey: ['src/core/secrets/keys.ts', 'src/core/secrets/seal.ts'],
  hkdf: [],
  hkdfSync: ['src/core/secrets/keys.ts'],
  createHash: [],
  hash: ['src/core/secrets/digest.ts'],
  argon2: ['src/accounts/passwords/argon2.ts'],
  argon2Sync: [],
  pbkdf2: ['src/accounts/passwords/password-hasher.ts'],
  pbkdf2Sync: [],
  scrypt: ['src/accounts/passwords/password-hasher.ts'],
  scryptSync: [],
  createSign: [],
  sign: [],
  verify: ['src/core/secrets/digest.ts'],
  subtle: [],
  webcrypto: [],
}

const sources = Object.entries(readSources()).filter(([file]) => file.startsWith('src/'))
const security = readFileSync('SECURITY.md', 'utf8')

/** Code without its comments. */
const code = (text: string): string => text.replace(/\/\*[^]*?\*\/|\/\/.*/g, '')

/** The names that a file imports from `node:crypto`, statically or later. */
function cryptoNames(text: string): string[] {
  const atOnce = code(text).matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from 'node:crypto'/g)
  const later = code(text).matchAll(/const \{([^}]*)\} = await import\('node:crypto'\)/g)
  return [...atOnce, ...later].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => name.replace(/^\s*type\s/, '').trim() || []),
  )
}

describe('SECURITY.md', () => {
  test('has a row for every label of a key, and for none that there is not', () => {
    const table = security.slice(security.indexOf('### Keys'), security.indexOf('### Random'))
    const labels = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, label]) => label!)
    expect(labels.toSorted()).toEqual(PURPOSES.toSorted())
  })

  test('every label is one that a key is made with', () => {
    const others = sources.filter(([file]) => file !== 'src/core/secrets/keys.ts')
    const unused = PURPOSES.filter(
      (label) => !others.some(([, text]) => code(text).includes(`'${label}'`)),
    )
    expect(unused).toEqual([])
  })
})

/** Leaves out Web Crypto digests in add-ons, which import only published names: they identify documents and scripts. */
function withoutWebDigests(file: string, text: string): string {
  const known = /\bcrypto\.(?:subtle\.digest\('SHA-256',|randomUUID\(\))/g
  return file.startsWith('src/addons/') ? text.replace(known, '') : text
}

describe('ciphers, MACs and hashes', () => {
  const imported = sources.flatMap(([file, text]) =>
    cryptoNames(text).map((name) => ({ file, name })),
  )

  test('are called in the files that are listed, and in no others', () => {
    const seen = imported.filter(({ name }) => name in CALLERS)
    const found = Object.fromEntries(
      Object.keys(CALLERS).map((name) => [
        name,
        seen.filter((each) => each.name === name).map(({ file }) => file),
      ]),
    )
    const sorted = (record: Readonly<Record<string, readonly string[]>>): object =>
      Object.fromEntries(Object.entries(record).map(([name, files]) => [name, files.toSorted()]))
    expect(sorted(found)).toEqual(sorted(CALLERS))
  })

  test('are imported by name from node:crypto, so that the list above sees them', () => {
    const others = [
      'Argon2Parameters',
      'KeyObject',
      'randomBytes',
      'randomInt',
      'randomUUID',
      'timingSafeEqual',
    ]
    const known = [...Object.keys(CALLERS), ...others]
    expect(imported.filter(({ name }) => !known.includes(name))).toEqual([])
    const otherwise = sources.filter(
      ([file, text]) =>
        cryptoNames(text).length === 0 &&
        /['"](?:node:)?crypto['"]|\bcrypto\./.test(withoutWebDigests(file, code(text))),
    )
    expect(otherwise.map(([file]) => file)).toEqual([])
  })

  // The seal builds AES-SIV from AES, and test vectors and OpenSSL hold it to its RFC.
  test('have no work of our own beside them: nothing is masked bit by bit but in the seal', () => {
    const masks = sources.filter(([, text]) => /\^=|[\w)\]] \^ [\w(]/.test(code(text)))
    expect(masks.map(([file]) => file)).toEqual(['src/core/secrets/seal.ts'])
  })
})
