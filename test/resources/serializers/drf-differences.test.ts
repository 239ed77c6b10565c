// What a review against the tests of DRF found undocumented: each is as DRF has it, or stands in docs/differences.md.
import { describe, expect, test, vi } from 'vitest'
import {
  ErrorDetail,
  ValidationError,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  field,
  many,
  serializer,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { Form } from '../../../src/core/std/http/form.ts'
import type { AnyField } from '../../../src/resources/serializers/declaration.ts'
import type { ApiRequest } from '../../../src/core/ports/request.ts'
import { given, outcome, request, shown } from './reading.ts'
import { requestsTo } from './requests.ts'

test('1: an ErrorDetail alone is wrapped in a list, as a text alone is (E20)', async () => {
  expect(new ValidationError(new ErrorDetail('x', 'odd')).codes).toEqual(['odd'])
  const refuse = () => {
    throw new ValidationError(new ErrorDetail('x', 'odd'))
  }
  expect(await given(field.text({ validators: [refuse] }), 'a')).toEqual({ codes: ['odd'] })
})

const author = { find: (id: number) => (id === 1 ? { id } : null) }

test.each<[title: string, kind: AnyField, value: unknown, expected: unknown]>([
  ['2: an empty text is no row', field.related(author, { nullable: true }), '', null],
  ['2: nor for a key', field.related(author), '', { codes: ['incorrect_type'] }],
  ['3: an empty text is no decimal', field.decimal({ nullable: true }), '', null],
  ['3: nor is a blank one', field.decimal({ nullable: true }), ' ', null],
  ['3: where there has to be one', field.decimal(), ' ', { codes: ['invalid'] }],
  ['12: the word null is no boolean', field.boolean({ nullable: true }), 'null', null],
  ['12: in any case', field.boolean({ nullable: true }), 'NULL', null],
  ['12: nor an empty text', field.boolean({ nullable: true }), '', null],
  ['12: where there has to be one', field.boolean(), 'null', { codes: ['invalid'] }],
  ['10: a key of a wrong type', field.related(author), 'abc', { codes: ['incorrect_type'] }],
  [
    '11: a point in time out of range',
    field.dateTime(),
    '0001-01-01T00:00+14:00',
    { codes: ['overflow'] },
  ],
  [
    '11: a duration out of range',
    field.duration(),
    '9999999999999999 00:00:00',
    { codes: ['overflow'] },
  ],
  ['11: one of days alone', field.duration(), `P${'9'.repeat(20)}D`, { codes: ['overflow'] }],
  ['13: a UUID is a text', field.uuid(), 7, { codes: ['invalid'] }],
])('%s', async (_title, kind, value, expected) => {
  expect(await given(kind, value)).toEqual(expected)
})

describe('4: rows of the wrong type', () => {
  test.each<[kind: AnyField, value: unknown, expected: unknown]>([
    [field.boolean(), 'false', false],
    [field.boolean(), 1, true],
    [field.boolean(), 0n, false],
    [field.boolean(), 'perhaps', null],
    [field.boolean(), {}, null],
    [field.text(), 1, '1'],
    [field.text(), true, 'true'],
    [field.text(), 10n, '10'],
    [field.text(), {}, null],
    [field.email(), 5, '5'],
    [field.uuid(), 5, '5'],
    [field.uuid(), [], null],
    [field.integer(), '7', 7],
    [field.integer(), 7n, 7],
    [field.integer(), 'abc', null],
    [field.integer(), 1.5, null],
    [field.integer(), true, null],
    [field.bigInteger({ coerceToString: true }), '9007199254740993', '9007199254740993'],
    [field.bigInteger(), 'abc', null],
    [field.float(), '1.5', 1.5],
    [field.float(), 2n, 2],
    [field.float(), 'abc', null],
    [field.float(), Infinity, null],
    [field.choice([1, 2]), '2', 2],
    [field.choice(['a']), 'b', 'b'],
    [field.time(), 5, null],
    [field.dateTime(), 'abc', null],
    [field.dictionary(field.text()), 'abc', null],
    [field.multipleChoice(['a']), 'abc', null],
  ])('%# %o of %o is %o', (kind, value, expected) => {
    expect(shown(kind, value)).toEqual(expected)
  })
})

describe('5: a member that a row lacks', () => {
  const logSeldom = vi.fn<NonNullable<ApiRequest['logSeldom']>>()
  const logged = (kind: AnyField) =>
    serializer({ it: kind }).represent({} as never, { ...request, logSeldom })

  test('is its default', () => {
    expect(logged(field.text({ default: 'none' }))).toEqual({ it: 'none' })
    expect(logged(field.decimal({ decimalPlaces: 2, default: () => '1' }))).toEqual({ it: '1.00' })
    expect(logSeldom).not.toHaveBeenCalled()
  })

  test('or null, and the log says so where it may not be null', () => {
    expect(logged(field.text({ nullable: true }))).toEqual({ it: null })
    expect(logSeldom).not.toHaveBeenCalled()
    expect(logged(field.text())).toEqual({ it: null })
    expect(logSeldom.mock.calls[0]![1]).toMatchObject({ error: 'The row has no member "it".' })
  })
})

test('6: the items of a list have no label', () => {
  const { it } = serializer({ it: field.list(field.text()) }).describe(request)
  expect(it?.child).toEqual({ type: 'string', required: true, read_only: false })
})

test('7: OPTIONS of a POST that takes many() has its fields', async () => {
  const line = serializer({ count: field.integer() })
  const api = defineApi({ urls: defineUrls({ lines: '/lines/' }) })
  const lines = api.endpoint('lines').post(create({ serializer: many(line), save: (all) => all }))
  const { options } = client(api.serve([lines], { configuration: configurationOf() }))
  expect((await options('/lines/')).data).toMatchObject({
    actions: { POST: { count: { type: 'integer' } } },
  })
})

test('8: a form that does not name a list of relations means none', async () => {
  const tags = field.list(field.related(author))
  const links = field.list(field.hyperlink('tag-detail'))
  const texts = field.list(field.text())
  expect(await outcome(serializer({ tags, links }), new Form())).toEqual({ tags: [], links: [] })
  expect(await outcome(serializer({ texts }), new Form())).toEqual({
    codes: { texts: ['required'] },
  })
})

test('9: a row whose key is an empty text has no link yet', async () => {
  const urls = { row: '/rows/:id<str>/' } as const
  const [to] = await requestsTo({ urls }, ['/rows/1/'])
  const rows = serializer({
    url: field.identity('row'),
    other: field.hyperlink({ route: 'row', key: field.text() }),
    more: field.list(field.hyperlink({ route: 'row', key: field.text() })),
  })
  // In a list it takes no other links with it.
  expect(rows.represent({ id: '', other: '', more: ['', 'a'] }, to!)).toEqual({
    url: null,
    other: null,
    more: [null, 'http://localhost/rows/a/'],
  })
})

test('14: a value that a row holds twice is shown once', () => {
  expect(shown(field.multipleChoice(['a', 'b']), ['a', 'b', 'a'])).toEqual(['a', 'b'])
})

describe('16: a source that says nothing', () => {
  test('is taken where it repeats the name', () => {
    expect(() => serializer({ title: field.text({ source: 'title' }) })).not.toThrow()
  })

  test('is refused of the items of a list', () => {
    expect(() => field.list(field.text({ source: 'label' }))).toThrow(
      'the source "label" belongs to the list',
    )
  })
})

test('many() has bounds', async () => {
  const line = serializer({ count: field.integer() })
  const codes = async (bounds: object, length: number) =>
    outcome(
      many(line, bounds),
      Array.from({ length }, () => ({ count: 1 })),
    )
  expect(await codes({ allowEmpty: false }, 0)).toEqual({ codes: { non_field_errors: ['empty'] } })
  expect(await codes({ minLength: 2 }, 1)).toEqual({ codes: { non_field_errors: ['min_length'] } })
  expect(await codes({ maxLength: 2 }, 3)).toEqual({ codes: { non_field_errors: ['max_length'] } })
  expect(await codes({ maxLength: 2 }, 2)).toHaveLength(2)
})

describe('what only other pages had said', () => {
  test('a point in time without an offset is refused, unless a field says what it means', async () => {
    const naive = '2024-01-25T17:00'
    expect(await given(field.dateTime(), naive)).toEqual({ codes: ['invalid'] })
    expect(await given(field.dateTime({ naive: 'utc' }), naive)).toBe('2024-01-25T17:00:00Z')
  })

  test('indexed and dotted keys of a form are not read', async () => {
    const form = new Form([
      ['tags[0]', 'a'],
      ['address.city', 'Bern'],
    ])
    const tags = field.list(field.text(), { required: false })
    const address = field.nested(serializer({ city: field.text() }), { required: false })
    expect(await outcome(serializer({ tags, address }), form)).toEqual({})
  })

  test('an absent boolean of a form is false, whatever its default', async () => {
    const news = serializer({ news: field.boolean({ default: true }) })
    expect(await outcome(news, new Form())).toEqual({ news: false })
    expect(await outcome(news, {})).toEqual({ news: true })
  })

  test('the items of a list are complete in a partial update too', async () => {
    const line = serializer({ count: field.integer(), note: field.text() })
    const order = serializer({ lines: field.list(field.nested(line)) })
    expect(await outcome(order, {}, { partial: true })).toEqual({})
    expect(await outcome(order, { lines: [{ count: 1 }] }, { partial: true })).toEqual({
      codes: { lines: { 0: { note: ['required'] } } },
    })
  })

  test('durations end at 285 years', async () => {
    const days = (years: number): string => `P${years * 365}D`
    expect(await given(field.duration(), days(285))).toBe(285 * 365 * 86_400)
    expect(await given(field.duration(), days(286))).toEqual({ codes: ['overflow'] })
  })

  test('uploads count towards the limit of a body', async () => {
    const api = defineApi({ urls: defineUrls({ a: '/a/' }), maxBodySize: 1000 })
    const { post } = client(
      api.serve([api.endpoint('a').post(async ({ body }) => Boolean(await body()))], {
        configuration: configurationOf(),
      }),
    )
    const upload = (size: number) =>
      post('/a/', { multipart: { file: new File(['x'.repeat(size)], 'a') } })
    expect((await upload(100)).status).toBe(200)
    expect((await upload(1000)).status).toBe(413)
  })
})
