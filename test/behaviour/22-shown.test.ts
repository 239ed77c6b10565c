// What fields show of what rows hold: the values that DRF tries, and what they come to here, in objects and in texts straight
// from a table. What a row of the wrong type comes to where DRF answers otherwise stands in docs/differences.md.
import { describe, expect, test } from 'vitest'
import { field } from '../../src/index.ts'
import type { AnyField } from '../../src/types.ts'
import { shown } from '../resources/serializers/reading.ts'

type Showing = readonly [held: unknown, expected: unknown]

function shows(title: string, it: AnyField, rows: readonly Showing[]): void {
  test.each(rows)(`${title}: %o is %o`, (held, expected) => {
    expect(shown(it, held)).toEqual(expected)
  })
}
const all = (values: readonly unknown[], expected: unknown) =>
  values.map((value): Showing => [value, expected])

describe('N42 truth', () => {
  const truth: readonly Showing[] = [
    ...all(['True', 'TRUE', 'tRuE', 't', 'T', 'on', 'oN', 'yes', '1', 1n, true], true),
    ...all(['False', 'FALSE', 'fAlSe', 'f', 'F', 'OFF', 'oFf', 'no', '0', 0, false], false),
    // DRF asks Python whether they are true.
    ...all([2, -1], true),
    ...all(['other', '', [], [1], { a: 1 }], null),
  ]
  shows('boolean', field.boolean(), [...truth, [null, null]])
  shows('boolean, nullable', field.boolean({ nullable: true }), [...truth, ['null', null]])
})

describe('N42 texts and numbers', () => {
  shows('text', field.text(), [
    ['abc', 'abc'],
    [' abc ', ' abc '],
    ['', ''],
    [1, '1'],
    [1.5, '1.5'],
  ])
  shows('uuid', field.uuid(), [
    ['5b0ff2a6-94b8-4a0e-b76f-2b7a0f7e6a11', '5b0ff2a6-94b8-4a0e-b76f-2b7a0f7e6a11'],
  ])
  shows('ip', field.ip(), [['192.0.2.1', '192.0.2.1']])
  shows('integer', field.integer(), [
    ...all(['1', 1, 1n], 1),
    ...all(['0', 0, '-0'], 0),
    // DRF cuts off what is behind the point.
    [1.5, null],
  ])
  shows('big integer as text', field.bigInteger({ coerceToString: true }), [
    ...all([1, '1', 1n], '1'),
    ...all([10n ** 27n - 1n, '9'.repeat(27)], '9'.repeat(27)),
  ])
  shows('float', field.float(), [...all(['1', 1, '1.0'], 1), ...all(['0', 0], 0)])
})

describe('N42 decimals', () => {
  const rounded: readonly Showing[] = [
    ...all(['1', 1, '1.0', '1.00', 1n], '1.0'),
    ...all(['0', 0, '0.04', 0.04], '0.0'),
    ...all(['1.09', 1.09], '1.1'),
  ]
  shows('of one place', field.decimal({ maxDigits: 3, decimalPlaces: 1 }), [
    ...rounded,
    [null, null],
  ])
  shows(
    'as number',
    field.decimal({ maxDigits: 3, decimalPlaces: 1, coerceToString: false }),
    rounded.map(([held, text]) => [held, Number(text)]),
  )
  shows('of any places', field.decimal({ maxDigits: 6 }), [
    ['1.2345', '1.2345'],
    ['0', '0'],
    ['1.10', '1.10'],
  ])
  shows('away from zero', field.decimal({ decimalPlaces: 2, rounding: 'up' }), [['1.234', '1.24']])
  shows('towards zero', field.decimal({ decimalPlaces: 2, rounding: 'down' }), [['1.239', '1.23']])
})

describe('N42 moments', () => {
  shows('date', field.date(), [
    ['2001-01-31', '2001-01-31'],
    [new Date('2001-01-31T13:00:00Z'), '2001-01-31'],
    ...all([null, ''], null),
  ])
  shows('date and time', field.dateTime(), [
    [new Date('2001-01-31T13:00:00Z'), '2001-01-31T13:00:00Z'],
    ['2001-01-31T13:00:00Z', '2001-01-31T13:00:00Z'],
    // DRF shows texts as they are.
    ['2001-01-31T13:00:00', '2001-01-31T13:00:00Z'],
    ...all([null, ''], null),
  ])
  shows('date and time of a zone', field.dateTime({ zone: 'Asia/Kolkata' }), [
    [new Date('2016-12-19T04:30:00Z'), '2016-12-19T10:00:00+05:30'],
  ])
  shows('time', field.time(), [
    ['13:00', '13:00:00'],
    ['00:00:00', '00:00:00'],
    [null, null],
  ])
  shows('duration', field.duration(), [
    [289_921.000123, '3 08:32:01.000123'],
    [13, '00:00:13'],
  ])
  shows('duration of ISO 8601', field.duration({ format: 'iso' }), [
    [289_921.000123, 'P3DT08H32M01.000123S'],
  ])
})

describe('choices', () => {
  shows('a text', field.choice({ good: 'Very good', poor: 'Poor' }), [
    ['good', 'good'],
    ['', ''],
    // What is no choice any more.
    ['great', 'great'],
    [null, null],
  ])
  shows('a number', field.choice([1, 2, 3]), all(['1', 1], 1))
  shows('under headings', field.choice({ groups: { Well: ['good'] } }), [['good', 'good']])
  shows('several', field.multipleChoice(['ac', 'auto']), [
    [
      ['ac', 'auto', 'old'],
      ['ac', 'auto', 'old'],
    ],
    [
      ['auto', 'ac', 'auto'],
      ['auto', 'ac'],
    ],
    [[], []],
  ])
})

describe('collections', () => {
  shows(
    'a list',
    field.list(field.integer()),
    all(
      [
        [1, 2, 3],
        ['1', '2', '3'],
      ],
      [1, 2, 3],
    ),
  )
  shows('lists', field.list(field.list(field.integer())), [
    [
      [[1, 2], [3]],
      [[1, 2], [3]],
    ],
  ])
  shows('a list of anything', field.list(field.json()), [
    [
      [1, '2', true, [4, null]],
      [1, '2', true, [4, null]],
    ],
  ])
  shows('an object', field.dictionary(field.text()), [
    [
      { a: 1, b: '2', 3: null },
      { a: '1', b: '2', 3: null },
    ],
  ])
  shows('objects', field.dictionary(field.dictionary(field.text())), [
    [
      { 0: { a: 1 }, 1: { 3: 3 } },
      { 0: { a: '1' }, 1: { 3: '3' } },
    ],
  ])
  shows('an object of anything', field.dictionary(field.json()), [
    [
      { a: 1, b: [4, 5] },
      { a: 1, b: [4, 5] },
    ],
  ])
  shows('any JSON', field.json(), [
    [
      { a: 1, b: ['some', true, 1.25], 3: null },
      { a: 1, b: ['some', true, 1.25], 3: null },
    ],
  ])
})
