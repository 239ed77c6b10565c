import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { essenceOf, parseAccept } from '../../../../src/core/std/http/media-type.ts'
import { expectLinear } from '../../../setup/linear.ts'

describe('Accept', () => {
  test.each([
    ['ranges stand in the order sent', 'b/b, a/a', ['b/b', 'a/a']],
    ['N10 an empty header has none', '', []],
    ['empty elements are left out (RFC 9110 §5.6.1)', ', a/a, ,', ['a/a']],
    ['elements that are no ranges are left out', 'json, *; q=.2, a/a, a/b c', ['a/a']],
    ['a comma inside quotes separates nothing', 'a/a; x="1, b/b", c/c', ['a/a', 'c/c']],
  ])('%s', (_, header, expected) => {
    expect(parseAccept(header).map(essenceOf)).toEqual(expected)
  })

  test.each([
    ['a/b', 1],
    ['a/b; q=0.5', 0.5],
    ['a/b;Q=0.001', 0.001],
    ['a/b; q=0', 0],
    ['a/b; q=0.000', 0],
    ['a/b; q=1.000', 1],
    ['a/b; q=".3"', 0.3],
    ['a/b; q=0.12345', 0.12345],
    ['a/b; q=1.5', 1],
    ['a/b; q=', 1],
    ['a/b; q=.', 1],
    ['a/b; q=high', 1],
    ['a/b; q=-1', 1],
    ['a/b; q=0.5x', 1],
    ['a/b; q=1e-3', 1],
    ['a/b; q=0.2; q=0.7', 0.7],
  ])('RFC 9110 §12.4.2 %s weighs %d', (header, q) => {
    expect(parseAccept(header)[0]?.q).toBe(q)
  })

  test.each([
    ['a/b; v=1', 3],
    ['a/b; q=0.5; v=1', 3],
    ['a/b; q=0.5', 2],
    ['a/b', 2],
    ['a/*', 1],
    ['a/*; v=1', 1],
    ['*/*', 0],
    ['*/*; v=1', 0],
  ])('N12 %s has specificity %d', (header, specificity) => {
    expect(parseAccept(header)[0]?.specificity).toBe(specificity)
  })

  test('N15 q is no parameter of the range', () => {
    expect({ ...parseAccept('*/*; q=0.5; indent=2')[0]?.parameters }).toEqual({ indent: '2' })
  })

  test('any text has ranges or none, and every weight is from 0 to 1', () => {
    const unit = fc.constantFrom(...'aq*/,;="\\ .019')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (header) => {
        for (const { q } of parseAccept(header)) expect(q >= 0 && q <= 1).toBe(true)
      }),
    )
  })

  // Doubled eight times over: quadratic reading would take 64 times as long for 8 times the text.
  test.each([
    ['separators', ','],
    ['semicolons', ';'],
    ['quotes', '"'],
    ['backslashes in a quote', '\\'],
    ['ranges', '*/*,'],
    ['parameters', 'a=1;'],
    ['quoted parameters', ';a="\\",,"'],
    ['digits of a weight', '1'],
    ['blanks', ' '],
    ['slashes', '/'],
  ])('reads very long headers of %s in linear time', async (_, unit) => {
    const header = (length: number) => `a/b;q="0.${unit.repeat(length / unit.length)}`
    const open = (length: number) => `a/b;q=0.${unit.repeat(length / unit.length)}x`
    for (const make of [header, open])
      await expectLinear((length) => parseAccept(make(length)), { size: 16_000 })
  })
})
