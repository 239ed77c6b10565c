import { describe, expect, test } from 'vitest'
import { Seal } from '../../src/core/secrets/seal.ts'

/** Other bytes of the same length, which a forgiving decoder reads as the same text: U+FFFD. */
const TWINS: readonly (readonly [name: string, text: string, other: readonly number[]])[] = [
  ['a character of four bytes that was cut', '\ufffd', [0xf0, 0x9f, 0x98]],
  ['behind other text', 'ab\ufffd', [0x61, 0x62, 0xf0, 0x9f, 0x98]],
  ['twice', '\ufffd\ufffd', [0xf0, 0x9f, 0x98, 0xf0, 0x9f, 0x98]],
]

describe('SEC25: a changed ciphertext stays shut', () => {
  const seals = new Seal('texts', () => ['a secret of these tests'])

  test.each(TWINS)('where its bytes decode to the same text, %s', (_, text, other) => {
    const plain = Buffer.from(text)
    expect(Buffer.from(other).toString()).toBe(text)
    const sealed = seals.seal('list', text)
    expect(seals.unseal('list', sealed)).toBe(text)
    const bodyAt = sealed.lastIndexOf('.') + 1
    const bytes = Buffer.from(sealed.slice(bodyAt), 'base64url')
    const start = bytes.length - plain.length
    // A stream cipher: what is flipped in the sealed bytes is flipped in the text.
    other.forEach((byte, at) => {
      bytes[start + at]! ^= plain[at]! ^ byte
    })
    const changed = sealed.slice(0, bodyAt) + bytes.toString('base64url')
    expect(changed).not.toBe(sealed)
    expect(seals.unseal('list', changed)).toBeNull()
  })
})
