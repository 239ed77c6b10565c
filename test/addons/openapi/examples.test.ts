// An example of a document is one that its schema admits, whatever that schema says; where that is not sure, there is none.
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arraySource, defineApi, defineUrls, field, list, serializer } from '../../../src/index.ts'
import { openApiDocument } from '../../../src/openapi.ts'

/** The schema of an object whose member has that schema, with its example. */
function objectWith(schema: object): { readonly examples?: readonly unknown[] } {
  const shown = serializer({ it: field.computed(() => null, { schema: schema as never }) })
  const api = defineApi({ urls: defineUrls({ 'city-list': '/cities/' }) })
  const app = api.serve([
    api.endpoint('city-list').get(list({ source: arraySource([]), serializer: shown })),
  ])
  return (openApiDocument(app).components as { schemas: { City: object } }).schemas.City
}

/** Keywords of the specification, those that no field of ours uses among them. */
const keywords = {
  type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object', [
    'string',
    'null',
  ]),
  minimum: fc.double({ min: -5, max: 5, noNaN: true }),
  maximum: fc.double({ min: -5, max: 5, noNaN: true }),
  exclusiveMinimum: fc.integer({ min: -2, max: 3 }),
  multipleOf: fc.constantFrom(2, 0.5),
  minLength: fc.nat(9),
  maxLength: fc.nat(9),
  pattern: fc.constantFrom('^[0-9]+$', '^a', '^$', 'x{3}'),
  format: fc.constantFrom('date', 'email', 'uuid', 'unknown'),
  minItems: fc.nat(2),
  maxItems: fc.nat(2),
  uniqueItems: fc.boolean(),
  contains: fc.constant({ const: 7 }),
  minProperties: fc.nat(2),
  patternProperties: fc.constant({ '^a': false }),
  required: fc.constantFrom(['a'], ['b']),
  description: fc.string(),
}
/** With a few of them: under many, no value is left. */
const leaf = fc
  .tuple(fc.record(keywords), fc.subarray(Object.keys(keywords), { maxLength: 3 }))
  .map(([all, names]) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
  )
const anySchema = fc
  .tuple(leaf, fc.constantFrom('none', 'items', 'properties', 'anyOf', 'not'), leaf)
  .map(([schema, keyword, inner]) => ({ ...schema, ...WITHIN[keyword]?.(inner) }))
const WITHIN: Readonly<Record<string, (inner: object) => object>> = {
  items: (items) => ({ type: 'array', items }),
  properties: (a) => ({ type: 'object', properties: { a } }),
  anyOf: (one) => ({ anyOf: [one, { type: 'null' }] }),
  not: (not) => ({ not }),
}

test('an example is admitted by its schema', () => {
  let made = 0
  fc.assert(
    fc.property(anySchema, (schema) => {
      const { examples, ...object } = objectWith(schema)
      if (examples === undefined) return
      made++
      const ajv = new Ajv2020({ strict: false, logger: false })
      formats.default(ajv)
      const admits = ajv.compile(object)
      expect([examples[0], admits(examples[0]), admits.errors]).toEqual([examples[0], true, null])
    }),
    { numRuns: 150 },
  )
  expect(made).toBeGreaterThan(10)
})

test.each([
  [{ type: 'integer', minimum: 1.5 }, 2],
  [{ type: 'integer', maximum: -1 }, -1],
  [{ type: 'string', format: 'date' }, '2026-01-31'],
  [{ type: 'array', items: { type: 'boolean' } }, [true]],
  [{ anyOf: [{ type: 'null' }, { type: 'string', maxLength: 1 }] }, 'i'],
  [{ description: 'Anything.' }, {}],
])('%j is shown as %j', (schema, example) => {
  expect(objectWith(schema).examples).toEqual([{ it: example }])
})

test.each([
  { type: 'integer', exclusiveMinimum: 5 },
  { type: 'string', pattern: 'x{3}' },
  { oneOf: [{ type: 'string' }, { minLength: 1 }] },
])('of %j nothing is made up', (schema) => {
  expect(objectWith(schema).examples).toBeUndefined()
})
