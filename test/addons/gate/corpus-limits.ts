import type { Json, LabelledChange } from './corpus.ts'
import {
  answers,
  asks,
  bothWays,
  breaksBoth,
  breaksReaders,
  breaksSenders,
  object,
  operation,
} from './documents.ts'

const text = { type: 'string' }

/** Bounds that move, and what no other file has: of every code there is a change. */
export const limits = (): readonly LabelledChange[] => [...bounds(), ...values(), ...others()]

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
    ...bothWays('the maximum itself is in', below, most, breaksReaders('maximum-raised')),
    ...bothWays('the minimum itself is out', least, above, breaksSenders('minimum-raised')),
    ...bothWays('the minimum itself is in', above, least, breaksReaders('minimum-lowered')),
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
