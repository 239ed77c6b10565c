import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { credentialWords, utf8FromHeader } from '../../../src/std/http/credentials.ts'

describe('AB1, AT4 words', () => {
  test.each<[header: string | null, words: string[]]>([
    [null, []],
    ['', []],
    [' \t ', []],
    ['Token', ['Token']],
    ['Token k', ['Token', 'k']],
    ['  Token \t k  ', ['Token', 'k']],
    ['Token\r\nk', ['Token', 'k']],
    ['Token\v\fk', ['Token', 'k']],
    ['Token a b', ['Token', 'a', 'b']],
    ['Token\u00a0k', ['Token\u00a0k']],
    ['Token\u0085k', ['Token\u0085k']],
    ['Token\u001ck', ['Token\u001ck']],
    ['Token\u2003k', ['Token\u2003k']],
    ['Token "a b"', ['Token', '"a', 'b"']],
    ['Token a,b', ['Token', 'a,b']],
  ])('%j', (header, words) => {
    expect(credentialWords(header)).toEqual(words)
  })

  test('words hold no white space and are not empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (header) => {
        for (const word of credentialWords(header)) expect(word).toMatch(/^[^ \t\r\n\v\f]+$/)
      }),
    )
  })

  test('long nonsense takes no time', () => {
    const began = performance.now()
    credentialWords(`${' '.repeat(200_000)}x${' \t'.repeat(100_000)}`)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

describe('AT4 UTF-8 in a header', () => {
  const asHeader = (text: string): string => Buffer.from(text).toString('latin1')

  test.each([
    ['ASCII', 'abc', 'abc'],
    ['two bytes', asHeader('é'), 'é'],
    ['four bytes', asHeader('😀'), '😀'],
    ['a byte order mark stays', asHeader('\ufeffk'), '\ufeffk'],
    ['nothing', '', ''],
    ['Latin-1', '\xe9', null],
    ['half a character', '\xc3', null],
    ['too long a form of a slash', '\xc0\xaf', null],
    ['half of a surrogate pair', '\xed\xa0\x80', null],
    ['beyond Unicode', '\xf4\x90\x80\x80', null],
  ])('%s', (_, header, text) => {
    expect(utf8FromHeader(header)).toBe(text)
  })

  test('any text survives', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8FromHeader(asHeader(text))).toBe(text)
      }),
    )
  })
})
