import type { Json, LabelledChange } from './corpus.ts'
import {
  type Effects,
  answers,
  asks,
  bothWays,
  breaksBoth,
  breaksReaders,
  breaksSenders,
  labelsOf,
  object,
  operation,
} from './documents.ts'

const text = { type: 'string' }

/** Bounds that move, and what no other file has: of every code there is a change. */
export const limits = (): readonly LabelledChange[] => [
  ...bounds(),
  ...chosen(),
  ...values(),
  ...others(),
]

/** A bound that was 5 and is 9, and the same backwards. */
function bounds(): readonly LabelledChange[] {
  return [
    ['array', 'maxItems', 'max-items'],
    ['array', 'minItems', 'min-items'],
    ['object', 'maxProperties', 'max-properties'],
    ['object', 'minProperties', 'min-properties'],
    ['string', 'minLength', 'min-length'],
    ['integer', 'maximum', 'maximum'],
  ]
    .flatMap(([type, keyword, code]) => {
      const [five, nine] = [5, 9].map((bound) => ({ type, [keyword!]: bound }))
      const [raised, lowered] = keyword!.startsWith('max')
        ? [breaksReaders, breaksSenders]
        : [breaksSenders, breaksReaders]
      return [
        ...bothWays(`${keyword} becomes 9`, five, nine, raised(`${code}-raised`)),
        ...bothWays(`${keyword} becomes 5`, nine, five, lowered(`${code}-lowered`)),
      ]
    })
    .concat(edges())
}

/** Bounds whose own value is taken out, or let in. */
function edges(): readonly LabelledChange[] {
  const bounded = (keyword: string): Json => ({ type: 'number', [keyword]: 5 })
  const [most, below] = [bounded('maximum'), bounded('exclusiveMaximum')]
  const [least, above] = [bounded('minimum'), bounded('exclusiveMinimum')]
  return [
    ...bothWays('the maximum itself is out', most, below, breaksSenders('maximum-lowered')),
    ...bothWays(
      'a part with the same maximum lets it out',
      most,
      { ...below, ...most },
      breaksSenders('maximum-lowered'),
    ),
    ...bothWays(
      'the maximum is a half more',
      most,
      { ...most, maximum: 5.5 },
      breaksReaders('maximum-raised'),
    ),
    ...bothWays('the maximum itself is in', below, most, breaksReaders('maximum-raised')),
    ...bothWays('the minimum itself is out', least, above, breaksSenders('minimum-raised')),
    ...bothWays('the minimum itself is in', above, least, breaksReaders('minimum-lowered')),
  ]
}

/** Choices, and what else is said of a value: it counts where a choice does not keep to it. */
function chosen(): readonly LabelledChange[] {
  const [whole, two] = [{ type: 'integer' }, { enum: ['a', 'abc'] }]
  const becomeOpen: readonly (readonly [choices: readonly unknown[], is: Json, Effects])[] = [
    [['a', 'abc'], { ...text, maxLength: 2 }, { narrower: ['max-length-lowered'] }],
    [['', '💥💥'], { ...text, maxLength: 2 }, {}],
    [['ab'], { ...text, minLength: 2 }, {}],
    [['a', null], { type: ['string', 'null'], maxLength: 1 }, {}],
    [['a'], { ...text, pattern: '^a' }, { narrower: ['pattern-added'] }],
    [['a'], { ...text, format: 'uri' }, { narrower: ['format-added'] }],
    [['a'], { ...text, contentEncoding: 'base64' }, { both: ['content-encoding-changed'] }],
    [['a'], { ...text, contentMediaType: 'text/csv' }, { both: ['content-encoding-changed'] }],
    [['a'], whole, { both: ['type-changed'] }],
    [[1, 2], { ...whole, maximum: 2 }, {}],
    [[1, 3], { ...whole, maximum: 2 }, { narrower: ['maximum-lowered'] }],
    [[1, 2], { ...whole, exclusiveMaximum: 2 }, { narrower: ['maximum-lowered'] }],
    [[2, 3], { ...whole, minimum: 2 }, {}],
    [[1, 3], { ...whole, minimum: 2 }, { narrower: ['minimum-raised'] }],
    [[2, 3], { ...whole, exclusiveMinimum: 2 }, { narrower: ['minimum-raised'] }],
    [[1.5], { type: 'number', maximum: 2 }, {}],
    [
      [1.5, 2.5],
      { type: 'number', maximum: 2 },
      { narrower: ['maximum-lowered'], wider: ['type-widened'] },
    ],
    [[2, 4], { ...whole, multipleOf: 2 }, { narrower: ['multiple-of-narrowed'] }],
    [[1], { ...whole, format: 'int32' }, { narrower: ['format-added'] }],
    [[true], { type: ['boolean', 'string'] }, {}],
    [[[1]], { type: ['array', 'string'] }, { wider: ['type-widened'] }],
  ]
  return [
    ...becomeOpen.flatMap(([choices, is, effects]) =>
      bothWays(
        `one of ${JSON.stringify(choices)} becomes any of ${JSON.stringify(is)}`,
        { enum: choices },
        is,
        labelsOf({ ...effects, wider: ['enum-removed', ...(effects.wider ?? [])] }),
      ),
    ),
    ...bothWays(
      'a limit that all choices keep',
      { enum: ['a', 'b'], maxLength: 5 },
      { enum: ['a', 'b'], maxLength: 1 },
      labelsOf({}),
    ),
    ...bothWays(
      'a limit that one of the choices no longer keeps',
      { ...two, maxLength: 5 },
      { ...two, maxLength: 2 },
      breaksSenders('max-length-lowered'),
    ),
    ...bothWays(
      'a limit that one of the choices did not keep',
      { ...two, maxLength: 2 },
      { ...two, maxLength: 5 },
      breaksReaders('max-length-raised'),
    ),
    ...bothWays(
      'a short text becomes one of two, one of which is longer',
      { ...text, maxLength: 2 },
      two,
      labelsOf({ narrower: ['enum-added'], wider: ['max-length-raised'] }),
    ),
    ...bothWays(
      'a short text becomes one of two that are short',
      { ...text, maxLength: 1 },
      { enum: ['a', 'b'] },
      breaksSenders('enum-added'),
    ),
  ]
}

