// What is shown of the rows of a table is what is shown of the rows as objects.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type {
  ListSource,
  Rows,
  WrittenColumn,
  WrittenKind,
} from '../../../src/core/ports/list-source.ts'
import type { ApiRequest } from '../../../src/core/ports/request.ts'
import type { AnyField, Fields } from '../../../src/resources/serializers/declaration.ts'
import {
  type DeclaredSerializer,
  field,
  serializer,
} from '../../../src/resources/serializers/serializer.ts'
import { JSONRenderer, toJSONText } from '../../../src/core/representations/json.ts'
import { withExactText } from '../../../src/core/std/exact-date.ts'
import {
  SentRow,
  SentRows,
  jsonOfRows,
  portionOf,
  toRowObjects,
} from '../../../src/core/std/row-objects.ts'
import { configurationOf, defineApi, list, type Reply } from '../../../src/index.ts'
import { requestWith } from '../serializers/reading.ts'
import { requestsTo } from '../serializers/requests.ts'
import { CHARACTER } from '../../setup/characters.ts'

class Counting extends JSONRenderer {
  override render({ data }: Reply): string {
    return `${(data as unknown[]).length} rows`
  }
}

interface Result {
  readonly texts: readonly string[]
  readonly error: unknown
  readonly logged: readonly unknown[]
}

type Way = (request: ApiRequest) => readonly string[]

function resultOf(way: Way, version: string | null = null): Result {
  const log = vi.fn<(key: string, entry: object) => void>()
  const { linker, params, endpointName } = asked
  const around = { linker, params, endpointName, id: 'r1', logSeldom: log }
  const request = { ...requestWith(version, { allowedVersions: ['v1', 'v2'] }), ...around }
  try {
    return { texts: way(request), error: null, logged: log.mock.calls }
  } catch (error) {
    return { texts: [], error: String(error), logged: [] }
  }
}

/** What clients get of a table by both ways must be the same. */
function compareShown(shows: object, table: Rows, version: string | null = null): void {
  const one = shows as DeclaredSerializer
  const rows = (): object[] => toRowObjects<object>(table)
  const byObjects = resultOf(
    (request) => rows().map((row) => toJSONText(one.represent(row as never, request))),
    version,
  )
  const fromTable = resultOf((request) => {
    return one.fromTable(table, request)!.map((shown) => toJSONText(shown))
  }, version)
  expect(fromTable).toEqual(byObjects)
  const asJSON = resultOf((request) => {
    const shown = one.fromTable(table, { ...request, accepted: ACCEPTED })!
    const json = jsonOfRows(shown)
    if (json !== null) written += 1
    const texts = shown.map((each) => toJSONText(each))
    // Names such as "1" come first in objects.
    if (json !== null)
      expect(parsed(Buffer.from(json).toString())).toEqual(parsed(`[${texts.join(',')}]`))
    return texts
  }, version)
  expect([asJSON.texts, asJSON.error]).toEqual([byObjects.texts, byObjects.error])
}

const ACCEPTED = {
  renderer: new JSONRenderer(),
  mediaType: 'application/json',
  parameters: {},
  takesBytes: true,
}
let written = 0

function parsed(text: string): unknown {
  return JSON.parse(text)
}

const hostile = fc.oneof(
  fc.string({ unit: CHARACTER }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u2028', '\u2029', '\ud800', '\udc00', 'é', 'a'),
  }),
)

const NUMBERS = [
  0,
  1,
  -0,
  12.5,
  -12.5,
  0.1,
  1e21,
  1e-7,
  1.005,
  123_456_789.12,
  Number.NaN,
  Infinity,
]
const TEXTS = [
  '12.50',
  '-0.00',
  '-1.50',
  '007',
  '-7',
  '1e3',
  '.5',
  '12',
  't',
  'f',
  'draft',
  '0',
  '',
]
const DAYS = [
  '2024-02-29',
  '2023-02-29',
  '2024-02-31',
  '0000-00-00',
  '10000-01-01',
  '2024-01-25 BC',
]
const MOMENTS = [
  '2024-01-25 16:00:00',
  '2024-01-25 16:00:00.5+00',
  '2024-01-25 16:00:00.123+00',
  '2024-01-25 16:00:00.123456+00',
  '2024-01-25 16:00:00.000000+00',
  '2024-01-25 16:00:00+02',
  '2024-01-25 16:00:00.123456+02',
  '2024-01-25T16:00:00.123456Z',
  '2024-01-25T16:00:00.1234567Z',
  '2024-02-30 00:00:00.1+00',
  '2024-02-29 00:00:00+00',
  '0000-00-00 00:00:00',
  '0044-03-15 12:00:00+00 BC',
  'infinity',
]

