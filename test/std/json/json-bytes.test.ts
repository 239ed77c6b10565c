import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSONBytes } from '../../../src/std/json/json-bytes.ts'

const textOf = (put: (to: JSONBytes) => void, expected = 0): string => {
  const to = new JSONBytes(expected)
  put(to)
  return Buffer.from(to.bytes).toString()
}
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u007f', 'é', '€', '\ud800', '𝄞') }),
)

describe('JSON as bytes', () => {
  test('texts within quotes are what JSON.stringify makes of them', () => {
    fc.assert(
      fc.property(fc.array(anyText), fc.nat(100), (texts, expected) => {
        const all = textOf((to) => texts.forEach((text) => to.putWithinQuotes(text)), expected)
        const separators = (text: string) =>
          text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
        expect(all).toBe(
          texts.map((text) => separators(JSON.stringify(text).slice(1, -1))).join(''),
        )
      }),
    )
  })

  test('whole numbers have their digits', () => {
    const edges = [0, -0, 9, 10, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, Number.MAX_SAFE_INTEGER]
    const whole = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(...edges))
    fc.assert(
      fc.property(whole, (value) => {
        expect(textOf((to) => to.putWhole(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  test('other texts, and parts of them, stay as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const put = (to: JSONBytes): void => {
          to.put(text)
          to.putPart(`<${text}>`, 1, 1 + text.length)
        }
        expect(textOf(put)).toBe(text + text)
      }),
    )
  })

  test('bytes are put, taken back and replaced', () => {
    const put = (to: JSONBytes): void => {
      to.putBytes(Buffer.from(',"a":'))
      to.putBytes(Buffer.alloc(100, '1'))
      to.cut(6)
      to.putByte(0x7d)
      to.replace(0, 0x7b)
    }
    expect(textOf(put)).toBe('{"a":1}')
  })
})
