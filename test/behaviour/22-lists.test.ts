// Bodies that are lists, objects within objects, and forms: what DRF's suite asks of them (E23–E27).
import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  ValidationError,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  many,
  serializer,
} from '../../src/index.ts'
import type { AnyField, ParseOptions } from '../../src/types.ts'
import { type RequestOptions, client } from '../../src/testing.ts'
import { codesAlone } from './one-field.ts'

interface Reader {
  parse(body: unknown, request: ApiRequest, options: ParseOptions): unknown
}

/** What a body comes to: its data, or the codes of a 400. */
async function reads(shape: object, sent: RequestOptions, options: ParseOptions = {}) {
  const api = defineApi({ urls: defineUrls({ it: '/it/' }), exceptionHandler: codesAlone })
  const { parse } = shape as Reader
  const endpoint = api
    .endpoint('it')
    .post(async (request) => parse(await request.body(), request, options))
  const { post } = client(api.serve([endpoint], { configuration: configurationOf() }))
  const { status, data } = await post('/it/', sent)
  return [status, data]
}

const line = serializer({ count: field.integer(), open: field.boolean() })
const good = { count: '12', open: 'true' }
const read = { count: 12, open: true }
const none = (code: string) => [400, { non_field_errors: [code] }]

type Bounds = Parameters<typeof many>[1]

describe('E25, E27 a body that is a list', () => {
  test.each<[title: string, bounds: Bounds, sent: unknown, expected: unknown]>([
    [
      'every item is read',
      {},
      [good, { count: 0, open: 'off' }],
      [200, [read, { count: 0, open: false }]],
    ],
    ['it may be empty', {}, [], [200, []]],
    ['unless it may not', { allowEmpty: false }, [], none('empty')],
    ['but hold one', { allowEmpty: false }, [good], [200, [read]]],
    ['too short', { minLength: 3 }, [good, good], none('min_length')],
    ['as short as may be', { minLength: 2 }, [good, good], [200, [read, read]]],
    ['empty is too short', { minLength: 1 }, [], none('min_length')],
    ['too long', { maxLength: 1 }, [good, good], none('max_length')],
    ['as long as may be', { maxLength: 2 }, [good, good], [200, [read, read]]],
    ['within both', { minLength: 1, maxLength: 3 }, [good, good], [200, [read, read]]],
    ['the length comes before the items', { maxLength: 1 }, [{}, {}], none('max_length')],
    ['E23 an object', {}, good, none('not_a_list')],
    ['E23 a text', {}, 'x', none('not_a_list')],
    ['E23 a number', {}, 5, none('not_a_list')],
    ['E23 truth', {}, true, none('not_a_list')],
    ['E23 null', {}, null, none('null')],
    [
      'failing items only, by their place',
      {},
      [good, { count: 'x', open: 1 }, good, { count: 1, open: 'maybe' }, {}],
      [
        400,
        {
          1: { count: ['invalid'] },
          3: { open: ['invalid'] },
          4: { count: ['required'], open: ['required'] },
        },
      ],
    ],
    [
      'items that are no objects',
      {},
      [1, 'x', [], null, good],
      [
        400,
        {
          0: { non_field_errors: ['invalid'] },
          1: { non_field_errors: ['invalid'] },
          2: { non_field_errors: ['invalid'] },
          3: ['null'],
        },
      ],
    ],
  ])('%s', async (_, bounds, sent, expected) => {
    expect(await reads(many(line, bounds), { json: sent })).toEqual(expected)
  })

  test('a form is no list', async () => {
    expect(await reads(many(line), { form: good })).toEqual(none('not_a_list'))
  })
})

