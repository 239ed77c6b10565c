// Every kind of field: what it takes, and what it says of the rest (E28).
import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyField } from '../../../../src/resources/serializers/declaration.ts'
import { field, serializer } from '../../../../src/resources/serializers/serializer.ts'
import { parseExactly } from '../../../../src/core/std/json/exact-json.ts'
import { given, outcome } from '../reading.ts'

type Good = readonly [value: unknown, given: unknown]
type Bad = readonly [value: unknown, code: string]

const lots = (length: number): string => 'x'.repeat(length)
const digits = (length: number): string => '9'.repeat(length)

const ips: readonly Good[] = [
  ['10.0.0.1', '10.0.0.1'],
  [' 10.0.0.1 ', '10.0.0.1'],
]
const ip6s: readonly Good[] = [
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::', '::'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
]
const noIps: readonly Bad[] = [
  ['', 'invalid'],
  ['abc', 'invalid'],
  ['10.0.0', 'invalid'],
  ['010.0.0.1', 'invalid'],
  ['0x0a.0.0.1', 'invalid'],
  ['10.0.0.256', 'invalid'],
  ['10.0.0.1/32', 'invalid'],
  ['fe80::1%eth0', 'invalid'],
  ['fe80::1%25eth0', 'invalid'],
  ['[::1]', 'invalid'],
  ['1::2::3', 'invalid'],
  [167_772_161, 'invalid'],
  [lots(1e6), 'invalid'],
  [null, 'null'],
]

