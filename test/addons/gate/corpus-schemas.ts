import type { LabelledChange } from './corpus.ts'
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
const number = { type: 'number' }
const whole = { type: 'integer' }

/** Schemas of bodies: each change as one of what is sent, and of what is got. */
export const schemas = (): readonly LabelledChange[] => [
  ...values(),
  ...limits(),
  ...objects(),
  ...references(),
  ...tuples(),
  ...rules(),
]

/** Lists whose first members have schemas of their own. */
function tuples(): readonly LabelledChange[] {
  const list = (prefixItems: unknown, items: unknown = text) => ({
    type: 'array',
    prefixItems,
    items,
  })
  return [
    ...bothWays(
      'the second of two becomes an integer',
      list([text, text]),
      list([text, whole]),
      breaksBoth('type-changed'),
    ),
    ...bothWays(
      'a third is written as all that follow',
      list([text, whole]),
      list([text, whole, text]),
      { sent: [], got: [] },
    ),
    ...bothWays(
      'a third is written out, and all that follow become integers',
      { type: 'array', prefixItems: [text, text], items: text },
      { type: 'array', prefixItems: [text, text, text], items: whole },
      breaksBoth('type-changed'),
    ),
    ...bothWays(
      'what stands for an item that is left out, which no one can leave out',
      { type: 'array', items: { default: 1 } },
      { type: 'array', items: { default: 2 } },
      { sent: ['documentation default-changed'], got: ['documentation default-changed'] },
    ),
    ...bothWays(
      'all that follow become integers',
      list([text, text]),
      list([text, text], whole),
      breaksBoth('type-changed'),
    ),
  ]
}

/** What is compared as it is written, but for the names of components and an order that means nothing. */
function rules(): readonly LabelledChange[] {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const tree = (name: string) => ({ properties: { leaf: text, trees: { items: ref(name) } } })
  const not = (schema: unknown) => ({ ...text, not: schema })
  const none = { sent: [], got: [] }
  const ring = (inner: string) => ({
    Outer: { properties: { inner: ref('Inner') } },
    Inner: { properties: { again: ref(inner) } },
  })
  return [
    ...Object.entries({
      $dynamicRef: ['#a', '#b'],
      $ref: ['other.json#/a', 'other.json#/b'],
      contains: [text, whole],
      contentSchema: [text, whole],
      dependentRequired: [{ a: ['b'] }, { a: ['c'] }],
      dependentSchemas: [{ a: { required: ['b'] } }, { a: { required: ['c'] } }],
      else: [text, whole],
      if: [text, whole],
      maxContains: [1, 2],
      minContains: [1, 2],
      not: [text, whole],
      patternProperties: [{ '^a': text }, { '^a': whole }],
      propertyNames: [text, { minLength: 2 }],
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword
      then: [text, whole],
      unevaluatedItems: [text, whole],
      unevaluatedProperties: [text, whole],
    }).flatMap(([keyword, [before, after]]) =>
      bothWays(
        `another ${keyword}`,
        object({ a: { [keyword]: before } }),
        object({ a: { [keyword]: after } }),
        breaksBoth('rule-changed'),
      ),
    ),
    ...bothWays(
      'what must not be is written in another order',
      not({ required: ['a', 'b'], type: ['object', 'null'], allOf: [{ minLength: 1 }, whole] }),
      not({ allOf: [whole, { minLength: 1 }], type: ['null', 'object'], required: ['b', 'a'] }),
      none,
    ),
    ...bothWays(
      'a list that must not be is another',
      not({ const: [1, 2] }),
      not({ const: [12] }),
      breaksBoth('rule-changed'),
    ),
    {
      title: 'what must not be holds itself, under another name',
      before: answers(not(ref('Tree')), { Tree: tree('Tree') }),
      after: answers(not(ref('Plant')), { Plant: tree('Plant') }),
      expected: [],
    },
    {
      title: 'what must not be holds another part of itself',
      before: answers(not(ref('Outer')), ring('Outer')),
      after: answers(not(ref('Outer')), ring('Inner')),
      expected: ['breaking response-rule-changed'],
    },
    ...bothWays(
      'all that begins with x- becomes an integer, and so does x-a',
      { ...object({ 'x-a': {} }), patternProperties: { '^x-': text } },
      { ...object({ 'x-a': {} }), patternProperties: { '^x-': whole } },
      {
        sent: ['breaking rule-changed', 'breaking type-changed'],
        got: ['breaking rule-changed', 'breaking type-changed'],
      },
    ),
    ...bothWays(
      'a pattern of letters lets longer texts through, and one that cannot be read',
      { ...object({ a: text }), patternProperties: patterns(5) },
      { ...object({ a: text }), patternProperties: patterns(9) },
      labelsOf({ both: ['rule-changed'], wider: ['max-length-raised'] }),
    ),
    ...bothWays(
      'a name is given where every property is allowed',
      { type: 'object', additionalProperties: {} },
      { type: 'object', additionalProperties: {}, properties: { a: text } },
      { sent: ['compatible property-added'], got: ['compatible property-added'] },
    ),
    ...bothWays(
      'a property without a name is read by its pattern alone',
      { ...object({ a: text }), patternProperties: { '^x-': whole } },
      { ...object({ a: text, b: text }), patternProperties: { '^x-': whole } },
      {
        sent: ['breaking required-property-added'],
        got: ['compatible property-added'],
      },
    ),
    ...bothWays(
      'one of many integers gets a name, and is a text',
      { type: 'object', additionalProperties: whole },
      { type: 'object', additionalProperties: whole, properties: { a: text } },
      {
        sent: ['breaking type-changed', 'compatible property-added'],
        got: ['breaking type-changed', 'compatible property-added'],
      },
    ),
    ...bothWays(
      'members of what is no object',
      { ...text, properties: { a: text } },
      { ...text, properties: { a: whole } },
      none,
    ),
  ]
}

