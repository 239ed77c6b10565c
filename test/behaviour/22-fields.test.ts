// What fields make of JSON that clients send (E28, E29): the values that DRF tries, and what they come to here. More of each
// kind stands in test/resources/serializers/fields/values.test.ts; where DRF answers otherwise, docs/differences.md says so.
import { describe, expect, test } from 'vitest'
import { field } from '../../src/index.ts'
import { refused, sends, serviceOf, written } from './one-field.ts'

const all = (values: readonly unknown[], expected: unknown) =>
  values.map((value) => [value, expected] as const)
const no = (code: string) => refused([code])

describe('E28 truth', () => {
  const yes = ['True', 'TRUE', 'tRuE', 'true', 't', 'T', 'on', 'ON', 'y', 'Yes', '1', 1, true]
  const nay = ['False', 'FALSE', 'fAlSe', 'false', 'f', 'F', 'off', 'oFf', 'n', 'NO', '0', 0, false]
  sends('boolean', field.boolean(), [
    ...all(yes, true),
    ...all(nay, false),
    ...all(['foo', 'truth', 2, -1, [], {}, [true]], no('invalid')),
    [null, no('null')],
  ])
  sends('boolean, nullable', field.boolean({ nullable: true }), [
    ...all([null, 'null', 'Null', ''], null),
    ['true', true],
    [false, false],
    ...all(['none', 'foo', []], no('invalid')),
  ])
})

describe('E29 texts', () => {
  sends('text', field.text(), [
    ['abc', 'abc'],
    [' abc\t', 'abc'],
    [1, '1'],
    [0, '0'],
    [written('1.0'), '1'],
    [written('123456789012345678901'), '123456789012345678901'],
    ...all([true, false, [], {}, ['a']], no('invalid')),
    ...all(['', '   ', '\n'], no('blank')),
    ...all(['\0', 'a\0', '\0a', 'a\0a'], no('null_characters_not_allowed')),
    ...all([written('"\\ud800"'), written('"a\\udfff"')], no('surrogate_characters_not_allowed')),
    ['\ud7ff', '\ud7ff'],
    ['\ue000', '\ue000'],
    [null, no('null')],
  ])
  sends('text, nullable', field.text({ nullable: true }), [
    [null, null],
    ['', no('blank')],
    ['null', 'null'],
  ])
  sends('text, untrimmed', field.text({ trim: false, allowBlank: true }), [
    [' abc ', ' abc '],
    ['', ''],
  ])
  sends('email', field.email(), [
    ['someone@site.example', 'someone@site.example'],
    [' someone@site.example ', 'someone@site.example'],
    ...all(['someone', 'someone.example', 'some one@site.example', 5], no('invalid')),
    ['', no('blank')],
  ])
  sends('pattern', field.text({ pattern: /[a-z]\d/ }), [
    ['b7', 'b7'],
    // As in DRF, a pattern without anchors is looked for.
    ['!b7!', '!b7!'],
    ['B7', no('invalid')],
    ['', no('blank')],
  ])
  sends('slug', field.slug(), [
    ['part-12_b', 'part-12_b'],
    [12, '12'],
    ...all(['part 12', 'part.12', 'части-12', 'a/b'], no('invalid')),
  ])
  sends('url', field.url(), [
    ['http://site.example', 'http://site.example'],
    ['ftp://site.example/a', 'ftp://site.example/a'],
    ...all(['site.example', '/a', 'mailto:a@b.c', 'http://'], no('invalid')),
  ])
})

describe('E28 names of things', () => {
  const uuid = '5b0ff2a6-94b8-4a0e-b76f-2b7a0f7e6a11'
  sends('uuid', field.uuid(), [
    [uuid, uuid],
    [uuid.toUpperCase(), uuid],
    [uuid.replaceAll('-', ''), uuid],
    [`urn:uuid:${uuid}`, uuid],
    // DRF reads the number of a UUID, and we refuse it.
    [written(String(BigInt(`0x${uuid.replaceAll('-', '')}`))), no('invalid')],
    ...all([uuid.slice(0, -1), `${uuid}0`, 'none', '', [1, 2], {}, true], no('invalid')),
    [null, no('null')],
  ])
  const v6: readonly (readonly [string, string])[] = [
    ['2001:0db8:00a3:0042:1000:08ae:0370:7334', '2001:db8:a3:42:1000:8ae:370:7334'],
    ['2001:db8:0:0:0:0:3257:9652', '2001:db8::3257:9652'],
    ['2001:db8::3257:9652', '2001:db8::3257:9652'],
  ]
  const noV6 = ['2001:::9652', '2001:db8:a3:42:1000:8ae:370:73341', '2001:db8', 'g::1', '']
  const noV4 = ['127001', '127.0.0', '127.122.111.2231', '127.0.0.1.5', '1.2.3.-4', '']
  sends('ip', field.ip(), [
    ['192.0.2.255', '192.0.2.255'],
    ...v6,
    ...all([...noV4, ...noV6, 1000, [], true], no('invalid')),
  ])
  sends('ip, version 4', field.ip({ version: 4 }), [
    ['192.0.2.255', '192.0.2.255'],
    ...all([...noV4, '2001:db8::1'], no('invalid')),
  ])
  sends('ip, version 6', field.ip({ version: 6 }), [
    ...v6,
    ...all([...noV6, '192.0.2.255'], no('invalid')),
  ])
})

