// What OPTIONS says of fields, as DRF's suite asks for it: of every kind, of what they hold, and of whom may write what (M2, M3).
// Limits, choices and labels of single kinds stand in test/resources/serializers/serializer.test.ts.
import { describe, expect, test } from 'vitest'
import {
  type ApiRequest,
  arraySource,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  many,
  partialUpdate,
  destroy,
  retrieve,
  serializer,
  update,
} from '../../src/index.ts'
import type { AnyField } from '../../src/types.ts'
import { client } from '../../src/testing.ts'

const api = defineApi({ urls: defineUrls({ it: '/it/', 'it-detail': '/it/:id<int>/' }) })
const configuration = configurationOf()
const find = (id: number) => ({ id })

/** The fields of a POST, as OPTIONS answers. */
async function described(fields: Readonly<Record<string, AnyField>>, asList = false) {
  const one = serializer(fields)
  const shape = asList ? many(one) : one
  const endpoints = [
    api
      .endpoint('it')
      .post(create({ serializer: shape as typeof one, save: (input) => input as never })),
    api.endpoint('it-detail').get(() => null),
  ]
  const { options } = client(api.serve(endpoints, { configuration }))
  const { status, data } = await options('/it/')
  expect(status).toBe(200)
  return (data as { actions: { POST: Record<string, unknown> } }).actions.POST
}

describe('M3 the kinds of fields', () => {
  const inner = serializer({ a: field.integer(), b: field.integer({ required: false }) })
  const child = { type: 'integer', required: true, read_only: false }
  const children = { a: { ...child, label: 'A' }, b: { ...child, required: false, label: 'B' } }

  test.each<[type: string, it: AnyField, more: object]>([
    ['boolean', field.boolean(), {}],
    ['boolean', field.boolean({ nullable: true }), {}],
    ['string', field.text(), {}],
    ['regex', field.text({ pattern: /^a/ }), {}],
    ['email', field.email(), {}],
    ['url', field.url(), {}],
    ['slug', field.slug(), {}],
    ['string', field.uuid(), {}],
    ['string', field.ip(), {}],
    ['integer', field.integer(), {}],
    ['integer', field.bigInteger(), {}],
    ['float', field.float(), {}],
    ['decimal', field.decimal(), {}],
    [
      'decimal',
      field.decimal({ maxDigits: 18, decimalPlaces: 4 }),
      { max_digits: 18, decimal_places: 4 },
    ],
    ['date', field.date(), {}],
    ['time', field.time(), {}],
    ['datetime', field.dateTime(), {}],
    ['duration', field.duration(), {}],
    // DRF says limits in words: 1 day, 0:00:00.
    ['duration', field.duration({ min: 86_400 }), { min_value: 86_400 }],
    ['choice', field.choice([1]), { choices: [{ value: 1, display_name: '1' }] }],
    [
      'multiple choice',
      field.multipleChoice({ a: 'First' }),
      { choices: [{ value: 'a', display_name: 'First' }] },
    ],
    ['file upload', field.file(), {}],
    // DRF names no media types.
    ['image upload', field.image({ types: ['image/png'] }), { media_types: ['image/png'] }],
    ['field', field.json(), {}],
    ['list', field.list(field.integer()), { child }],
    ['list', field.list(field.list(field.integer())), { child: { ...child, type: 'list', child } }],
    ['nested object', field.dictionary(field.integer()), { child }],
    ['nested object', field.nested(inner), { children }],
    ['field', field.related({ find }), {}],
    ['field', field.related({ key: field.text(), find: () => null }), {}],
    ['field', field.hyperlink('it-detail'), {}],
    // DRF calls these two a field; ours are lists like others.
    ['list', field.list(field.related({ find })), { child: { ...child, type: 'field' } }],
    [
      'list',
      field.list(field.nested(inner)),
      { child: { ...child, type: 'nested object', children } },
    ],
  ])('%s %#', async (type, it, more) => {
    expect(await described({ it })).toEqual({
      it: { type, required: true, read_only: false, label: 'It', ...more },
    })
  })

  test.each<[title: string, it: AnyField, expected: object]>([
    ['read only', field.integer({ readOnly: true }), { required: false, read_only: true }],
    ['write only', field.integer({ writeOnly: true }), { required: true, read_only: false }],
    ['not required', field.integer({ required: false }), { required: false, read_only: false }],
    ['with a default', field.integer({ default: 1 }), { required: false, read_only: false }],
    ['nullable', field.integer({ nullable: true }), { required: true, read_only: false }],
    ['by name', field.integer({ label: 'My own' }), { label: 'My own' }],
    ['with help', field.integer({ helpText: 'Count.' }), { help_text: 'Count.' }],
    [
      'a relation to look at',
      field.list(field.related({ find }), { readOnly: true }),
      { type: 'list', required: false, read_only: true },
    ],
    ['the link to itself', field.identity('it-detail'), { type: 'field', read_only: true }],
    ['computed', field.computed(() => 1), { type: 'field', required: false, read_only: true }],
  ])('%s', async (_, it, expected) => {
    expect(await described({ it })).toMatchObject({ it: expected })
  })

  test('choices of what is read only, and of relations, are not listed', async () => {
    const { kind, one, some } = (await described({
      kind: field.choice(['a'], { readOnly: true }),
      one: field.related({ find }),
      some: field.list(field.hyperlink('it-detail')),
    })) as Record<string, object>
    for (const said of [kind, one, some]) expect(said).not.toHaveProperty('choices')
  })

  test('what the program gives is not shown, and all else in its order', async () => {
    const fields = { b: field.text(), owner: field.hidden(() => 1), a: field.integer({ max: 10 }) }
    expect(Object.keys(await described(fields))).toEqual(['b', 'a'])
    expect(await described(fields, true)).toEqual(await described(fields))
  })
})

