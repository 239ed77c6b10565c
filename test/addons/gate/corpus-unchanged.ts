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
    'anyOf for a list of types',
    { type: ['string', 'null'] },
    { anyOf: [text, { type: 'null' }] },
    none,
  ),
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
