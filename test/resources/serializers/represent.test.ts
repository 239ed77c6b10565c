// What becomes of a row: the object, and the JSON text of it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnyField } from '../../../src/resources/serializers/declaration.ts'
import { field, serializer } from '../../../src/resources/serializers/serializer.ts'
import { many } from '../../../src/resources/serializers/derive.ts'
import { reply } from '../../../src/core/replies/reply.ts'
import { JSONRenderer, toJSONText } from '../../../src/core/representations/json.ts'
import { contextOf } from '../../core/representations/context.ts'
import { outcome, request, shown, textOf } from './reading.ts'
import { CHARACTER } from '../../setup/characters.ts'

const long = 2n ** 64n

describe('what is shown', () => {
  test.each<[title: string, field: AnyField, row: unknown, expected: unknown]>([
    ['truth of SQLite', field.boolean(), 1, true],
    ['a decimal with its places', field.decimal({ decimalPlaces: 2 }), '12.5', '12.50'],
    ['one that has them', field.decimal({ decimalPlaces: 2 }), '0.50', '0.50'],
    ['one that was written otherwise', field.decimal({ decimalPlaces: 2 }), '.5', '0.50'],
    ['a number as decimal', field.decimal({ decimalPlaces: 2 }), 12.345, '12.34'],
    ['half to even, up', field.decimal({ decimalPlaces: 2 }), '12.355', '12.36'],
    ['below zero', field.decimal({ decimalPlaces: 2 }), '-0.005', '0.00'],
    ['above half', field.decimal({ decimalPlaces: 0 }), '-1.51', '-2'],
    ['powers', field.decimal({ decimalPlaces: 1 }), '1e-7', '0.0'],
    ['all places', field.decimal(), '1.500', '1.500'],
    [
      'an object of a library',
      field.decimal(),
      { toFixed: () => `1${'0'.repeat(21)}` },
      `1${'0'.repeat(21)}`,
    ],
    [
      'a decimal as number (N42)',
      field.decimal({ decimalPlaces: 2, coerceToString: false }),
      '12.50',
      12.5,
    ],
    ['a long integer as text', field.bigInteger({ coerceToString: true }), long, String(long)],
    ['a day', field.date(), '2003-07-22', '2003-07-22'],
    ['the day of a Date, in UTC', field.date(), new Date('2003-07-22T23:59:59Z'), '2003-07-22'],
    ['the day of a longer text', field.date(), '2003-07-22T00:00:00Z', '2003-07-22'],
    ['a time', field.time(), '08:30', '08:30:00'],
    [
      'a Date without a fraction',
      field.dateTime(),
      new Date('2024-01-25T16:00:00Z'),
      '2024-01-25T16:00:00Z',
    ],
    [
      'a Date with one',
      field.dateTime(),
      new Date('2024-01-25T16:00:00.120Z'),
      '2024-01-25T16:00:00.120000Z',
    ],
    ['milliseconds before 1970', field.dateTime(), -1, '1969-12-31T23:59:59.999000Z'],
    [
      'a text with microseconds',
      field.dateTime(),
      '2024-01-25T16:00:00.000001Z',
      '2024-01-25T16:00:00.000001Z',
    ],
    ['a text with none', field.dateTime(), '2024-01-25T16:00:00.000000Z', '2024-01-25T16:00:00Z'],
    [
      'a text of PostgreSQL',
      field.dateTime(),
      '2024-01-25 18:00:00.5+02',
      '2024-01-25T16:00:00.500000Z',
    ],
    ['a text of MySQL', field.dateTime(), '2024-01-25 16:00:00', '2024-01-25T16:00:00Z'],
    ['seconds', field.duration(), 93_784.5, '1 02:03:04.500000'],
    ['seconds below zero', field.duration(), -1, '-1 23:59:59'],
    ['no seconds', field.duration(), 0, '00:00:00'],
    [
      'a list',
      field.list(field.decimal({ decimalPlaces: 1, nullable: true })),
      ['1', null],
      ['1.0', null],
    ],
    ['an empty list', field.list(field.text()), [], []],
    [
      'a dictionary',
      field.dictionary(field.duration({ nullable: true })),
      { a: 60, b: null },
      { a: '00:01:00', b: null },
    ],
    ['any JSON', field.json(), { a: [1, 'x', null] }, { a: [1, 'x', null] }],
    ['null where it may not be', field.text(), null, null],
    ['nothing as null', field.integer(), undefined, null],
    [
      'separators of lines',
      field.text(),
      'a\u2028b\u2029"\\\ud83d\ude00',
      'a\u2028b\u2029"\\\ud83d\ude00',
    ],
  ])('%s', (_, kind, value, expected) => {
    expect(shown(kind, value)).toEqual(expected)
  })

  test.each<[title: string, field: AnyField, row: unknown]>([
    ['no decimal', field.decimal(), 'x'],
    ['no date', field.dateTime(), new Date(Number.NaN)],
    ['no date and time', field.dateTime(), 'soon'],
    ['no month of a year', field.dateTime(), '2024-13-01T00:00:00Z'],
    ['no year', field.dateTime({ format: 'unix' }), '0000-00-00T00:00:00Z'],
    ['no time of a day', field.dateTime({ format: 'milliseconds' }), '2024-01-01T24:00:00Z'],
    ['no day of a month', field.dateTime({ format: 'unix' }), '2024-02-30T00:00:00Z'],
    ['no day of the calendar', field.date(), '2023-02-29'],
    ['ten characters', field.date(), 'hello you!'],
    ['no day before a time', field.date(), '2023-02-29 08:00:00'],
    ['no duration', field.duration(), Infinity],
  ])('a row that holds %s is shown without it', (_, kind, value) => {
    expect(shown(kind, value)).toBe(null)
  })

  test.each([
    ['of a promise', () => Promise.resolve(1)],
    ['of a list of them', () => [1, Promise.reject(new Error('Not awaited'))]],
    ['of one that fails', () => Promise.reject(new Error('later'))],
  ])('a computed value %s is an error that names the field, and never {}', (_, compute) => {
    const declared = serializer({ doctorName: field.computed(compute as unknown as () => string) })
    const problem = /the field "doctorName" gives a promise\. Values are shown at once/
    expect(() => declared.represent({}, request)).toThrow(problem)
    expect(() => declared.fromTable({ columns: ['id'], values: [[1]] }, request)).toThrow(problem)
  })

  test('an async function is refused when the service starts', () => {
    const compute = async () => 1
    const inside = serializer({ doctorName: field.computed(compute as unknown as () => number) })
    const problem = 'The field "doctorName" is computed by an async function.'
    expect(inside.check(request.settings)).toContain(problem)
    expect(serializer({ visit: field.nested(inside) }).check(request.settings)).toContain(problem)
  })

  test('a promise within what is computed has no form in JSON', () => {
    const compute = () => ({ name: Promise.resolve('Ada') })
    const declared = serializer({ id: field.integer(), doctor: field.computed(compute) })
    const table = { columns: ['id'], values: [[1]] }
    const renderer = new JSONRenderer()
    for (const rows of [
      [declared.represent({ id: 1 }, request)],
      declared.fromTable(table, request),
    ]) {
      expect(() => renderer.render(reply(rows), contextOf([renderer]))).toThrow(
        'A promise is no data: await it. Look at "0.doctor.name".',
      )
    }
  })

  const person = serializer({ name: field.text(), born: field.date({ nullable: true }) })
  const article = serializer({
    id: field.integer({ readOnly: true }),
    authorName: field.text({ source: 'author.name', readOnly: true, nullable: true }),
    author: field.nested(person, { nullable: true }),
    others: field.list(field.nested(person)),
    words: field.computed((row: { body: string }) => row.body.split(' ').length),
    nothing: field.computed(() => undefined),
    secret: field.text({ writeOnly: true }),
    key: field.bigInteger(),
    made: field.computed(() => new Date(0)),
  })
  const row = {
    id: 1,
    author: { name: 'Ada', born: null },
    others: [{ name: 'B', born: '2000-01-01' }],
    body: 'one two',
    key: long,
  }

  test('members in the order of the declaration, values where the source says', () => {
    expect(article.represent(row, request)).toEqual({
      id: 1,
      authorName: 'Ada',
      author: { name: 'Ada', born: null },
      others: [{ name: 'B', born: '2000-01-01' }],
      words: 2,
      nothing: null,
      key: long,
      made: new Date(0),
    })
    expect(textOf(article, row)).toBe(
      '{"id":1,"authorName":"Ada","author":{"name":"Ada","born":null},' +
        '"others":[{"name":"B","born":"2000-01-01"}],"words":2,"nothing":null,' +
        '"key":18446744073709551616,"made":"1970-01-01T00:00:00Z"}',
    )
  })

  test('a null on the way is null', () => {
    const { authorName, author } = article.represent({ ...row, author: null }, request)
    expect({ authorName, author }).toEqual({ authorName: null, author: null })
  })

  test('lists of rows', () => {
    const people = many(person)
    const rows = [
      { name: 'A', born: null },
      { name: 'B', born: '2000-01-01' },
    ]
    expect(people.represent(rows, request)).toEqual(rows)
    expect(textOf(people, rows)).toBe(JSON.stringify(rows))
  })

  test('nothing declared, nothing shown', () => {
    expect(textOf(serializer({}), {})).toBe('{}')
  })

  test('a serializer may hold itself', () => {
    interface Node {
      readonly name: string
      readonly parts: readonly Node[]
    }
    const node = { represent: (it: Node): unknown => tree.represent(it, request) }
    const tree = serializer({
      name: field.text(),
      parts: field.list(field.nested(() => node, { readOnly: true })),
    })
    const rows = { name: 'a', parts: [{ name: 'b', parts: [] }] }
    expect(tree.represent(rows, request)).toEqual(rows)
    expect(textOf(tree, rows)).toBe(JSON.stringify(rows))
  })
})

