// What has to hold for documents that no one thought of.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareDocuments } from '../../../src/addons/gate/documents.ts'
import type { Json } from './corpus.ts'
import { answers, reads } from './documents.ts'

const NAMES = ['a', 'b', 'c'] as const
const name = fc.constantFrom(...NAMES)
const size = fc.integer({ min: 0, max: 4 })
const texts = fc.constantFrom('', 'a', 'ab', 'abc', 'abcd', '7')
const scalars = fc.oneof(
  texts,
  fc.integer({ min: -3, max: 9 }),
  fc.constantFrom(0.5, 2.5, null, true),
)

/** Members that are there or not. */
const some = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc.record(members, { requiredKeys: [] })

const { schema } = fc.letrec<{ schema: Json; leaf: Json; node: Json }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<Json>({}),
    some({ minLength: size, maxLength: size, pattern: fc.constantFrom('a', '^a', 'b$') }).map(
      (limits) => ({ type: 'string', ...limits }),
    ),
    fc
      .tuple(
        fc.constantFrom('integer', 'number'),
        some({
          minimum: size,
          maximum: size,
          exclusiveMaximum: size,
          multipleOf: fc.constantFrom(1, 2, 4, 0.5),
        }),
      )
      .map(([type, limits]) => ({ type, ...limits })),
    fc
      .subarray(['string', 'integer', 'number', 'null', 'boolean'], { minLength: 1 })
      .map((type) => ({ type })),
    fc.uniqueArray(scalars, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    scalars.map((value) => ({ const: value })),
  ),
  node: fc.oneof(
    fc
      .tuple(
        fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        fc.subarray([...NAMES]),
        fc.constantFrom<Json>({}, {}, { additionalProperties: false }),
        some({ minProperties: size, maxProperties: size }),
      )
      .map(([properties, required, more, limits]) => ({
        type: 'object',
        properties,
        required: required.filter((each) => Object.hasOwn(properties, each)),
        ...more,
        ...limits,
      })),
    tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
    fc
      .tuple(tie('schema'), some({ minItems: size, maxItems: size, uniqueItems: fc.boolean() }))
      .map(([items, limits]) => ({ type: 'array', items, ...limits })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
    tie('schema').map((not) => ({ not })),
  ),
  schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('node')),
}))

/** A schema with something changed in it; far more often than two of chance, the result is narrower or wider. */
function changed(before: Json): fc.Arbitrary<Json> {
  const keyword = fc.constantFrom(...Object.keys(before), 'type')
  const less = keyword.map((each) => {
    const { [each]: _, ...rest } = before
    return rest
  })
  const deeper = isRecord(before['properties'])
    ? fc.tuple(name, schema).map(([at, inner]) => ({
        ...before,
        properties: { ...(before['properties'] as Json), [at]: inner },
      }))
    : fc.constant(before)
  return fc.oneof(
    schema,
    less,
    deeper,
    some({ maxLength: size, minimum: size, required: fc.subarray([...NAMES]), minItems: size }).map(
      (more) => ({ ...before, ...more }),
    ),
    schema.map((other) => ({ anyOf: [before, other] })),
    schema.map((other) => ({ oneOf: [before, other] })),
    schema.map((other) => ({ allOf: [before, other] })),
  )
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pairs = schema.chain((before) => changed(before).map((after) => [before, after] as const))
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
const validator = (one: Json): ((value: unknown) => boolean) => {
  const check = ajv.compile(one)
  ajv.removeSchema()
  return (value) => check(value)
}
const breaks = (before: Json, after: Json): boolean =>
  compareDocuments(before, after).some((change) => change.class === 'breaking')

/** The schema that clients keep to: they send what it names. */
function closed(value: unknown): Json {
  const one = value as Json
  const inside = (key: string, change: (inner: unknown) => unknown): Json =>
    key in one ? { [key]: change(one[key]) } : {}
  const list = (inner: unknown): unknown => (inner as readonly unknown[]).map(closed)
  const { properties = {}, required = [], anyOf, oneOf, allOf } = one
  const named = Object.fromEntries((required as readonly string[]).map((each) => [each, {}]))
  const isComposed = anyOf !== undefined || oneOf !== undefined || allOf !== undefined
  const map = (inner: unknown): Json =>
    Object.fromEntries(Object.entries(inner as Json).map(([key, each]) => [key, closed(each)]))
  return {
    ...(isComposed ? {} : { additionalProperties: false }),
    ...one,
    ...(isComposed ? {} : { properties: { ...named, ...map(properties) } }),
    ...inside('additionalProperties', (inner) => (isRecord(inner) ? closed(inner) : inner)),
    ...inside('items', closed),
    ...inside('anyOf', list),
    ...inside('oneOf', list),
    ...inside('allOf', list),
  }
}

/** Keys in the order of the alphabet backwards, lists of names too. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversed(each)]),
  )
}

describe('for any schema', () => {
  test('compared with itself, nothing has changed', () => {
    fc.assert(
      fc.property(schema, (one) => {
        expect(compareDocuments(answers(one), answers(reversed(one)))).toEqual([])
        expect(compareDocuments(reads(one), reads(structuredClone({ allOf: [one] })))).toEqual([])
      }),
    )
  })

  test('the name of a schema and where it stands make no difference', () => {
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        const [was, is] = [
          { type: 'array', items: one },
          { type: 'array', items: { $ref: '#/components/schemas/B' } },
        ]
        expect(
          compareDocuments(answers(was, { A: other }), answers(is, { B: one, A: other })),
        ).toEqual([])
      }),
    )
  })
})

const manyValues = fc.array(values, { minLength: 30, maxLength: 60 })
const RUNS = { numRuns: 300 }

describe('what is called compatible is', () => {
  test('in an answer: every value that is valid now was valid before', () => {
    const property = fc.property(pairs, manyValues, ([before, after], some_) => {
      fc.pre(!breaks(answers(before), answers(after)))
      const [was, is] = [validator(before), validator(after)]
      expect(some_.filter((value) => is(value) && !was(value))).toEqual([])
    })
    fc.assert(property, RUNS)
  })

  test('in a request: every value that was valid, and that the schema named, is valid', () => {
    const property = fc.property(pairs, manyValues, ([before, after], some_) => {
      fc.pre(!breaks(reads(before), reads(after)))
      const [was, is, named] = [validator(before), validator(after), validator(closed(before))]
      const sent = some_.filter((value) => was(value) && named(value))
      expect(sent.filter((value) => !is(value))).toEqual([])
    })
    fc.assert(property, RUNS)
  })
})
