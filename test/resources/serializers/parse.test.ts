// What a body comes to: E20–E29, forms, partial updates, validators.
import { describe, expect, test } from 'vitest'
import { ValidationError } from '../../../src/core/errors/api-errors.ts'
import { ErrorDetail } from '../../../src/core/errors/detail.ts'
import { extend, many } from '../../../src/resources/serializers/derive.ts'
import { field, serializer } from '../../../src/resources/serializers/serializer.ts'
import { fileInMemory } from '../../../src/core/parsing/files.ts'
import { Form } from '../../../src/core/std/http/form.ts'
import { outcome, request, requestWith } from './reading.ts'

const address = serializer({
  street: field.text({ maxLength: 10 }),
  floor: field.integer({ required: false }),
})

const article = serializer({
  id: field.integer({ readOnly: true }),
  title: field.text({ maxLength: 5 }),
  pages: field.integer(),
  note: field.text({ required: false, nullable: true }),
  status: field.choice(['draft', 'public'], { default: 'draft' }),
  tags: field.list(field.text(), { default: () => [] }),
  address: field.nested(address, { required: false, nullable: true }),
  secret: field.text({ source: 'secret_text', writeOnly: true, required: false }),
})

const good = { title: 'A', pages: 1 }
const filled = { ...good, status: 'draft', tags: [] }

describe('a complete body', () => {
  test.each<[title: string, body: unknown, expected: unknown]>([
    ['is what was sent, and the defaults', good, filled],
    ['E29 has texts trimmed and numbers read', { title: ' A ', pages: '1' }, filled],
    [
      'has null where it may',
      { ...good, note: null, address: null },
      { ...filled, note: null, address: null },
    ],
    ['loses what is read only, and what nobody knows', { ...good, id: 9, x: 1 }, filled],
    ['goes by the names of the row', { ...good, secret: 's' }, { ...filled, secret_text: 's' }],
    [
      'holds objects',
      { ...good, address: { street: 'S', floor: '2' } },
      { ...filled, address: { street: 'S', floor: 2 } },
    ],
    [
      'takes own members only',
      Object.create({ title: 'inherited', pages: 1 }),
      { codes: { title: ['required'], pages: ['required'] } },
    ],
    [
      'E21 tells all that is wrong',
      { title: '', pages: 'x', note: 5n, status: null, tags: 'a' },
      { codes: { title: ['blank'], pages: ['invalid'], status: ['null'], tags: ['not_a_list'] } },
    ],
    [
      'E21 tells all that is wrong with one field',
      { ...good, title: 'long\0er' },
      { codes: { title: ['null_characters_not_allowed', 'max_length'] } },
    ],
    [
      'E24 tells it where it is',
      { ...good, address: { street: '', floor: 'x' } },
      { codes: { address: { street: ['blank'], floor: ['invalid'] } } },
    ],
    [
      'E24 names no field where there is none',
      { ...good, address: 'x' },
      { codes: { address: { non_field_errors: ['invalid'] } } },
    ],
    [
      'E26 tells items by their index',
      { ...good, tags: ['a', '', 'b', true] },
      { codes: { tags: { 1: ['blank'], 3: ['invalid'] } } },
    ],
    ['E23 is an object, no list', [], { codes: { non_field_errors: ['invalid'] } }],
    ['E23 no text', 'x', { codes: { non_field_errors: ['invalid'] } }],
    ['E23 no number', 5, { codes: { non_field_errors: ['invalid'] } }],
    ['E23 no truth', true, { codes: { non_field_errors: ['invalid'] } }],
    ['E23 and not null', null, { codes: { non_field_errors: ['null'] } }],
    ['no bytes either', new Uint8Array(3), { codes: { non_field_errors: ['invalid'] } }],
  ])('%s', async (_, body, expected) => {
    expect(await outcome(article, body)).toEqual(expected)
  })

  test('E23 the message names what came', async () => {
    await expect(article.parse([], request)).rejects.toThrow(
      expect.objectContaining({
        detail: {
          non_field_errors: [new ErrorDetail('This must be an object, not a list.', 'invalid')],
        },
      }),
    )
  })

  test('E22 the key without a field is a setting', async () => {
    const renamed = requestWith(null, { nonFieldErrorsKey: '__all__' })
    await expect(article.parse(5, renamed)).rejects.toThrow(
      expect.objectContaining({ codes: { __all__: ['invalid'] } }),
    )
  })

  test('prototypes stay what they are', async () => {
    const body: unknown = JSON.parse(
      '{"title":"A","pages":1,"__proto__":{"admin":true},"constructor":{}}',
    )
    const input = (await outcome(article, body)) as object
    expect(input).toEqual(filled)
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
    const dictionary = serializer({ it: field.dictionary(field.json()) })
    expect(await outcome(dictionary, JSON.parse('{"it":{"__proto__":1,"a\\u0000":2}}'))).toEqual({
      codes: { it: JSON.parse('{"__proto__":["invalid"],"a\\u0000":["invalid"]}') },
    })
  })

  test('messages do not repeat what was sent', async () => {
    const long = 'secret'.repeat(1000)
    const body = { title: long, pages: long, status: long, tags: long, address: long }
    const error = await Promise.resolve()
      .then(() => article.parse(body, request))
      .catch((thrown: unknown) => thrown as ValidationError)
    expect(JSON.stringify((error as ValidationError).detail)).not.toContain('secret')
  })
})

