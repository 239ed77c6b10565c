// Rows that name other rows, by key, by slug and by link: what DRF's suite asks of each, with the same questions to all three,
// and what is stored afterwards (E25, E28, U20–U27).
import { describe, expect, test } from 'vitest'
import {
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../src/index.ts'
import type { AnyField, AnyFieldOptions, Field, RowStore } from '../../src/types.ts'
import { type RequestOptions, client } from '../../src/testing.ts'
import { codesAlone } from './one-field.ts'

interface Stored {
  readonly id: number
  readonly name: string
  readonly target: unknown
}
type Store = RowStore<Stored, number, Omit<Stored, 'id'>, Partial<Stored>>

/** Three rows and what is made of them. */
function storeOf(targets: readonly unknown[]): Store {
  const rows = targets.map((target, at): Stored => ({ id: at + 1, name: `row ${at + 1}`, target }))
  const placeOf = (id: number): number => rows.findIndex((row) => row.id === id)
  return {
    key: 'id',
    source: arraySource(rows),
    find: (id) => rows[placeOf(id)] ?? null,
    insert(input) {
      const row = { id: rows.length + 1, ...input }
      rows.push(row)
      return row
    },
    update: (id, changes) => (rows[placeOf(id)] = { ...rows[placeOf(id)]!, ...changes }),
    remove: (id) => rows.splice(placeOf(id), 1).length > 0,
  }
}

const urls = defineUrls({
  ...resourceUrls('row', '/rows/', ':id<int>'),
  'target-detail': '/targets/:id<int>/',
})
const api = defineApi({ urls, exceptionHandler: codesAlone })
const configuration = configurationOf()
const isThere = (id: number) => ([1, 2, 3].includes(id) ? { id } : null)
const slugs = ['one', 'two', 'three']

interface Way {
  readonly way: string
  /** What clients send and see of a target, by its number. */
  readonly said: (target: number) => unknown
  /** What rows hold of it. */
  readonly held: (target: number) => unknown
  readonly it: (options?: AnyFieldOptions) => AnyField
  /** What is refused as it stands, by its code. */
  readonly wrong: readonly (readonly [sent: unknown, code: string])[]
}
const ways: readonly Way[] = [
  {
    way: 'by key',
    said: (target) => target,
    held: (target) => target,
    it: (options) => field.related({ find: isThere }, options as object),
    wrong: [
      ...['foo', '', true, 1.5, {}, [1]].map((sent) => [sent, 'incorrect_type'] as const),
      [-1, 'does_not_exist'],
      ['9', 'does_not_exist'],
    ],
  },
  {
    way: 'by slug',
    said: (target) => slugs[target - 1] ?? 'none',
    held: (target) => slugs[target - 1] ?? 'none',
    it: (options) =>
      field.related(
        { key: field.text(), find: (slug) => (slugs.includes(slug) ? { slug } : null) },
        options as object,
      ),
    wrong: [
      // A number is a text for texts, and names no row.
      [123, 'does_not_exist'],
      ['One', 'does_not_exist'],
      // DRF calls these invalid.
      ...['', true, {}, ['one']].map((sent) => [sent, 'incorrect_type'] as const),
    ],
  },
  {
    way: 'by link',
    said: (target) => `http://localhost/targets/${target}/`,
    held: (target) => target,
    it: (options) => field.hyperlink({ route: 'target-detail', find: isThere }, options as object),
    wrong: [
      ...[1, true, {}, ['/targets/1/']].map((sent) => [sent, 'incorrect_type'] as const),
      ...['', 'foo', '/nowhere/'].map((sent) => [sent, 'no_match'] as const),
      ['http://localhost/rows/1/', 'incorrect_match'],
      ['/targets/9/', 'does_not_exist'],
    ],
  },
]

/** A service of these rows, with what its list shows as targets. */
function serviceOf(it: AnyField, held: readonly unknown[]) {
  // One service for relations whose types differ: rows hold anything.
  const target = it as unknown as Field<unknown, unknown, unknown>
  const row = serializer({ id: field.integer({ readOnly: true }), name: field.text(), target })
  const endpoints = resource(api, 'row', { store: storeOf(held), serializer: row })
  const linked = api.endpoint('target-detail').get(() => null)
  const asked = client(api.serve([...endpoints, linked], { configuration }))
  const targets = async () =>
    ((await asked.get('/rows/')).data as Stored[]).map((shown) => shown.target)
  return { ...asked, targets }
}

type Case = readonly [
  title: string,
  question: string,
  sent: RequestOptions,
  expected: readonly [status: number, target: unknown],
  after: readonly unknown[],
]

/** Each with a fresh service: what is answered, and what the list shows then. */
function asks(target: AnyField, held: readonly unknown[], cases: readonly Case[]): void {
  test.each(cases)('%s', async (_, question, sent, [status, shown], after) => {
    const { request, targets } = serviceOf(target, held)
    const [method, path] = question.split(' ') as [string, string]
    const answer = await request(method, path, sent)
    expect([answer.status, (answer.data as Stored).target]).toEqual([status, shown])
    expect(await targets()).toEqual(after)
  })
}

const named = (target: unknown): RequestOptions => ({ json: { name: 'a', target } })
const formOf = (target: string): RequestOptions => ({ form: { name: 'a', target } })

describe.each(ways)('one row, $way', ({ said, held, it, wrong }) => {
  const [one, two, three] = [said(1), said(2), said(3)]
  const before = [one, one, two]
  const refused: readonly Case[] = [
    [said(9), 'does_not_exist'] as const,
    [null, 'null'] as const,
    ...wrong,
  ].flatMap(([sent, code]): Case[] =>
    ['PUT /rows/1/', 'PATCH /rows/1/', 'POST /rows/'].map((question) => [
      `${question} with ${JSON.stringify(sent)} is ${code}`,
      question,
      named(sent),
      [400, [code]],
      before,
    ]),
  )
  asks(
    it(),
    [held(1), held(1), held(2)],
    [
      ['is shown', 'GET /rows/3/', {}, [200, two], before],
      ['is changed', 'PUT /rows/1/', named(two), [200, two], [two, one, two]],
      [
        'is changed alone',
        'PATCH /rows/2/',
        { json: { target: three } },
        [200, three],
        [one, three, two],
      ],
      ['stays', 'PATCH /rows/2/', { json: { name: 'b' } }, [200, one], before],
      ['of a new row', 'POST /rows/', named(three), [201, three], [...before, three]],
      ['is sent by a form', 'POST /rows/', formOf(String(two)), [201, two], [...before, two]],
      ['must be sent', 'POST /rows/', { json: { name: 'a' } }, [400, ['required']], before],
      ['with every PUT', 'PUT /rows/1/', { json: { name: 'a' } }, [400, ['required']], before],
      ...refused,
    ],
  )
})

describe.each(ways)('U21 a row or none, $way', ({ said, held, it }) => {
  const before = [said(1), null]
  asks(
    it({ nullable: true, required: false }),
    [held(1), null],
    [
      ['none is null', 'GET /rows/2/', {}, [200, null], before],
      ['null is none', 'PUT /rows/1/', named(null), [200, null], [null, null]],
      ['an empty text is none', 'PUT /rows/1/', named(''), [200, null], [null, null]],
      ['also alone', 'PATCH /rows/1/', { json: { target: '' } }, [200, null], [null, null]],
      ['and in a form', 'PUT /rows/1/', formOf(''), [200, null], [null, null]],
      [
        'none becomes one',
        'PATCH /rows/2/',
        { json: { target: said(2) } },
        [200, said(2)],
        [said(1), said(2)],
      ],
      ['a new row with null', 'POST /rows/', named(null), [201, null], [...before, null]],
      ['with an empty text', 'POST /rows/', named(''), [201, null], [...before, null]],
      ['what was not sent stays', 'PUT /rows/1/', { json: { name: 'a' } }, [200, said(1)], before],
      ['unknown is unknown', 'PUT /rows/1/', named(said(9)), [400, ['does_not_exist']], before],
    ],
  )
})

describe.each(ways)('E25 any number of rows, $way', ({ said, held, it, wrong }) => {
  const lists = (...numbers: number[]) => numbers.map((number) => said(number))
  const before = [lists(1), lists(1, 2), []]
  const bad = wrong.filter(([sent]) => sent !== '')
  const notLists = ['a', 5, true, { 0: said(1) }]
  const replaced = [lists(3, 1), lists(1, 2), []]
  asks(
    field.list(it()),
    [[held(1)], [held(1), held(2)], []],
    [
      ['are shown', 'GET /rows/2/', {}, [200, lists(1, 2)], before],
      ['none are an empty list', 'GET /rows/3/', {}, [200, []], before],
      ['are replaced', 'PUT /rows/1/', named(lists(3, 1)), [200, lists(3, 1)], replaced],
      [
        'also alone',
        'PATCH /rows/1/',
        { json: { target: lists(3, 1) } },
        [200, lists(3, 1)],
        replaced,
      ],
      ['by none', 'PUT /rows/2/', named([]), [200, []], [lists(1), [], []]],
      ['stay', 'PATCH /rows/2/', { json: { name: 'b' } }, [200, lists(1, 2)], before],
      [
        'of a new row',
        'POST /rows/',
        named(lists(1, 3)),
        [201, lists(1, 3)],
        [...before, lists(1, 3)],
      ],
      [
        'a form that names none',
        'POST /rows/',
        { form: { name: 'a' } },
        [201, []],
        [...before, []],
      ],
      [
        'a form that names one',
        'POST /rows/',
        formOf(String(said(2))),
        [201, lists(2)],
        [...before, lists(2)],
      ],
      [
        'a partial form leaves them',
        'PATCH /rows/2/',
        { form: { name: 'b' } },
        [200, lists(1, 2)],
        before,
      ],
      ['null is no list', 'PUT /rows/1/', named(null), [400, ['null']], before],
      ...notLists.map((sent): Case => [
        `${JSON.stringify(sent)} is no list`,
        'PUT /rows/1/',
        named(sent),
        [400, ['not_a_list']],
        before,
      ]),
      [
        'what is wrong is told by its place',
        'POST /rows/',
        named([said(1), null, said(9), ...bad.map(([sent]) => sent)]),
        [
          400,
          Object.fromEntries([
            [1, ['null']],
            [2, ['does_not_exist']],
            ...bad.map(([, code], at) => [at + 3, [code]] as const),
          ]),
        ],
        before,
      ],
    ],
  )
})

describe('E27 lists of relations', () => {
  test.each(ways)('$way, that hold something', async ({ said, it }) => {
    const { put } = serviceOf(field.list(it(), { allowEmpty: false }), [[]])
    expect((await put('/rows/1/', named([]))).data).toEqual({ target: ['empty'] })
    expect((await put('/rows/1/', named([said(1)]))).status).toBe(200)
  })
})

describe('U22, U23 keys in links', () => {
  const names = ['foobar', 'bazABCqux', 'baz ABC', 'a/b', '100%']
  const place = defineUrls({ one: '/one/', named: '/named/:name/' })
  const links = defineApi({ urls: place, exceptionHandler: codesAlone })
  const it = field.hyperlink({
    route: 'named',
    param: 'name',
    key: field.text(),
    find: (name) => (names.includes(name) ? { name } : null),
  })
  const one = serializer({ it })
  const { post } = client(
    links.serve(
      [
        links.endpoint('one').post(async (request) => one.parse(await request.body(), request)),
        links.endpoint('named').get(() => null),
      ],
      { configuration },
    ),
  )
  test.each([
    ['http://localhost/named/foobar/', 'foobar'],
    ['http://localhost/named/baz%41%42%43qux/', 'bazABCqux'],
    ['http://localhost/named/baz%20ABC/', 'baz ABC'],
    ['/named/a%2Fb/', 'a/b'],
    ['/named/100%25/', '100%'],
    ['http://localhost/named/none/', ['does_not_exist']],
    ['http://localhost/named/FOOBAR/', ['does_not_exist']],
    ['http://localhost/named/a/b/', ['no_match']],
    ['http://localhost/named/foobar', ['no_match']],
    // DRF looks at the path alone.
    ['http://elsewhere.example/named/foobar/', ['no_match']],
  ])('%s', async (sent, expected) => {
    expect((await post('/one/', { json: { it: sent } })).data).toEqual({ it: expected })
  })
})