/** The last one cannot be read, and says nothing of any name. */
const patterns = (maxLength: number) => ({ '^\\p{L}$': { maxLength }, '(': { maxLength: 1 } })

/** What stands beside a reference holds as well as what it leads to. */
function references(): readonly LabelledChange[] {
  const ref = { $ref: '#/components/schemas/Name' }
  const short = { ...ref, maxLength: 9 }
  return [
    {
      title: 'a component beside which a length stands becomes an integer',
      before: answers(short, { Name: text }),
      after: answers(short, { Name: whole }),
      expected: ['breaking response-type-changed'],
    },
    {
      title: 'a component that no value fits fits texts',
      before: answers(ref, { Name: false }),
      after: answers(ref, { Name: text }),
      expected: ['breaking response-enum-removed'],
    },
    {
      title: 'a component that every value fits fits texts alone',
      before: answers(ref, { Name: true }),
      after: answers(ref, { Name: text }),
      expected: ['compatible response-no-longer-nullable', 'compatible response-type-narrowed'],
    },
    {
      title: 'a component of which another one leads to nowhere becomes a text',
      before: reads({ $ref: '#/info/nowhere/deeper/Name' }),
      after: reads(text),
      expected: [
        'breaking request-no-longer-nullable',
        'breaking request-rule-changed',
        'breaking request-type-narrowed',
      ],
    },
    {
      title: 'and one that is nowhere becomes a text',
      before: reads(short),
      after: reads(short, { Name: text }),
      expected: [
        'breaking request-no-longer-nullable',
        'breaking request-rule-changed',
        'breaking request-type-narrowed',
      ],
    },
  ]
}

const city = (name: unknown) => object({ name })
const optional = (properties: Parameters<typeof object>[0]) => object(properties, { required: [] })

