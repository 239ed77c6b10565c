import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../../../src/core/errors/api-errors.ts'
import { JSONParser } from '../../../src/core/parsing/json.ts'
import { parse } from './request.ts'

const parser = new JSONParser()

describe('B3 JSON', () => {
  test.each<[title: string, text: string, value: unknown]>([
    ['objects', '{"a":1,"b":[true,null,"x"]}', { a: 1, b: [true, null, 'x'] }],
    ['lists', '[1,2]', [1, 2]],
    ['scalars', '42', 42],
    ['null', 'null', null],
    ['empty texts', '""', ''],
    ['white space around', ' \n {"a" : 1 } \r\n', { a: 1 }],
    ['characters beyond ASCII', '{"ключ":"日本 📚"}', { ключ: '日本 📚' }],
    ['the last of members with one name', '{"a":1,"a":2}', { a: 2 }],
  ])('reads %s', (_, text, value) => {
    expect(parse(parser, text)).toEqual(value)
  })

  test('names of prototypes are plain names', () => {
    const value = parse(parser, '{"__proto__":{"admin":true}}') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test.each<[title: string, charset: string, bytes: number[], value: string]>([
    ['a known charset counts', 'iso-8859-1', [0x22, 0xe9, 0x22], 'é'],
    ['whatever its case', 'UTF-8', [0x22, 0xc3, 0xa9, 0x22], 'é'],
    ['two bytes for a character', 'utf-16le', [0x22, 0, 0xe9, 0, 0x22, 0], 'é'],
    ['an unknown one is UTF-8', 'klingon', [0x22, 0xc3, 0xa9, 0x22], 'é'],
    ['so is an empty one', '', [0x22, 0xc3, 0xa9, 0x22], 'é'],
    // Codecs of Python that made 500s of DRF before 3.18.2.
    ['so is a packing', 'zlib', [0x22, 0xc3, 0xa9, 0x22], 'é'],
    ['so are bytes as text', 'base64', [0x22, 0xc3, 0xa9, 0x22], 'é'],
  ])('%s', (_, charset, bytes, value) => {
    expect(parse(parser, Uint8Array.from(bytes), { charset })).toBe(value)
  })

  test.each([
    ['a trailing comma', '{"a":1,}'],
    ['two values', '1 2'],
    ['a comment', '{"a":1}//x'],
    ['NaN', 'NaN'],
    ['Infinity', '{"a":Infinity}'],
    ['nothing', ''],
    ['white space alone', '   '],
    ['a byte order mark', '\ufeff{}'],
    ['control characters in texts', '"a\u0001b"'],
    ['leading zeros', '01'],
    ['a form', 'a=1&b=2'],
  ])('refuses %s', (_, text) => {
    expect(() => parse(parser, text)).toThrow(ParseError)
  })

  test.each([
    ['text that is not UTF-8', [0x22, 0xc3, 0x28, 0x22], {}],
    ['half a character', [0x22, 0xe6, 0x97], {}],
    ['text that is not in its charset', [0x22, 0xff, 0x22], { charset: 'shift_jis' }],
  ])('refuses %s', (_, bytes, parameters) => {
    expect(() => parse(parser, Uint8Array.from(bytes), parameters)).toThrow(ParseError)
  })

  test('an error leaves nothing behind for the next body', () => {
    expect(() => parse(parser, Uint8Array.of(0x22, 0xe6))).toThrow(ParseError)
    expect(parse(parser, '"é"')).toBe('é')
  })

  test.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('deep %s are refused and break nothing', (_, open, close) => {
    const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
    expect(parse(parser, nested(500))).toBeDefined()
    for (const levels of [501, 10_000, 400_000]) {
      expect(() => parse(parser, nested(levels))).toThrow(ParseError)
    }
  })

  test('brackets in texts are not levels', () => {
    expect(parse(parser, JSON.stringify('['.repeat(2000)))).toBe('['.repeat(2000))
  })

  test('what JSON.stringify writes is read back', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parse(parser, text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('any bytes are JSON or a ParseError', () => {
    const charset = fc.constantFrom('utf-8', 'utf-16be', 'shift_jis', 'big5', 'x', '')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), charset, (bytes, name) => {
        try {
          parse(parser, bytes, { charset: name })
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
    )
  })
})
