import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../../../src/core/errors/api-errors.ts'
import { FormParser } from '../../../src/core/parsing/form.ts'
import { listsOf, parse, valuesOf } from './request.ts'

const parser = new FormParser()

describe('B4 a form', () => {
  test.each<[title: string, body: string, values: object]>([
    ['has a list of values for every name', 'a=1&b=x+y&a=2', { a: ['1', '2'], b: ['x y'] }],
    ['keeps blank values', 'a=&b', { a: [''], b: [''] }],
    ['may be empty', '', {}],
    ['has no fields between empty pairs', '&&a=1&', { a: ['1'] }],
    ['has percent-escapes of UTF-8', 'a=%C3%A9&%E6%97%A5=1', { a: ['é'], 日: ['1'] }],
    ['has characters beyond ASCII as they are', 'é=日本 📚', { é: ['日本 📚'] }],
    [
      'keeps malformed percent-escapes',
      'a=%&b=%4&c=%zz&d=%C3',
      { a: ['%'], b: ['%4'], c: ['%zz'], d: ['\ufffd'] },
    ],
    ['has all behind the first = as the value', 'a=1=2', { a: ['1=2'] }],
    ['is separated by & alone', 'a=1;b=2', { a: ['1;b=2'] }],
    ['begins with its first character', '?a=1', { '?a': ['1'] }],
    ['takes JSON as a name', '{"a":1}', { '{"a":1}': [''] }],
    ['takes an escaped separator as text', 'a%26b=%3D', { 'a&b': ['='] }],
    [
      'takes names of prototypes as names',
      'constructor=1&toString=2',
      { constructor: ['1'], toString: ['2'] },
    ],
  ])('%s', (_, body, values) => {
    expect(valuesOf(parse(parser, body))).toEqual(values)
  })

  test.each<[charset: string, body: string | Uint8Array, value: string]>([
    ['utf-8', 'a=%C3%A9', 'é'],
    ['iso-8859-1', 'a=%E9', 'é'],
    ['windows-1251', 'a=%EA', 'к'],
    ['windows-1251', Uint8Array.of(0x61, 0x3d, 0xea), 'к'],
    ['shift_jis', 'a=%93%FA', '日'],
    ['klingon', 'a=%C3%A9', 'é'],
  ])('in %s: %s', (charset, body, value) => {
    expect(valuesOf(parse(parser, body, { charset }))).toEqual({ a: [value] })
  })

  test('1,000 fields are read, more are refused', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}=1`).join('&')
    expect(Object.keys(valuesOf(parse(parser, fields(1000))))).toHaveLength(1000)
    expect(() => parse(parser, fields(1001))).toThrow(ParseError)
    expect(() => parse(parser, '&'.repeat(1_000_000))).toThrow(ParseError)
  })

  test('a part of a larger buffer is read alone', () => {
    expect(valuesOf(parse(parser, Buffer.from('xxa=1xx').subarray(2, 5)))).toEqual({ a: ['1'] })
  })

  test('ASCII is read as browsers read it', () => {
    const unit = fc.constantFrom(...'ab=&+%23F;? ', '%C3%A9', '%E6%97%A5')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (body) => {
        expect(valuesOf(parse(parser, body))).toEqual(listsOf([...new URLSearchParams(`&${body}`)]))
      }),
    )
  })

  test('any bytes are a form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(() => parse(parser, bytes)).not.toThrow()
      }),
    )
  })
})