function values(): readonly LabelledChange[] {
  return [
    ...bothWays('integer becomes number', city(whole), city(number), breaksReaders('type-widened')),
    ...bothWays(
      'number becomes integer',
      city(number),
      city(whole),
      breaksSenders('type-narrowed'),
    ),
    ...bothWays('text becomes integer', city(text), city(whole), breaksBoth('type-changed')),
    ...bothWays(
      'text becomes text or integer',
      city(text),
      city({ type: ['string', 'integer'] }),
      breaksReaders('type-widened'),
    ),
    ...bothWays(
      'one text becomes a list of texts',
      city(text),
      city({ type: 'array', items: text }),
      breaksBoth('type-changed'),
    ),
    ...bothWays('a type is no longer given', city(text), city({}), {
      sent: ['compatible type-widened', 'compatible became-nullable'],
      got: ['breaking type-widened', 'breaking became-nullable'],
    }),
    ...bothWays(
      'may be null now',
      city(text),
      city({ type: ['string', 'null'] }),
      breaksReaders('became-nullable'),
    ),
    ...bothWays(
      'may no longer be null',
      city({ type: ['string', 'null'] }),
      city(text),
      breaksSenders('no-longer-nullable'),
    ),
    ...bothWays(
      'may be null now, written with anyOf',
      city(text),
      city({ anyOf: [text, { type: 'null' }] }),
      breaksReaders('became-nullable'),
    ),
    ...bothWays(
      'may be null now, with an enum',
      city({ enum: ['a', 'b'] }),
      city({ enum: ['a', 'b', null] }),
      breaksReaders('became-nullable'),
    ),
    ...bothWays(
      'a choice is added',
      city({ type: 'string', enum: ['a', 'b'] }),
      city({ type: 'string', enum: ['a', 'b', 'c'] }),
      breaksReaders('enum-value-added'),
    ),
    ...bothWays(
      'a choice is removed',
      city({ type: 'string', enum: ['a', 'b'] }),
      city({ type: 'string', enum: ['a'] }),
      breaksSenders('enum-value-removed'),
    ),
    ...Object.entries({
      'a list': [[[1, 2]], [[12]]],
      'an object': [[{ a: 1 }], [{ a: 2 }]],
      'a number for its text': [[1], ['1']],
    }).flatMap(([title, [before, after]]) =>
      bothWays(
        `a choice that is ${title}`,
        { enum: before },
        { enum: after },
        {
          sent: ['breaking enum-value-removed', 'compatible enum-value-added'],
          got: ['compatible enum-value-removed', 'breaking enum-value-added'],
        },
      ),
    ),
    ...bothWays(
      'a choice is replaced',
      city({ type: 'string', enum: ['a', 'b'] }),
      city({ type: 'string', enum: ['a', 'c'] }),
      {
        sent: ['breaking enum-value-removed', 'compatible enum-value-added'],
        got: ['compatible enum-value-removed', 'breaking enum-value-added'],
      },
    ),
    ...bothWays(
      'any text becomes one of two',
      city(text),
      city({ type: 'string', enum: ['a', 'b'] }),
      breaksSenders('enum-added'),
    ),
    ...bothWays(
      'one of two becomes any text',
      city({ type: 'string', enum: ['a', 'b'] }),
      city(text),
      breaksReaders('enum-removed'),
    ),
    ...bothWays('a constant changes', city({ const: 'a' }), city({ const: 'b' }), {
      sent: ['breaking enum-value-removed', 'compatible enum-value-added'],
      got: ['compatible enum-value-removed', 'breaking enum-value-added'],
    }),
    ...bothWays(
      'a choice deep in lists of objects is added',
      { type: 'array', items: city({ type: 'array', items: { enum: [1, 2] } }) },
      { type: 'array', items: city({ type: 'array', items: { enum: [1, 2, 3] } }) },
      breaksReaders('enum-value-added'),
    ),
    ...bothWays(
      'a format is added',
      city(text),
      city({ type: 'string', format: 'email' }),
      breaksSenders('format-added'),
    ),
    ...bothWays(
      'a format is removed',
      city({ type: 'string', format: 'date' }),
      city(text),
      breaksReaders('format-removed'),
    ),
    ...bothWays(
      'a date gets a time',
      city({ type: 'string', format: 'date' }),
      city({ type: 'string', format: 'date-time' }),
      breaksBoth('format-changed'),
    ),
    ...bothWays(
      'int32 becomes int64',
      city({ type: 'integer', format: 'int32' }),
      city({ type: 'integer', format: 'int64' }),
      breaksReaders('format-widened'),
    ),
    ...bothWays(
      'int64 becomes int32',
      city({ type: 'integer', format: 'int64' }),
      city({ type: 'integer', format: 'int32' }),
      breaksSenders('format-narrowed'),
    ),
    ...bothWays(
      'bytes become base64',
      city({ type: 'string' }),
      city({ type: 'string', contentEncoding: 'base64' }),
      breaksBoth('content-encoding-changed'),
    ),
  ]
}

