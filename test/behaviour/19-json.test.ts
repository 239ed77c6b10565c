import { describe, expect } from 'vitest'
import { JSONRenderer, defineApi } from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, notebook, quiet, addresses } from './fixtures.ts'

const circle: Record<string, unknown> = {}
circle['self'] = circle
const VALUES: Readonly<Record<string, unknown>> = {
  compact: { b: [1, { c: null }], a: true },
  unicode: 'äöü € 😀 ñ',
  separators: 'a\u2028b\u2029c',
  html: '<a href="x">&</a>',
  order: { zulu: 1, alpha: 2, mike: 3 },
  date: new Date('2026-01-02T03:04:05Z'),
  fraction: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 678)),
  big: { id: 9007199254740993n },
  decimal: '10.50',
  nan: { rate: Number.NaN },
  infinity: [Number.POSITIVE_INFINITY],
  invalid: { at: new Date(Number.NaN) },
  circle,
  zero: 0,
  false: false,
  text: 'x',
  list: [],
}
const log = notebook()
const api = defineApi({
  urls: addresses(Object.keys(VALUES)),
  logger: log,
})
const app = api.serve(
  Object.entries(VALUES).map(([name, value]) =>
    api.endpoint(name, { renderers: [new JSONRenderer()] }).get(() => value),
  ),
  quiet,
)
const is = (text: string) => ({
  status: 200,
  text,
  headers: { 'content-type': 'application/json' },
})
const indent = (value: string) => ({ headers: { accept: `application/json; indent=${value}` } })
const COMPACT = '{"b":[1,{"c":null}],"a":true}'
const indented = (spaces: number) => is(JSON.stringify(VALUES['compact'], null, spaces))
const broken = { status: 500, data: DETAIL, headers: { 'content-type': 'application/json' } }

const form: Row[] = [
  ['compact', 'GET /compact/', is(COMPACT)],
  ['letters of all kinds as they are', 'GET /unicode/', is('"äöü € 😀 ñ"')],
  ['U+2028 and U+2029 escaped', 'GET /separators/', is('"a\\u2028b\\u2029c"')],
  ['<>& as they are', 'GET /html/', is('"<a href=\\"x\\">&</a>"')],
  ['members in their order', 'GET /order/', is('{"zulu":1,"alpha":2,"mike":3}')],
  ['zero is data', 'GET /zero/', is('0')],
  ['false is data', 'GET /false/', is('false')],
  ['an empty list is data', 'GET /list/', is('[]')],
]
const indentation: Row[] = [
  ...[1, 2, 4, 8].map((spaces): Row => [
    `indent=${spaces}`,
    'GET /compact/',
    indented(spaces),
    indent(String(spaces)),
  ]),
  ['more than 8 is 8', 'GET /compact/', indented(8), indent('99')],
  ['as a quoted text', 'GET /compact/', indented(4), indent('"4"')],
  ['of a wildcard', 'GET /compact/', indented(4), { headers: { accept: '*/*; indent=4' } }],
  ...['0', '-1', 'x', '""', '2.5'].map((value): Row => [
    `indent=${value} is compact`,
    'GET /compact/',
    is(COMPACT),
    indent(value),
  ]),
  [
    'indent=99999999999999999999 is 8',
    'GET /compact/',
    indented(8),
    indent('99999999999999999999'),
  ],
]
const values: Row[] = [
  ['a date-time with Z', 'GET /date/', is('"2026-01-02T03:04:05Z"')],
  ['and with its fraction, where there is one', 'GET /fraction/', is('"2026-01-02T03:04:05.678Z"')],
  ['a bigint with all its digits', 'GET /big/', is('{"id":9007199254740993}')],
  ['a decimal that is a text', 'GET /decimal/', is('"10.50"')],
  ['NaN is 500', 'GET /nan/', broken],
  ['infinity is 500', 'GET /infinity/', broken],
  ['an invalid date is 500', 'GET /invalid/', broken],
  ['a circle is 500', 'GET /circle/', broken],
]

describe('N40 the form of JSON', () => {
  throughDoors(app, form)
})
describe('N41 indentation', () => {
  throughDoors(app, indentation)
})
describe('N42 values', () => {
  throughDoors(app, values)
})

describe('a renderer that always fails', () => {
  const failing = defineApi({ urls: { a: '/a/' }, logger: log })
  const renderer = {
    mediaType: 'text/plain',
    format: 'txt',
    render: (): string => {
      throw new Error('no paper')
    },
  }
  const served = failing.serve(
    [failing.endpoint('a', { renderers: [renderer] }).get(() => 'x')],
    quiet,
  )
  throughDoors(served, [
    [
      'is 500 all the same',
      'GET /a/',
      { status: 500, data: { detail: expect.any(String) as unknown } },
    ],
  ])
})
