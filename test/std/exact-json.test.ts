import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NumberTooLarge, digitsIn, parseExactly } from '../../src/std/exact-json.ts'

describe('JSON that keeps the digits of its numbers', () => {
  const long = '12345678901234567890'

  test('numbers are those of JSON.parse, and the digits stand beside them', () => {
    const value = parseExactly(`{"a":${long},"b":[1,1.2345678901234567],"c":1}`) as { b: object }
    expect(value).toEqual(JSON.parse(`{"a":${long},"b":[1,1.2345678901234567],"c":1}`))
    expect(digitsIn(value, 'a')).toBe(long)
    expect(digitsIn(value.b, '1')).toBe('1.2345678901234567')
    expect(digitsIn(value, 'c')).toBeUndefined()
    expect(digitsIn(value, 'constructor')).toBeUndefined()
    expect(digitsIn({}, 'a')).toBeUndefined()
  })

  test('nobody else sees them', () => {
    const value = parseExactly(`{"a":${long}}`) as object
    expect(Object.keys(value)).toEqual(['a'])
    expect({ ...value }).toEqual({ a: Number(long) })
    expect(JSON.stringify(value)).toBe('{"a":12345678901234567000}')
  })

  test('names of prototypes are plain names', () => {
    const value = parseExactly(`{"__proto__":${long}}`) as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(digitsIn(value, '__proto__')).toBe(long)
  })

  test.each(['1e999', '[-1e400]', `{"a":${'9'.repeat(400)}}`, '1E+0309'])(
    '%s is too large',
    (text) => {
      expect(() => parseExactly(text)).toThrow(NumberTooLarge)
    },
  )

  test.each(['1e-999', '"1e999"', '0.1e0001'])('%s is not', (text) => {
    expect(parseExactly(text)).toEqual(JSON.parse(text))
  })

  test('the value is always that of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseExactly(text)).toEqual(JSON.parse(text))
      }),
    )
  })
})
