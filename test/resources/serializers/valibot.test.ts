import * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import {
  type InputOf,
  type RowOf,
  checked,
  create,
  defineApi,
  field,
  schemaSerializer,
  serializer,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { quiet } from '../../behaviour/fixtures.ts'

// A library as applications use it: what we know of Standard Schema from our own hand may be wrong.

const Line = v.object({ article: v.string(), count: v.pipe(v.number(), v.minValue(1)) })
const Draft = v.pipeAsync(
  v.objectAsync({
    title: v.pipe(v.string(), v.trim(), v.maxLength(5)),
    lines: v.optional(v.array(Line), []),
    code: v.optionalAsync(
      v.pipeAsync(
        v.string(),
        v.checkAsync(async (code) => code !== 'taken', 'Taken.'),
      ),
    ),
  }),
  v.check(({ title }) => title !== 'never', 'Never.'),
)
const Shown = v.object({
  id: v.number(),
  price: v.pipe(
    v.number(),
    v.transform((cents) => cents / 100),
  ),
})

const log: { error?: string }[] = []
const api = defineApi({
  urls: { orders: '/orders/', broken: '/broken/', form: '/form/', inField: '/in-field/' },
  logger: { error: (record) => void log.push(record) },
})
const draft = schemaSerializer(Draft)
const shown = schemaSerializer(Shown)
const thing = serializer({ at: field.schema(Line) })
const app = api.serve(
  [
    api.endpoint('orders').post(
      create({
        serializer: draft,
        output: shown,
        save: ({ title }) => ({ id: 1, price: 1250, secret: title }),
      }),
    ),
    api.endpoint('broken').post(
      checked({ body: Line, answer: Shown }, ({ article }) => ({
        id: 1,
        price: article as never,
      })),
    ),
    api.endpoint('form').post(({ body }) => body(v.object({ tags: v.array(v.string()) }))),
    api.endpoint('inField').post(async (req) => thing.parse(await req.body(), req)),
  ],
  quiet,
)
const ask = client(app)

test('its types are those of the serializer', () => {
  expectTypeOf<InputOf<typeof draft>['lines']>().toEqualTypeOf<
    { article: string; count: number }[]
  >()
  expectTypeOf<RowOf<typeof shown>>().toEqualTypeOf<{ id: number; price: number }>()
})

test('a body becomes what it gives, and an answer what it shows', async () => {
  const { status, data } = await ask.post('/orders/', { json: { title: ' a ' } })
  expect({ status, data }).toEqual({ status: 201, data: { id: 1, price: 12.5 } })
})

test.each<[title: string, path: string, json: unknown, detail: object]>([
  [
    'a member, an item of a list, and what is asked for later',
    '/orders/',
    { title: 'too long', code: 'taken', lines: [{ article: 'a', count: 1 }, { count: 0 }] },
    {
      title: [expect.stringContaining('Invalid length')],
      code: ['Taken.'],
      lines: {
        1: {
          article: [expect.stringContaining('Invalid key')],
          count: [expect.stringContaining('Invalid value')],
        },
      },
    },
  ],
  ['the whole', '/orders/', { title: 'never' }, { non_field_errors: ['Never.'] }],
  [
    'no object',
    '/orders/',
    'text',
    { non_field_errors: [expect.stringContaining('Invalid type')] },
  ],
  [
    'a member of its own kind',
    '/in-field/',
    { at: { article: 'a', count: 'x' } },
    { at: { count: [expect.stringContaining('Invalid type')] } },
  ],
])('%s is refused where it stands', async (_title, path, json, detail) => {
  const { status, data } = await ask.post(path, { json })
  expect({ status, data }).toEqual({ status: 400, data: detail })
})

test('a prototype that is sent is no prototype', async () => {
  const body = '{"title":"a","__proto__":{"lines":5,"polluted":true}}'
  const headers = { 'content-type': 'application/json' }
  expect((await ask.post('/orders/', { body, headers })).status).toBe(201)
  expect({}).not.toHaveProperty('polluted')
})

test('an answer that does not fit is 500, and says nothing of the value', async () => {
  const { status, text } = await ask.post('/broken/', { json: { article: 'private', count: 1 } })
  expect(status).toBe(500)
  expect(text).not.toMatch(/private|price/)
  expect(log[0]?.error).toMatch(/does not fit its schema \(valibot\) at price/)
  expect(JSON.stringify(log)).not.toContain('private')
})

test('a form is an object of it', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { data } = await ask.post('/form/', { body: 'tags=a&tags=b', headers })
  expect(data).toEqual({ tags: ['a', 'b'] })
})
