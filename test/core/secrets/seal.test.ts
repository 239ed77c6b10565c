import { spawnSync } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CRYPTOGRAPHY, PYTHON } from '../../../scripts/servers/python.ts'
import { pathOf } from '../../../scripts/servers/programs.ts'
import { AesSiv, Seal } from '../../../src/core/secrets/seal.ts'

const sealUnder = (secret: string): Seal => new Seal('texts', () => [secret])
const sealer = sealUnder('secret')
/** Behind the version. */
const bytesOf = (sealed: string): Buffer => Buffer.from(sealed.slice('v1.'.length), 'base64url')
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

  test('of one context and text is none of another pair that is written with the same characters', () => {
    const cut = fc.nat(20)
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 20 }), cut, cut, (all, one, other) => {
        const [a, b] = [one, other].map((at) => Math.min(at, all.length)) as [number, number]
        const own = sealUnder('secret')
        const sealed = own.seal(all.slice(0, a), all.slice(a))
        const opened = [own, sealUnder('secret')].map((each) =>
          each.unseal(all.slice(0, b), sealed),
        )
        expect(opened).toEqual(a === b ? [all.slice(a), all.slice(a)] : [null, null])
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
      expect(sealed).toMatch(/^v1\.[\w-]+$/)
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

  // Tokens at rest depend on it from release to release.
  test('stays what it is', () => {
    expect(sealer.seal('list', 'text')).toBe('v1.XZFX2tHvgsvlW6cqXk-yIYB5wCQ')
    expect(sealer.seal('', '')).toBe('v1.xfcawqcPpp7xpTLvYACDVg')
    const ofTokens = new Seal('tokens', () => ['secret'])
    expect(ofTokens.seal('list', 'text')).toBe('v1.yMam5d-6GzBV_LMetGw71R9zJbY')
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
    'v1.',
    'v1.AAAA',
    `v1.${'A'.repeat(22)}`,
    `v1.${'A'.repeat(60)}`,
    `v2.${'A'.repeat(60)}`,
    '%%%',
    '☕'.repeat(30),
    'A'.repeat(21),
    'A'.repeat(22),
    '+/'.repeat(20),
  ])('never was: %j', (sealed) => {
    expect(sealer.unseal('', sealed)).toBeNull()
    expect(sealer.open('', sealed)).toBeNull()
  })
})

