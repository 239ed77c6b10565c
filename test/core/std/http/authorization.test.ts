import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { basicCredentials } from '../../../../src/policies/authentication/basic.ts'
import { credentialWords, utf8FromHeader } from '../../../../src/core/std/http/authorization.ts'
import { expectLinear } from '../../../setup/linear.ts'

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

  test('long nonsense costs what its length costs', () =>
    expectLinear((size) => credentialWords(`${' '.repeat(2 * size)}x${' \t'.repeat(size)}`), {
      size: 12_500,
    }))
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

const encoded = (text: string, encoding: BufferEncoding = 'utf8'): string =>
  Buffer.from(text, encoding).toString('base64')
const read = (word: string): unknown => {
  const found = basicCredentials(word)
  return found && [found.username, found.password]
}

describe('AB6 user name and password', () => {
  test.each<[string, string, [string, string]]>([
    ['split at the first colon', encoded('joe:pw:1'), ['joe', 'pw:1']],
    ['an empty name', encoded(':pw'), ['', 'pw']],
    ['an empty password', encoded('joe:'), ['joe', '']],
    ['both empty', 'Og==', ['', '']],
    ['spaces are part of them', encoded(' joe :  '), [' joe ', '  ']],
    ['AB5 UTF-8', encoded('zoë:пароль-密码'), ['zoë', 'пароль-密码']],
    ['AB5 outside the basic plane', encoded('joe:🔑'), ['joe', '🔑']],
    ['AB5 Latin-1 where it is not UTF-8', encoded('joe:café', 'latin1'), ['joe', 'café']],
    ['AB5 one bad byte makes all of it Latin-1', encoded('jÃ¶\xff:x', 'latin1'), ['jÃ¶ÿ', 'x']],
    ['a byte order mark stays', encoded('\ufeffjoe:x'), ['\ufeffjoe', 'x']],
    [
      'an encoded lone surrogate is Latin-1',
      encoded('j\xed\xa0\x80:x', 'latin1'),
      ['jí\xa0\x80', 'x'],
    ],
  ])('%s', (_, word, pair) => {
    expect(read(word)).toEqual(pair)
  })
})

describe('I6 refused', () => {
  test.each([
    ['nothing', ''],
    ['no colon', 'am9l'],
    ['padding missing', 'am9lOnB3OjE'],
    ['half of the padding missing', 'Og='],
    ['too much padding', 'am9lOnB3OjE=='],
    ['padding in front', '=am9lOnB3OjE'],
    ['padding inside', 'Og==am9l'],
    ['characters outside of the alphabet (instead of AB4)', '!!!!am9lOnB3OjE='],
    [
      'the alphabet of URLs',
      encoded('joe:\x3f\x3e\x3f\x3e').replaceAll('/', '_').replaceAll('+', '-'),
    ],
    ['white space', 'am9l OnB3OjE='],
    ['a line break', 'am9l\nOnB3OjE='],
    ['a second spelling: bits that nobody reads', 'Oh=='],
    ['a single letter', 'A'],
    ['a word that is no base64', 'alice:wonderland'],
    ['letters of another script', 'am9lOnB3OjЕ='],
    ['NUL', encoded('joe:p\0w')],
    ['a tab', encoded('joe:p\tw')],
    ['a line break in the password', encoded('joe:pw\n')],
    ['DEL', encoded('j\x7foe:pw')],
  ])('%s', (_, word) => {
    expect(read(word)).toBeNull()
  })
})

const text = fc.string({ unit: fc.constantFrom(...'ab:é\xff ~密🔑') })

test('AB6 whatever is encoded comes back', () => {
  fc.assert(
    fc.property(text, text, (name, password) => {
      fc.pre(!name.includes(':'))
      expect(read(encoded(`${name}:${password}`))).toEqual([name, password])
    }),
  )
})

test('I6 a word has one meaning: what is read is what would be written', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.constantFrom('', ...'AQgw1/+=-_ '), (said, place, changed) => {
      const sound = encoded(`a:${said}`)
      // At the end stand the bits that mean nothing, and the padding.
      const at = sound.length - 1 - (place % Math.min(sound.length, 4))
      const word = sound.slice(0, at) + changed + sound.slice(at + 1)
      fc.pre(basicCredentials(word) !== null)
      expect(Buffer.from(word, 'base64').toString('base64')).toBe(word)
    }),
  )
})