const kinds: readonly (readonly [
  title: string,
  field: AnyField,
  good: readonly Good[],
  bad: readonly Bad[],
])[] = [
  ['ip', field.ip(), [...ips, ...ip6s, ['::ffff:10.0.0.1', '10.0.0.1']], noIps],
  [
    'ip, version 4',
    field.ip({ version: 4 }),
    ips,
    [...noIps, ['::1', 'invalid'], ['::ffff:10.0.0.1', 'invalid']],
  ],
  [
    'ip, version 6',
    field.ip({ version: 6 }),
    [...ip6s, ['::ffff:a00:1', '::ffff:10.0.0.1']],
    [...noIps, ['10.0.0.1', 'invalid']],
  ],
  [
    'boolean',
    field.boolean(),
    [
      [true, true],
      [false, false],
      ['Yes', true],
      [' off ', false],
      ['1', true],
      [0, false],
      [1, true],
    ],
    [
      ['maybe', 'invalid'],
      [2, 'invalid'],
      [[true], 'invalid'],
      [{}, 'invalid'],
      ['', 'invalid'],
      [lots(1e6), 'invalid'],
      [null, 'null'],
    ],
  ],
  [
    'text (E29)',
    field.text(),
    [
      [' héllo ', 'héllo'],
      [42, '42'],
      [1.5, '1.5'],
      ['📚', '📚'],
      ['null', 'null'],
    ],
    [
      ['', 'blank'],
      [' \t\n ', 'blank'],
      [true, 'invalid'],
      [[], 'invalid'],
      [{}, 'invalid'],
      [Infinity, 'invalid'],
      ['a\0b', 'null_characters_not_allowed'],
      ['\ud800', 'surrogate_characters_not_allowed'],
      [null, 'null'],
    ],
  ],
  [
    'text, blank',
    field.text({ allowBlank: true }),
    [
      ['', ''],
      ['  ', ''],
    ],
    [[null, 'null']],
  ],
  [
    'text, untrimmed',
    field.text({ trim: false }),
    [
      [' a ', ' a '],
      [' ', ' '],
    ],
    [['', 'blank']],
  ],
  [
    'text, lengths in characters',
    field.text({ minLength: 2, maxLength: 3 }),
    [
      ['ab', 'ab'],
      ['📚📚📚', '📚📚📚'],
      ['  abc  ', 'abc'],
    ],
    [
      ['a', 'min_length'],
      ['📚', 'min_length'],
      ['abcd', 'max_length'],
      ['📚📚📚📚', 'max_length'],
      [lots(1e6), 'max_length'],
    ],
  ],
  [
    'text, pattern',
    field.text({ pattern: /^[A-Z]\d$/g }),
    [
      ['A1', 'A1'],
      ['B2', 'B2'],
    ],
    [
      ['a1', 'invalid'],
      ['A12', 'invalid'],
    ],
  ],
  [
    'email',
    field.email(),
    [
      ['ada@example.com', 'ada@example.com'],
      ['a.b+c@sub.example.co', 'a.b+c@sub.example.co'],
      ['ada@localhost', 'ada@localhost'],
      ['ünï@exämple.com', 'ünï@exämple.com'],
    ],
    [
      ['ada', 'invalid'],
      ['@example.com', 'invalid'],
      ['ada@', 'invalid'],
      ['a b@example.com', 'invalid'],
      ['a..b@example.com', 'invalid'],
      ['ada@example', 'invalid'],
      ['ada@-example.com', 'invalid'],
      ['ada@1.2.3.4', 'invalid'],
      [`${lots(400)}@example.com`, 'invalid'],
      [`a@${'a-'.repeat(1e5)}`, 'invalid'],
    ],
  ],
  [
    'url',
    field.url(),
    [
      ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
      ['http://[::1]:8000/', 'http://[::1]:8000/'],
      ['HTTP://EXAMPLE.COM', 'HTTP://EXAMPLE.COM'],
    ],
    [
      ['example.com', 'invalid'],
      ['javascript:alert(1)', 'invalid'],
      ['https:///path', 'invalid'],
      ['https://a b', 'invalid'],
      ['https://exa\\mple.com', 'invalid'],
      ['https://[::1', 'invalid'],
      [`https://example.com/${lots(3000)}`, 'invalid'],
    ],
  ],
  ['url of a scheme', field.url({ schemes: ['https'] }), [], [['http://a.b/', 'invalid']]],
  [
    'slug',
    field.slug(),
    [['a-B_9', 'a-B_9']],
    [
      ['a b', 'invalid'],
      ['ä', 'invalid'],
      ['', 'blank'],
    ],
  ],
  [
    'uuid',
    field.uuid(),
    [
      ['0F0E0D0C-0B0A-0908-0706-050403020100', '0f0e0d0c-0b0a-0908-0706-050403020100'],
      ['0f0e0d0c0b0a09080706050403020100', '0f0e0d0c-0b0a-0908-0706-050403020100'],
      ['{0f0e0d0c-0b0a-0908-0706-050403020100}', '0f0e0d0c-0b0a-0908-0706-050403020100'],
      ['urn:uuid:0f0e0d0c-0b0a-0908-0706-050403020100', '0f0e0d0c-0b0a-0908-0706-050403020100'],
    ],
    [
      ['0f0e0d0c-0b0a-0908-0706-05040302010', 'invalid'],
      ['g'.repeat(32), 'invalid'],
      [5, 'invalid'],
      [lots(1e6), 'invalid'],
    ],
  ],
  [
    'integer',
    field.integer(),
    [
      [5, 5],
      ['5', 5],
      [' +7 ', 7],
      ['-3.00', -3],
      [-0, 0],
      ['-0', 0],
      [2 ** 53 - 1, 2 ** 53 - 1],
    ],
    [
      [1.5, 'invalid'],
      ['1.5', 'invalid'],
      ['1e3', 'invalid'],
      ['', 'invalid'],
      ['x', 'invalid'],
      [true, 'invalid'],
      [[1], 'invalid'],
      ['0x10', 'invalid'],
      ['1_0', 'invalid'],
      [Infinity, 'invalid'],
      ['9007199254740992', 'max_value'],
      ['-9007199254740992', 'min_value'],
      [2 ** 53, 'invalid'],
      [digits(1001), 'max_string_length'],
      [null, 'null'],
    ],
  ],
  [
    'integer in limits',
    field.integer({ min: 1, max: 10 }),
    [
      [1, 1],
      ['10', 10],
    ],
    [
      [0, 'min_value'],
      [11, 'max_value'],
    ],
  ],
  [
    'big integer',
    field.bigInteger({ max: 2n ** 64n - 1n }),
    [
      [5, 5n],
      ['18446744073709551615', 2n ** 64n - 1n],
      ['-18446744073709551615', -(2n ** 64n) + 1n],
      [10n, 10n],
    ],
    [
      ['18446744073709551616', 'max_value'],
      [2 ** 53, 'invalid'],
      [1e300, 'invalid'],
    ],
  ],
  [
    'float',
    field.float({ min: -90, max: 1e300 }),
    [
      [1.5, 1.5],
      ['-1.5e1', -15],
      ['.5', 0.5],
      ['5.', 5],
      [7n, 7],
    ],
    [
      ['NaN', 'invalid'],
      ['Infinity', 'invalid'],
      [NaN, 'invalid'],
      ['1e999', 'invalid'],
      ['', 'invalid'],
      ['1,5', 'invalid'],
      [true, 'invalid'],
      [-91, 'min_value'],
      [1e301, 'max_value'],
      [digits(1001), 'max_string_length'],
    ],
  ],
  [
    'decimal',
    field.decimal({ maxDigits: 8, decimalPlaces: 2, min: '-5', max: 999999 }),
    [
      ['12.5', '12.50'],
      [12.5, '12.50'],
      [3, '3.00'],
      ['000012.5', '12.50'],
      ['1e3', '1000.00'],
      [' .5 ', '0.50'],
      ['-0', '0.00'],
      ['-0.01', '-0.01'],
    ],
    [
      ['abc', 'invalid'],
      ['NaN', 'invalid'],
      ['Infinity', 'invalid'],
      ['', 'invalid'],
      ['.', 'invalid'],
      ['--1', 'invalid'],
      [NaN, 'invalid'],
      [true, 'invalid'],
      [{}, 'invalid'],
      ['1234567.00', 'max_digits'],
      ['1.234', 'max_decimal_places'],
      ['1234567', 'max_whole_digits'],
      [0.1 + 0.7, 'invalid'],
      ['-5.01', 'min_value'],
      ['999999.01', 'max_value'],
      [digits(1001), 'max_string_length'],
      ['1e9999', 'invalid'],
    ],
  ],
  [
    'decimal without limits',
    field.decimal(),
    [
      ['12345678901234567890.123456789', '12345678901234567890.123456789'],
      ['1.50', '1.50'],
    ],
    [],
  ],
  [
    'date',
    field.date(),
    [
      ['2024-02-29', '2024-02-29'],
      [' 0001-01-01 ', '0001-01-01'],
      ['9999-12-31', '9999-12-31'],
    ],
    [
      ['2023-02-29', 'invalid'],
      ['soon', 'invalid'],
      ['2024-2-9', 'invalid'],
      ['2024-00-01', 'invalid'],
      ['2024-13-01', 'invalid'],
      ['0000-01-01', 'invalid'],
      ['2024-02-29T00:00:00Z', 'invalid'],
      [20240229, 'invalid'],
      ['', 'invalid'],
      [null, 'null'],
    ],
  ],
  [
    'time',
    field.time(),
    [
      ['08:30', '08:30:00'],
      ['23:59:59.5', '23:59:59.500000'],
      ['00:00:00.000000', '00:00:00'],
    ],
    [
      ['24:00', 'invalid'],
      ['08:60', 'invalid'],
      ['8:30', 'invalid'],
      ['08:30Z', 'invalid'],
      [830, 'invalid'],
    ],
  ],
  [
    'date and time',
    field.dateTime(),
    [
      ['2025-06-01T08:30:00Z', '2025-06-01T08:30:00Z'],
      ['2025-06-01 08:30z', '2025-06-01T08:30:00Z'],
      ['2025-06-01T08:30:00+02:00', '2025-06-01T06:30:00Z'],
      ['2025-06-01T00:30:00.000001+0100', '2025-05-31T23:30:00.000001Z'],
      ['2025-06-01T08:30:00,5-05', '2025-06-01T13:30:00.500000Z'],
      ['2025-06-01T08:30:00.123456789Z', '2025-06-01T08:30:00.123456Z'],
      ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ],
    [
      ['2025-06-01T08:30:00', 'invalid'],
      ['2025-06-01', 'invalid'],
      ['now', 'invalid'],
      ['2023-02-29T00:00:00Z', 'invalid'],
      ['2025-06-01T25:00:00Z', 'invalid'],
      ['2025-06-01T08:30:60Z', 'invalid'],
      ['2025-06-01T08:30:00+25:00', 'invalid'],
      ['0001-01-01T00:00:00+01:00', 'overflow'],
      ['9999-12-31T23:59:59-01:00', 'overflow'],
      [0, 'invalid'],
      ['', 'invalid'],
      [lots(1e6), 'invalid'],
    ],
  ],
  [
    'date and time, naive',
    field.dateTime({ naive: 'utc' }),
    [['2025-06-01T08:30', '2025-06-01T08:30:00Z']],
    [],
  ],
  [
    'date and time as Date',
    field.dateTime({ as: 'date' }),
    [['2025-06-01T08:30:00.5Z', new Date('2025-06-01T08:30:00.500Z')]],
    [['never', 'invalid']],
  ],
  [
    'date and time in milliseconds',
    field.dateTime({ as: 'milliseconds' }),
    [['1970-01-01T00:00:01.0015Z', 1001]],
    [],
  ],
  [
    'duration',
    field.duration({ max: 86_400 * 365 }),
    [
      ['30', 30],
      ['01:30', 90],
      ['1 02:03:04.5', 93_784.5],
      ['-1 00:00:01', -86_399],
      ['-00:00:01', -1],
      ['P1DT2H', 93_600],
      ['-PT0.5S', -0.5],
      [7, 7],
    ],
    [
      ['', 'invalid'],
      ['P', 'invalid'],
      ['PT', 'invalid'],
      ['1:2:3:4', 'invalid'],
      ['P1Y', 'invalid'],
      ['x', 'invalid'],
      [true, 'invalid'],
      ['366 00:00:00', 'max_value'],
      ['999999999 00:00:00', 'overflow'],
      [lots(1e6), 'invalid'],
    ],
  ],
  [
    'choice',
    field.choice(['draft', 'public', 3]),
    [
      ['draft', 'draft'],
      ['3', 3],
      [3, 3],
    ],
    [
      ['Draft', 'invalid_choice'],
      ['', 'invalid_choice'],
      ['constructor', 'invalid_choice'],
      ['__proto__', 'invalid_choice'],
      [{}, 'invalid_choice'],
      [['draft'], 'invalid_choice'],
      [null, 'null'],
    ],
  ],
  ['choice with names', field.choice({ d: 'Draft' }), [['d', 'd']], [['Draft', 'invalid_choice']]],
  [
    'multiple choice',
    field.multipleChoice([1, 2, 3], { allowEmpty: false }),
    [
      [
        ['2', 1, 2],
        [2, 1],
      ],
      [[3], [3]],
    ],
    [
      [[], 'empty'],
      ['1', 'not_a_list'],
      [{}, 'not_a_list'],
      [[1, 4], 'invalid_choice'],
    ],
  ],
  [
    'list',
    field.list(field.integer(), { minLength: 1, maxLength: 2 }),
    [
      [
        ['1', 2],
        [1, 2],
      ],
    ],
    [
      ['1', 'not_a_list'],
      [{}, 'not_a_list'],
      [[], 'min_length'],
      [[1, 2, 3], 'max_length'],
      [null, 'null'],
    ],
  ],
  [
    'list that must hold something',
    field.list(field.text(), { allowEmpty: false }),
    [],
    [[[], 'empty']],
  ],
  [
    'dictionary',
    field.dictionary(field.integer({ nullable: true })),
    [
      [
        { a: '1', constructor: 2, n: null },
        { a: 1, constructor: 2, n: null },
      ],
      [{}, {}],
    ],
    [
      [[], 'not_a_dict'],
      ['x', 'not_a_dict'],
      [new Map(), 'not_a_dict'],
    ],
  ],
  [
    'dictionary that must hold something',
    field.dictionary(field.text(), { allowEmpty: false }),
    [],
    [[{}, 'empty']],
  ],
  [
    'json',
    field.json(),
    [
      [{ a: [1, null, 'x'] }, { a: [1, null, 'x'] }],
      ['x', 'x'],
      [false, false],
    ],
    [
      [Infinity, 'invalid'],
      [{ a: 1n }, 'invalid'],
      [JSON.parse('['.repeat(101) + ']'.repeat(101)), 'invalid'],
      [null, 'null'],
    ],
  ],
]