describe('properties', () => {
  const anything = fc.anything({
    values: [
      fc.string({ unit: CHARACTER }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ],
    maxDepth: 3,
  })
  const text = fc.string({ unit: CHARACTER })

  test('the text is what the JSON renderer makes of the object', () => {
    const names = fc.uniqueArray(
      text.filter((name) => name !== '__proto__'),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(names, fc.array(anything, { minLength: 6, maxLength: 6 }), (keys, values) => {
        const kinds = [
          field.json(),
          field.list(field.json()),
          field.text(),
          field.integer(),
          field.nested(serializer({ a: field.json(), b: field.text() })),
        ]
        const fields = Object.fromEntries(
          keys.map((key, index) => [
            key,
            field.computed((row: Record<string, unknown>) => row[key], {
              label: kinds[index % 5]!.type,
            }),
          ]),
        )
        const row = Object.fromEntries(keys.map((key, index) => [key, values[index]]))
        const members = Object.entries(row).map(
          ([key, value]) => `${toJSONText(key)}:${toJSONText(value ?? null)}`,
        )
        expect(textOf(serializer(fields), row)).toBe(`{${members.join()}}`)
      }),
    )
  })

  test.each(['\u2028', '\u2029', '"', '\\', '\n', '\ud800', '😀', '</script>'])(
    'a text with %j is written as the renderer writes it',
    (special) => {
      const one = serializer({ [special]: field.text() })
      const row = { [special]: `a${special}` }
      expect(textOf(one, row)).toBe(toJSONText(row))
    },
  )

  test('fields that write by themselves write the same', () => {
    const inner = serializer({ a: field.json(), b: field.text() })
    const outer = serializer({
      text: field.text(),
      items: field.list(field.json({ nullable: true })),
      inner: field.nested(inner, { nullable: true }),
      more: field.list(field.nested(inner)),
      key: field.bigInteger(),
    })
    const innerRow = fc.record({ a: anything, b: text })
    const row = fc.record({
      text,
      items: fc.array(anything),
      inner: fc.option(innerRow),
      more: fc.array(innerRow),
      key: fc.bigInt(),
    })
    fc.assert(
      fc.property(row, (it) => {
        const inside = ({ a, b }: { a: unknown; b: string }) => ({ a: a ?? null, b })
        const expected = { ...it, inner: it.inner && inside(it.inner), more: it.more.map(inside) }
        expect(textOf(outer, it)).toBe(toJSONText(expected))
      }),
    )
  })

  test('what was shown can be sent back', async () => {
    const record = serializer({
      text: field.text({ trim: false, allowBlank: true }),
      whole: field.integer(),
      key: field.bigInteger(),
      real: field.float(),
      price: field.decimal({ decimalPlaces: 3 }),
      day: field.date(),
      at: field.dateTime(),
      span: field.duration(),
      some: field.multipleChoice(['a', 'b', 'c']),
      maybe: field.list(field.boolean(), { nullable: true }),
    })
    const day = fc.date({
      min: new Date('0001-01-02'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    })
    const row = fc.record({
      text: text.filter((it) => it.isWellFormed() && !it.includes('\0')),
      whole: fc.maxSafeInteger(),
      key: fc.bigInt(),
      real: fc.double({ noNaN: true, noDefaultInfinity: true }).map((it) => it + 0),
      price: fc
        .tuple(fc.bigInt(), fc.nat(999))
        .map(([whole, part]) => `${whole}.${String(part).padStart(3, '0')}`),
      day: day.map((it) => it.toISOString().slice(0, 10)),
      at: fc
        .tuple(day, fc.nat(999_999))
        .map(
          ([it, micros]) =>
            `${it.toISOString().slice(0, 19)}${micros === 0 ? '' : `.${String(micros).padStart(6, '0')}`}Z`,
        ),
      span: fc.integer({ min: -1e9, max: 1e9 }),
      some: fc.uniqueArray(fc.constantFrom('a' as const, 'b' as const, 'c' as const)),
      maybe: fc.option(fc.array(fc.boolean())),
    })
    await fc.assert(
      fc.asyncProperty(row, async (it) => {
        expect(await outcome(record, record.represent(it, request))).toEqual(it)
      }),
    )
  })

  test('whatever is sent is input or a ValidationError', async () => {
    const inner = serializer({ a: field.integer(), b: field.list(field.text()) })
    const everything = serializer({
      a: field.text({ maxLength: 3, pattern: /^\w+$/ }),
      b: field.boolean(),
      c: field.bigInteger(),
      d: field.decimal({ maxDigits: 4, decimalPlaces: 2 }),
      e: field.dateTime(),
      f: field.duration(),
      g: field.choice(['x', 1, true]),
      h: field.multipleChoice([1, 2]),
      i: field.list(field.nested(inner), { maxLength: 5 }),
      j: field.dictionary(field.email()),
      k: field.json(),
      l: field.nested(inner),
      m: field.uuid(),
      n: field.url(),
      o: field.related({ find: (id) => (id > 3 ? { id } : null) }),
      p: field.date(),
      q: field.time(),
      r: field.float(),
    })
    const word = fc.oneof(
      text,
      fc.stringMatching(/^[-+\d.:TPZe ,]{0,30}$/),
      fc.constantFrom('1e5', '2024-01-01', '1', ''),
    )
    const wild = fc.anything({
      key: fc.oneof(
        fc.constantFrom(...'abcdefghijklmnopqr', '__proto__', 'constructor'),
        fc.string(),
      ),
      values: [
        word,
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.bigInt(),
        fc.constant(null),
        fc.constant(undefined),
      ],
      maxDepth: 4,
      withNullPrototype: true,
    })
    const body = fc.oneof(
      wild,
      fc.record(Object.fromEntries([...'abcdefghijklmnopqr'].map((name) => [name, wild]))),
    )
    await fc.assert(
      fc.asyncProperty(body, fc.boolean(), async (it, partial) => {
        // Anything else than an outcome is thrown, and fails here.
        expect(await outcome(everything, it, { partial })).toBeTypeOf('object')
      }),
      { numRuns: 500 },
    )
  })
})
