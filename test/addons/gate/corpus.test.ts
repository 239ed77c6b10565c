import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/addons/gate/change.ts'
import { changelogOf, isNamed, textOfContract } from '../../../src/addons/gate/contract.ts'
import { compareDocuments } from '../../../src/addons/gate/documents.ts'
import { type LabelledChange, corpus } from './corpus.ts'
import { answers, documentOf, json, object, operation } from './documents.ts'

const all = corpus()

function found({ before, after }: LabelledChange): readonly string[] {
  const labels = compareDocuments(before, after).map((each) => `${each.class} ${each.code}`)
  return [...new Set(labels)].toSorted()
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

test('a sentence names all proofs of an alternative, and their scopes', () => {
  const asks = (...schemes: readonly string[]) =>
    operation({ security: [Object.fromEntries(schemes.map((name) => [name, ['read', 'write']]))] })
  const [lost, gained] = compareDocuments(asks('token', 'session'), asks('basic')) as Change[]
  expect(lost!.sentence).toContain('token (read, write) and session (read, write)')
  expect(gained!.sentence).toContain('basic (read, write)')
})

test('a changelog without changes says so', () => {
  expect(changelogOf([])).toContain('Nothing has changed.')
})

test.each([
  [{ maximum: 5 }, { exclusiveMaximum: 5 }, 'was 5 and is 5 (exclusive)'],
  [{ multipleOf: 2 }, { multipleOf: 4 }, 'was 2 and is 4'],
  [{}, { minimum: 1.5 }, 'was none and is 1.5'],
  [{ type: 'number' }, { type: ['number', 'string'] }, 'string'],
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
])('the pattern %s names a change, or not: %s', (pattern, isIt) => {
  expect(isNamed({ code: 'a', at: 'b' } as Change, pattern)).toBe(isIt)
})

test('a contract is written with sorted keys and one line end', () => {
  const text = textOfContract({ b: [{ d: 1, c: null }], a: 'x' })
  expect(text).toBe(`${JSON.stringify({ a: 'x', b: [{ c: null, d: 1 }] }, null, 2)}\n`)
})

test('the corpus has changes of every kind, each once', () => {
  const titles = all.map(({ title }) => title)
  expect(titles.length).toBeGreaterThanOrEqual(80)
  expect(new Set(titles).size).toBe(titles.length)
})