for (const [title, kind, good, bad] of kinds) {
  // oxlint-disable-next-line vitest/valid-title -- of a table
  describe(title, () => {
    test.each(good.map(([value, expected]) => [brief(value), value, expected] as const))(
      '%s is taken',
      async (_, value, expected) => {
        expect(await given(kind, value)).toEqual(expected)
      },
    )

    test.each(bad.map(([value, code]) => [brief(value), value, code] as const))(
      '%s is not',
      async (_, value, code) => {
        expect(await given(kind, value)).toEqual({ codes: [code] })
      },
    )
  })
}

function brief(value: unknown): string {
  return (JSON.stringify(value, noBigInts) ?? 'undefined').slice(0, 40)
}

const noBigInts = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

describe('numbers that JSON.parse cuts short', () => {
  const body = (text: string): unknown => parseExactly(`{"it":${text}}`)
  const read = (kind: AnyField, text: string): Promise<unknown> =>
    outcome(serializer({ it: kind }), body(text))

  test.each<[title: string, kind: AnyField, text: string, expected: unknown]>([
    ['an integer beyond 2^53', field.bigInteger(), '9007199254740993', 9007199254740993n],
    ['one beyond 64 bits', field.bigInteger(), `-${digits(30)}`, BigInt(`-${digits(30)}`)],
    ['a long decimal', field.decimal(), '12345678901234567.89', '12345678901234567.89'],
    ['a long text', field.text(), '12345678901234567890', '12345678901234567890'],
    [
      'a key',
      field.related({ key: field.bigInteger(), find: (id) => ({ id }) }),
      '9007199254740993',
      9007199254740993n,
    ],
    ['a plain number', field.float(), '9007199254740993', 9007199254740992],
  ])('%s', async (_, kind, text, expected) => {
    expect(await read(kind, text)).toEqual({ it: expected })
  })

  test('are exact within lists and dictionaries', async () => {
    const long = '9007199254740993'
    expect(await read(field.list(field.bigInteger()), `[1,${long}]`)).toEqual({
      it: [1n, BigInt(long)],
    })
    expect(await read(field.dictionary(field.text()), `{"a":${long}}`)).toEqual({ it: { a: long } })
  })

  test('a number that does not say its digits is refused', async () => {
    expect(await read(field.bigInteger(), '1e22')).toEqual({ codes: { it: ['invalid'] } })
  })
})

test('addresses are those of node:net, and their normal form is the same address', async () => {
  const groups = fc.array(
    fc.oneof(
      fc.constant('0'),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 1, maxLength: 4 }),
    ),
    { minLength: 8, maxLength: 8 },
  )
  const pressed = groups.map((all) => all.join(':').replace(/(?:^|:)(?:0:)+0?/, '::'))
  const loose = fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%'), maxLength: 20 })
  const texts = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6(),
    groups.map((all) => all.join(':')),
    pressed,
    loose,
  )
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const read = await given(field.ip(), text)
      expect(typeof read === 'string').toBe(isIP(text) !== 0 && !text.includes('%'))
      if (typeof read !== 'string') return
      const list = new BlockList()
      list.addAddress(read, isIP(read) === 4 ? 'ipv4' : 'ipv6')
      expect(list.check(text, isIP(text) === 4 ? 'ipv4' : 'ipv6')).toBe(true)
      expect(await given(field.ip(), read)).toBe(read)
      if (isIP(text) === 6)
        expect(isIP((await given(field.ip({ version: 6 }), text)) as string)).toBe(6)
    }),
    { numRuns: 1000 },
  )
})
