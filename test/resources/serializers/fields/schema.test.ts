import { describe, expect, test } from 'vitest'
import { Form } from '../../../../src/core/std/http/form.ts'
import type { ValidationError } from '../../../../src/core/errors/api-errors.ts'
import { field, serializer } from '../../../../src/resources/serializers/serializer.ts'
import type { StandardIssue, StandardSchema } from '../../../../src/core/types/standard-schema.ts'
import { given, outcome, request, shown } from '../reading.ts'

/** A validator as the libraries make them. */
function validator<T>(
  validate: StandardSchema<unknown, T>['~standard']['validate'],
): StandardSchema<unknown, T> {
  return { '~standard': { version: 1, vendor: 'test', validate } }
}

const upper = validator<string>((value) =>
  typeof value === 'string'
    ? { value: value.toUpperCase() }
    : { issues: [{ message: 'A text, please.' }] },
)

const saying = (...issues: StandardIssue[]) => field.schema(validator<never>(() => ({ issues })))

describe('a validator of another library', () => {
  test.each<[title: string, field: Parameters<typeof given>[0], value: unknown, expected: unknown]>(
    [
      ['gives the input', field.schema(upper), 'a', 'A'],
      ['says what is wrong', field.schema(upper), 5, { codes: ['invalid'] }],
      ['may take its time', field.schema(validator(async (value) => ({ value }))), 5, 5],
      [
        'and refuse late',
        field.schema(validator(async () => ({ issues: [{ message: 'No.' }] }))),
        5,
        { codes: ['invalid'] },
      ],
      [
        'names members and items',
        saying(
          { message: 'a', path: ['points', 1, { key: 'lat' }] },
          { message: 'b', path: ['points', 1, { key: 'lat' }] },
        ),
        5,
        { codes: { points: { 1: { lat: ['invalid', 'invalid'] } } } },
      ],
      [
        'and the whole beside them',
        saying({ message: 'a' }, { message: 'b', path: ['x'] }),
        5,
        { codes: { non_field_errors: ['invalid'], x: ['invalid'] } },
      ],
      ['is not asked about null', field.schema(upper), null, { codes: ['null'] }],
      [
        'is followed by ours',
        field.schema(upper, { validators: [(text) => (text === 'B' ? 'Not B.' : null)] }),
        'b',
        { codes: ['invalid'] },
      ],
    ],
  )('%s', async (_, kind, value, expected) => {
    expect(await given(kind, value)).toEqual(expected)
  })

  test('many of them are read at once, without a promise for each', () => {
    const context = { request, partial: false, existing: null, form: false }
    expect(field.schema(upper).read('a', context)).toBe('A')
    expect(field.dictionary(field.integer()).read({ a: '1' }, context)).toEqual({ a: 1 })
  })

  test('the value may be a getter of a class', async () => {
    class Success {
      get value(): string {
        return 'A'
      }
    }
    expect(await given(field.schema(validator(() => new Success())), 'a')).toBe('A')
  })

  test('names that mean something to objects are names', async () => {
    const { codes } = (await given(saying({ message: 'a', path: ['__proto__', 'x'] }), 1)) as {
      codes: object
    }
    expect(Object.keys(codes)).toEqual(['__proto__'])
  })

  test('long messages are cut, and deep paths', async () => {
    const path = Array.from({ length: 20_000 }, () => 'a')
    const kind = saying({ message: 'x'.repeat(1e5), path })
    const error = await Promise.resolve()
      .then(() => serializer({ it: kind }).parse({ it: 1 }, request))
      .catch((thrown: unknown) => thrown as ValidationError)
    const text = JSON.stringify((error as ValidationError).detail)
    expect(text.length).toBeLessThan(1000)
  })

  test.each([
    ['an object', { type: 'object' }, '{"lat": 1}', { lat: 1 }],
    ['a number', { type: ['number', 'null'] }, '5', 5],
    ['an object or none', { anyOf: [{ type: 'object' }, { type: 'null' }] }, '{}', {}],
    ['one of two lists', { oneOf: [{ type: 'array' }, { type: 'array' }] }, '[1]', [1]],
    ['no JSON', { type: 'object' }, 'lat', { codes: { it: ['invalid'] } }],
    ['a text', { type: 'string' }, '5', '5'],
    ['a text or a number', { anyOf: [{ type: 'number' }, { type: 'string' }] }, '5', '5'],
    ['anything', {}, '5', '5'],
  ])('a form has JSON where a text cannot be meant: %s', async (_, described, text, expected) => {
    const taking = validator((value) => ({ value }))
    const jsonSchema = { input: () => described, output: () => described }
    const it = field.schema({ '~standard': { ...taking['~standard'], jsonSchema } })
    const found = await outcome(serializer({ it }), new Form([['it', text]]))
    expect(found).toEqual('codes' in Object(expected) ? expected : { it: expected })
  })

  test('values are shown as they are', () => {
    expect(shown(field.schema(upper), 'a')).toBe('a')
  })
})
