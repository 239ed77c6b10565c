import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  UNREADY,
  bytesAroundRows,
  readyForJSON,
  toJSONText,
} from '../../../src/core/representations/json.ts'
import { shownAsJSON } from '../../../src/core/std/row-objects.ts'

/** What N42 says, as one replacer says it. */
function written(data: unknown): string {
  return JSON.stringify(data, function (this: Record<string, unknown>, name, value: unknown) {
    if (typeof value === 'bigint')
      return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
    return this[name] instanceof Date ? String(value).replace('.000Z', 'Z') : value
  })
}

class Named {
  readonly at: Date
  constructor(at: Date) {
    this.at = at
  }
}

const date = fc.date({ noInvalidDate: true })
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      date,
      date.map((at) => new Date(Math.trunc(at.getTime() / 1000) * 1000)),
      fc.bigInt(),
      date.map((at) => new Named(at)),
      date.map((at) => Object.assign(Object.create({ inherited: at }), { own: 1 })),
      date.map((at) => Object.assign(Object.create(null), { at })),
      date.map((at) => ({ toJSON: () => ({ at }) })),
      date.map((at) => Object.assign(at, { toJSON: () => 'of its own' })),
      date.map((at) => JSON.parse(`{"__proto__":{"a":1},"b":${at.getTime()}}`)),
      date.map((at) =>
        Object.defineProperty({ b: at }, '__proto__', { value: at, enumerable: true }),
      ),
      fc.constant(new Number(5)),
    ),
    fc.array(tie('data'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('data'), { maxKeys: 4 }),
  ),
}))

describe('data with dates and big integers', () => {
  test('N42 is written as a replacer writes it, whatever is in it', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(toJSONText([value])).toBe(written([value]))
      }),
      { numRuns: 2000 },
    )
  })

  test('is copied around what is written otherwise, and only there', () => {
    const plain = [{ a: 1 }]
    const rows = { plain, dated: [{ at: new Date(0), plain }] }
    const before = structuredClone(rows)
    const ready = readyForJSON(rows, 10) as typeof rows
    expect(ready).toEqual({ plain, dated: [{ at: '1970-01-01T00:00:00Z', plain }] })
    expect(ready.plain).toBe(plain)
    expect(readyForJSON(plain, 10)).toBe(plain)
    expect(rows).toEqual(before)
  })

  test.each([
    ['NaN', Number.NaN],
    ['an invalid date', new Date(Number.NaN)],
    ['what says its own form', { toJSON: () => 1 }],
    ['what lies too deep', [[[[1]]]]],
  ])('is left to a replacer where it has %s', (_, value) => {
    expect(readyForJSON([value], 3)).toBe(UNREADY)
  })

  test('big integers are what an application makes of them', () => {
    const big = BigInt.prototype as { toJSON?: () => string }
    big.toJSON = () => 'big'
    onTestFinished(() => void delete big.toJSON)
    expect(toJSONText([1n])).toBe('["big"]')
  })
})

describe('data around rows that are there as JSON', () => {
  const rows = (text: string) =>
    shownAsJSON({ bytes: Buffer.from(text), count: 1 }, () => JSON.parse(text) as unknown[])
  const textOf = (value: unknown): string | null => {
    const bytes = bytesAroundRows(value)
    return bytes && Buffer.from(bytes).toString()
  }

  test.each<[string, () => unknown]>([
    ['the rows alone', () => rows('[{"a":1}]')],
    ['a page', () => ({ count: 1, next: null, results: rows('[{"a":1}]') })],
    ['a member behind them', () => ({ results: rows('[1]'), at: new Date(0), big: 2n ** 70n })],
    ['two lists', () => ({ a: rows('[1]'), 'b\u2028"': rows('[2]') })],
    ['what has no form', () => ({ left: undefined, a: rows('[]'), out: () => 1 })],
    ['names', () => ({ é: { toJSON: (name: string) => name }, a: rows('[]') })],
  ])('is what JSON makes of %s', (_, made) => {
    expect(textOf(made())).toBe(toJSONText(made()))
  })

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'a'],
    ['a list', [1]],
    ['an object', { a: [1] }],
    ['rows that are deeper', { page: { results: rows('[1]') } }],
    ['an object that says what it is', { toJSON: () => 1, results: rows('[1]') }],
  ])('is rendered where there is %s', (_, made) => {
    expect(textOf(made)).toBeNull()
  })

  test('names the member that has no form', () => {
    expect(() => textOf({ a: rows('[]'), b: Number.NaN })).toThrow('look at "b"')
    expect(() => textOf({ a: rows('[]'), b: new Map([[1, 2]]) })).toThrow('Look at "b".')
  })
})