const textUpTo = (maxLength: number) => ({ type: 'string', maxLength })

function limits(): readonly LabelledChange[] {
  return [
    ...bothWays(
      'maxLength is lowered',
      city(textUpTo(80)),
      city(textUpTo(40)),
      breaksSenders('max-length-lowered'),
    ),
    ...bothWays(
      'maxLength is raised',
      city(textUpTo(40)),
      city(textUpTo(80)),
      breaksReaders('max-length-raised'),
    ),
    ...bothWays(
      'maxLength is added',
      city(text),
      city(textUpTo(80)),
      breaksSenders('max-length-lowered'),
    ),
    ...bothWays(
      'maxLength is removed',
      city(textUpTo(80)),
      city(text),
      breaksReaders('max-length-raised'),
    ),
    ...bothWays(
      'empty texts are refused',
      city(text),
      city({ type: 'string', minLength: 1 }),
      breaksSenders('min-length-raised'),
    ),
    ...bothWays(
      'maximum is lowered',
      city({ type: 'integer', maximum: 9 }),
      city({ type: 'integer', maximum: 5 }),
      breaksSenders('maximum-lowered'),
    ),
    ...bothWays(
      'minimum is lowered',
      city({ type: 'integer', minimum: 1 }),
      city({ type: 'integer', minimum: 0 }),
      breaksReaders('minimum-lowered'),
    ),
    ...bothWays(
      'a minimum no longer counts itself',
      city({ type: 'number', minimum: 0 }),
      city({ type: 'number', exclusiveMinimum: 0 }),
      breaksSenders('minimum-raised'),
    ),
    ...bothWays(
      'maxItems is raised',
      { type: 'array', maxItems: 5 },
      { type: 'array', maxItems: 9 },
      breaksReaders('max-items-raised'),
    ),
    ...bothWays(
      'minItems is raised',
      { type: 'array' },
      { type: 'array', minItems: 1 },
      breaksSenders('min-items-raised'),
    ),
    ...bothWays(
      'a list may no longer hold a value twice',
      { type: 'array' },
      { type: 'array', uniqueItems: true },
      breaksSenders('unique-items-added'),
    ),
    ...bothWays(
      'a pattern is added',
      city(text),
      city({ type: 'string', pattern: '^[a-z]+$' }),
      breaksSenders('pattern-added'),
    ),
    ...bothWays(
      'a pattern changes',
      city({ type: 'string', pattern: '^[a-z]+$' }),
      city({ type: 'string', pattern: '^[a-z0-9]+$' }),
      breaksBoth('pattern-changed'),
    ),
    ...bothWays(
      'steps become finer',
      city({ type: 'number', multipleOf: 0.1 }),
      city({ type: 'number', multipleOf: 0.01 }),
      breaksReaders('multiple-of-widened'),
    ),
    ...bothWays(
      'steps become coarser',
      city({ type: 'integer', multipleOf: 5 }),
      city({ type: 'integer', multipleOf: 10 }),
      breaksSenders('multiple-of-narrowed'),
    ),
    ...(
      [
        ['boolean', 'format', 'int32'],
        ['number', 'maxLength', 5],
        ['number', 'minLength', 5],
        ['number', 'pattern', 'a'],
        ['number', 'contentEncoding', 'base64'],
        ['number', 'uniqueItems', true],
        ['number', 'items', text],
        ['string', 'maximum', 5],
        ['string', 'minimum', 5],
        ['string', 'multipleOf', 2],
        ['string', 'maxItems', 5],
        ['string', 'minProperties', 5],
        ['array', 'required', ['name']],
      ] as const
    ).flatMap(([type, keyword, value]) =>
      bothWays(
        `${keyword} where there are only values of the type ${type}`,
        city({ type }),
        city({ type, [keyword]: value }),
        { sent: [], got: [] },
      ),
    ),
  ]
}