const values: fc.Arbitrary<unknown> = fc.oneof(
  hostile,
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.integer().map((cents) => cents / 100),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(...NUMBERS, ...TEXTS, ...DAYS, ...MOMENTS),
  fc.constant(new Uint8Array([1])),
  fc.constant({ name: 'a', toJSON: (name: string) => name }),
  fc.constant({ name: 'x', born: new Date(0), big: 2n ** 64n }),
  fc.constant([1, 'two', null]),
)

const day = fc.oneof(
  fc.constantFrom(...DAYS),
  fc.date({ min: new Date(0), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
)
const moment = fc.oneof(fc.constantFrom(...MOMENTS), fc.date().map(momentOf))

/** As PostgreSQL writes it. */
function momentOf(date: Date): string {
  const text = Number.isNaN(date.getTime()) ? 'infinity' : date.toISOString()
  return `${text.slice(0, 19).replace('T', ' ')}${text.slice(19, -1)}456+00`
}

function dateIn(text: string): Date {
  const utc = /[+Z]|BC/.test(text) ? text : `${text}Z`
  const date = new Date(utc.replace(' ', 'T').replace(/\+\d\d$/, '$&:00'))
  return /\.\d{3}0*[1-9]/.test(text) ? withExactText(date, text) : date
}

function wholeIn(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text)
}

/** Columns with what databases write into them. */
const columns: readonly [WrittenColumn | null, fc.Arbitrary<unknown>][] = [
  [null, values],
  [
    { kind: 'integer', read: wholeIn },
    fc.oneof(fc.bigInt().map(String), fc.constantFrom('0', '-0', '007', '-7', '00')),
  ],
  [{ kind: 'float', read: Number }, fc.oneof(fc.double().map(String), fc.constantFrom(...TEXTS))],
  [{ kind: 'decimal', read: (text) => text }, fc.oneof(hostile, fc.constantFrom(...TEXTS))],
  [{ kind: 'boolean', read: (text) => text === 't' }, fc.constantFrom('t', 'f', '')],
  [{ kind: 'date', read: (text) => text }, day],
  [{ kind: 'date', read: (text) => new Date(text) }, day],
  [{ kind: 'moment', read: dateIn }, moment],
  [{ kind: 'other', read: (text) => text.toUpperCase() }, hostile],
  [{ kind: 'other', read: (text) => ({ name: text, deeper: { name: text } }) }, hostile],
]

const URLS = {
  'int-detail': '/int/:id<int>/',
  'uuid-detail': '/uuid/:id<uuid>/',
  'slug-detail': '/slug/:id<slug>/',
  'str-detail': '/str/:id/',
  'path-detail': '/path/:id<path>',
  'one-detail': '/one/:id<a|draft|12>/',
} as const
const asked = (await requestsTo({ urls: URLS }, ['/int/1/']))[0]!

const inner = serializer({
  b: field.integer(),
  more: field.text({ source: 'c', nullable: true }),
})

/** Each kind of field, by the options it is made with. */
const kinds: readonly ((options: object) => AnyField)[] = [
  (options) => field.integer(options),
  (options) => field.bigInteger(options),
  (options) => field.bigInteger({ ...options, coerceToString: true }),
  (options) => field.float(options),
  (options) => field.decimal({ ...options, decimalPlaces: 2 }),
  (options) => field.decimal({ ...options, decimalPlaces: 0 }),
  (options) => field.decimal({ ...options, decimalPlaces: 4, rounding: 'up' }),
  (options) => field.decimal(options),
  (options) => field.decimal({ ...options, decimalPlaces: 2, coerceToString: false }),
  (options) => field.boolean(options),
  (options) => field.date(options),
  (options) => field.date({ ...options, zone: 'Europe/Berlin' }),
  (options) => field.time(options),
  (options) => field.dateTime(options),
  (options) => field.dateTime({ ...options, zone: 'Europe/Berlin' }),
  (options) => field.dateTime({ ...options, format: 'unix' }),
  (options) => field.duration(options),
  (options) => field.text(options),
  (options) => field.uuid(options),
  (options) => field.ip(options),
  (options) => field.choice(['draft', 'public', 't'], options),
  (options) => field.choice([0, 1, 12.5], options),
  (options) => field.choice([true, false], options),
  (options) => field.multipleChoice(['draft', 'public'], options),
  (options) => field.list(field.integer(), options),
  (options) => field.json(options),
  (options) => field.file({ ...options, link: 'str-detail' }),
  (options) => field.related({ find: () => null }, options),
  (options) => field.nested(inner, options),
  ...Object.keys(URLS).flatMap((route) => [
    (options: object) => field.identity(route, options),
    (options: object) => field.hyperlink(route, options),
  ]),
]

const ofTheRow: readonly AnyField[] = [
  field.nested(inner, { source: '*', readOnly: true }),
  field.nested({ ...inner, represent: () => 'other' } as never, { source: '*', readOnly: true }),
  field.nested({ represent: (row: object) => row }, { source: '*', readOnly: true }),
  field.computed((row: object) => row),
  field.computed((row: object) => Object.keys(row).length),
  field.text({ writeOnly: true }),
  field.computed(() => undefined),
  field.computed(() => () => 1),
  field.identity({ route: 'str-detail', params: (row: { a: unknown }) => ({ id: row.a }) }),
]

const NAMES = ['a', 'b', 'c', '1', 'toString', 'le "titre"\u2028']
const name = fc.constantFrom(...NAMES)
const options = fc
  .record(
    {
      nullable: fc.boolean(),
      default: fc.constantFrom(7, 'seven'),
      source: fc.oneof(name, fc.constantFrom('a.name', 'b.deeper.name')),
      lives: fc.constantFrom({ since: 'v2' }, { until: 'v2' }),
    },
    { requiredKeys: [] },
  )
  .map(({ lives, ...others }) => ({ ...others, ...lives, readOnly: true }))
const anyField = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(fc.constantFrom(...kinds), options) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...ofTheRow), fc.constant(null)) },
)

