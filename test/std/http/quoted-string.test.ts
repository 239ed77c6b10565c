import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHeaderValue } from '../../../src/std/http/header-value.ts'
import { toQuotedString } from '../../../src/std/http/quoted-string.ts'

describe('RFC 9110 §5.6.4', () => {
  test.each([
    ['a text', 'reading room', '"reading room"'],
    ['nothing', '', '""'],
    ['a quote', 'the "room"', '"the \\"room\\""'],
    ['a backslash', 'a\\b', '"a\\\\b"'],
    ['a tab', 'a\tb', '"a\tb"'],
    ['a line break', 'a\r\nSet-Cookie: x', null],
    ['NUL', '\0', null],
    ['DEL', '\x7f', null],
    ['a letter that is not ASCII', 'café', null],
    ['a letter that no header holds', '密', null],
  ])('%s', (_, plain, quoted) => {
    expect(toQuotedString(plain)).toBe(quoted)
  })
})

test('what is written is read back', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab"\\;=, ') }), (plain) => {
      const { parameters } = parseHeaderValue(`Basic; realm=${toQuotedString(plain)}`)
      expect(parameters['realm']).toBe(plain)
    }),
  )
})
