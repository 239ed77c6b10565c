import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseHeaderValue,
  splitOutsideQuotes,
  toQuotedString,
} from '../../../../src/core/std/http/header-value.ts'
import { CHARACTER } from '../../../setup/characters.ts'

describe('a header value with parameters', () => {
  test.each([
    ['V21 names lose their case, values keep it', 'a/b; VERSION=Beta', { version: 'Beta' }],
    ['V21 quotes are removed', 'a/b; version="v1"', { version: 'v1' }],
    ['V21 a repeated parameter: the last wins', 'a/b; v=1; V=2', { v: '2' }],
    [
      'RFC 9110 §5.6.4 a backslash takes the next character as it is',
      'a; x="\\"\\a\\\\"',
      { x: '"a\\' },
    ],
    ['separators inside quotes separate nothing', 'a; x="1;2,3"; y=4', { x: '1;2,3', y: '4' }],
    ['white space around parts does not matter', ' a ;\tx = 1 ; y=2 ', { x: '1', y: '2' }],
    ['an empty value is one', 'a; x=', { x: '' }],
    ['what has no = is no parameter', 'a; x; =1; ; y=2', { y: '2' }],
    ['an open quote reaches to the end', 'a; x="1; y=2', { x: '1; y=2' }],
    ['text behind a quoted value is dropped', 'a; x="1"2; y=3', { x: '1', y: '3' }],
    ['a backslash at the very end is nothing', 'a; x="1\\', { x: '1' }],
    [
      'names of prototypes are plain names',
      'a; __proto__=1; constructor=2',
      { ['__proto__']: '1', constructor: '2' },
    ],
  ])('%s', (_, text, expected) => {
    const { parameters } = parseHeaderValue(text)
    expect(Object.entries(parameters)).toEqual(Object.entries(expected))
    expect(Object.getPrototypeOf(parameters)).toBe(null)
  })

  test('the value in front is given as sent', () => {
    expect(parseHeaderValue(' Form-Data ; name=x').value).toBe('Form-Data')
    expect(parseHeaderValue('').value).toBe('')
  })

  test('whatever can be written as a quoted string is read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        const quoted = `"${text.replace(/["\\]/g, '\\$&')}"`
        const { parameters } = parseHeaderValue(`a/b; x=${quoted}; y=1`)
        expect(parameters).toEqual({ x: text, y: '1' })
      }),
    )
  })

  test('pieces joined again are the text', () => {
    const text = fc.string({ unit: fc.constantFrom(',', ';', '"', '\\', 'a', ' ') })
    fc.assert(
      fc.property(text, (value) => {
        expect(splitOutsideQuotes(value, ',').join(',')).toBe(value)
      }),
    )
  })
})

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
