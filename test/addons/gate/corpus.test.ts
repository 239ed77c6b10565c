import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/addons/gate/change.ts'
import { changelogOf, isNamed, textOfContract } from '../../../src/addons/gate/contract.ts'
import { compareDocuments } from '../../../src/addons/gate/documents.ts'
import { type Json, type LabelledChange, corpus } from './corpus.ts'
import { allowing, canonicalWithin, groundOf, viewOf } from '../../../src/addons/gate/view.ts'
import { answers, documentOf, json, object, operation } from './documents.ts'

const all = corpus()

const remembered = new Map<LabelledChange, readonly string[]>()

function found(change: LabelledChange): readonly string[] {
  const known = remembered.get(change)
  if (known !== undefined) return known
  const changes = compareDocuments(change.before, change.after)
  const labels = [...new Set(changes.map((each) => `${each.class} ${each.code}`))].toSorted()
  remembered.set(change, labels)
  return labels
}

describe('every change is found, and called what people call it', () => {
  test.each(all.map((each) => [each.title, each] as const))('%s', (_, change) => {
    expect(found(change)).toEqual([...new Set(change.expected)].toSorted())
  })
})

test('all that breaks is found, and at least 95 of a hundred that are called breaking break', () => {
  const breaking = (labels: readonly string[]): readonly string[] =>
    labels.filter((label) => label.startsWith('breaking '))
  const judged = all.map((each) => ({
    wanted: breaking(each.expected),
    got: breaking(found(each)),
  }))
  const missed = judged.filter(({ wanted, got }) => wanted.some((label) => !got.includes(label)))
  const right = judged.flatMap(({ wanted, got }) => got.filter((label) => wanted.includes(label)))
  const called = judged.flatMap(({ got }) => got)
  expect(missed).toEqual([])
  expect(right.length / called.length).toBeGreaterThanOrEqual(0.95)
  expect(called.length).toBeGreaterThan(100)
})

test('a media type is the same in capitals, and is named in small letters', () => {
  const sends = (...types: readonly string[]) => {
    const content = Object.fromEntries(types.map((type) => [type, {}]))
    return operation({ responses: { '200': { description: 'OK', content } } })
  }
  expect(compareDocuments(sends('Text/CSV'), sends('text/csv'))).toEqual([])
  expect(compareDocuments(sends('Text/CSV', 'Text/HTML'), sends('text/csv'))).toMatchObject([
    {
      code: 'response-media-type-removed',
      at: 'GET /cities/ answer 200',
      sentence: expect.stringContaining('text/html'),
    },
  ])
})

test('a change of a type names both, and a change of an answer its place', () => {
  const [before, after] = [
    answers({ type: ['integer', 'null'] }),
    answers({ type: ['string', 'null'] }),
  ]
  const [change] = compareDocuments(before, after)
  expect(change).toMatchObject({ code: 'response-type-changed', at: 'GET /cities/ answer 200' })
  expect(change!.sentence).toMatch(/integer.*string/)
})

test('schemas that hold one another are told of wherever they are answered', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const sides = (x: string) => {
    const schemas = { A: object({ b: ref('B'), x: { type: x } }), B: object({ a: ref('A') }) }
    const get = (name: string) => ({
      responses: { '200': { description: 'OK', content: json(ref(name)) } },
    })
    return documentOf(
      { '/a/': { get: get('A') }, '/b/': { get: get('B') } },
      { components: { schemas } },
    )
  }
  const changes = compareDocuments(sides('string'), sides('integer'))
  expect(changes.map(({ at }) => at)).toEqual(['GET /a/ answer 200 x', 'GET /b/ answer 200 a.x'])
})

test('a place is led to by names, numbers of lists, and what stands for all others', () => {
  const deep = (...[name, rest]: readonly unknown[]) => {
    const mayors = { type: 'array', prefixItems: [object({ name })] }
    return { type: 'array', items: object({ mayors }, { additionalProperties: rest }) }
  }
  const [text, whole] = [{ type: 'string' }, { type: 'integer' }]
  const changes = compareDocuments(answers(deep(text, whole)), answers(deep(whole, text)))
  expect(changes.map(({ at }) => at).toSorted()).toEqual([
    'GET /cities/ answer 200 [].*',
    'GET /cities/ answer 200 [].mayors[0].name',
  ])
  const [here, there] = ['https://a.example', 'https://b.example'].map((url) => ({
    ...operation({}),
    servers: [{ url }],
  }))
  const moved = compareDocuments(here!, there!)
  expect(new Set(moved.map(({ at }) => at))).toEqual(new Set(['service']))
})