describe('partial updates (G2)', () => {
  test.each<[title: string, body: unknown, expected: unknown]>([
    ['ask for nothing and fill nothing in', {}, {}],
    ['check what is there', { title: '' }, { codes: { title: ['blank'] } }],
    ['may be partial within an object', { address: { floor: 3 } }, { address: { floor: 3 } }],
  ])('%s', async (_, body, expected) => {
    expect(await outcome(article, body, { partial: true })).toEqual(expected)
  })

  test('replace lists as a whole', async () => {
    const letter = serializer({ to: field.list(field.nested(address)) })
    expect(await outcome(letter, { to: [{ floor: 1 }] }, { partial: true })).toEqual({
      codes: { to: { 0: { street: ['required'] } } },
    })
  })
})

describe('lists of objects (E25, E27)', () => {
  const letter = serializer({
    to: field.list(field.nested(address), { maxLength: 3, allowEmpty: false }),
  })

  test.each<[title: string, to: unknown, expected: unknown]>([
    [
      'tell failing items only, by index',
      [{ street: '' }, { street: 'S' }, { floor: 'x' }],
      { 0: { street: ['blank'] }, 2: { street: ['required'], floor: ['invalid'] } },
    ],
    ['are lists', { street: 'S' }, { non_field_errors: ['not_a_list'] }],
    ['hold something', [], { non_field_errors: ['empty'] }],
    ['hold not too much', [1, 2, 3, 4], { non_field_errors: ['max_length'] }],
    ['hold objects', [1, null], { 0: { non_field_errors: ['invalid'] }, 1: ['null'] }],
  ])('%s', async (_, to, expected) => {
    expect(await outcome(letter, { to })).toEqual({ codes: { to: expected } })
  })

  test.each<[title: string, body: unknown, expected: unknown]>([
    ['all of them', [{ street: 'S' }, { street: 'T' }], [{ street: 'S' }, { street: 'T' }]],
    ['index by index', [{ street: 'S' }, {}], { codes: { 1: { street: ['required'] } } }],
    ['a list it must be', {}, { codes: { non_field_errors: ['not_a_list'] } }],
    ['not null', null, { codes: { non_field_errors: ['null'] } }],
    ['not too long', [1, 2, 3], { codes: { non_field_errors: ['max_length'] } }],
  ])('as a body: %s', async (_, body, expected) => {
    expect(await outcome(many(address, { maxLength: 2 }), body)).toEqual(expected)
  })

  test('a body of many wrong items is answered with a thousand of them', async () => {
    const wrong = Array.from({ length: 5000 }, () => 1)
    const numbers = serializer({ to: field.list(field.choice(['a'])) })
    const { codes } = (await outcome(numbers, { to: wrong })) as { codes: { to: object } }
    expect(Object.keys(codes.to)).toHaveLength(1000)
  })

  test('behind a thousand wrong items no further one is read', async () => {
    let read = 0
    const counted = (value: number): string | null => {
      read += 1
      return value > 1 ? 'Too large.' : null
    }
    const numbers = serializer({ to: field.list(field.integer({ validators: [counted] })) })
    const to = Array.from({ length: 5000 }, (_, at) => at)
    const { codes } = (await outcome(numbers, { to })) as { codes: { to: object } }
    expect([read, Object.keys(codes.to).length]).toEqual([1002, 1000])
  })
})

