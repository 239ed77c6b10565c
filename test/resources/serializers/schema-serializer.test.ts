import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type ApiRequest,
  ConfigurationError,
  type InputOf,
  type OutputOf,
  type PatchOf,
  type RowOf,
  arraySource,
  checked,
  create,
  defineApi,
  list,
  partialUpdate,
  reply,
  retrieve,
  schemaSerializer,
  update,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { quiet } from '../../behaviour/fixtures.ts'
import { count, listOf, object, text, waiting } from './standard.ts'

const Line = object({ title: text, pages: count })
const Draft = object({ title: text, pages: count, tags: listOf(text), lines: listOf(Line) })
const Shown = object({ id: count, title: text, pages: count })
const Part = object({ title: text, pages: count }, { partial: true })

type Row = { id: number; title: string; pages: number; secret: string }
const first: Row = { id: 1, title: 'One', pages: 10, secret: 'hidden' }
const rows = new Map<number, Row>([[1, first]])
/** What the program has made wrongly. */
const broken: Row = { ...first, title: 5 as unknown as string }

const log: { error?: string }[] = []
const api = defineApi({
  urls: {
    list: '/list/',
    asyncList: '/async-list/',
    brokenList: '/broken-list/',
    detail: '/detail/',
    broken: '/broken/',
    asyncBroken: '/async-broken/',
    body: '/body/',
    asyncBody: '/async-body/',
    ruled: '/ruled/',
    scalar: '/scalar/',
    checked: '/checked/',
    replied: '/replied/',
    unfit: '/unfit/',
    answer: '/answer/',
  },
  logger: { error: (record) => void log.push(record) },
})
const shown = schemaSerializer(Shown)
const asyncShown = schemaSerializer(waiting(Shown))
const save = ({ title, pages }: { title: string; pages: number }): Row => ({
  ...first,
  title,
  pages,
})
const find = () => rows.get(1)
const app = api.serve(
  [
    api
      .endpoint('list')
      .get(list({ source: arraySource([first]), serializer: shown }))
      .post(create({ serializer: schemaSerializer(Draft), output: shown, save })),
    api
      .endpoint('asyncList')
      .get(list({ source: arraySource([first, first]), serializer: asyncShown }))
      .post(create({ serializer: schemaSerializer(waiting(Draft)), output: asyncShown, save })),
    api
      .endpoint('brokenList')
      .get(list({ source: arraySource([first, broken]), serializer: shown })),
    api
      .endpoint('detail')
      .get(retrieve({ find, serializer: shown }))
      .put(update({ find, serializer: schemaSerializer(Draft), output: shown, save }))
      .patch(
        partialUpdate({
          find,
          serializer: schemaSerializer(Draft, { partial: Part }),
          output: shown,
          save: (part) => ({ ...first, ...part }),
        }),
      ),
    api.endpoint('broken').get(retrieve({ find: () => broken, serializer: shown })),
    api.endpoint('asyncBroken').get(retrieve({ find: () => broken, serializer: asyncShown })),
    api.endpoint('body').post(async (request) => {
      const { title, pages, tags } = await request.body(Draft)
      expectTypeOf(pages).toEqualTypeOf<number>()
      return { title, pages, tags }
    }),
    api.endpoint('asyncBody').post(({ body }) => body(waiting(Line))),
    api
      .endpoint('ruled')
      .post(({ body }) => body(object({ title: text }, { rule: () => 'Not today.' }))),
    api.endpoint('scalar').post(({ body }) => body(count)),
    api.endpoint('checked').post(
      checked({ body: Line, answer: Shown }, (line, request) => {
        expectTypeOf(line).toEqualTypeOf<{ title: string; pages: number }>()
        expectTypeOf(request).toExtend<ApiRequest>()
        return { ...first, ...line }
      }),
    ),
    api
      .endpoint('replied')
      .post(
        checked({ body: Line, answer: waiting(Shown) }, (line) =>
          reply({ ...first, ...line }, { status: 201, headers: { 'X-Own': '1' } }),
        ),
      ),
    // @ts-expect-error the answer has no title
    api.endpoint('unfit').get(checked({ answer: Shown }, () => ({ id: 1, pages: 'private' }))),
    api.endpoint('answer').get(checked({}, (body) => [body === undefined])),
  ],
  quiet,
)
const ask = client(app)
const draft = { title: 'Two', pages: '20', tags: ['a'], lines: [], extra: 1 }

describe('the types of a schema are those of its serializer', () => {
  const both = schemaSerializer(Draft, { partial: Part })
  test('input, output, row and part', () => {
    expectTypeOf<InputOf<typeof both>['pages']>().toEqualTypeOf<number>()
    expectTypeOf<OutputOf<typeof both>['pages']>().toEqualTypeOf<number>()
    expectTypeOf<RowOf<typeof both>['pages']>().toEqualTypeOf<string | number>()
    expectTypeOf<PatchOf<typeof both>>().toEqualTypeOf<{ title: string; pages: number }>()
    expectTypeOf<PatchOf<typeof shown>>().toEqualTypeOf<never>()
  })
})