describe('M2 whom the fields are for', () => {
  const row = serializer({ name: field.text() })
  const save = () => ({ name: 'a' })
  const finding = {
    find: ({ params }: { params: { id: number } }) => (params.id === 1 ? save() : null),
  }
  const change = { serializer: row, save, ...finding }
  const source = arraySource([{ name: 'a' }])

  /** The verbs whose fields OPTIONS shows to those who may not use some verbs, or some verbs on a row. */
  async function verbs(
    path: string,
    without: readonly string[],
    rowWithout: readonly string[] = [],
  ) {
    const permissions = [
      {
        hasPermission: ({ method }: ApiRequest) => !without.includes(method),
        hasObjectPermission: ({ method }: ApiRequest) => !rowWithout.includes(method),
      },
    ]
    const endpoints = [
      api
        .endpoint('it', { permissions })
        .get(list({ source, serializer: row }))
        .post(create({ serializer: row, save })),
      api
        .endpoint('it-detail', { permissions })
        .get(retrieve({ serializer: row, ...finding }))
        .post(create({ serializer: row, save }))
        .put(update(change))
        .patch(partialUpdate(change))
        .delete(destroy({ ...finding, remove: () => true })),
    ]
    const { options } = client(api.serve(endpoints, { configuration }))
    const { status, data } = await options(path)
    return [status, Object.keys((data as { actions?: object }).actions ?? {}).toSorted()]
  }

  test.each<[title: string, path: string, without: string[], row: string[], verbs: string[]]>([
    ['all: of POST', '/it/', [], [], ['POST']],
    ['all: of PUT and POST, not of PATCH', '/it/1/', [], [], ['POST', 'PUT']],
    ['not those who may not POST', '/it/', ['POST'], [], []],
    ['the other verb stays', '/it/1/', ['POST'], [], ['PUT']],
    ['not those who may not PUT', '/it/1/', ['PUT'], [], ['POST']],
    ['nor those who may not PUT this row', '/it/1/', [], ['PUT'], ['POST']],
    ['to PATCH is no matter', '/it/1/', ['PATCH'], ['PATCH'], ['POST', 'PUT']],
    ['a row that is not there has none', '/it/2/', [], [], ['POST']],
  ])('%s', async (_, path, without, rowWithout, expected) => {
    expect(await verbs(path, without, rowWithout)).toEqual([200, expected])
  })

  test('those who may not ask OPTIONS see nothing', async () => {
    expect(await verbs('/it/', ['OPTIONS'])).toEqual([403, []])
  })
})
