import type { Json, LabelledChange } from './corpus.ts'
import {
  answers,
  bothWays,
  breaksBoth,
  breaksReaders,
  breaksSenders,
  object,
  reads,
} from './documents.ts'

const text = { type: 'string' }
const cat = object({ kind: { const: 'cat' }, lives: { type: 'integer' } })
const dog = object({ kind: { const: 'dog' }, barks: { type: 'boolean' } })
const cow = object({ kind: { const: 'cow' } })
const named = object({ name: text })

/** `oneOf`, `anyOf`, `allOf`, `not`, and schemas that know themselves. */
export const alternatives = (): readonly LabelledChange[] => [
  ...choices(),
  ...many(),
  ...together(),
  ...recursive(),
]

function choices(): readonly LabelledChange[] {
  return [
    ...bothWays(
      'a branch of oneOf is added',
      { oneOf: [cat, dog] },
      { oneOf: [cat, dog, cow] },
      breaksReaders('alternative-added'),
    ),
    ...bothWays(
      'a branch of oneOf is removed',
      { oneOf: [cat, dog, cow] },
      { oneOf: [cat, dog] },
      breaksSenders('alternative-removed'),
    ),
    ...bothWays(
      'a branch of anyOf is added',
      { anyOf: [text, cat] },
      { anyOf: [cat, { type: 'boolean' }, text] },
      breaksReaders('type-widened'),
    ),
    ...bothWays(
      'one thing becomes one of two',
      text,
      { oneOf: [text, cat] },
      breaksReaders('alternative-added'),
    ),
    ...bothWays(
      'a property of one branch is removed',
      { oneOf: [cat, dog] },
      { oneOf: [object({ kind: { const: 'cat' } }), dog] },
      breaksBoth('property-removed'),
    ),
    ...bothWays(
      'a branch that another one covers is added',
      { anyOf: [text, cat] },
      { anyOf: [text, { type: 'string', maxLength: 3 }, cat] },
      { sent: [], got: [] },
    ),
    ...bothWays(
      'a branch that overlaps is added to oneOf',
      { oneOf: [text, cat] },
      { oneOf: [text, { type: 'string', maxLength: 3 }, cat] },
      { sent: ['breaking alternatives-overlap'], got: ['compatible alternatives-overlap'] },
    ),
    ...bothWays(
      'what is not allowed changes',
      { type: 'string', not: { const: 'a' } },
      { type: 'string', not: { const: 'b' } },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'null is gone that stood beside what must not be null',
      { anyOf: [{ not: { type: 'null' } }, { type: 'null' }] },
      { not: { type: 'null' } },
      breaksSenders('no-longer-nullable'),
    ),
    ...bothWays(
      'a condition is added',
      named,
      { ...named, if: { required: ['name'] }, else: { required: ['area'] } },
      breaksBoth('rule-changed'),
    ),
  ]
}

/** More branches than are told apart, which are compared as they stand. */
function many(): readonly LabelledChange[] {
  const kinds = Array.from({ length: 65 }, (_, at) => object({ kind: { const: `k${at}` } }))
  const one = object({ kind: { const: 'one' }, size: { type: 'integer' } })
  const other = object({ kind: { const: 'one' }, size: text })
  const products = { anyOf: kinds.slice(0, 9) }
  return [
    ...['anyOf', 'oneOf'].flatMap((keyword) => [
      ...bothWays(
        `the last of 66 branches of ${keyword} changes`,
        { [keyword]: [...kinds, one] },
        { [keyword]: [...kinds, other] },
        breaksBoth('rule-changed'),
      ),
      ...bothWays(
        `65 branches of ${keyword} become 66`,
        { [keyword]: kinds },
        { [keyword]: [...kinds, one] },
        breaksBoth('rule-changed'),
      ),
      ...bothWays(
        `66 branches of ${keyword} come in another order`,
        { [keyword]: [...kinds, one] },
        { [keyword]: [one, ...kinds] },
        { sent: [], got: [] },
      ),
    ]),
    ...bothWays(
      'one thing becomes one of 66',
      one,
      { anyOf: [...kinds, one] },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'one of 66 things becomes one thing',
      { anyOf: [...kinds, one] },
      one,
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'another document stands beside 65 branches',
      { allOf: [{ $ref: 'other.json#/A' }, { anyOf: kinds }] },
      { allOf: [{ $ref: 'other.json#/B' }, { anyOf: kinds }] },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'one of 90 pairs of branches changes',
      { allOf: [products, { anyOf: [...kinds.slice(10, 19), one] }] },
      { allOf: [products, { anyOf: [...kinds.slice(10, 19), other] }] },
      breaksBoth('rule-changed'),
    ),
  ]
}

