import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { NumberTooLarge, digitsIn, parseExactly } from '../../../../src/core/std/json/exact-json.ts'

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

  test('whatever numbers there are, right or wrong, a reviver that sees each finds the same', () => {
    const runs = { numRuns: 20_000, examples: EXAMPLES.map((text): [string] => [text]) }
    const seen = { SyntaxError: 0, NumberTooLarge: 0, value: 0 }
    fc.assert(
      fc.property(anyText, (text) => {
        const found = outcome(() => withSources(parseExactly(text), digitsIn))
        expect(found).toEqual(outcome(() => revived(text)))
        seen[found.error ?? 'value'] += 1
      }),
      runs,
    )
    // Each way out was taken often enough to mean something.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(500)
  })
})

/** Characters of numbers in any order, and numbers that are long, large, small or the placeholders themselves. */
const digits = fc.string({ unit: fc.constantFrom(...'0123456789.eE+-'), maxLength: 24 })
const written = fc.oneof(
  fc.constantFrom('0', '-0', '7', '1e5', '1e200', '2e200', '-1e200', '1E+200', '1e-320', '5e-324'),
  fc.constantFrom('1e308', '1e309', '-1e999', '1e0005', '0e999', '123456789012345', '1e-999'),
  fc.constantFrom('-0.00000000000000000', '1234567890123456', '-123456789012345', '0.1e0001'),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.tuple(fc.bigInt(), fc.nat(400)).map(([mantissa, power]) => `${mantissa}e${power}`),
  digits,
)
const word = fc.constantFrom(
  'true',
  'null',
  '"1e999"',
  '"\\\\"',
  '"\\"1e200"',
  '"12345678901234567890"',
  '""',
)
const key = fc.constantFrom('a', 'b', '__proto__', '0', '1', 'constructor', '\\"', '1e200')
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    written,
    word,
    fc.array(tie('tree'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(key, tie('tree')), { maxLength: 4 })
      .map((members) => `{${members.map(([name, value]) => `"${name}": ${value}`).join()}}`),
  ),
}))
const anyText = fc.oneof(
  { weight: 4, arbitrary: tree },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof(written, word, fc.constantFrom(...'[]{},: "\\')))
      .map((parts) => parts.join('')),
  },
)
const EXAMPLES = [
  '',
  '12345678901234567890',
  '--1234567890123456',
  '[1-1234567890123456]',
  '{1234567890123456789:1}',
  '[01234567890123456789]',
  '[1.2.34567890123456789]',
  '["\\\\",12345678901234567890]',
  '["\\\\\\"",12345678901234567890]',
  '"12345678901234567890',
  '{"a":1e999,"a":1}',
  '{"a":1,"a":1e999}',
  '{"a":12345678901234567890,"a":1}',
  '[1e200,2e200,12345678901234567890,-1e200]',
]

type Outcome = { readonly error?: 'SyntaxError' | 'NumberTooLarge'; readonly value?: unknown }

function outcome(work: () => unknown): Outcome {
  try {
    return { value: work() }
  } catch (error) {
    return { error: (error as Error).name as 'SyntaxError' }
  }
}

/** A value in which numbers stand beside the digits that are kept for them. */
function withSources(value: unknown, source: (holder: object, key: string) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).map(([name, part]) => [
    name,
    Array.isArray(value),
    source(value, name),
    withSources(part, source),
  ])
}

/** The same by a reviver, which JSON.parse tells the text of every number. */
function revived(text: string): unknown {
  const kept = new Map<object, Map<string, string>>()
  type Reviver = (
    this: object,
    key: string,
    value: unknown,
    context: { source?: string },
  ) => unknown
  const note: Reviver = function (name, value, { source = '' }) {
    if (typeof value !== 'number') return value
    if (!Number.isFinite(value)) throw new NumberTooLarge()
    if (source.length > 15) kept.set(this, (kept.get(this) ?? new Map()).set(name, source))
    return value
  }
  const value = (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, note)
  return withSources(value, (holder, name) => kept.get(holder)?.get(name))
}
