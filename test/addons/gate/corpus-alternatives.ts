import type { Json, LabelledChange } from './corpus.ts'
import {
  answers,
  bothWays,
  breaksBoth,
  breaksReaders,
  breaksSenders,
  labelsOf,
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
  ...overlapping(),
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
      'a branch that another one covers is removed',
      { anyOf: [text, { type: 'string', maxLength: 3 }, cat] },
      { anyOf: [text, cat] },
      { sent: [], got: [] },
    ),
    ...bothWays(
      'null and another branch are added',
      { oneOf: [cat, dog] },
      { oneOf: [cat, dog, cow, { type: 'null' }] },
      labelsOf({ wider: ['alternative-added', 'became-nullable'] }),
    ),
    ...bothWays(
      'null and another branch are removed',
      { oneOf: [cat, dog, cow, { type: 'null' }] },
      { oneOf: [cat, dog] },
      labelsOf({ narrower: ['alternative-removed', 'no-longer-nullable'] }),
    ),
    ...bothWays(
      'two nulls are one',
      { anyOf: [{ type: 'null' }, { type: 'null' }] },
      { type: 'null' },
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

const deep =
  (levels: number) =>
  (kind: number): Json =>
    levels === 0 ? { const: kind } : object({ in: deep(levels - 1)(kind) })
const orText = (kind: number): Json => ({
  ...object({ kind: { const: kind } }),
  type: ['object', 'string'],
})
const listOf = (value: number): Json => ({ enum: [value, value + 1] })
const beside = (value: number): Json =>
  [{ ...text, minLength: 1 }, { enum: ['a'] }][value - 1] ?? { type: 'integer' }

/** Branches of which a value can have several, and what becomes of those that have no like. */
function overlapping(): readonly LabelledChange[] {
  const [short, long] = [
    { ...text, maxLength: 5 },
    { ...text, minLength: 3 },
  ]
  const shorter = { ...short, maxLength: 4 }
  const [likeA, likeB] = ['a', 'b'].map((pattern) => ({ ...text, pattern }))
  const five = ['cat', 'dog', 'cow', 'pig', 'hen']
  const kinds = (size: unknown, required = ['form', 'kind', 'size']) =>
    five.map((name) =>
      object({ kind: { const: name }, form: { const: 'animal' }, size }, { required }),
    )
  const described = (description: string) => [long, likeA].map((each) => ({ ...each, description }))
  return [
    ...['anyOf', 'oneOf'].flatMap((keyword) => [
      ...bothWays(
        `a branch of ${keyword} is described otherwise`,
        { [keyword]: described('a') },
        { [keyword]: described('b') },
        {
          sent: ['documentation description-changed'],
          got: ['documentation description-changed'],
        },
      ),
      ...bothWays(
        `a property of five kinds changes its type in ${keyword}`,
        { [keyword]: kinds(text) },
        { [keyword]: kinds({ type: 'integer' }, ['size', 'kind', 'form']) },
        breaksBoth('type-changed'),
      ),
    ]),
    ...bothWays(
      'a branch of oneOf takes less, and leaves it to the other one',
      { oneOf: [short, long] },
      { oneOf: [shorter, long] },
      labelsOf({ narrower: ['max-length-lowered'], wider: ['alternatives-overlap'] }),
    ),
    ...bothWays(
      'a branch of oneOf takes more, also from the other one',
      { oneOf: [shorter, long] },
      { oneOf: [short, long] },
      labelsOf({ narrower: ['alternatives-overlap'], wider: ['max-length-raised'] }),
    ),
    ...bothWays(
      'a branch that overlaps is removed from oneOf',
      { oneOf: [text, short, cat] },
      { oneOf: [text, cat] },
      breaksReaders('alternatives-overlap'),
    ),
    // Each of them with what is added: as far as is easy to see, a value can have one of them alone, or two.
    ...[
      { title: 'kinds that are told apart three objects down', of: deep(3), apart: true },
      { title: 'kinds that are told apart four objects down', of: deep(4), apart: false },
      { title: 'objects of a kind, or texts', of: orText, apart: false },
      { title: 'lists of values that have one in common', of: listOf, apart: false },
      { title: 'lists of values beside texts', of: beside, apart: false },
    ].flatMap(({ title, of, apart }) =>
      bothWays(
        `one more: ${title}`,
        { oneOf: [of(1), of(2)] },
        { oneOf: [of(1), of(2), of(9)] },
        labelsOf({
          wider: ['alternative-added'],
          narrower: apart ? [] : ['alternatives-overlap'],
        }),
      ),
    ),
    ...bothWays(
      'one of two kinds leads to another place of another document',
      { anyOf: [text, { $ref: 'other.json#/A' }] },
      { anyOf: [text, { $ref: 'other.json#/B' }] },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'two branches give way to two others',
      { anyOf: [short, likeA] },
      { anyOf: [shorter, likeB] },
      labelsOf({ narrower: ['alternative-removed'], wider: ['alternative-added'] }),
    ),
    ...bothWays(
      'one branch gives way to two others',
      { anyOf: [short, cat] },
      { anyOf: [shorter, likeB, cat] },
      labelsOf({ narrower: ['alternative-removed'], wider: ['alternative-added'] }),
    ),
    ...bothWays(
      'a choice within a choice changes, where values can have both',
      { anyOf: [{ oneOf: [short, long] }, cat] },
      { anyOf: [{ oneOf: [shorter, long] }, cat] },
      breaksBoth('alternatives-overlap'),
    ),
    ...bothWays(
      'one of two choices that stand beside one another changes',
      { anyOf: [short, long], oneOf: [likeA, likeB] },
      { anyOf: [shorter, long], oneOf: [likeA, likeB] },
      breaksBoth('alternatives-overlap'),
    ),
    ...bothWays(
      'a choice within a choice is written in another order',
      { oneOf: [{ anyOf: [short, likeA] }, long] },
      { oneOf: [long, { anyOf: [likeA, short] }] },
      { sent: [], got: [] },
    ),
  ]
}

/** More branches than are told apart, which are compared as they stand. */
function many(): readonly LabelledChange[] {
  const kinds = Array.from({ length: 64 }, (_, at) => object({ kind: { const: `k${at}` } }))
  const one = object({ kind: { const: 'one' }, size: { type: 'integer' } })
  const other = object({ kind: { const: 'one' }, size: text })
  const products = { anyOf: kinds.slice(0, 9) }
  return [
    ...['anyOf', 'oneOf'].flatMap((keyword) => [
      ...bothWays(
        `the last of 65 branches of ${keyword} changes`,
        { [keyword]: [...kinds, one] },
        { [keyword]: [...kinds, other] },
        breaksBoth('rule-changed'),
      ),
      ...bothWays(
        `64 branches of ${keyword} become 65`,
        { [keyword]: kinds },
        { [keyword]: [...kinds, one] },
        breaksBoth('rule-changed'),
      ),
      ...bothWays(
        `65 branches of ${keyword} come in another order`,
        { [keyword]: [...kinds, one] },
        { [keyword]: [one, ...kinds] },
        { sent: [], got: [] },
      ),
    ]),
    ...bothWays(
      'the last of 64 branches changes',
      { anyOf: [...kinds.slice(1), one] },
      { anyOf: [...kinds.slice(1), other] },
      breaksBoth('type-changed'),
    ),
    ...bothWays(
      'the last of 65 branches within a branch changes',
      { anyOf: [{ anyOf: [...kinds, one] }, text] },
      { anyOf: [{ anyOf: [...kinds, other] }, text] },
      breaksBoth('rule-changed'),
    ),
    ...[[32, 'type-changed'] as const, [33, 'rule-changed'] as const].flatMap(([half, code]) =>
      bothWays(
        `the last of two times ${half} branches changes`,
        { anyOf: [{ anyOf: kinds.slice(0, half) }, { anyOf: [...kinds.slice(33), one] }] },
        { anyOf: [{ anyOf: kinds.slice(0, half) }, { anyOf: [...kinds.slice(33), other] }] },
        breaksBoth(code),
      ),
    ),
    ...bothWays(
      'allOf of one with 65 branches',
      { anyOf: [...kinds, one] },
      { allOf: [{ anyOf: [...kinds, one] }] },
      { sent: [], got: [] },
    ),
    ...bothWays(
      'a part beside 65 branches stands before them',
      { allOf: [{ anyOf: [...kinds, one] }, named] },
      { allOf: [named, { anyOf: [...kinds, one] }] },
      { sent: [], got: [] },
    ),
    ...bothWays(
      'a part stands in its place beside another document and 65 branches',
      { allOf: [{ $ref: 'other.json#/A', allOf: [named] }, { anyOf: [...kinds, one] }] },
      { allOf: [{ $ref: 'other.json#/A' }, named, { anyOf: [...kinds, one] }] },
      { sent: [], got: [] },
    ),
    {
      title: 'a component with 65 branches is renamed, beside which there is a description',
      before: answers({ ...ref('Kinds'), description: 'x' }, { Kinds: { anyOf: [...kinds, one] } }),
      after: answers({ ...ref('All'), description: 'x' }, { All: { anyOf: [...kinds, one] } }),
      expected: [],
    },
    ...bothWays(
      'one thing becomes one of 65',
      one,
      { anyOf: [...kinds, one] },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'one of 65 things becomes one thing',
      { anyOf: [...kinds, one] },
      one,
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'another document stands beside 65 branches',
      { allOf: [{ $ref: 'other.json#/A' }, { anyOf: [...kinds, one] }] },
      { allOf: [{ $ref: 'other.json#/B' }, { anyOf: [...kinds, one] }] },
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
  const list = { type: 'array', items: { type: 'integer' } }
  return [
    ...bothWays(
      'a choice of which no branch takes null stands beside null: nothing is valid',
      { type: ['null'] },
      { allOf: [{ type: ['null'] }, { anyOf: [{ type: 'boolean' }, list] }] },
      breaksSenders('no-longer-nullable'),
    ),
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
      title: 'two properties change that stand before what leads back',
      before: answers(ref('A'), { A: object({ a: text, b: text, self: ref('A') }) }),
      after: answers(ref('A'), {
        A: object({ a: { type: 'integer' }, b: { type: 'boolean' }, self: ref('A') }),
      }),
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