describe('E28 numbers', () => {
  const one = ['1', ' 1 ', 1, written('1.0'), '1.0', '01', '+1', written('1e0')]
  const noWhole = [0.5, '0.5', 'abc', '', ' ', '1,0', [], [1], {}, true, false]
  sends('integer', field.integer(), [
    ...all(one, 1),
    ...all([0, '0', written('0.0'), written('-0')], 0),
    ['-12', -12],
    ...all(noWhole, no('invalid')),
    [null, no('null')],
  ])
  sends('integer in bounds', field.integer({ min: 1, max: 3 }), [
    ...all([1, '1'], 1),
    ...all([3, '3', written('3.0')], 3),
    ...all([0, '0', -5], no('min_value')),
    ...all([4, '4', 1e9], no('max_value')),
    ['x', no('invalid')],
  ])
  const long = '999999999999999999999999999'
  sends('big integer', field.bigInteger(), [
    ...all(one, 1),
    [0, 0],
    [-123, -123],
    [long, written(long)],
    [written(long), written(long)],
    [written(`-${long}`), written(`-${long}`)],
    ...all(noWhole, no('invalid')),
  ])
  sends('big integer in bounds', field.bigInteger({ min: 1, max: 3 }), [
    ['3', 3],
    ...all([0, '0', written(`-${long}`)], no('min_value')),
    ...all([4, '4', written(long)], no('max_value')),
  ])
  sends('float', field.float(), [
    ...all([1, '1', written('1.0'), '1.0', '1e0', ' 1 '], 1),
    ...all([0, '0', '0.0'], 0),
    ['-2.5e-1', -0.25],
    ...all(['abc', '', 'nan', '-inf', [], {}, true], no('invalid')),
    ['1'.repeat(1001), no('max_string_length')],
    ['1'.repeat(400), no('invalid')],
    [null, no('null')],
  ])
  sends('float in bounds', field.float({ min: 1, max: 3 }), [
    ...all([1, '1', written('1.0')], 1),
    ...all([3, '3'], 3),
    ...all([0.9, '0.0', 0], no('min_value')),
    ...all([3.1, '3.1'], no('max_value')),
  ])
})

describe('E28 decimals', () => {
  sends(
    'of three digits, one behind the point',
    field.decimal({ maxDigits: 3, decimalPlaces: 1 }),
    [
      ...all(['12.3', 12.3, ' 12.3 '], '12.3'),
      ...all(['0.1', 0.1, '.1'], '0.1'),
      [10, '10.0'],
      [0, '0.0'],
      ['2E+1', '20.0'],
      ...all(['', ' ', 'abc', 'NaN', 'sNaN', 'Inf', '-Infinity', [], {}, true], no('invalid')),
      ['0.01', no('max_decimal_places')],
      ...all([123, '123', '2E+2'], no('max_whole_digits')),
      ...all(['12.345', 200_000_000_000], no('max_digits')),
      [null, no('null')],
    ],
  )
  const places = { maxDigits: 3, decimalPlaces: 1, nullable: true, min: 0, max: 10 } as const
  sends('nullable and in bounds', field.decimal(places), [
    ...all([null, '', ' ', '  '], null),
    [5, '5.0'],
    ['0', '0.0'],
    ['10', '10.0'],
    ...all([-1, '-0.1'], no('min_value')),
    ...all([11, '10.1'], no('max_value')),
  ])
  sends('of any length', field.decimal({ decimalPlaces: 2, max: 100 }), [
    ['10', '10.00'],
    ['100.0', '100.00'],
    ['10.001', no('max_decimal_places')],
    ['100.01', no('max_value')],
  ])
  sends('of any places', field.decimal({ maxDigits: 6 }), [
    ['0.12345', '0.12345'],
    ['123456', '123456'],
    ...all(['0.1234567', '1234567'], no('max_digits')),
  ])
})

// In DRF each field says so itself, with a code of its own in a float field, and text fields take it.
test.each([field.float(), field.bigInteger(), field.text()])(
  'B3 a JSON number that is too large for all fields refuses the body, %#',
  async (it) => {
    const headers = { 'content-type': 'application/json' }
    const body = `{"it":${'1'.repeat(400)}}`
    const { status, data } = await serviceOf(it).post('/one/', { headers, body })
    expect([status, data]).toEqual([400, { detail: expect.any(String) }])
  },
)