function together(): readonly LabelledChange[] {
  const area = object({ area: { type: 'number' } })
  return [
    ...bothWays(
      'a part of allOf is added',
      { allOf: [named] },
      { allOf: [named, area] },
      { sent: ['breaking required-property-added'], got: ['compatible property-added'] },
    ),
    ...bothWays(
      'a part of allOf is removed',
      { allOf: [named, area] },
      { allOf: [named] },
      breaksBoth('property-removed'),
    ),
    ...bothWays(
      'a limit moves into allOf and is lowered',
      { type: 'string', maxLength: 9 },
      { allOf: [text, { maxLength: 5 }] },
      breaksSenders('max-length-lowered'),
    ),
  ]
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const tree = (name: unknown, self = 'Tree') =>
  object({ name, children: { type: 'array', items: ref(self) } })

/** More ways lead through these than can be written down. */
function kindsOf(last: Json): Json {
  const names = Array.from({ length: 70 }, (_, at) => `Kind${at}`)
  const kinds = names.map((name, at) => {
    const others = [1, 7, 24].map((step) => [`to${step}`, ref(names[(at + step) % 70]!)])
    return [name, object({ kind: { const: name }, size: text, ...Object.fromEntries(others) })]
  })
  return {
    ...Object.fromEntries(kinds),
    Last: object({ kind: { const: 'Last' }, size: last }),
    Kind: { oneOf: [...names, 'Last'].map(ref) },
  }
}

function recursive(): readonly LabelledChange[] {
  return [
    {
      title: 'a property of a schema that holds itself changes its type',
      before: answers(ref('Tree'), { Tree: tree(text) }),
      after: answers(ref('Tree'), { Tree: tree({ type: 'integer' }) }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'a schema that holds itself through another one gets a required property',
      before: reads(ref('A'), {
        A: object({ b: ref('B') }),
        B: object({ a: { type: 'array', items: ref('A') } }),
      }),
      after: reads(ref('A'), {
        A: object({ b: ref('B') }),
        B: object({ a: { type: 'array', items: ref('A') }, c: text }),
      }),
      expected: ['breaking request-required-property-added'],
    },
    ...bothWays(
      'a reference to another document leads to another place',
      { $ref: 'other.json#/A' },
      { $ref: 'other.json#/B' },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'a reference to another document leads to another place, where null is allowed beside it',
      { anyOf: [{ $ref: 'other.json#/A' }, { type: 'null' }] },
      { anyOf: [{ $ref: 'other.json#/B' }, { type: 'null' }] },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'a reference to a mark leads to another one',
      { items: { $ref: '#near' }, type: 'array' },
      { items: { $ref: '#far' }, type: 'array' },
      breaksBoth('rule-changed'),
    ),
    {
      title: 'a schema changes whose name is no text of a URI',
      before: answers(ref('50%'), { '50%': text }),
      after: answers(ref('50%'), { '50%': { type: 'integer' } }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'a property changes that stands before what leads back',
      before: answers(ref('A'), { A: object({ a: text, b: ref('A'), c: ref('A') }) }),
      after: answers(ref('A'), { A: object({ a: { type: 'integer' }, b: ref('A'), c: ref('A') }) }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'a property changes of a schema whose branches are itself',
      before: answers(ref('A'), { A: { ...object({ x: text }), anyOf: [ref('A'), ref('A')] } }),
      after: answers(ref('A'), {
        A: { ...object({ x: { type: 'integer' } }), anyOf: [ref('A'), ref('A')] },
      }),
      expected: ['breaking response-alternative-added', 'compatible response-alternative-removed'],
    },
    {
      title: 'the last of 71 kinds changes, 70 of which lead to three others',
      before: answers(ref('Kind'), kindsOf(text)),
      after: answers(ref('Kind'), kindsOf({ type: 'integer' })),
      expected: ['breaking response-rule-changed'],
    },
    {
      title: 'a schema that operations share is used where it changes',
      before: answers(
        object({ mayor: ref('Person'), council: { type: 'array', items: ref('Person') } }),
        { Person: object({ age: { type: 'integer' } }) },
      ),
      after: answers(
        object({ mayor: ref('Person'), council: { type: 'array', items: ref('Person') } }),
        { Person: object({ age: text }) },
      ),
      expected: ['breaking response-type-changed'],
    },
  ]
}