function objects(): readonly LabelledChange[] {
  const open = object({ name: text })
  const wider = object({ name: text, area: number })
  const closed = object({ name: text }, { additionalProperties: false })
  return [
    ...bothWays('a required property is removed', wider, open, breaksBoth('property-removed')),
    ...bothWays(
      'an optional property is removed',
      optional({ name: text }),
      optional({}),
      breaksBoth('property-removed'),
    ),
    ...bothWays(
      'an optional property is added',
      open,
      object({ name: text, area: number }, { required: ['name'] }),
      { sent: ['compatible property-added'], got: ['compatible property-added'] },
    ),
    ...bothWays('a required property is added', open, wider, {
      sent: ['breaking required-property-added'],
      got: ['compatible property-added'],
    }),
    ...bothWays('a property is renamed', open, object({ title: text }), {
      sent: ['breaking property-removed', 'breaking required-property-added'],
      got: ['breaking property-removed', 'compatible property-added'],
    }),
    ...bothWays(
      'a property becomes optional',
      open,
      optional({ name: text }),
      breaksReaders('property-became-optional'),
    ),
    ...bothWays(
      'a property becomes required',
      optional({ name: text }),
      open,
      breaksSenders('property-became-required'),
    ),
    ...bothWays(
      'a property becomes readOnly',
      open,
      object({ name: { ...text, readOnly: true } }),
      { sent: ['breaking property-became-read-only'], got: [] },
    ),
    ...bothWays(
      'a property is no longer readOnly, and required',
      object({ name: { ...text, readOnly: true } }),
      open,
      { sent: ['breaking required-property-added'], got: [] },
    ),
    ...bothWays(
      'a property becomes writeOnly',
      open,
      object({ name: { ...text, writeOnly: true } }),
      { sent: [], got: ['breaking property-became-write-only'] },
    ),
    ...bothWays(
      'a property that was never sent is removed',
      object({ name: text, id: { ...whole, readOnly: true } }),
      open,
      { sent: [], got: ['breaking property-removed'] },
    ),
    ...bothWays(
      'unknown properties are refused',
      open,
      closed,
      breaksSenders('additional-properties-closed'),
    ),
    ...bothWays(
      'unknown properties are let in',
      closed,
      open,
      breaksReaders('additional-properties-opened'),
    ),
    ...bothWays(
      'a property is added to a closed object',
      closed,
      object({ name: text, area: number }, { required: ['name'], additionalProperties: false }),
      breaksReaders('property-added'),
    ),
    ...bothWays(
      'values of a map become narrower',
      { type: 'object', additionalProperties: number },
      { type: 'object', additionalProperties: whole },
      breaksSenders('type-narrowed'),
    ),
    ...bothWays(
      'a property two levels down is removed',
      object({ mayor: wider }),
      object({ mayor: open }),
      breaksBoth('property-removed'),
    ),
    ...bothWays(
      'a default changes',
      optional({ name: { ...text, default: 'a' } }),
      optional({ name: { ...text, default: 'b' } }),
      { sent: ['breaking default-changed'], got: ['documentation default-changed'] },
    ),
    ...bothWays(
      'a default changes where clients have to send a value',
      object({ name: { ...text, default: 'a' } }),
      object({ name: { ...text, default: 'b' } }),
      { sent: ['documentation default-changed'], got: ['documentation default-changed'] },
    ),
    ...bothWays(
      'a property becomes optional, with a default',
      open,
      optional({ name: { ...text, default: 'a' } }),
      {
        sent: ['compatible property-became-optional', 'documentation default-changed'],
        got: ['breaking property-became-optional', 'documentation default-changed'],
      },
    ),
    ...bothWays('a property is deprecated', open, object({ name: { ...text, deprecated: true } }), {
      sent: ['compatible property-deprecated'],
      got: ['compatible property-deprecated'],
    }),
    ...bothWays(
      'one property asks for another',
      optional({ a: text, b: text }),
      { ...optional({ a: text, b: text }), dependentRequired: { a: ['b'] } },
      breaksBoth('rule-changed'),
    ),
    ...bothWays(
      'a description of a property changes',
      open,
      object({ name: { ...text, description: 'As its people call it.' } }),
      { sent: ['documentation description-changed'], got: ['documentation description-changed'] },
    ),
    ...bothWays(
      'an example changes',
      object({ name: { ...text, examples: ['Rome'] } }),
      object({ name: { ...text, examples: ['Oslo'] } }),
      { sent: ['documentation examples-changed'], got: ['documentation examples-changed'] },
    ),
  ]
}
