import type { LabelledChange } from './corpus.ts'
import { answers, bothWays, documentOf, json, object, operation } from './documents.ts'

const text = { type: 'string' }
const whole = { type: 'integer' }
const none = { sent: [], got: [] }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const city = object({ name: text, area: { type: 'number' } })

/** What looks like a change and is none. */
export const unchanged = (): readonly LabelledChange[] => [
  ...bothWays(
    'keys in another order',
    city,
    {
      required: ['area', 'name'],
      properties: { area: { type: 'number' }, name: text },
      type: 'object',
    },
    none,
  ),
  ...bothWays('choices in another order', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }, none),
  ...bothWays(
    'types in another order',
    { type: ['string', 'null'] },
    { type: ['null', 'string'] },
    none,
  ),
  ...bothWays(
    'branches in another order',
    { oneOf: [text, whole] },
    { oneOf: [whole, text] },
    none,
  ),
  ...bothWays('const for an enum of one', { const: 'a' }, { enum: ['a'] }, none),
  ...bothWays(
    'a choice of another type that the type rules out',
    { type: 'integer', enum: [1, 1.5, [1], null] },
    { type: 'integer', enum: [1] },
    none,
  ),
  ...bothWays(
    'types that no choice has',
    { type: ['array', 'string'], enum: [[1], [2]] },
    { type: ['array', 'object'], enum: [[1], [2]] },
    none,
  ),
  ...bothWays(
    'choices of which two parts leave one',
    { allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] },
    { const: 'b' },
    none,
  ),
  ...bothWays(
    'null beside choices, or among them',
    { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] },
    { enum: ['a', 'b', null] },
    none,
  ),
  ...bothWays(
    'choices whose members are in another order',
    { enum: [{ a: 1, b: [2, 3] }] },
    { enum: [{ b: [2, 3], a: 1 }] },
    none,
  ),
  ...bothWays(
    'choices that are all that a type has',
    { type: 'boolean', enum: [true, false] },
    { type: 'boolean', enum: [false, true] },
    none,
  ),
  ...bothWays(
    'choices that are no list',
    { ...text, enum: 7 },
    { ...text, enum: 7, minLength: 0 },
    none,
  ),
  ...bothWays(
    'choices that are lists, with members in another order',
    { enum: [[{ a: 1, b: 2 }]] },
    { enum: [[{ b: 2, a: 1, c: undefined }]] },
    none,
  ),
  ...bothWays(
    'choices that must not be, in another order',
    { not: { enum: ['a', 'b'] } },
    { not: { enum: ['b', 'a'] } },
    none,
  ),
  ...bothWays(
    'anyOf for a list of types',
    { type: ['string', 'null'] },
    { anyOf: [text, { type: 'null' }] },
    none,
  ),
  ...bothWays(
    'oneOf for a list of types',
    { type: ['string', 'null'] },
    { oneOf: [text, { type: 'null' }] },
    none,
  ),
  ...[{ title: 'x' }, { description: 'x' }, { examples: ['x'] }, { allOf: [{}] }].map((words) => ({
    title: `a branch that only names a type, and has ${JSON.stringify(words)}`,
    before: answers({ type: ['string', 'integer'] }),
    after: answers({ anyOf: [{ ...text, ...words }, whole] }),
    expected: [],
  })),
  {
    title: 'a branch that only leads to a type, and describes it',
    before: answers({ type: ['string', 'integer'] }),
    after: answers({ anyOf: [{ ...ref('Name'), description: 'x' }, whole] }, { Name: text }),
    expected: [],
  },
  ...bothWays('allOf of one', city, { allOf: [city] }, none),
  ...bothWays(
    'allOf in two parts',
    city,
    { allOf: [object({ name: text }), object({ area: { type: 'number' } })] },
    none,
  ),
  ...bothWays(
    'additionalProperties: true is the default',
    city,
    { ...city, additionalProperties: true },
    none,
  ),
  ...(
    [
      ['maximum', 5, 9],
      ['minimum', 9, 5],
      ['maxLength', 5, 9],
      ['minLength', 9, 5],
    ] as const
  ).flatMap(([keyword, strict, loose]) =>
    [
      [strict, loose],
      [loose, strict],
    ].flatMap((bounds) =>
      bothWays(
        `of two bounds the strictest counts: ${keyword} ${bounds.join(' and ')}`,
        { allOf: bounds.map((bound) => ({ [keyword]: bound })) },
        { [keyword]: strict },
        none,
      ),
    ),
  ),
  ...bothWays(
    'a bound that another one is stricter than',
    { maximum: 5, minimum: 2 },
    { maximum: 5, exclusiveMaximum: 9, minimum: 2, exclusiveMinimum: 1 },
    none,
  ),
  ...bothWays(
    'what two parts say that must not be, in another order',
    { allOf: [{ not: text }, { not: whole }] },
    { allOf: [{ not: whole }, { not: text }] },
    none,
  ),
  ...bothWays(
    'a default stays',
    { ...text, default: 'a' },
    { ...text, default: 'a', minLength: 0 },
    none,
  ),
  ...bothWays('a format of what is typed', text, { ...text, format: 'password' }, none),
  ...bothWays('a format that is no text', text, { ...text, format: 7 }, none),
  ...bothWays('a bound that is no number', whole, { ...whole, maximum: '5' }, none),
  ...bothWays(
    'a bound as OpenAPI 3.0 had it',
    { ...whole, maximum: 5 },
    { ...whole, maximum: 5, exclusiveMaximum: true },
    none,
  ),
  ...bothWays('minLength: 0 says nothing', text, { type: 'string', minLength: 0 }, none),
  {
    title: 'a schema is renamed',
    before: answers(ref('City'), { City: city }),
    after: answers(ref('Town'), { Town: city }),
    expected: [],
  },
  {
    title: 'a schema is written where it is used',
    before: answers(ref('City'), { City: city }),
    after: answers(city),
    expected: [],
  },
  {
    title: 'a schema gets a name',
    before: answers(city),
    after: answers(ref('City'), { City: city }),
    expected: [],
  },
  {
    title: 'a schema whose name has a slash and a tilde is written where it is used',
    before: answers(ref('a~1b~0c'), { 'a/b~c': city }),
    after: answers(city),
    expected: [],
  },
  ...[undefined, 'a'].flatMap((name) =>
    bothWays(
      `an open list is given to what had none, with ${name ?? 'no name'}`,
      text,
      { ...text, 'x-extensible-enum': name === undefined ? [] : [name] },
      none,
    ),
  ),
  ...bothWays('an open list is gone', { ...text, 'x-extensible-enum': ['a'] }, text, none),
  {
    title: 'a schema that holds itself is renamed',
    before: answers(ref('A'), { A: object({ next: ref('A') }) }),
    after: answers(ref('B'), { B: object({ next: ref('B') }) }),
    expected: [],
  },
  {
    title: 'a schema that holds itself is written out once',
    before: answers(ref('A'), { A: object({ next: ref('A') }) }),
    after: answers(object({ next: ref('A') }), { A: object({ next: ref('A') }) }),
    expected: [],
  },
  {
    title: 'a schema that no operation uses is removed',
    before: answers(city, { Other: text }),
    after: answers(city),
    expected: [],
  },
  {
    title: 'a parameter of the path is renamed',
    before: operation(
      { parameters: [{ name: 'id', in: 'path', required: true, schema: whole }] },
      '/cities/{id}/',
    ),
    after: operation(
      { parameters: [{ name: 'city', in: 'path', required: true, schema: whole }] },
      '/cities/{city}/',
    ),
    expected: [],
  },
  {
    title: 'parameters in another order',
    before: operation({
      parameters: [
        { name: 'a', in: 'query', schema: text },
        { name: 'b', in: 'query', schema: text },
      ],
    }),
    after: operation({
      parameters: [
        { name: 'b', in: 'query', schema: text },
        { name: 'a', in: 'query', schema: text },
      ],
    }),
    expected: [],
  },
  {
    title: 'a parameter becomes a component',
    before: operation({ parameters: [{ name: 'a', in: 'query', schema: text }] }),
    after: operation({ parameters: [{ $ref: '#/components/parameters/a' }] }, '/cities/', {
      components: { parameters: { a: { name: 'a', in: 'query', schema: text } } },
    }),
    expected: [],
  },
  {
    title: 'an answer becomes a component',
    before: operation({}),
    after: operation({ responses: { '200': { $ref: '#/components/responses/ok' } } }, '/cities/', {
      components: { responses: { ok: { description: 'OK' } } },
    }),
    expected: [],
  },
  {
    title: 'a component beside which a length stands gets another name',
    before: answers({ ...ref('Name'), maxLength: 9 }, { Name: text }),
    after: answers({ ...ref('Title'), maxLength: 9 }, { Title: text }),
    expected: [],
  },
  {
    title: 'what a component holds stands in its place, where a length stands beside it',
    before: answers({ ...ref('Name'), maxLength: 9 }, { Name: text }),
    after: answers({ ...text, maxLength: 9 }),
    expected: [],
  },
  {
    title: 'components that lead to one another stay',
    before: answers(ref('A'), { A: ref('B'), B: ref('A') }),
    after: answers(ref('B'), { A: ref('B'), B: ref('A') }),
    expected: [],
  },
  {
    title: 'a style that is the default',
    before: operation({ parameters: [{ name: 'a', in: 'query', schema: text }] }),
    after: operation({
      parameters: [{ name: 'a', in: 'query', style: 'form', explode: true, schema: text }],
    }),
    expected: [],
  },
  {
    title: 'a header in other letters',
    before: operation({ parameters: [{ name: 'X-Tenant', in: 'header', schema: text }] }),
    after: operation({ parameters: [{ name: 'x-tenant', in: 'header', schema: text }] }),
    expected: [],
  },
  {
    title: 'paths in another order',
    before: documentOf({
      '/a/': { get: { responses: { '200': { description: 'OK', content: json(text) } } } },
      '/b/': { get: { responses: {} } },
    }),
    after: documentOf({
      '/b/': { get: { responses: {} } },
      '/a/': { get: { responses: { '200': { description: 'OK', content: json(text) } } } },
    }),
    expected: [],
  },
  {
    title: 'security for all operations is written at one',
    before: { ...operation({}), security: [] },
    after: operation({ security: [] }),
    expected: [],
  },
]