test('a place names the parameter, the body, the answer and the header', () => {
  const media = (type: string) => ({ 'application/json': { schema: { type } } })
  const sides = (type: string, parameter: object, headers: object) =>
    operation({
      parameters: [parameter],
      requestBody: { content: media(type) },
      responses: { [type === 'string' ? '200' : '201']: { headers }, '202': { headers } },
    })
  const changes = compareDocuments(
    sides('string', { name: 'a', in: 'query' }, { 'X-A': {} }),
    sides('integer', { name: 'b', in: 'header' }, { 'X-B': {} }),
  )
  expect(changes.map(({ code, at }) => `${code} at ${at.replace('GET /cities/ ', '')}`)).toEqual([
    'parameter-removed at query a',
    'parameter-added at header b',
    'request-type-changed at body',
    'response-status-removed at answer 200',
    'response-header-removed at answer 202 header X-A',
    'response-header-added at answer 202 header X-B',
    'response-status-added at answer 201',
  ])
})

test('what many places lead to is told of at the first of them', () => {
  const person = { $ref: '#/components/schemas/Person' }
  const city = object({ mayor: person, council: { type: 'array', items: person } })
  const sides = (type: string) => answers(city, { Person: object({ age: { type } }) })
  const changes = compareDocuments(sides('string'), sides('integer'))
  expect(changes.map(({ at }) => at)).toEqual(['GET /cities/ answer 200 council[].age'])
})

test('each property that is gone has a place, and each object that is closed', () => {
  const name = { $ref: '#/components/schemas/Name' }
  const closed = { additionalProperties: false }
  const sides = (some: Json, more: Json) =>
    answers(object({ inner: object({ x: name, ...some }, more), ...some }, more), {
      Name: { type: 'string' },
    })
  const changes = compareDocuments(sides({ a: name, b: name }, {}), sides({}, closed))
  expect(changes.map(({ code, at }) => `${code} at ${at.replace('GET /cities/ ', '')}`)).toEqual([
    'response-property-removed at answer 200 a',
    'response-property-removed at answer 200 b',
    'response-property-removed at answer 200 inner.a',
    'response-property-removed at answer 200 inner.b',
    'response-additional-properties-closed at answer 200 inner',
    'response-additional-properties-closed at answer 200',
  ])
})

test.each(['anyOf', 'oneOf'])('of many branches a sentence names the rule: %s', (keyword) => {
  const numbers = Array.from({ length: 64 }, (_, at) => ({ const: at }))
  const many = (last: string) => answers({ [keyword]: [...numbers, { const: last }] })
  const [{ sentence }] = compareDocuments(many('a'), many('b')) as [Change]
  expect(sentence).toContain(`The rule \`${keyword}\` changed`)
})

test('a sentence has the name that an operation had, and the one it has', () => {
  const [old, now] = ['cityList', 'listCities'].map((operationId) => operation({ operationId }))
  const [{ sentence }] = compareDocuments(old!, now!) as [Change]
  expect(sentence).toBe('The name in generated clients was cityList and is listCities.')
})

test.each([
  [undefined, '2997-06-01', 'It ends on 2997-06-01.'],
  ['2997-06-01', '2997-03-01T12:00:00Z', 'The end was 2997-06-01 and is 2997-03-01.'],
  ['2997-06-01', undefined, 'The end was 2997-06-01 and is none.'],
  [undefined, '2020-01-01', 'The end was none and is 2020-01-01.'],
])('a sentence has the end that was, and that is: %s, %s', (old, now, words) => {
  const [before, after] = [old, now].map((end) => operation({ 'x-sunset': end }))
  const [{ sentence }] = compareDocuments(before!, after!) as [Change]
  expect(sentence).toContain(words)
})

test('an end that comes at this moment comes too early', () => {
  const now = new Date('2030-01-01T00:00:00Z')
  const announced = (sunset: string) =>
    compareDocuments(operation({}), operation({ 'x-sunset': sunset }), { now }).map(
      ({ code }) => code,
    )
  expect(announced('2030-01-01T00:00:00Z')).toEqual(['sunset-earlier'])
  expect(announced('2030-01-01T00:00:00.001Z')).toEqual(['sunset-announced'])
})