describe('forms', () => {
  const form = (...pairs: [string, string][]): Form => new Form(pairs)
  const shape = serializer({
    title: field.text({ allowBlank: true }),
    pages: field.integer({ required: false }),
    born: field.date({ nullable: true, required: false }),
    size: field.integer({ default: 3 }),
    open: field.boolean(),
    kinds: field.multipleChoice(['a', 'b']),
    tags: field.list(field.text(), { required: false }),
    extra: field.json({ required: false }),
  })
  const empty = { size: 3, open: false, kinds: [] }

  test.each<[title: string, form: Form, expected: unknown]>([
    [
      'an absent box is unchecked, absent choices are none',
      form(['title', 'A']),
      { title: 'A', ...empty },
    ],
    [
      'an empty text is missing, or null, or itself',
      form(['title', ''], ['pages', ''], ['born', ''], ['size', '']),
      { title: '', born: null, ...empty },
    ],
    [
      'names may be repeated',
      form(['title', 'A'], ['kinds', 'a'], ['kinds', 'b'], ['tags', 'x'], ['tags', 'y']),
      { title: 'A', ...empty, kinds: ['a', 'b'], tags: ['x', 'y'] },
    ],
    [
      'the last value counts',
      form(['title', 'A'], ['title', 'B'], ['open', 'on']),
      { title: 'B', ...empty, open: true },
    ],
    [
      'JSON is a text',
      form(['title', 'A'], ['extra', '{"a":[1]}']),
      { title: 'A', ...empty, extra: { a: [1] } },
    ],
    ['and may be none', form(['title', 'A'], ['extra', '{']), { codes: { extra: ['invalid'] } }],
    [
      'deep JSON is none',
      form(['title', 'A'], ['extra', '['.repeat(1e5)]),
      { codes: { extra: ['invalid'] } },
    ],
    ['a missing field is missing', form(), { codes: { title: ['required'] } }],
  ])('%s', async (_, data, expected) => {
    expect(await outcome(shape, data)).toEqual(expected)
  })

  test('an empty text that must be something is wrong', async () => {
    const strict = serializer({ pages: field.integer(), title: field.text() })
    expect(await outcome(strict, form(['pages', ''], ['title', '']))).toEqual({
      codes: { pages: ['invalid'], title: ['blank'] },
    })
  })

  test('a box that may be null says so when it is absent', async () => {
    const maybe = serializer({ open: field.boolean({ nullable: true }) })
    expect(await outcome(maybe, form())).toEqual({ open: null })
  })

  test('a partial one leaves out what it does not name', async () => {
    expect(await outcome(shape, form(['pages', '4']), { partial: true })).toEqual({ pages: 4 })
  })

  test('files are no texts', async () => {
    const file = fileInMemory({ name: 'a.txt', type: 'text/plain' }, new Uint8Array())
    expect(await outcome(shape, new Form([['title', file]]))).toEqual({
      codes: { title: ['invalid'] },
    })
  })
})

