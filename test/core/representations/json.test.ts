import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JSONRenderer } from '../../../src/core/representations/json.ts'
import { contextOf } from './context.ts'

describe('JSON', () => {
  test.each<[title: string, data: unknown, text: string]>([
    ['N40 is compact', { a: 1, b: [true, null, 'x'] }, '{"a":1,"b":[true,null,"x"]}'],
    [
      'N40 keeps characters beyond ASCII',
      { message: 'héllo 日本 📚' },
      '{"message":"héllo 日本 📚"}',
    ],
    ['N40 escapes U+2028 and U+2029', ['a\u2028b\u2029'], '["a\\u2028b\\u2029"]'],
    ['N40 also in names', { '\u2028': 1 }, '{"\\u2028":1}'],
    ['N40 keeps <, > and &', '<a href="x">&</a>', '"<a href=\\"x\\">&</a>"'],
    ['N40 keeps the order of members', { b: 1, a: 2 }, '{"b":1,"a":2}'],
    [
      'N42 writes dates with Z and without a fraction of zero',
      [new Date(0)],
      '["1970-01-01T00:00:00Z"]',
    ],
    [
      'N42 writes milliseconds',
      { at: new Date(1_700_000_000_123) },
      '{"at":"2023-11-14T22:13:20.123Z"}',
    ],
    ['N42 writes a date alone', new Date(0), '"1970-01-01T00:00:00Z"'],
    [
      'N42 changes no text that looks like a date',
      ['1970-01-01T00:00:00.000Z', new Date(0)],
      '["1970-01-01T00:00:00.000Z","1970-01-01T00:00:00Z"]',
    ],
    [
      'N42 writes big integers with all digits',
      { id: 12345678901234567890n },
      '{"id":12345678901234567890}',
    ],
    ['N42 writes a big integer alone', -1n, '-1'],
    [
      'N42 finds what is deep inside',
      [{ a: [{ b: { c: 9007199254740993n } }] }],
      '[{"a":[{"b":{"c":9007199254740993}}]}]',
    ],
    ['lets values say their own form', { d: { toJSON: () => 'x' } }, '{"d":"x"}'],
    [
      'and looks at what they say',
      [{ toJSON: () => ({ n: 9007199254740993n }) }],
      '[{"n":9007199254740993}]',
    ],
    ['leaves undefined members out', { a: undefined, b: 1 }, '{"b":1}'],
    ['R47 writes false, zero and empty texts', [false, 0, ''], '[false,0,""]'],
    ['R47 an empty string is data', '', '""'],
    ['R47 null is no data', null, ''],
    ['undefined is no data', undefined, ''],
    [
      'names of prototypes are plain names',
      JSON.parse('{"__proto__":{"a":1}}'),
      '{"__proto__":{"a":1}}',
    ],
  ])('%s', (_, data, text) => {
    expect(render(data)).toBe(text)
  })

  test.each<[title: string, data: unknown]>([
    ['NaN', { a: Number.NaN }],
    ['infinity', [[Number.POSITIVE_INFINITY]]],
    ['infinity below zero', Number.NEGATIVE_INFINITY],
    ['NaN beside nulls', { next: null, rows: [{ a: 1 }, { a: Number.NaN }] }],
    ['NaN that a value says of itself', [{ toJSON: () => Number.NaN }]],
    ['an invalid date', [new Date(Number.NaN)]],
  ])('N42 refuses %s', (_, data) => {
    expect(() => render(data)).toThrow(RangeError)
  })

  test('N42 the error says where to look', () => {
    expect(() => render({ price: Number.NaN })).toThrow('"price"')
  })

  test('circles are refused in words', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(() => render([circle])).toThrow(/circular/i)
  })

  test.each<[indent: string, spaces: number]>([
    ['4', 4],
    ['1', 1],
    ['8', 8],
    ['9', 8],
    ['100000000000000000000', 8],
    ['+2', 2],
    ['0', 0],
    ['-1', 0],
    ['', 0],
    ['four', 0],
    ['4.0', 0],
    ['1e1', 0],
  ])('N41 indent=%s means %d spaces', (indent, spaces) => {
    const data = { a: [1, { b: [] }], n: 1n }
    const expected = JSON.stringify({ ...data, n: 1 }, null, spaces)
    expect(render(data, { indent })).toBe(expected)
  })

  test('is called application/json, and anything else on demand (V25)', () => {
    expect(new JSONRenderer()).toMatchObject({ mediaType: 'application/json', format: 'json' })
    const vendor = new JSONRenderer({ mediaType: 'application/vnd.library+json', format: 'vendor' })
    expect(vendor).toMatchObject({ mediaType: 'application/vnd.library+json', format: 'vendor' })
    expect(vendor).not.toHaveProperty('contentType')
  })

  test('plain data is written as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        if (data !== null)
          expect(JSON.parse(render(data))).toEqual(JSON.parse(JSON.stringify(data)))
      }),
    )
  })

  test('one special value changes nothing around it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer(), (data, number) => {
        const special = render([data, BigInt(number), new Date(number)])
        const plain = render([data, number, new Date(number).toISOString().replace('.000Z', 'Z')])
        expect(special).toBe(plain)
      }),
    )
  })
})

function render(data: unknown, parameters: Record<string, string> = {}): string {
  const renderer = new JSONRenderer()
  return renderer.render({ status: 200, headers: {}, data }, contextOf([renderer], { parameters }))
}