const wellFormed = hostile.map((text) => text.toWellFormed())
const cents = fc.integer({ min: -(10 ** 9), max: 10 ** 9 })

/** The same with what PostgreSQL alone writes into them. */
const sentColumns: readonly [WrittenColumn | null, fc.Arbitrary<string>][] = [
  [null, fc.oneof(wellFormed, fc.constantFrom(...TEXTS, 'a"', '\\', '\x1f', '\x7f', '\x80'))],
  [
    { kind: 'integer', read: wholeIn },
    fc
      .oneof(fc.integer(), fc.bigInt(), fc.constantFrom(10 ** 14, -(10 ** 14), 10n ** 15n))
      .map(String),
  ],
  [
    { kind: 'decimal', read: (text) => text },
    fc.oneof(
      cents.map((each) => (each / 100).toFixed(2)),
      cents.map((each) => (each / 10_000).toFixed(4)),
      fc.constantFrom('NaN', 'Infinity', '0', '12', '-0.50'),
    ),
  ],
  [
    { kind: 'date', read: dateIn },
    fc.oneof(
      fc
        .date({ min: new Date(0), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
      fc.constantFrom('infinity', '-infinity', '10000-01-01', '0044-03-15 BC', '0001-01-01'),
    ),
  ],
  [{ kind: 'boolean', read: (text) => text === 't' }, fc.constantFrom('t', 'f')],
  [{ kind: 'moment', read: dateIn }, moment],
  [{ kind: 'other', read: (text) => text.toUpperCase() }, wellFormed],
]

function sentRow(texts: readonly unknown[]): SentRow {
  const places: number[] = []
  let bytes = Buffer.from('in front')
  for (const text of texts) {
    const at = bytes.length
    if (text !== null) bytes = Buffer.concat([bytes, Buffer.from(text as string)])
    places.push(at, text === null ? at - 1 : bytes.length)
  }
  return new RowAsSent(bytes, places)
}

class RowAsSent extends SentRow {
  readonly bytes: Buffer
  readonly places: readonly number[]

  constructor(bytes: Buffer, places: readonly number[]) {
    super()
    this.bytes = bytes
    this.places = places
  }
}

function tableOf(among: typeof columns): fc.Arbitrary<Rows> {
  return fc
    .array(fc.tuple(name, fc.constantFrom(...among)), { minLength: 1, maxLength: 5 })
    .chain((chosen) => {
      const each = chosen.map(([, [, found]]) => fc.option(found, { freq: 6 }))
      return fc.record({
        columns: fc.constant(chosen.map(([column]) => column)),
        written: fc.constant(chosen.map(([, [column]]) => column)),
        values: fc.array(fc.tuple(...each), { maxLength: 3 }),
      })
    })
}

const shownFields = fc.dictionary(name, anyField, { minKeys: 1, maxKeys: 5 }).map((chosen) => {
  const fields = Object.entries(chosen).map(([each, [made, how]]) => {
    return [each, how === null ? made : made(how)]
  })
  return serializer(Object.fromEntries(fields) as Fields)
})

describe('rows of a table', () => {
  test('are the same bytes where they are as their server sent them', () => {
    let copied = 0
    const json = (one: DeclaredSerializer, rows: Rows): Result =>
      resultOf((request) => {
        const shown = one.fromTable(rows, { ...request, accepted: ACCEPTED })!
        const bytes = jsonOfRows(shown)
        if (bytes !== null && rows instanceof SentRows) copied += 1
        return [bytes === null ? 'objects' : Buffer.from(bytes).toString(), toJSONText([...shown])]
      }, 'v1')
    fc.assert(
      fc.property(shownFields, tableOf(sentColumns), (one, rows) => {
        const sent = rows.values.map(sentRow)
        expect(json(one, new SentRows(rows.columns, rows.written!, sent))).toEqual(json(one, rows))
      }),
      { numRuns: 1000 },
    )
    expect(copied).toBeGreaterThan(100)
  })

  test('are shown as the rows of which they are', () => {
    fc.assert(
      fc.property(
        shownFields,
        tableOf(columns),
        fc.constantFrom(null, 'v1', 'v2'),
        (one, rows, version) => compareShown(one, rows, version),
      ),
      { numRuns: 1000 },
    )
    expect(written).toBeGreaterThan(100)
  })
})

test.each([
  ['1', 'plain', '12.50', '2024-02-29'],
  ['-3', 'a "quote"', '-1.00', '2024-02-29'],
  ['123456789012345', 'a \\ b', '0.005', 'infinity'],
  ['9007199254740993', '\x1f', 'NaN', '10000-01-01'],
  ['0', '\x7f', '1.5', '0044-03-15 BC'],
  ['7', 'é', '7', null],
  ['8', '', '0.00', '0001-01-01'],
])('is the same as bytes and as texts: %s, %j, %s, %s', (...texts) => {
  const names = ['id', 'title', 'price', 'day']
  const types = ['integer', null, 'decimal', 'date'] as const
  const readers = { integer: wholeIn, decimal: (text: string) => text, date: dateIn }
  const meaning = types.map((kind) => kind && { kind, read: readers[kind] })
  const fields: Fields = {
    url: field.identity('int-detail'),
    slug: field.hyperlink('str-detail', { source: 'title', readOnly: true }),
    id: field.integer(),
    text: field.text({ source: 'id', readOnly: true }),
    title: field.text(),
    price: field.decimal({ decimalPlaces: 2 }),
    day: field.date(),
  }
  const one = serializer(fields)
  const shown = (rows: Rows): Result =>
    resultOf((request) => {
      const all = one.fromTable(rows, { ...request, accepted: ACCEPTED })!
      return [String(jsonOfRows(all) ?? 'objects'), toJSONText([...all])]
    })
  const sent = new SentRows(names, meaning, [sentRow(texts)])
  expect(shown(sent)).toEqual(shown({ columns: names, written: meaning, values: [texts] }))
})

describe('rows that are there as JSON', () => {
  const book = serializer({
    url: field.identity('int-detail'),
    id: field.integer(),
    title: field.text(),
    price: field.decimal({ decimalPlaces: 2 }),
  })
  const long = 'é'.repeat(300)
  const rows: Rows = {
    columns: ['id', 'title', 'price'],
    values: [
      [1, 'a "b" \\ \u2028\n', 12.5],
      [2, long, null],
      [-3, '☕ \ud800', 1],
      [4, 'C:\\temp', 0],
    ],
  }
  const objects = [
    { url: 'http://localhost/int/1/', id: 1, title: 'a "b" \\ \u2028\n', price: '12.50' },
    { url: 'http://localhost/int/2/', id: 2, title: long, price: null },
    { url: null, id: -3, title: '☕ \ud800', price: '1.00' },
    { url: 'http://localhost/int/4/', id: 4, title: 'C:\\temp', price: '0.00' },
  ]

  async function answered(accept: string, how: object = {}): Promise<string> {
    const source: ListSource<never> = {
      count: () => 4,
      slice: () => portionOf<never, Rows>(rows).rows,
      cut: () => portionOf<never, Rows>(rows),
    }
    const api = defineApi({ urls: { ...URLS, all: '/all' }, pagination: null, ...how })
    const names = Object.keys(URLS) as (keyof typeof URLS)[]
    const app = api.serve(
      [
        api.endpoint('all').get(list({ source, serializer: book })),
        ...names.map((each) => api.endpoint(each).get(() => null)),
      ],
      { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
    )
    const answer = await app.fetch(new Request('http://localhost/all', { headers: { accept } }))
    return answer.text()
  }

  test('are sent as they are, byte for byte what JSON makes of them', async () => {
    expect(await answered('application/json')).toBe(toJSONText(objects))
  })

  test.each(Object.keys(URLS))('have no link at %s for an empty key', (route) => {
    const empty = { columns: ['id'], values: [['']] }
    const one = serializer({ url: field.identity(route) })
    expect(one.fromTable(empty, asked)).toEqual([{ url: null }])
  })

  test.each<[string, string, object, string]>([
    ['indented', 'application/json; indent=2', {}, toJSONText(objects, 2)],
    [
      'by a class that is made of the renderer',
      'application/json',
      { renderers: [new Counting()] },
      '4 rows',
    ],
    [
      'changed by what is around the handler',
      'application/json',
      {
        around: async (_request: unknown, next: () => Promise<Reply>) => {
          const answer = await next()
          ;(answer.data as { id: number }[])[0]!.id = 7
          return answer
        },
      },
      toJSONText([{ ...objects[0]!, id: 7 }, ...objects.slice(1)]),
    ],
  ])('are objects where they are written otherwise: %s', async (_, accept, how, text) => {
    expect(await answered(accept, how)).toBe(text)
  })
})

test.each<[how: string, last: unknown]>([
  ['and looked at', 'text'],
  ['or given up, because of a value with more to write', { of: 'parts' }],
])('what is computed is computed once a row, when rows are written %s', (_, last) => {
  let count = 0
  const compute = () => ++count
  const one = serializer({ nth: field.computed(compute), last: field.computed(() => last) })
  const shown = one.fromTable({ columns: ['a'], values: [[1], [2], [2]] }, asked)!
  const expected = [1, 2, 3].map((nth) => ({ nth, last }))
  expect(toJSONText(shown)).toBe(toJSONText(expected))
  expect([...shown]).toEqual(expected)
  expect(count).toBe(3)
})

test.each<[what: string, value: unknown, error: string]>([
  ['a number without a form', Number.NaN, 'RangeError: JSON has no NaN; look at "it".'],
  [
    'an invalid date',
    new Date(Number.NaN),
    'RangeError: JSON has no an invalid date; look at "it".',
  ],
])('fails with the name of %s, as rendering does', (_, value, error) => {
  const one = serializer({ it: field.computed(() => value) })
  const [shown] = one.fromTable({ columns: ['a'], values: [[1]] }, asked)!
  expect(resultOf(() => [toJSONText(shown)]).error).toBe(error)
})

describe('the short way', () => {
  const unread = (text: string): never => {
    throw new Error(`${text} was read.`)
  }

  test.each<[kind: WrittenKind, text: string, field: AnyField, expected: string]>([
    ['date', '2024-02-29', field.date(), '"2024-02-29"'],
    ['moment', '2024-02-29 23:00:00+00', field.date(), '"2024-02-29"'],
    ['moment', '2024-01-25 16:00:00+00', field.dateTime(), '"2024-01-25T16:00:00Z"'],
    ['moment', '2024-01-31 16:00:00.123456+00', field.dateTime(), '"2024-01-31T16:00:00.123456Z"'],
    ['moment', '2024-01-25 16:00:00.5', field.dateTime(), '"2024-01-25T16:00:00.500000Z"'],
    [
      'moment',
      '2024-01-25 16:00:00.123456+00',
      field.dateTime({ zone: 'Europe/Berlin' }),
      '"2024-01-25T17:00:00.123456+01:00"',
    ],
  ])('takes %s %s', (kind, text, one, expected) => {
    const rows = { columns: ['id'], written: [{ kind, read: unread }], values: [[text]] }
    expect(toJSONText(serializer({ id: one }).fromTable(rows, asked))).toBe(`[{"id":${expected}}]`)
  })

  test('leaves it to another way of showing rows', () => {
    const one = serializer({ id: field.integer() })
    const other = { ...one, represent: () => ({ id: 'other' }) }
    const rows = { columns: ['id'], values: [[1]] }
    expect(one.fromTable(rows, asked)).toEqual([{ id: 1 }])
    expect(other.fromTable(rows, asked)).toBeNull()
  })

  test('shows no table that could change what its rows are', () => {
    const one = serializer({ id: field.integer() })
    expect(one.fromTable({ columns: ['__proto__'], values: [] }, asked)).toBeNull()
  })
})
