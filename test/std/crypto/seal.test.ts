import { createCipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveKey } from '../../../src/std/crypto/keys.ts'
import { Seal } from '../../../src/std/crypto/seal.ts'

const sealUnder = (secret: string): Seal => new Seal('texts', () => [secret])
const sealer = sealUnder('secret')
/** Behind the version. */
const bytesOf = (sealed: string): Buffer => Buffer.from(sealed.slice('v2.'.length), 'base64url')
const TEXTS = [
  '',
  'a',
  'x'.repeat(31),
  'x'.repeat(32),
  'x'.repeat(33),
  '2024-01-01 ☕',
  'x'.repeat(500),
]

describe('a sealed text', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' })

  test('opens with its secret in its context', () => {
    fc.assert(
      fc.property(text, text, (plain, context) => {
        const sealed = sealer.seal(context, plain)
        expect(sealUnder('secret').unseal(context, sealed)).toBe(plain)
      }),
    )
  })

  test('is the same for the same text and context, and another for every other', () => {
    const sealed = TEXTS.flatMap((plain) => ['one', 'two'].map((each) => sealer.seal(each, plain)))
    expect(sealed).toEqual(
      TEXTS.flatMap((plain) => ['one', 'two'].map((each) => sealer.seal(each, plain))),
    )
    expect(new Set(sealed).size).toBe(sealed.length)
  })

  test('is URL-safe, says its version, is 25 characters and a third longer than the text, and shows nothing of it', () => {
    for (const plain of TEXTS) {
      const sealed = sealer.seal('', plain)
      expect(sealed).toMatch(/^v2\.[\w-]+$/)
      expect(sealed.length).toBe(3 + Math.ceil(((16 + Buffer.byteLength(plain)) * 4) / 3))
      if (plain.length > 1) expect(bytesOf(sealed).toString()).not.toContain(plain)
    }
  })

  test('opens whether it is remembered or not', () => {
    const own = sealUnder('secret')
    const texts = Array.from({ length: 3000 }, (_, at) => `${at}${'x'.repeat(1000)}`)
    const sealed = texts.map((plain) => own.seal('', plain))
    expect(sealed.map((each) => own.unseal('', each))).toEqual(texts)
    expect(own.unseal('other', sealed.at(-1)!)).toBeNull()
  })

  // What a peer in another language would have to do.
  test('is what the docstring says', () => {
    const [context, plain] = ['größe', 'x'.repeat(70)]
    const tag = createHmac('sha256', deriveKey('secret', 'sealed texts: mac'))
      .update(`7:${context}${plain}`)
      .digest()
      .subarray(0, 16)
    const cipher = createCipheriv('aes-256-ctr', deriveKey('secret', 'sealed texts: cipher'), tag)
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()])
    expect(bytesOf(sealer.seal(context, plain))).toEqual(Buffer.concat([tag, hidden]))
  })

  // Tokens at rest depend on it from release to release.
  test('stays what it is', () => {
    expect(sealer.seal('list', 'text')).toBe('v2.YzwU4COySccoQbQxu4QMfF4MhHI')
  })

  test('stays shut under another secret, in another context, and where the border moved', () => {
    const sealed = sealer.seal('alice', 'text')
    expect(sealUnder('other').unseal('alice', sealed)).toBeNull()
    expect(sealer.unseal('bob', sealed)).toBeNull()
    expect(sealer.unseal('alicet', sealed)).toBeNull()
    expect(sealer.unseal('alic', sealed)).toBeNull()
  })

  test.each(TEXTS.slice(0, 6))('stays shut when any bit of it was changed: %j', (plain) => {
    const bytes = Buffer.from(sealer.seal('', plain))
    expect(bytes.length).toBeGreaterThan(20)
    for (let at = 0; at < bytes.length * 8; at++) {
      const changed = Buffer.from(bytes)
      changed[at >> 3]! ^= 1 << (at & 7)
      expect(sealer.unseal('', changed.toString('latin1'))).toBeNull()
    }
  })

  test.each(TEXTS.slice(0, 6))('stays shut when it was cut or grew: %j', (plain) => {
    const sealed = sealer.seal('', plain)
    for (let length = 0; length < sealed.length; length++)
      expect(sealer.unseal('', sealed.slice(0, length))).toBeNull()
    for (const more of ['A', '=', ' ', '\n', '.', 'AAAA', '%'])
      expect(sealer.unseal('', sealed + more)).toBeNull()
  })

  test.each([
    '',
    'A',
    'text',
    'v2.',
    'v2.AAAA',
    `v2.${'A'.repeat(22)}`,
    `v1.${'A'.repeat(60)}`,
    '%%%',
    '☕'.repeat(30),
    'A'.repeat(21),
    'A'.repeat(22),
    '+/'.repeat(20),
  ])('never was: %j', (sealed) => expect(sealer.unseal('', sealed)).toBeNull())
})

const under = (...secrets: string[]): Seal => new Seal('texts', () => secrets)

describe('seals of several secrets', () => {
  test('what the first sealed opens under every ring that has it', () => {
    const sealed = under('new', 'old').seal('list', 'text')
    expect(sealed).toBe(under('new').seal('list', 'text'))
    expect(under('newest', 'new').unseal('list', sealed)).toBe('text')
    expect(under('a', 'b', 'new').unseal('list', sealed)).toBe('text')
  })

  test('what an older one sealed opens, until it is left out', () => {
    const sealed = under('old').seal('list', 'text')
    expect(under('new', 'old').unseal('list', sealed)).toBe('text')
    expect(under('new').unseal('list', sealed)).toBeNull()
  })

  test('the secrets are asked for on the first use, and once', () => {
    let asked = 0
    const seals = new Seal('texts', () => {
      asked += 1
      return ['secret']
    })
    expect(asked).toBe(0)
    expect(seals.unseal('', seals.seal('', 'text'))).toBe('text')
    expect(asked).toBe(1)
  })

  test('where there are none, that is said each time', () => {
    const seals = new Seal('texts', () => {
      throw new Error('There is no secret.')
    })
    expect(() => seals.seal('', 'text')).toThrow('no secret')
    expect(() => seals.unseal('', 'text')).toThrow('no secret')
  })
})
