// What fields of moments, choices and collections make of JSON that clients send: the values that DRF tries, and what they
// come to here. Where DRF answers otherwise, docs/differences.md says so.
import { describe } from 'vitest'
import { field } from '../../src/index.ts'
import { refused, sends, written } from './one-field.ts'

const all = (values: readonly unknown[], expected: unknown) =>
  values.map((value) => [value, expected] as const)
const no = (code: string) => refused([code])

describe('N42 moments', () => {
  sends('date', field.date(), [
    ['2001-01-31', '2001-01-31'],
    ['2004-02-29', '2004-02-29'],
    ...all(['abc', '', '2001-99-99', '2001-02-29', '2001-01', '2001', 2001], no('invalid')),
    ...all(['2001-01-31T12:00', '31.01.2001', [], {}, true], no('invalid')),
    [null, no('null')],
  ])
  sends('date, nullable', field.date({ nullable: true }), [
    [null, null],
    ['', no('invalid')],
  ])
  sends('date and time', field.dateTime(), [
    ...all(
      ['2001-01-31T13:00Z', '2001-01-31 13:00z', '2001-01-31T13:00:00.000Z'],
      '2001-01-31T13:00:00Z',
    ),
    ['2001-01-31T13:00+05:30', '2001-01-31T07:30:00Z'],
    ['2001-01-31T13:00:00.000001-0130', '2001-01-31T14:30:00.000001Z'],
    // Without an offset: DRF takes it for a time of the current zone.
    ...all(['2001-01-31T13:00', '2001-01-31 13:00:00'], no('invalid')),
    ...all(['abc', '', '2001-99-99T99:00Z', '2018-08-16 22:00-24:00'], no('invalid')),
    ...all(['2001-01-31', 980_946_000, true, [], {}], no('invalid')),
    ...all(['9999-12-31T21:59:59.99990-03:00', '0001-01-01T01:00+02:00'], no('overflow')),
    [null, no('null')],
  ])
  sends('date and time of a zone', field.dateTime({ naive: 'zone', zone: 'Asia/Kolkata' }), [
    ...all(['2016-12-19T10:00:00', '2016-12-19T10:00+05:30'], '2016-12-19T04:30:00Z'),
  ])
  sends(
    'clocks that change',
    field.dateTime({ naive: 'zone', zone: 'America/New_York' }),
    all(['2017-03-12T02:30:00', '2017-11-05T01:30:00'], no('make_aware')),
  )
  sends('time', field.time(), [
    ['13:00', '13:00:00'],
    ['23:59:59.000001', '23:59:59.000001'],
    ...all(['abc', '', '99:99', '13', '1:00pm', 1300, true, []], no('invalid')),
  ])
  sends('duration', field.duration(), [
    ...all(['13', 13, '00:13', 'PT13S'], 13),
    ['3 08:32:01.000123', 289_921.000123],
    ['P3DT08H32M01.000123S', 289_921.000123],
    ['08:01', 481],
    ['PT8H1M', 28_860],
    ['-1 00', -86_400],
    ...all(['abc', '', '3 08:32 01.123', '1 day', true, [], {}], no('invalid')),
    // DRF goes on to 999,999,999 days.
    ...all(['999999999 00', '-999999999 00', '1000000000 00', 'P999999999D'], no('overflow')),
    [null, no('null')],
  ])
  sends('duration in bounds', field.duration({ min: 86_400, max: 345_600 }), [
    ...all([86_401, '86401', '1 00:00:01'], 86_401),
    ...all([3600, '3600', '-1 00'], no('min_value')),
    ...all(['4 08:32:01.000123', 345_601], no('max_value')),
  ])
})

describe('E28 choices', () => {
  const quality = { poor: 'Not good', fair: 'Good enough', good: 'Very good' }
  const noQuality = ['great', 'Good', 'Very good', ' good', '', [], ['good'], {}, true, 0]
  sends('with names', field.choice(quality), [
    ...all(['good'], 'good'),
    ...all(['poor'], 'poor'),
    ...all(noQuality, no('invalid_choice')),
    [null, no('null')],
  ])
  sends('of a list', field.choice(['poor', 'good']), [
    ['poor', 'poor'],
    ...all(noQuality, no('invalid_choice')),
  ])
  sends('nullable', field.choice(['poor', 'good'], { nullable: true }), [
    [null, null],
    ['', no('invalid_choice')],
  ])
  // There is no allowBlank: an empty text is a choice like any other.
  sends('an empty one', field.choice(['', 'good']), [['', '']])
  sends('of numbers', field.choice([1, 2, 3]), [
    ...all(['1', 1, written('1.0')], 1),
    [3, 3],
    ...all([5, '5', 'abc', '1.0', 1.5, '', true], no('invalid_choice')),
  ])
  sends('of truth', field.choice([true, 0]), [
    ...all([true, 'true'], true),
    ...all([0, '0'], 0),
    ...all([false, 1], no('invalid_choice')),
  ])
  sends(
    'under headings',
    field.choice({ groups: { Well: { good: 'Very good', fair: 'Fair' }, Badly: ['poor'] } }),
    [['fair', 'fair'], ['poor', 'poor'], ...all(['Well', 'awful', ''], no('invalid_choice'))],
  )
  const extras = field.multipleChoice({ ac: 'Air', auto: 'Gears', diesel: 'Diesel' })
  sends('several', extras, [
    [[], []],
    [['ac'], ['ac']],
    [['ac', 'ac'], ['ac']],
    [
      ['auto', 'ac', 'auto'],
      ['auto', 'ac'],
    ],
    ...all(['ac', '', 5, true, { ac: true }], no('not_a_list')),
    ...all([['ac', 'wrong'], [''], [null], [['ac']]], no('invalid_choice')),
    [null, no('null')],
  ])
  sends('at least one', field.multipleChoice(['a', 'b'], { allowEmpty: false }), [
    [['b'], ['b']],
    [[], no('empty')],
  ])
})

