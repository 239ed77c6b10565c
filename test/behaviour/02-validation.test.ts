// 2.2 Validation bodies: what a declared serializer answers, by message and by code.
import { describe } from 'vitest'
import {
  type Incoming,
  ValidationError,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  handleException,
  many,
  reply,
  serializer,
} from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'

const name = serializer({ name: field.text({ maxLength: 5 }), n: field.integer({ default: 0 }) })
const thing = serializer(
  {
    title: field.text({ allowBlank: false }),
    a: field.nested(name, { required: false, nullable: true }),
    items: field.list(field.nested(name), { required: false, allowEmpty: false, maxLength: 3 }),
    l: field.list(field.integer(), { required: false, minLength: 1 }),
    kind: field.choice(['x', 'y'], { required: false }),
    key: field.bigInteger({ required: false }),
    price: field.decimal({ maxDigits: 30, required: false }),
    extra: field.json({ required: false }),
    author: field.related({ find: (id) => (id === 1 ? { id } : null) }, { required: false }),
  },
  { validate: ({ title }) => (title === 'object' ? 'Not as a whole.' : null) },
)

/** Codes where the messages would stand, so that the tables are about rules and not about words. */
function codes(error: unknown, request: Incoming): ReturnType<typeof handleException> {
  return error instanceof ValidationError
    ? reply(error.codes, { status: error.status })
    : handleException(error, request)
}

const urls = defineUrls({ thing: '/thing/', names: '/names/', renamed: '/renamed/' })
const api = defineApi({ urls, exceptionHandler: codes })
const read = async (request: Parameters<typeof thing.parse>[1] & { body(): Promise<unknown> }) =>
  thing.parse(await request.body(), request)
const app = api.serve(
  [
    api
      .endpoint('thing')
      .post(read)
      .patch(async (request) => thing.parse(await request.body(), request, { partial: true })),
    api.endpoint('names').post(async (request) => many(name).parse(await request.body(), request)),
    api.endpoint('renamed', { nonFieldErrorsKey: '__all__' }).post(read),
  ],
  { configuration: configurationOf() },
)

const bad = (data: unknown) => ({ status: 400, data })
const json = (value: unknown) => ({ json: value })
const raw = (body: string) => ({ body, headers: { 'content-type': 'application/json' } })