function values(): readonly LabelledChange[] {
  const kind = (name: string): Json => object({ kind: { const: name } })
  return [
    ...bothWays(
      'steps of another length',
      { type: 'integer', multipleOf: 4 },
      { type: 'integer', multipleOf: 6 },
      breaksBoth('multiple-of-changed'),
    ),
    ...[
      [2, 4, 5],
      [3, 3, 2],
    ].flatMap(([one, ...two]) =>
      bothWays(
        `a step of ${one} becomes steps of ${two.join(' and ')}`,
        { type: 'integer', multipleOf: one },
        { type: 'integer', allOf: two.map((multipleOf) => ({ multipleOf })) },
        breaksSenders('multiple-of-narrowed'),
      ),
    ),
    ...[
      { was: 'float', is: 'double', labels: breaksReaders('format-widened') },
      { was: 'double', is: 'float', labels: breaksSenders('format-narrowed') },
    ].flatMap(({ was, is, labels }) =>
      bothWays(
        `${was} becomes ${is}`,
        { type: 'number', format: was },
        { type: 'number', format: is },
        labels,
      ),
    ),
    ...bothWays(
      'a step becomes next to nothing',
      { type: 'number', multipleOf: 1 },
      { type: 'number', multipleOf: 1e-10 },
      breaksReaders('multiple-of-widened'),
    ),
    ...bothWays(
      'a pattern has gone',
      { ...text, pattern: '^a' },
      text,
      breaksReaders('pattern-removed'),
    ),
    ...bothWays(
      'a list may hold a value twice',
      { type: 'array', uniqueItems: true },
      { type: 'array' },
      breaksReaders('unique-items-removed'),
    ),
    ...bothWays(
      'texts of two kinds become texts of two others',
      { oneOf: ['^a', 'b$'].map((pattern) => ({ ...text, pattern })) },
      { oneOf: ['^a', 'c$'].map((pattern) => ({ ...text, pattern })) },
      {
        sent: ['breaking alternatives-overlap', 'breaking pattern-changed'],
        got: ['breaking alternatives-overlap', 'breaking pattern-changed'],
      },
    ),
    ...bothWays(
      'a branch of oneOf gives way to another',
      { oneOf: [kind('cat'), kind('dog')] },
      { oneOf: [kind('cat'), kind('cow')] },
      {
        sent: ['breaking alternative-removed', 'compatible alternative-added'],
        got: ['compatible alternative-removed', 'breaking alternative-added'],
      },
    ),
  ]
}

function others(): readonly LabelledChange[] {
  const name = { name: 'name', schema: text }
  const total = { schema: { type: 'integer' } }
  const header = (members: object): Json =>
    operation({
      responses: { '200': { description: 'OK', headers: { 'X-Total': { ...total, ...members } } } },
    })
  const form = (encoding: object): Json => ({
    'multipart/form-data': { schema: object({ a: text }), encoding },
  })
  const [plain, encoded] = [form({}), form({ a: { contentType: 'application/json' } })]
  const sends = (content: Json): Json =>
    operation({ responses: { '200': { description: 'OK', content } } })
  const takes = (content: Json): Json => operation({ requestBody: { content } })
  return [
    {
      title: 'a parameter is deprecated',
      before: asks(name),
      after: asks({ ...name, deprecated: true }),
      expected: ['compatible parameter-deprecated'],
    },
    {
      title: 'what led to another document, where nobody knows what it was, is a text',
      before: answers({ $ref: 'https://other.example/schema' }),
      after: answers(text),
      expected: [
        'breaking response-rule-changed',
        'compatible response-no-longer-nullable',
        'compatible response-type-narrowed',
      ],
    },
    {
      title: 'a header always comes',
      before: header({}),
      after: header({ required: true }),
      expected: ['compatible response-header-became-required'],
    },
    {
      title: 'a part of a form is encoded otherwise',
      before: takes(plain),
      after: takes(encoded),
      expected: ['breaking request-encoding-changed'],
    },
    {
      title: 'a part of an answer is encoded otherwise',
      before: sends(plain),
      after: sends(encoded),
      expected: ['breaking response-encoding-changed'],
    },
  ]
}