describe('E26 lists', () => {
  sends('of numbers', field.list(field.integer()), [
    ...all(
      [
        [1, 2, 3],
        ['1', '2', '3'],
      ],
      [1, 2, 3],
    ),
    [[], []],
    ...all(['1', '', 5, true, { 0: 1 }], no('not_a_list')),
    [[1, 2, 'x', 'y'], refused({ 2: ['invalid'], 3: ['invalid'] })],
    [[null, 1], refused({ 0: ['null'] })],
    [null, no('null')],
  ])
  sends('of lists', field.list(field.list(field.integer())), [
    [
      [['1', 2], [3]],
      [[1, 2], [3]],
    ],
    [[[]], [[]]],
    [['x'], refused({ 0: ['not_a_list'] })],
    [[[1], { a: 1 }], refused({ 1: ['not_a_list'] })],
    [[[1, 2, 'x'], ['y']], refused({ 0: { 2: ['invalid'] }, 1: { 0: ['invalid'] } })],
  ])
  sends('E27 of a length', field.list(field.integer(), { minLength: 2, maxLength: 3 }), [
    [
      [0, 1],
      [0, 1],
    ],
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
    ...all([[], [0]], no('min_length')),
    [[0, 1, 2, 3], no('max_length')],
    // The length comes before the items.
    [['x'], no('min_length')],
  ])
  sends('E27 that hold something', field.list(field.integer(), { allowEmpty: false }), [
    [[0], [0]],
    [[], no('empty')],
  ])
  sends('of anything', field.list(field.json({ nullable: true })), [
    [
      [1, '2', true, [4, null], null],
      [1, '2', true, [4, null], null],
    ],
    ['x', no('not_a_list')],
  ])
  sends('of what may be null', field.list(field.text({ nullable: true }), { nullable: true }), [
    [
      ['a', null],
      ['a', null],
    ],
    [null, null],
  ])
  sends(
    'of objects of any names',
    field.list(field.dictionary(field.text(), { allowEmpty: false })),
    [
      [[{ a: 'b' }], [{ a: 'b' }]],
      [[{ a: 'b' }, {}, { c: 'd' }, {}], refused({ 1: ['empty'], 3: ['empty'] })],
      ['x', no('not_a_list')],
    ],
  )
})

describe('objects of any names', () => {
  sends('of texts', field.dictionary(field.text()), [
    [
      { a: 1, b: '2', 3: ' 3 ' },
      { 3: '3', a: '1', b: '2' },
    ],
    [{}, {}],
    [{ a: 1, b: null, c: null }, refused({ b: ['null'], c: ['null'] })],
    [{ a: { b: 1 } }, refused({ a: ['invalid'] })],
    ...all(['x', '', 5, true, []], no('not_a_dict')),
    [null, no('null')],
  ])
  sends('nullable', field.dictionary(field.text({ nullable: true }), { nullable: true }), [
    [null, null],
    [
      { a: null, b: 2 },
      { a: null, b: '2' },
    ],
  ])
  sends('of others', field.dictionary(field.dictionary(field.text())), [
    [
      { 0: { a: 1, b: '2' }, 1: { c: 3 } },
      { 0: { a: '1', b: '2' }, 1: { c: '3' } },
    ],
    [{ 0: { a: 1, b: null }, 1: { c: null } }, refused({ 0: { b: ['null'] }, 1: { c: ['null'] } })],
    [{ 0: 'x' }, refused({ 0: ['not_a_dict'] })],
  ])
  sends('of anything', field.dictionary(field.json()), [
    [
      { a: 1, b: [4, 5, 6] },
      { a: 1, b: [4, 5, 6] },
    ],
    ['x', no('not_a_dict')],
  ])
  sends('that hold something', field.dictionary(field.text(), { allowEmpty: false }), [
    [{}, no('empty')],
  ])
  sends('any JSON', field.json(), [
    [
      { a: 1, b: ['some', true, 1.25], 3: null },
      { 3: null, a: 1, b: ['some', true, 1.25] },
    ],
    ...[{}, [], '', 'text', 0, false, '{"a": "unended}'].map((value) => [value, value] as const),
    [null, no('null')],
  ])
})