describe('what was sealed last', () => {
  /** How often it was sealed and opened in truth. */
  const worked = (use: 'tokens' | 'texts', texts: readonly string[]) => {
    const own = new Seal(use, () => ['secret'])
    const [seals, opens] = [vi.spyOn(AesSiv.prototype, 'seal'), vi.spyOn(AesSiv.prototype, 'open')]
    const opened = texts.map((text) => own.unseal('c', own.seal('c', text)))
    const counts = [seals.mock.calls.length, opens.mock.calls.length]
    for (const each of [seals, opens]) each.mockRestore()
    expect(opened).toEqual(texts)
    return counts
  }
  /** With the sealed text, the text in its context has just as many characters as are remembered. */
  const most = 'x'.repeat(449_378)

  test('is remembered, unless it is a token, which is nowhere to be kept in the open', () => {
    expect(worked('texts', ['text', 'text', 'text'])).toEqual([1, 0])
    expect(worked('tokens', ['text', 'text', 'text'])).toEqual([3, 3])
  })

  test('is forgotten for what comes later, beyond a mebibyte of characters', () => {
    const sealed = sealUnder('secret').seal('c', most)
    expect('1:c'.length + most.length + sealed.length).toBe(2 ** 20)
    expect(worked('texts', [most, most])).toEqual([1, 0])
    expect(worked('texts', [`${most}x`, `${most}x`])).toEqual([2, 2])
    expect(worked('texts', ['text', most, 'text'])).toEqual([3, 0])
  })
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
    expect(under('new', 'old').open('list', sealed)).toEqual({ text: 'text', secret: 1 })
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

const bytes = (hex: string): Buffer => Buffer.from(hex.replace(/\s/g, ''), 'hex')

// RFC 5297, appendix A.
const VECTORS = [
  {
    of: 'A.1, deterministic',
    key: 'fffefdfc fbfaf9f8 f7f6f5f4 f3f2f1f0 f0f1f2f3 f4f5f6f7 f8f9fafb fcfdfeff',
    associated: ['10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627'],
    plain: '11223344 55667788 99aabbcc ddee',
    sealed: '85632d07 c6e8f37f 950acd32 0a2ecc93 40c02b96 90c4dc04 daef7f6a fe5c',
  },
  {
    of: 'A.2, of several data',
    key: '7f7e7d7c 7b7a7978 77767574 73727170 40414243 44454647 48494a4b 4c4d4e4f',
    associated: [
      '00112233 44556677 8899aabb ccddeeff deaddada deaddada ffeeddcc bbaa9988 77665544 33221100',
      '10203040 50607080 90a0',
      '09f91102 9d74e35b d84156c5 635688c0',
    ],
    plain: `74686973 20697320 736f6d65 20706c61 696e7465 78742074 6f20656e 63727970 74207573 696e6720
      5349562d 414553`,
    sealed: `7bdb6e3b 432667eb 06f4d14b ff2fbd0f cb900f2f ddbe4043 26601965 c889bf17 dba77ceb 094fa663
      b7a3f748 ba8af829 ea64ad54 4a272e9c 485b62a3 fd5c0d`,
  },
]

describe('AES-SIV', () => {
  test.each(VECTORS)('makes and opens what RFC 5297 has: $of', ({ key, plain, ...vector }) => {
    const siv = new AesSiv(createSecretKey(bytes(key)))
    const associated = vector.associated.map(bytes)
    expect(siv.seal(associated, bytes(plain))).toEqual(bytes(vector.sealed))
    expect(siv.open(associated, bytes(vector.sealed))).toEqual(bytes(plain))
    expect(siv.open(associated.toReversed().slice(1), bytes(vector.sealed))).toBeNull()
  })
})

describe('the digest of associated data', () => {
  const key = createSecretKey(Buffer.alloc(64, 7))

  test('is that of these data, whichever came before', () => {
    const siv = new AesSiv(key)
    const data = fc.array(fc.constantFrom('', 'a', 'b'), { maxLength: 3 })
    fc.assert(
      fc.property(data, (associated) => {
        const sealed = siv.seal(associated, Buffer.from('text'))
        expect(sealed).toEqual(new AesSiv(key).seal(associated, Buffer.from('text')))
        expect(siv.open(associated, sealed)?.toString()).toBe('text')
      }),
    )
  })

  test('is made once for a page, which opens and seals for one list', () => {
    const siv = new AesSiv(key)
    const from = vi.spyOn(Buffer, 'from')
    onTestFinished(() => from.mockRestore())
    for (const text of ['one', 'other']) siv.seal(['list', 'of'], new TextEncoder().encode(text))
    const made = from.mock.calls.filter(([given]) => (given as unknown) === 'list')
    expect(made).toHaveLength(1)
  })
})

describe('another implementation, in Python with the AES-SIV of OpenSSL', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 100, size: 'max' })
  const seed = Date.now()

  test.each([
    ['texts', 'sealed text siv'],
    ['tokens', 'token siv'],
  ] as const)(`makes and opens the same %s (seed ${seed})`, async (use, label) => {
    await pathOf(CRYPTOGRAPHY)
    const drawn = fc.sample(fc.tuple(text, text), { numRuns: 300, seed })
    const lengths = Array.from({ length: 70 }, (_, at) => ['größe ☕', 'x'.repeat(at)] as const)
    // That of Debian does not take an empty text.
    const pairs = [...drawn, ...lengths].filter(([, plain]) => plain !== '')
    const seal = new Seal(use, () => ['a secret ☕'])
    const sealed = pairs.map(([context, plain]) => seal.seal(context, plain))
    const asked = {
      secret: 'a secret ☕',
      label,
      seal: pairs,
      open: pairs.map(([context], at) => [context, sealed[at]]),
    }
    const script = new URL('sealed.py', import.meta.url).pathname
    const run = spawnSync(PYTHON, [script], { input: JSON.stringify(asked), encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(JSON.parse(run.stdout)).toEqual({ sealed, opened: pairs.map(([, plain]) => plain) })
    const fresh = new Seal(use, () => ['a secret ☕'])
    expect(pairs.map(([context], at) => fresh.unseal(context, sealed[at]!))).toEqual(
      pairs.map(([, plain]) => plain),
    )
  })
})