describe('a body', () => {
  test.each([
    ['POST', '/list/', 201],
    ['POST', '/async-list/', 201],
    ['PUT', '/detail/', 200],
  ])('%s %s is what the schema gives', async (method, path, status) => {
    const answer = await ask.request(method, path, { json: draft })
    expect(answer.status).toBe(status)
    expect(answer.data).toEqual({ id: 1, title: 'Two', pages: 20 })
  })

  test.each<[string, unknown, object]>([
    [
      '/list/',
      {
        pages: 'x',
        tags: ['a', 5],
        lines: [
          { title: 'a', pages: 1 },
          { title: 'b', pages: 'x' },
        ],
      },
      {
        title: ['Not a text: undefined'],
        pages: ['Not a count.'],
        tags: { 1: ['Not a text: 5'] },
        lines: { 1: { pages: ['Not a count.'] } },
      },
    ],
    ['/async-list/', { ...draft, title: null }, { title: ['Not a text: null'] }],
    ['/list/', [], { non_field_errors: ['Not an object.'] }],
    ['/list/', null, { non_field_errors: ['Not an object.'] }],
    ['/body/', { ...draft, tags: 'a' }, { tags: ['Not a list.'] }],
    ['/async-body/', {}, { title: ['Not a text: undefined'], pages: ['Not a count.'] }],
    ['/ruled/', { title: 5 }, { non_field_errors: ['Not today.'], title: ['Not a text: 5'] }],
    ['/ruled/', { title: 'a' }, { non_field_errors: ['Not today.'] }],
    ['/scalar/', 'x', { non_field_errors: ['Not a count.'] }],
    ['/checked/', { title: 'a' }, { pages: ['Not a count.'] }],
  ])('%s %j is refused by its paths', async (path, json, errors) => {
    const answer = await ask.post(path, { json })
    expect(answer.data).toEqual(errors)
    expect(answer.status).toBe(400)
  })

  test('of a form is an object of its values, lists where names come repeatedly', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const one = await ask.post('/body/', { body: 'title=a&pages=3&tags=x&tags=y&lines=', headers })
    expect(one.data).toEqual({ lines: ['Not a list.'] })
    const line = await ask.post('/async-body/', { form: { title: 'a', pages: '3' } })
    expect(line.data).toEqual({ title: 'a', pages: 3 })
    const proto = await ask.post('/async-body/', { body: '__proto__=x&title=a&pages=1', headers })
    expect(proto.data).toEqual({ title: 'a', pages: 1 })
  })

  test('is read once, however often it is asked for', async () => {
    expect((await ask.post('/scalar/', { json: '7' })).data).toBe(7)
  })
})

describe('a partial update', () => {
  test('is read by the schema for the part', async () => {
    expect((await ask.patch('/detail/', { json: { pages: '3' } })).data).toEqual({
      id: 1,
      title: 'One',
      pages: 3,
    })
    expect((await ask.patch('/detail/', { json: { pages: 'x' } })).data).toEqual({
      pages: ['Not a count.'],
    })
  })

  test('without one refuses to start, and says what to do', () => {
    const wrong = defineApi({ urls: { detail: '/' } })
    const behaviour = partialUpdate({
      find,
      serializer: schemaSerializer(Draft),
      output: shown,
      save: () => first,
    })
    expect(() => wrong.serve([wrong.endpoint('detail').patch(behaviour)], quiet)).toThrow(
      ConfigurationError,
    )
    expect(() => wrong.serve([wrong.endpoint('detail').patch(behaviour)], quiet)).toThrow(
      /detail.*PATCH.*\{ partial \}/s,
    )
  })
})

describe('an answer', () => {
  test.each(['/list/', '/detail/', '/async-list/'])(
    '%s is shown as the schema gives it',
    async (path) => {
      const { data } = await ask.get(path)
      expect([data].flat()[0]).toEqual({ id: 1, title: 'One', pages: 10 })
    },
  )

  test('keeps the status and the headers of a reply', async () => {
    const answer = await ask.post('/replied/', { json: { title: 'a', pages: 1 } })
    expect([answer.status, answer.header('x-own')]).toEqual([201, '1'])
    expect(answer.data).toEqual({ id: 1, title: 'a', pages: 1 })
  })

  test('without a schema is as it is, and no body is read', async () => {
    expect((await ask.get('/answer/')).data).toEqual([true])
  })

  test.each([
    ['/broken-list/', /hand.*at title\./],
    ['/broken/', /hand.*at title\./],
    ['/async-broken/', /hand.*at title\./],
    ['/unfit/', /hand.*at title, pages\./],
  ])('%s does not fit: 500, and the log names the place and no value', async (path, message) => {
    log.length = 0
    const answer = await ask.get(path)
    expect(answer.status).toBe(500)
    expect(answer.text).not.toMatch(/title|5|private/)
    expect(log).toHaveLength(1)
    expect(log[0]!.error).toMatch(message)
    expect(log[0]!.error).not.toMatch(/Not a text|private/)
  })
})
