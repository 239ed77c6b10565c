import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../../../src/core/errors/api-errors.ts'
import {
  decodeSegments,
  encodePath,
  encodeRootPath,
  encodeSegment,
} from '../../../src/core/urls/encoding.ts'
import { CHARACTER } from '../../setup/characters.ts'

describe('RFC 3986 §3.3 a segment is written', () => {
  for (const [title, text, encoded] of [
    ['unreserved characters stay', 'Az09-._~', 'Az09-._~'],
    ['sub-delims, colon and at sign stay', "!$&'()*+,;=:@", "!$&'()*+,;=:@"],
    ['also next to others', '$ &+,;=:@', '$%20&+,;=:@'],
    ['slash, question mark and hash do not', '/?#', '%2F%3F%23'],
    ['a percent sign does not', '%24', '%2524'],
    ['nor do brackets, quotes and backslash', '[]"\\^`{|}<>', '%5B%5D%22%5C%5E%60%7B%7C%7D%3C%3E'],
    ['other letters are UTF-8', 'é😀', '%C3%A9%F0%9F%98%80'],
    ['control characters are encoded', '\0\n', '%00%0A'],
    ['three dots are a name', '...', '...'],
    ['one dot is not', '.', null],
    ['nor are two', '..', null],
    ['half a surrogate pair cannot be written', 'a\ud800', null],
  ] as const) {
    test(title, () => expect(encodeSegment(text)).toBe(encoded))
  }
})

describe('a path is written', () => {
  for (const [title, write, text, encoded] of [
    ['slashes stay', encodePath, 'a/b c//d/', 'a/b%20c//d/'],
    ['an encoded slash is text', encodePath, 'a%2Fb', 'a%252Fb'],
    ['a segment of dots cannot be written', encodePath, 'a/../b', null],
    ['at the end neither', encodePath, 'a/.', null],
    ['half a surrogate pair cannot be written', encodePath, 'a/\udc00', null],
    ['at the root no slash comes first', encodeRootPath, '//host/x', '%2F/host/x'],
    ['at the root others stay', encodeRootPath, 'a//b', 'a//b'],
  ] as const) {
    test(title, () => expect(write(text)).toBe(encoded))
  }
})

describe('a path is read by segment', () => {
  test('%2F is a slash inside a segment', () =>
    expect(decodeSegments('/a%2Fb/%c3%A9/')).toEqual(['a/b', 'é', '']))
  test('empty segments count', () => expect(decodeSegments('//')).toEqual(['', '']))
  for (const path of [
    '/%',
    '/a/%4',
    '/%zz/',
    '/%2/',
    '/%C3/',
    '/%C3/%A9/',
    '/%ED%A0%80',
    '/%C0%AF',
    '%zz',
    '*/%',
  ]) {
    test(`I12 ${path} is not readable`, () =>
      expect(() => decodeSegments(path)).toThrow(ParseError))
  }
})

test('segments are what stands between the slashes', () => {
  const path = fc.string({ unit: fc.constantFrom('/', 'a', 'é') })
  fc.assert(
    fc.property(path, (text) => {
      expect(decodeSegments(text)).toEqual(text.split('/').slice(1))
    }),
  )
})

test('every text that can be written is read again, and its address survives a URL parser', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: CHARACTER, minLength: 1 }), { minLength: 1 }),
      (texts) => {
        const encoded = texts.map(encodeSegment)
        fc.pre(!encoded.includes(null))
        const path = `/${encoded.join('/')}`
        expect(decodeSegments(path)).toEqual(texts)
        expect(new URL(path, 'http://a').pathname).toBe(path)
      },
    ),
    { numRuns: 500 },
  )
})