describe('E24, E27 lists of objects in an object', () => {
  const items = (options: object) =>
    serializer({ name: field.text(), items: field.list(field.nested(line), options) })

  const both = (title: string, options: object, sent: unknown, expected: unknown) =>
    [false, true].map(
      (partial) =>
        [partial ? `partial: ${title}` : title, options, sent, expected, partial] as const,
    )
  const wrong = (items_: unknown) => [400, { items: items_ }]
  const taken = (items_: unknown) => [200, { name: 'a', items: items_ }]

  test.each([
    ...both('are read', {}, [good], taken([read])),
    ...both('may be empty', {}, [], taken([])),
    ...both(
      'unless they may not',
      { allowEmpty: false },
      [],
      wrong({ non_field_errors: ['empty'] }),
    ),
    ...both('too few', { minLength: 3 }, [good, good], wrong({ non_field_errors: ['min_length'] })),
    ...both(
      'too many',
      { maxLength: 1 },
      [good, good],
      wrong({ non_field_errors: ['max_length'] }),
    ),
    ...both('enough', { minLength: 2, maxLength: 2 }, [good, good], taken([read, read])),
    ...both('null', {}, null, wrong(['null'])),
    ...both('null where it may be', { nullable: true }, null, taken(null)),
    ...both('no list', {}, good, wrong({ non_field_errors: ['not_a_list'] })),
    ...both('a text', {}, 'x', wrong({ non_field_errors: ['not_a_list'] })),
    ...both(
      'by their place',
      {},
      [good, { ...good, count: 'x' }],
      wrong({ 1: { count: ['invalid'] } }),
    ),
    // DRF takes incomplete items in a partial update.
    ...both('are complete', {}, [{ count: 1 }], wrong({ 0: { open: ['required'] } })),
  ])('%s', async (_, options, sent, expected, partial) => {
    const json = { name: 'a', items: sent }
    expect(await reads(items(options), { json }, { partial })).toEqual(expected)
  })

  test('a partial body may leave them out, whatever their length', async () => {
    const strict = items({ allowEmpty: false, minLength: 2 })
    expect(await reads(strict, { json: {} }, { partial: true })).toEqual([200, {}])
  })
})

describe('E24 objects in an object', () => {
  const pair = serializer({ one: field.integer({ max: 10 }), two: field.integer({ max: 10 }) })
  test.each<[title: string, options: object, sent: unknown, expected: unknown]>([
    ['is read', {}, { one: '1', two: 2 }, [200, { it: { one: 1, two: 2 } }]],
    [
      'has its own errors',
      {},
      { one: 11 },
      [400, { it: { one: ['max_value'], two: ['required'] } }],
    ],
    ['must be there', {}, undefined, [400, { it: ['required'] }]],
    ['need not', { required: false }, undefined, [200, {}]],
    ['is not null', {}, null, [400, { it: ['null'] }]],
    ['or may be', { nullable: true }, null, [200, { it: null }]],
    ['is no list', {}, [], [400, { it: { non_field_errors: ['invalid'] } }]],
    ['no text', {}, '', [400, { it: { non_field_errors: ['invalid'] } }]],
    ['and empty is not complete', {}, {}, [400, { it: { one: ['required'], two: ['required'] } }]],
  ])('%s', async (_, options, sent, expected) => {
    const outer = serializer({ it: field.nested(pair, options) })
    expect(await reads(outer, { json: { it: sent } })).toEqual(expected)
  })

  test('DRF asks its own validators about null, too: ours see values only', async () => {
    const seen: unknown[] = []
    const see = (value: unknown) => void seen.push(value)
    const outer = serializer({
      it: field.nested(pair, { nullable: true, validators: [see] }),
      n: field.integer({ nullable: true, validators: [see] }),
    })
    await reads(outer, { json: { it: null, n: null } })
    await reads(outer, { json: { it: { one: 1, two: 2 }, n: 3 } })
    expect(seen).toEqual([{ one: 1, two: 2 }, 3])
  })
})

describe('E22 what validators say', () => {
  const refuse = (detail: ConstructorParameters<typeof ValidationError>[0]) => () => {
    throw new ValidationError(detail, 'odd')
  }
  test.each<[title: string, validate: () => never, expected: unknown]>([
    ['a text', refuse('No.'), { non_field_errors: ['odd'] }],
    ['texts', refuse(['No.', 'Never.']), { non_field_errors: ['odd', 'odd'] }],
    ['by field', refuse({ a: ['No.'] }), { a: ['odd'] }],
    ['a text by field', refuse({ a: 'No.' }), { a: ['odd'] }],
    ['within', refuse({ a: { b: ['No.'] } }), { a: { b: ['odd'] } }],
  ])('of the object: %s', async (_, validate, expected) => {
    const shape = serializer({ a: field.text() }, { validate })
    expect(await reads(shape, { json: { a: 'x' } })).toEqual([400, expected])
    // They are not asked about what is no object, or has other faults.
    expect(await reads(shape, { json: 'x' })).toEqual([400, { non_field_errors: ['invalid'] }])
    expect(await reads(shape, { json: {} })).toEqual([400, { a: ['required'] }])
  })
})

