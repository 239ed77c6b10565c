// What a declaration says of itself: mistakes in it, what OPTIONS is told, and what is made of it.
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { extend, many, omit, partial, pick } from '../../../src/resources/serializers/derive.ts'
import { field, serializer } from '../../../src/resources/serializers/serializer.ts'
import { outcome, request } from './reading.ts'

describe('a declaration that contradicts itself', () => {
  test.each<[title: string, declare: () => unknown, message: string]>([
    [
      'shown by nobody',
      () => serializer({ a: field.text({ readOnly: true, writeOnly: true }) }),
      'neither shown nor read',
    ],
    [
      'required of nobody',
      () => serializer({ a: field.text({ readOnly: true, required: true }) }),
      'clients cannot be required',
    ],
    [
      'required and filled in',
      () => serializer({ a: field.text({ required: true, default: 'x' }) }),
      'never be used',
    ],
    [
      'written along a path',
      () => serializer({ a: field.text({ source: 'b.c' }) }),
      'make it readOnly',
    ],
    [
      'written as the row',
      () => serializer({ a: field.json({ source: '*' }) }),
      'make it readOnly',
    ],
    [
      'a source of nothing',
      () => serializer({ a: field.text({ source: 'b..c', readOnly: true }) }),
      'names nothing',
    ],
    [
      'a name that no member can have',
      () => serializer({ ['__proto__']: field.text() }),
      'no member can have',
    ],
    [
      'a source that none can have',
      () => serializer({ a: field.text({ source: '__proto__' }) }),
      'no member can have',
    ],
    [
      'a name of two fields in the input',
      () => serializer({ a: field.text(), b: field.text({ source: 'a' }) }),
      'both write',
    ],
    [
      'input of what only shows',
      () => field.nested({ represent: () => 1 }),
      'make its field readOnly',
    ],
    ['a list of what only shows', () => many({ represent: () => 1 }), 'make its field readOnly'],
    [
      'an option of another language',
      () => serializer({ a: field.text({ read_only: true } as never) }),
      'The field "a" of a serializer has no option "read_only". Did you mean "readOnly"?',
    ],
    [
      'an option of no field',
      () => serializer({ a: field.computed(() => 1, { cached: true } as never) }),
      'has no option "cached".',
    ],
    ['limits that are no numbers', () => field.decimal({ min: 'x' }), 'no limit'],
  ])('%s', (_, declare, message) => {
    expect(declare).toThrow(ConfigurationError)
    expect(declare).toThrow(message)
  })
})

describe('M3 what OPTIONS is told', () => {
  const address = serializer({ street: field.text({ maxLength: 9 }) })

  test.each<[title: string, field: Parameters<typeof serializer>[0][string], expected: object]>([
    [
      'read only',
      field.integer({ readOnly: true }),
      { type: 'integer', required: false, read_only: true },
    ],
    ['not required', field.boolean({ required: false }), { type: 'boolean', required: false }],
    ['filled in', field.slug({ default: 'a' }), { type: 'slug', required: false }],
    [
      'texts',
      field.text({ minLength: 1, maxLength: 2, helpText: 'Short.' }),
      { type: 'string', min_length: 1, max_length: 2, help_text: 'Short.' },
    ],
    ['patterns', field.text({ pattern: /a/ }), { type: 'regex' }],
    ['limits', field.integer({ min: 1, max: 2 }), { type: 'integer', min_value: 1, max_value: 2 }],
    [
      'long limits',
      field.bigInteger({ min: 1n, max: 2n ** 64n }),
      { type: 'integer', min_value: 1, max_value: '18446744073709551616' },
    ],
    [
      'decimals',
      field.decimal({ maxDigits: 8, decimalPlaces: 2, max: '9.5' }),
      { type: 'decimal', max_digits: 8, decimal_places: 2, max_value: '9.5' },
    ],
    ['numbers', field.float({ min: 0 }), { type: 'float', min_value: 0 }],
    ['durations', field.duration(), { type: 'duration' }],
    ['times', field.time(), { type: 'time' }],
    ['points in time', field.dateTime(), { type: 'datetime' }],
    ['days', field.date(), { type: 'date' }],
    ['emails', field.email(), { type: 'email' }],
    ['addresses', field.url(), { type: 'url' }],
    [
      'choices',
      field.choice({ d: 'Draft' }),
      { type: 'choice', choices: [{ value: 'd', display_name: 'Draft' }] },
    ],
    [
      'choices that nobody has',
      field.choice(['d'], { readOnly: true }),
      { type: 'choice', required: false, read_only: true },
    ],
    [
      'several choices',
      field.multipleChoice([1]),
      { type: 'multiple choice', choices: [{ value: 1, display_name: '1' }] },
    ],
    [
      'lists',
      field.list(field.text({ maxLength: 3 }), { maxLength: 2 }),
      {
        type: 'list',
        max_length: 2,
        child: { type: 'string', required: true, read_only: false, max_length: 3 },
      },
    ],
    [
      'objects',
      field.nested(address),
      {
        type: 'nested object',
        children: {
          street: {
            type: 'string',
            required: true,
            read_only: false,
            label: 'Street',
            max_length: 9,
          },
        },
      },
    ],
    [
      'computed ones',
      field.computed(() => 1, { type: 'integer' }),
      { type: 'integer', required: false, read_only: true },
    ],
  ])('%s', (_, kind, expected) => {
    const { it } = serializer({ it: kind }).describe(request)
    expect(it).toEqual({ required: true, read_only: false, label: 'It', ...expected })
  })

  test('names for people', () => {
    const labels = serializer({
      author_name: field.text(),
      authorName: field.text(),
      x: field.text({ label: 'Unknown' }),
      ISBN: field.text(),
    }).describe(request)
    expect(Object.values(labels).map(({ label }) => label)).toEqual([
      'Author name',
      'Author name',
      'Unknown',
      'ISBN',
    ])
  })
})

describe('made of another', () => {
  const article = serializer({
    id: field.integer({ readOnly: true }),
    title: field.text(),
    status: field.text({ default: 'draft' }),
  })
  const row = { id: 1, title: 'T', status: 's' }

  test('with more fields, or others', async () => {
    const full = extend(article, { title: field.text({ maxLength: 1 }), body: field.text() })
    expect(full.represent({ ...row, body: 'B' }, request)).toEqual({ ...row, body: 'B' })
    await expect(full.parse({ title: 'TT', body: '' }, request)).rejects.toMatchObject({
      detail: { title: expect.any(Array), body: expect.any(Array) },
    })
    expect(article.represent(row, request)).toEqual(row)
  })

  test('with some of the fields', () => {
    expect(pick(article, ['title']).represent(row, request)).toEqual({ title: 'T' })
    expect(omit(article, ['title']).represent(row, request)).toEqual({ id: 1, status: 's' })
  })

  test('with nothing that must be sent', async () => {
    expect(await outcome(partial(article), {})).toEqual({})
    expect(await outcome(partial(article), { title: '' })).toEqual({ codes: { title: ['blank'] } })
  })
})