test('each server that is gone has a sentence of its own, and each once', () => {
  const [before, after] = [['a', 'b', 'b'], ['c']].map((names) => ({
    ...operation({}),
    servers: names.map((name) => ({ url: `https://${name}.example` })),
  }))
  const changes = compareDocuments(before!, after!)
  expect(changes.map(({ sentence }) => sentence.split('. ')[0])).toEqual([
    'The service is no longer at https://a.example',
    'The service is no longer at https://b.example',
    'The service is at https://c.example, too.',
  ])
})

test('a sentence names all proofs of an alternative, and their scopes', () => {
  const asks = (...schemes: readonly string[]) =>
    operation({ security: [Object.fromEntries(schemes.map((name) => [name, ['read', 'write']]))] })
  const [lost, gained] = compareDocuments(asks('token', 'session'), asks('basic')) as Change[]
  expect(lost!.sentence).toContain('token (read, write) and session (read, write)')
  expect(gained!.sentence).toContain('basic (read, write)')
})

const FORMATS = { type: 'string', format: 'a', allOf: [{ format: 'b' }] }
const TEXT_OR_NULL = { type: ['string', 'null'] }

test('a changelog without changes says so', () => {
  expect(changelogOf([])).toContain('Nothing has changed.')
})

test.each([
  [{ maximum: 5 }, { exclusiveMaximum: 5 }, 'was 5 and is 5 (exclusive)'],
  [{ multipleOf: 2 }, { multipleOf: 4 }, 'was 2 and is 4'],
  [{}, { minimum: 1.5 }, 'was none and is 1.5'],
  [{ type: 'number' }, { type: ['number', 'string'] }, 'string'],
  [TEXT_OR_NULL, { ...TEXT_OR_NULL, enum: ['a', null] }, 'values are left: a, null.'],
  [
    TEXT_OR_NULL,
    { ...TEXT_OR_NULL, anyOf: [{ enum: ['a'] }, { type: 'null' }] },
    'values are left: a, null.',
  ],
  [{ default: 1 }, {}, 'was 1 and is none.'],
  [{ type: 'string' }, FORMATS, 'The value has the format a, b.'],
  [FORMATS, { type: 'string' }, 'no longer has the format a, b.'],
  [{ enum: [1, 2] }, {}, 'values has gone: 1, 2.'],
  [
    { type: ['integer', 'null', 'boolean'] },
    { type: ['number', 'null', 'string'] },
    'The type was boolean, integer and is number, string.',
  ],
])('a sentence has both bounds: %j, %j', (old, now, words) => {
  const [before, after] = [old, now].map((each) => answers({ type: 'number', ...each }))
  const [{ sentence }] = compareDocuments(before!, after!) as [Change]
  expect(sentence).toContain(words)
})

test.each([
  ['a at b', true],
  ['a at *', true],
  ['* at b', true],
  ['*a*t*b', true],
  ['a at', false],
  ['* at', false],
  ['t *', false],
  ['*b*a*', false],
  ['*at*at*', false],
])('the pattern %s names a change, or not: %s', (pattern, isIt) => {
  expect(isNamed({ code: 'a', at: 'b' } as Change, pattern)).toBe(isIt)
})

test('a contract is written with sorted keys and one line end', () => {
  const text = textOfContract({ b: [{ d: 1, c: null }], a: 'x' })
  expect(text).toBe(`${JSON.stringify({ a: 'x', b: [{ c: null, d: 1 }] }, null, 2)}\n`)
})

test('views of other schemas, or with something beside them, have other keys', () => {
  const ground = groundOf({})
  const parts = Array.from({ length: 24 }, (_, minLength) => ({ minLength }))
  viewOf(ground, parts)
  const key = (...numbers: readonly number[]) =>
    viewOf(
      ground,
      numbers.map((at) => parts[at]),
    ).key
  expect(key(1, 23)).not.toBe(key(12, 3))
  expect(key(1, 23)).toBe(key(23, 1))
  const view = viewOf(ground, parts)
  expect(allowing(view, ['null']).key).not.toBe(view.key)
})

test('a schema has a text within so many values', () => {
  const textWithin = (most: number) => canonicalWithin({}, { enum: [1, 2] }, most)
  expect([3, 2].map(textWithin)).toEqual(['{"enum":[1,2]}', null])
  const list = { items: [{ b: 1, a: 2 }, 3] }
  expect(canonicalWithin({}, list, 9)).toBe('{"items":[{"a":2,"b":1},3]}')
})

test('the corpus has changes of every kind, each once', () => {
  const titles = all.map(({ title }) => title)
  expect(titles.length).toBeGreaterThanOrEqual(80)
  expect(new Set(titles).size).toBe(titles.length)
})