describe('validators', () => {
  const even = (value: number): string | null => (value % 2 === 0 ? null : 'Even numbers, please.')
  const small = async (value: number): Promise<ErrorDetail | undefined> =>
    value < 10 ? undefined : new ErrorDetail('Smaller, please.', 'too_large')
  const lucky = (value: number): void => {
    if (value === 13) throw new ValidationError('Not this one.', 'unlucky')
  }
  const one = serializer({ n: field.integer({ validators: [even, small, lucky] }) })

  test.each<[n: number, expected: unknown]>([
    [4, { n: 4 }],
    [13, { codes: { n: ['invalid', 'too_large', 'unlucky'] } }],
    [12, { codes: { n: ['too_large'] } }],
  ])('all of them are asked about %i', async (n, expected) => {
    expect(await outcome(one, { n })).toEqual(expected)
  })

  test('they see only what has the right form', async () => {
    const seen: unknown[] = []
    const watched = serializer({
      n: field.integer({ nullable: true, required: false, validators: [(n) => void seen.push(n)] }),
    })
    await outcome(watched, { n: 'x' })
    await outcome(watched, { n: null })
    await outcome(watched, {})
    expect(seen).toEqual([])
  })

  test('they know the row that is changed, and whether all of it is', async () => {
    const row = { id: 7, n: 1, inner: { m: 2 } }
    const seen: unknown[] = []
    const inner = serializer({
      m: field.integer({ validators: [(_, { existing }) => void seen.push(existing)] }),
    })
    const outer = serializer({
      n: field.integer({
        validators: [(_, { existing, partial }) => void seen.push(existing, partial)],
      }),
      inner: field.nested(inner),
    })
    await outcome(outer, { n: 1, inner: { m: 1 } }, { existing: row, partial: true })
    expect(seen).toEqual([row, true, row.inner])
  })

  test('an error that is no ValidationError is nobody’s input', async () => {
    const broken = serializer({
      a: field.integer({ validators: [() => Promise.reject(new TypeError('late'))] }),
      b: field.integer({
        validators: [
          () => {
            throw new TypeError('at once')
          },
        ],
      }),
    })
    await expect(outcome(broken, { a: 1, b: 2 })).rejects.toThrow(TypeError)
  })

  test('an object is read at once where nothing waits: a body may hold very many', () => {
    const inner = serializer(
      {
        a: field.integer({ validators: [() => null, () => undefined] }),
        b: field.text({ default: () => 'x' }),
        c: field.related({ find: () => ({}) }),
      },
      { validate: () => null },
    )
    const context = { request, partial: false, existing: null, form: false }
    const read = (given: object): unknown => field.nested(inner).read(given, context)
    expect(read({ a: 1, c: 2 })).toEqual({ a: 1, b: 'x', c: 2 })
    expect(read({ a: 'odd', c: 2 })).not.toBeInstanceOf(Promise)
  })

  test('what a field of the program throws is refused, or a mistake', async () => {
    const throwing = (error: Error) =>
      serializer({
        a: {
          ...field.integer(),
          read: () => {
            throw error
          },
        },
      })
    const refusal = new ValidationError('No.', 'mine')
    expect(await outcome(throwing(refusal), { a: 1 })).toEqual({ codes: { a: ['mine'] } })
    await expect(outcome(throwing(new TypeError('Oh.')), { a: 1 })).rejects.toThrow(TypeError)
  })

  test('nor is a default that cannot be made, whatever else goes wrong', async () => {
    const broken = serializer({
      a: field.integer({ validators: [() => Promise.reject(new TypeError('late'))] }),
      b: field.integer({
        default: () => {
          throw new RangeError('at once')
        },
      }),
    })
    await expect(outcome(broken, { a: 1 })).rejects.toThrow(/late|at once/)
  })

  const range = serializer(
    { from: field.integer(), to: field.integer() },
    {
      validate: ({ from, to }) => {
        if (from === undefined || to === undefined) return null
        if (from === to) throw new ValidationError({ to: 'The same.', from: ['As it is.'] }, 'same')
        return from > to ? 'The wrong way round.' : null
      },
    },
  )

  test.each<[title: string, body: unknown, expected: unknown]>([
    ['E22 belongs to no field', { from: 2, to: 1 }, { codes: { non_field_errors: ['invalid'] } }],
    ['E22 waits until all fields are right', { from: 2, to: 'x' }, { codes: { to: ['invalid'] } }],
    ['may name fields', { from: 1, to: 1 }, { codes: { to: ['same'], from: ['same'] } }],
    ['may find nothing', { from: 1, to: 2 }, { from: 1, to: 2 }],
  ])('of the whole object: %s', async (_, body, expected) => {
    expect(await outcome(range, body)).toEqual(expected)
  })

  test('of the whole object go with it when it is extended', async () => {
    const dated = extend(
      range,
      { step: field.integer() },
      { validate: async ({ step }) => (step === 0 ? 'Never.' : null) },
    )
    expect(await outcome(dated, { from: 2, to: 1, step: 0 })).toEqual({
      codes: { non_field_errors: ['invalid'] },
    })
    expect(await outcome(dated, { from: 1, to: 2, step: 0 })).toEqual({
      codes: { non_field_errors: ['invalid'] },
    })
    expect(await outcome(dated, { from: 1, to: 2, step: 1 })).toEqual({ from: 1, to: 2, step: 1 })
  })

  test('of the whole object are not asked while a field is wrong', async () => {
    const strict = serializer({ n: field.integer() }, { validate: () => 'Never.' })
    expect(await outcome(strict, { n: 'x' })).toEqual({ codes: { n: ['invalid'] } })
    expect(await outcome(strict, { n: 1 })).toEqual({ codes: { non_field_errors: ['invalid'] } })
  })

  test('of nested objects stand where the object is', async () => {
    const trip = serializer({ leg: field.nested(range) })
    expect(await outcome(trip, { leg: { from: 2, to: 1 } })).toEqual({
      codes: { leg: { non_field_errors: ['invalid'] } },
    })
  })
})