describe('B4 forms', () => {
  const key = '5b0ff2a6-94b8-4a0e-b76f-2b7a0f7e6a11'
  const box = field.boolean
  const numbers = (options: object = {}) => field.list(field.integer(), options)
  const three = () => [1, 3]

  test.each<[title: string, it: AnyField, form: string, expected: unknown, options?: ParseOptions]>(
    [
      ['an unchecked box is false', box(), '', { it: false }],
      ['also where it need not be sent', box({ required: false }), '', { it: false }],
      ['or null where it may be', box({ nullable: true }), '', { it: null }],
      ['or not sent, in part', box(), '', {}, { partial: true }],
      [
        'an empty box is null where it may be',
        box({ nullable: true, default: true }),
        'it=',
        { it: null },
      ],
      ['an empty text', field.text({ allowBlank: true }), 'it=', { it: '' }],
      ['need not be sent', field.text({ allowBlank: true, required: false }), 'it=', { it: '' }],
      ['is null', field.text({ nullable: true }), 'it=', { it: null }],
      [
        'or itself before null',
        field.text({ nullable: true, allowBlank: true }),
        'it=',
        { it: '' },
      ],
      ['is no number but the default', field.integer({ default: 123 }), 'it=', { it: 123 }],
      ['nor an identifier', field.uuid({ default: () => key }), 'it=', { it: key }],
      ['nor one that was sent', field.uuid({ required: false }), 'it=', {}],
      ['is no date', field.date({ nullable: true }), 'it=', { it: null }],
      ['is no choice', field.choice([1, 2], { nullable: true }), 'it=', { it: null }],
      ['a text that was not sent', field.text({ required: false }), '', {}],
      ['a list of two', numbers(), 'it=1&it=3', { it: [1, 3] }],
      ['a list of one', numbers(), 'it=1&', { it: [1] }],
      ['the default of a list', numbers({ default: three }), '', { it: [1, 3] }],
      ['a list that was not sent', numbers({ required: false }), '', {}],
      ['in part', numbers(), '', {}, { partial: true }],
      ['of an empty text', field.list(field.text({ allowBlank: true })), 'it=', { it: [''] }],
      ['choices of none', field.multipleChoice(['a']), '', { it: [] }],
      ['in part, choices were not sent', field.multipleChoice(['a']), '', {}, { partial: true }],
      ['JSON in a text', field.json(), 'it=%7B%22a%22%3A1%7D', { it: { a: 1 } }],
      ['an object that was not sent', field.dictionary(field.text(), { required: false }), '', {}],
      [
        'its default',
        field.dictionary(field.text(), { default: () => ({ x: 'y' }) }),
        '',
        { it: { x: 'y' } },
      ],
      // DRF reads these; ours take such values as JSON only.
      ['indexed names', numbers({ required: false }), 'it[0]=1&it[1]=3', {}],
      ['dotted names', field.dictionary(field.text(), { required: false }), 'it.a=1', {}],
      ['names in brackets', field.nested(line, { required: false }), 'it[count]=1', {}],
    ],
  )('%s', async (_, it, body, expected, options) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await reads(serializer({ it }), { headers, body }, options)).toEqual([200, expected])
  })

  test.each<[title: string, it: AnyField, form: string, code: string]>([
    ['no object', field.dictionary(field.text()), '', 'required'],
    ['a list that must be sent', numbers(), '', 'required'],
    ['a text that must not be empty', field.text(), 'it=', 'blank'],
    ['a number that must be one', field.integer(), 'it=', 'invalid'],
    ['a box that is neither', box(), 'it=perhaps', 'invalid'],
  ])('%s', async (_, it, body, code) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await reads(serializer({ it }), { headers, body })).toEqual([400, { it: [code] }])
  })
})
