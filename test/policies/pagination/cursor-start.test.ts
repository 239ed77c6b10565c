import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PositionValue } from '../../../src/core/ports/list-source.ts'
import { shortDigest } from '../../../src/core/secrets/digest.ts'
import { readStart, writeStart } from '../../../src/policies/pagination/cursor.ts'
import { CHARACTER } from '../../setup/characters.ts'

const VALUES: readonly PositionValue[] = [
  '',
  'text',
  '"[],:{}\\\n\0',
  'é☕😀',
  '\ud800 alone',
  '2024-01-01 08:00:00.123456',
  '0.1000000000',
  '12345678901234567890.0123456789',
  0,
  -0,
  1,
  0.1,
  5e-324,
  2 ** 53,
  Infinity,
  -Infinity,
  NaN,
  0n,
  -1n,
  2n ** 63n - 1n,
  10n ** 40n,
  true,
  false,
  null,
  new Uint8Array(),
  new Uint8Array([0, 255, 128]),
]

const turned = (position: readonly PositionValue[], reverse = false): unknown =>
  readStart(writeStart({ reverse, position }))

describe('the text of a cursor', () => {
  test.each(VALUES)('D37: %o comes back with its type and value', (value) => {
    // `toEqual` does not tell 0 from -0, nor null from undefined.
    const start = turned([value]) as { position: unknown[] }
    expect(start.position).toHaveLength(1)
    expect(Object.is(start.position[0], value) || start.position[0] instanceof Uint8Array).toBe(
      true,
    )
    expect(start.position[0]).toStrictEqual(value)
  })

  test('I2: any values come back, in both directions', () => {
    const value = fc.oneof(
      fc.string({ unit: CHARACTER }),
      fc.double(),
      fc.bigInt(),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array(),
    )
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.boolean(), (position, reverse) => {
        expect(turned(position, reverse)).toStrictEqual({ reverse, position })
      }),
    )
  })

  test.each([true, false])('a start without a row, reverse %s', (reverse) => {
    expect(readStart(writeStart({ reverse, position: null }))).toEqual({ reverse, position: null })
  })

  test('no two starts have the same text', () => {
    const texts = VALUES.flatMap((value) =>
      [true, false].map((reverse) => writeStart({ reverse, position: [value] })),
    )
    expect(new Set(texts).size).toBe(texts.length)
  })

  test.each(['', 'x', '{}', '[]', '[2]', '[true]', '7', 'null', '[0,["x","7"]]', '[0,["i","x"]]'])(
    '%j is none',
    (text) => expect(readStart(text)).toBeNull(),
  )
})

describe('a start that is too long to be asked for', () => {
  const [x, y] = ['x', 'y'].map((letter) => (length: number) => letter.repeat(length)) as [
    (length: number) => string,
    (length: number) => string,
  ]

  test.each<[title: string, given: readonly PositionValue[], kept: readonly PositionValue[]]>([
    ['2,400 bytes are kept', [x(2394)], [x(2394)]],
    ['of one byte more, the beginning is', [x(2395)], [x(960)]],
    ['bytes are counted', ['é'.repeat(1198)], ['é'.repeat(489)]],
    ['a beginning ends with a whole character', ['😀'.repeat(700)], ['😀'.repeat(245)]],
    ['200 bytes of a value are kept', [x(198), y(2400)], [x(198), y(960)]],
    ['long ones share the room', [x(2400), 7, y(2400)], [x(480), 7, y(480)]],
    ['which is 200 bytes for each at least', Array(13).fill(x(300)), Array(13).fill(x(160))],
  ])('%s', (_, given, kept) => {
    const cut = given.flatMap((value, at) =>
      value === kept[at] ? [] : [[at, shortDigest(String(value))]],
    )
    expect(turned(given)).toEqual({
      reverse: false,
      position: kept,
      ...(cut.length > 0 && { cut: Object.fromEntries(cut) as object }),
    })
    expect(readStart(writeStart({ reverse: true, position: given }, false))).toEqual({
      reverse: true,
      position: given,
    })
  })

  test.each([199, 598])(
    'has a whole value of %i bytes more than 2 where it has the room',
    (length) => {
      const start = turned([x(length), y(2400)])
      expect(start).toEqual({
        reverse: false,
        position: [x(length), y(480)],
        cut: { 0: shortDigest(x(length)), 1: shortDigest(y(2400)) },
      })
    },
  )

  test('is read as earlier releases have written it', () => {
    const text = '[1,["c","beginning","digest"],["i","7"],["n","-0"],["b","AP-A"],"c",null]'
    expect(readStart(text)).toStrictEqual({
      reverse: true,
      position: ['beginning', 7n, -0, new Uint8Array([0, 255, 128]), 'c', null],
      cut: { 0: 'digest' },
    })
  })
})