const BODIES: readonly Row[] = [
  ['E21 a field', 'POST /thing/', bad({ title: ['required'] }), json({})],
  [
    'E21 several fields',
    'POST /thing/',
    bad({ title: ['blank'], kind: ['invalid_choice'] }),
    json({ title: ' ', kind: 'z' }),
  ],
  [
    'E22 no field',
    'POST /thing/',
    bad({ non_field_errors: ['invalid'] }),
    json({ title: 'object' }),
  ],
  ['E22 its key', 'POST /renamed/', bad({ __all__: ['invalid'] }), json({ title: 'object' })],
  ['E22 fields first', 'POST /thing/', bad({ l: ['not_a_list'] }), json({ title: 'object', l: 1 })],
  ['E23 a list', 'POST /thing/', bad({ non_field_errors: ['invalid'] }), json([])],
  ['E23 a text', 'POST /thing/', bad({ non_field_errors: ['invalid'] }), json('x')],
  ['E23 null', 'POST /thing/', bad({ non_field_errors: ['null'] }), json(null)],
  [
    'E24 an object',
    'POST /thing/',
    bad({ a: { name: ['max_length'] } }),
    json({ title: 'T', a: { name: 'abcdef' } }),
  ],
  [
    'E25 objects in a list',
    'POST /thing/',
    bad({ items: { 0: { name: ['required'] }, 2: { name: ['null'], n: ['invalid'] } } }),
    json({ title: 'T', items: [{}, { name: 'a' }, { name: null, n: 'x' }] }),
  ],
  [
    'E25 a body of objects',
    'POST /names/',
    bad({ 1: { name: ['blank'] } }),
    json([{ name: 'a' }, { name: '' }]),
  ],
  [
    'E26 scalars in a list',
    'POST /thing/',
    bad({ l: { 1: ['invalid'] } }),
    json({ title: 'T', l: [1, 'x'] }),
  ],
  [
    'E27 no list of objects',
    'POST /thing/',
    bad({ items: { non_field_errors: ['not_a_list'] } }),
    json({ title: 'T', items: {} }),
  ],
  [
    'E27 an empty one',
    'POST /thing/',
    bad({ items: { non_field_errors: ['empty'] } }),
    json({ title: 'T', items: [] }),
  ],
  [
    'E27 a long one',
    'POST /thing/',
    bad({ items: { non_field_errors: ['max_length'] } }),
    json({ title: 'T', items: [1, 2, 3, 4] }),
  ],
  [
    'E27 a short list of scalars',
    'POST /thing/',
    bad({ l: ['min_length'] }),
    json({ title: 'T', l: [] }),
  ],
  [
    'E28 a relation',
    'POST /thing/',
    bad({ author: ['does_not_exist'] }),
    json({ title: 'T', author: 9 }),
  ],
  [
    'E28 no key at all',
    'POST /thing/',
    bad({ author: ['incorrect_type'] }),
    json({ title: 'T', author: 'Ada' }),
  ],
  [
    'E29 a number is a text',
    'POST /thing/',
    { status: 200, data: { title: '5' } },
    json({ title: 5 }),
  ],
  [
    'E29 space around it is not',
    'POST /thing/',
    { status: 200, data: { title: 'T' } },
    json({ title: ' T ' }),
  ],
  ['E29 truth is no text', 'POST /thing/', bad({ title: ['invalid'] }), json({ title: true })],
  [
    'E29 NUL',
    'POST /thing/',
    bad({ title: ['null_characters_not_allowed'] }),
    json({ title: 'a\0' }),
  ],
  ['G2 PATCH asks for nothing', 'PATCH /thing/', { status: 200, data: {} }, json({})],
  ['G2 but checks what is there', 'PATCH /thing/', bad({ title: ['null'] }), json({ title: null })],
  [
    'a form',
    'POST /thing/',
    { status: 200, data: { title: 'T', a: null, l: [3] } },
    { form: { title: 'T', a: '', l: '3' } },
  ],
]

const STRANGE: readonly Row[] = [
  ['__proto__', 'POST /thing/', bad({ title: ['required'] }), raw('{"__proto__":{"title":"T"}}')],
  [
    'constructor',
    'POST /thing/',
    { status: 200, data: { title: 'T' } },
    raw('{"title":"T","constructor":{"prototype":1}}'),
  ],
  [
    'the last of two members',
    'POST /thing/',
    { status: 200, data: { title: 'B' } },
    raw('{"title":"A","title":"B"}'),
  ],
  ['NaN', 'POST /thing/', 400, raw('{"title":NaN}')],
  ['a number beyond all numbers', 'POST /thing/', 400, raw('{"title":"T","extra":1e999}')],
  [
    'one that is text',
    'POST /thing/',
    { status: 200, data: { title: '1e999' } },
    raw('{"title":"1e999"}'),
  ],
  [
    'depth 10,000',
    'POST /thing/',
    400,
    raw(`{"title":"T","extra":${'['.repeat(1e4)}${']'.repeat(1e4)}}`),
  ],
  [
    'depth 10,000 with long numbers',
    'POST /thing/',
    400,
    raw(`{"title":"T","extra":${'['.repeat(1e4)}1234567890123456789${']'.repeat(1e4)}}`),
  ],
  [
    'depth 200',
    'POST /thing/',
    bad({ extra: ['invalid'] }),
    raw(`{"title":"T","extra":${'['.repeat(200)}${']'.repeat(200)}}`),
  ],
  [
    'numbers beyond 2^53',
    'POST /thing/',
    { status: 200, text: '{"title":"T","key":9007199254740993,"price":"12345678901234567.89"}' },
    raw('{"title":"T","key":9007199254740993,"price":12345678901234567.89}'),
  ],
  [
    'numbers without their digits',
    'POST /thing/',
    bad({ key: ['invalid'] }),
    raw('{"title":"T","key":1e20}'),
  ],
]

describe('E20–E29', () => {
  throughDoors(app, BODIES)
})
describe('strange JSON', () => {
  throughDoors(app, STRANGE)
})
