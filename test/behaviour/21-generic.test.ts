import { beforeEach, describe, expect, test } from 'vitest'
import {
  type App,
  FieldFilter,
  IsAuthenticated,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  TokenAuthentication,
  apiRoot,
  defineApi,
  defineUrls,
  field,
  resource,
  resourceUrls,
  serializer,
} from '../../src/index.ts'
import type { Permission } from '../../src/types.ts'
import { throughEveryDoor } from './databases.ts'
import { type More, check, toSent } from './doors.ts'
import { notebook, quiet, tokens } from './fixtures.ts'
import { type Library, onLibraries } from './library.ts'

const urls = defineUrls({
  root: '/',
  ...resourceUrls('article', '/articles/', ':id<int>'),
  'article-recent': '/articles/recent/',
  'article-publish': '/articles/:id<int>/publish/',
  ...resourceUrls('text', '/texts/', ':id'),
  ...resourceUrls('own', '/own', ':key<int>'),
  'author-list': '/authors/',
  'author-detail': '/authors/:id<int>/',
})

/** Only the owner changes and deletes. */
const isOwner: Permission<{ owner: string }> = {
  code: 'not_yours',
  hasObjectPermission: ({ method, user }, { owner }) =>
    method === 'GET' || method === 'HEAD' || (user as { username?: string }).username === owner,
}

function serve(library: Library): App {
  const { articles, authors } = library
  const api = defineApi({
    urls,
    authentication: [new TokenAuthentication({ tokens })],
    logger: notebook(),
  })
  const shape = {
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 50 }),
    slug: field.text({ maxLength: 50 }),
    length: field.integer({ source: 'words' }),
    author: field.integer(),
    place: field.integer({ nullable: true, required: false }),
  }
  const url = field.computed((row: { id: number }, { reverse }) =>
    (reverse as (name: string, params: object) => string)('article-detail', { id: row.id }),
  )
  const article = serializer({ url, ...shape })
  const text = serializer({
    ...shape,
    owner: field.text(),
    url: field.text({ source: 'owner', readOnly: true }),
  })
  const author = serializer({ id: field.integer({ readOnly: true }), name: field.text() })
  return api.serve(
    [
      ...resource(api.group({ permissions: [isOwner] }), 'article', {
        store: articles.only((query) => query.where('hidden', '=', 0)),
        serializer: article,
        filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
        searchFields: ['title'],
        filterFields: ['author'],
        orderingFields: ['title'],
        ordering: ['-id'],
        pagination: new PageNumberPagination({ pageSize: 2 }),
        permissions: {
          create: [new IsAuthenticated()],
          update: [new IsAuthenticated()],
          partialUpdate: [new IsAuthenticated()],
          destroy: [new IsAuthenticated()],
        },
        performCreate: (input, { user }, store) =>
          store.insert({ ...input, owner: (user as { username: string }).username }),
        actions: {
          recent: { detail: false, title: 'What is new', get: () => 'recent' },
          publish: {
            detail: true,
            post: async ({ method }, row) => ({ [method]: row.title }),
          },
        },
      }),
      ...resource(api, 'text', { store: articles, serializer: text }),
      ...resource(api, 'own', {
        store: ({ user }) =>
          articles.only((query) =>
            query.where('owner', '=', (user as { username?: string }).username ?? ''),
          ),
        serializer: article,
        only: ['list', 'retrieve', 'destroy'],
      }),
      ...resource(api, 'author', { store: authors, serializer: author }),
      api.endpoint('root').get(apiRoot({ articles: 'article-list', authors: 'author-list' })),
    ],
    quiet,
  )
}

const ADA = { headers: { authorization: 'Token k-ada' } }
const BOB = { headers: { authorization: 'Token k-bob' } }
const by = (who: typeof ADA, json: unknown): More => ({
  headers: { ...who.headers, 'content-type': 'application/json' },
  body: JSON.stringify(json),
})
const FRESH = { title: 'New', slug: 'new', length: 10, author: 1 }
const said = expect.any(String) as unknown
const origin = 'http://localhost'
const ONE = {
  url: `${origin}/articles/1/`,
  id: 1,
  title: 'One',
  slug: 'one',
  length: 100,
  author: 1,
  place: 1,
}

type Case = readonly [
  title: string,
  question: string,
  status: number,
  data?: unknown,
  more?: More,
  headers?: Readonly<Record<string, string | RegExp | null>>,
]

const CASES: readonly Case[] = [
  [
    'G1 a list',
    '/articles/'.padStart(14, 'GET '),
    200,
    {
      count: 2,
      next: null,
      previous: null,
      results: [
        {
          ...ONE,
          url: `${origin}/articles/2/`,
          id: 2,
          title: 'Two',
          slug: 'two',
          length: 200,
          place: 2,
        },
        ONE,
      ],
    },
    {},
    { allow: 'GET, POST, HEAD, OPTIONS' },
  ],
  [
    'G1 one object',
    'GET /articles/1/',
    200,
    ONE,
    {},
    { allow: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' },
  ],
  ['G3 another number', 'GET /articles/99/', 404],
  ['G3 a number beyond the column', 'GET /articles/9007199254740991/', 404],
  ['G3 a text for an integer column', 'GET /texts/abc/', 404],
  ['G3 a number of more than 64 bits', 'GET /texts/99999999999999999999/', 404],
  ['G3 a NUL', 'GET /texts/%00/', 404],
  ['G3 PATCH of a text', 'PATCH /texts/abc/', 404, undefined, { json: {} }],
  ['G3 DELETE of a text', 'DELETE /texts/1%20or%201=1/', 404],
  ['Z6 what the store hides is not there', 'GET /articles/3/', 404],
  [
    'Z6 nor for whoever wants to change it',
    'PATCH /articles/3/',
    404,
    undefined,
    by(ADA, { title: 'x' }),
  ],
  ['G4 a search that finds it', 'GET /articles/1/?search=one', 200],
  ['G4 a search that does not', 'GET /articles/1/?search=two', 404],
  ['G4 a filter that leaves it', 'GET /articles/1/?author=1', 200],
  ['G4 a filter that does not', 'GET /articles/1/?author=2', 404],
  ['G4 an unfit filter', 'GET /articles/1/?author=abc', 400, { author: [said] }],
  ['G4 also for DELETE', 'DELETE /articles/1/?author=2', 404, undefined, ADA],
  [
    'G1 created, with its address',
    'POST /articles/',
    201,
    { ...FRESH, id: expect.any(Number), url: said, place: null },
    by(ADA, FRESH),
    { location: /^http:\/\/localhost\/articles\/\d+\/$/ },
  ],
  [
    'G1 a member "url" that is no address of ours is no Location',
    'POST /texts/',
    201,
    {
      ...FRESH,
      id: expect.any(Number),
      place: null,
      owner: 'https://e.example/',
      url: 'https://e.example/',
    },
    { json: { ...FRESH, owner: 'https://e.example/' } },
    { location: null },
  ],
  ['Z2 its own permission comes first', 'POST /articles/', 401, undefined, { body: '{' }],
  ['Z2 reading is for everybody', 'GET /articles/', 200],
  [
    'E21 everything that is wrong',
    'POST /articles/',
    400,
    { title: [said], slug: [said], length: [said], author: [said] },
    by(ADA, {}),
  ],
  ['E23 a list', 'POST /articles/', 400, { non_field_errors: [said] }, by(ADA, [])],
  ['a taken value', 'POST /articles/', 400, { slug: [said] }, by(ADA, { ...FRESH, slug: 'two' })],
  [
    'a value of a hidden row that is taken',
    'POST /articles/',
    400,
    { slug: [said] },
    by(ADA, { ...FRESH, slug: 'three' }),
  ],
  [
    'values that are taken together',
    'POST /articles/',
    400,
    { non_field_errors: [said] },
    by(ADA, { ...FRESH, place: 2 }),
  ],
  [
    'a reference to nothing',
    'POST /articles/',
    400,
    { author: [said] },
    by(ADA, { ...FRESH, author: 99 }),
  ],
  [
    'a CHECK, under the name that clients know',
    'POST /articles/',
    400,
    { length: [said] },
    by(ADA, { ...FRESH, length: 0 }),
  ],
  [
    'G2 PUT needs all of it',
    'PUT /articles/1/',
    400,
    { slug: [said], length: [said], author: [said] },
    by(ADA, { title: 'x' }),
  ],
  ['G2 PUT', 'PUT /articles/1/', 200, { ...ONE, ...FRESH }, by(ADA, FRESH)],
  ['G2 PATCH needs nothing', 'PATCH /articles/1/', 200, ONE, by(ADA, {})],
  ['G2 PATCH', 'PATCH /articles/1/', 200, { ...ONE, title: 'Uno' }, by(ADA, { title: 'Uno' })],
  [
    'G2 PATCH checks what is sent',
    'PATCH /articles/1/',
    400,
    { title: [said] },
    by(ADA, { title: '' }),
  ],
  [
    'read-only members are ignored',
    'PATCH /articles/1/',
    200,
    ONE,
    by(ADA, { id: 9, url: 'x', owner: 'eve' }),
  ],
  ['PATCH to a taken value', 'PATCH /articles/1/', 400, { slug: [said] }, by(ADA, { slug: 'two' })],
  ['Z3 somebody else', 'PUT /articles/1/', 403, { detail: said }, by(BOB, FRESH)],
  ['Z3 comes before the body', 'PUT /articles/1/', 403, undefined, by(BOB, {})],
  ['404 comes before the body', 'PUT /articles/99/', 404, undefined, { ...BOB, body: '{' }],
  ['Z3 nobody', 'DELETE /articles/2/', 401],
  ['Z3 reading is not changing', 'GET /articles/1/', 200, ONE, BOB],
  ['G1 deleted', 'DELETE /articles/2/', 204, undefined, BOB, { 'content-type': null }],
  ['others refer to it', 'DELETE /articles/1/', 409, { detail: said }, ADA],
  ['others refer to it, by whatever address', 'DELETE /authors/1/', 409],
  [
    'a body that is no JSON',
    'POST /articles/',
    400,
    { detail: said },
    { ...ADA, headers: { ...ADA.headers, 'content-type': 'application/json' }, body: '{' },
  ],
  [
    'a body of no known type',
    'POST /articles/',
    415,
    undefined,
    { headers: { ...ADA.headers, 'content-type': 'text/csv' }, body: 'x' },
  ],
  [
    'a form',
    'POST /authors/',
    201,
    { id: expect.any(Number), name: 'Cy' },
    { form: { name: 'Cy' } },
  ],
  ['X2 HEAD', 'HEAD /articles/1/', 200],
  [
    'X2 what is not among the actions',
    'POST /own',
    405,
    undefined,
    {},
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  ['X2 nor PUT', 'PUT /own/1', 405, undefined, {}, { allow: 'GET, DELETE, HEAD, OPTIONS' }],
  ['X4 an action of the list', 'GET /articles/recent/', 200, 'recent'],
  ['X4 an action of one', 'POST /articles/1/publish/', 200, { POST: 'One' }, ADA],
  ['X4 of one that is not there', 'POST /articles/3/publish/', 404, undefined, ADA],
  ['X4 of one that is not permitted', 'POST /articles/1/publish/', 403, undefined, BOB],
  ['X4 another verb', 'GET /articles/1/publish/', 405, undefined, {}, { allow: 'POST, OPTIONS' }],
  ['Z6 a store that knows the user', 'GET /own/2', 200, undefined, BOB],
  ['Z6 what belongs to others is not there', 'GET /own/1', 404, undefined, BOB],
  ['Z6 nor can it be deleted', 'DELETE /own/1', 404, undefined, BOB],
  ['X5 the root', 'GET /', 200, { articles: `${origin}/articles/`, authors: `${origin}/authors/` }],
  [
    'X5 keeps the format',
    'GET /?format=json',
    200,
    { articles: `${origin}/articles/?format=json`, authors: `${origin}/authors/?format=json` },
  ],
  [
    'M1 not permitted: no fields',
    'OPTIONS /articles/',
    200,
    expect.not.objectContaining({ actions: said }),
  ],
  [
    'M1 permitted: fields of POST',
    'OPTIONS /articles/',
    200,
    expect.objectContaining({
      actions: {
        POST: expect.objectContaining({
          length: { type: 'integer', required: true, read_only: false, label: 'Length' },
        }),
      },
    }),
    ADA,
  ],
  [
    'M2 fields of PUT',
    'OPTIONS /articles/1/',
    200,
    expect.objectContaining({
      actions: {
        PUT: expect.objectContaining({ title: expect.objectContaining({ max_length: 50 }) }),
      },
    }),
    ADA,
  ],
  [
    'M2 not of what is not permitted',
    'OPTIONS /articles/1/',
    200,
    expect.not.objectContaining({ actions: expect.anything() }),
    BOB,
  ],
  [
    'M2 nor of what is not there',
    'OPTIONS /articles/99/',
    200,
    expect.not.objectContaining({ actions: expect.anything() }),
    ADA,
  ],
]

const libraries = (await onLibraries()).map((library) => ({ ...library, app: serve(library) }))

describe.each(throughEveryDoor(libraries, ({ app }) => app))(
  'generic endpoints on $on, $through',
  ({ door, reset, articles, dialect }) => {
    beforeEach(reset)

    for (const [title, question, status, data, more = {}, headers = {}] of CASES)
      test(`${title}: ${question}`, async () => {
        const answer = await door.send(toSent(question, more))
        check(answer, { status, headers, ...(data === undefined ? {} : { data }) })
        if (status === 204) expect(answer.text).toBe('')
      })

    test('of many who create the same one succeeds', async () => {
      const asks = Array.from({ length: 12 }, () =>
        door.send(toSent('POST /articles/', by(ADA, FRESH))),
      )
      const statuses = (await Promise.all(asks))
        .map(({ status }) => status)
        .toSorted((one, other) => one - other)
      expect(statuses).toEqual([201, ...Array.from({ length: 11 }, () => 400)])
    })

    test('changes at once are all kept, and all checked', async () => {
      const changes = [{ title: 'x' }, { length: 5 }, { slug: 'y' }, { place: 9 }]
      const answers = await Promise.all(
        changes.map((change) => door.send(toSent('PATCH /articles/1/', by(ADA, change)))),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(await articles.find(1)).toMatchObject({ title: 'x', words: 5, slug: 'y', place: 9 })
    })

    test('whoever loses the object meanwhile changes nothing', async () => {
      const taken = articles.update(1, { owner: 'bob' })
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          door.send(toSent('PATCH /articles/1/', by(ADA, { title: 'x' }))),
        ),
      )
      await taken
      const last = await door.send(toSent('PATCH /articles/1/', by(ADA, { title: 'y' })))
      expect(answers.every(({ status }) => status === 200 || status === 403)).toBe(true)
      expect(last.status).toBe(403)
    })

    describe('hostile JSON', () => {
      const deep = '['.repeat(10_000) + ']'.repeat(10_000)
      test.each([
        [
          '__proto__ is no member',
          `{"__proto__": {"title": "x"}, "slug": "s", "length": 1, "author": 1}`,
          { title: [said] },
        ],
        [
          'nor is constructor',
          `{"constructor": 1, "title": {"__proto__": "x"}, "slug": "s", "length": 1, "author": 1}`,
          { title: [said] },
        ],
        ['10,000 levels', deep, { detail: said }],
        ['10,000 levels in a member', `{"title": ${deep}}`, { detail: said }],
        ['NaN', '{"length": NaN}', { detail: said }],
        ['Infinity', '{"length": 1e999}', { detail: said }],
        [
          'a number beyond 2^53',
          '{"title":"x","slug":"s","author":1,"length": 9007199254740993}',
          { length: [said] },
        ],
        [
          'a number beyond 2^64',
          '{"title":"x","slug":"s","author":1,"length": 99999999999999999999}',
          { length: [said] },
        ],
        ['a fraction', '{"title":"x","slug":"s","author":1,"length": 1.5}', { length: [said] }],
        [
          'a reference beyond the column',
          '{"title":"x","slug":"s","length":1,"author": 9007199254740991}',
          { author: [said] },
        ],
        [
          'a NUL',
          String.raw`{"title":"a\u0000b","slug":"s","length":1,"author":1}`,
          { title: [said] },
        ],
        [
          'the last of equal members counts',
          '{"title":"x","title":"","slug":"s","length":1,"author":1}',
          { title: [said] },
        ],
        ['nothing', '', { title: [said], slug: [said], length: [said], author: [said] }],
        ['null', 'null', { non_field_errors: [said] }],
        ['a BOM', '\ufeff{}', { detail: said }],
      ])('%s', async (_title, body, data) => {
        const answer = await door.send({
          method: 'POST',
          path: '/articles/',
          headers: { ...ADA.headers, 'content-type': 'application/json' },
          body,
        })
        const inColumn =
          dialect === 'sqlite' || !('author' in data && body.includes('9007199254740991'))
        check(answer, { status: 400, ...(inColumn ? { data } : {}) })
        expect(await articles.source.count()).toBe(3)
      })

      test('a key of somebody else is no prototype', async () => {
        const answer = await door.send(
          toSent('POST /articles/', {
            ...ADA,
            headers: { ...ADA.headers, 'content-type': 'application/json' },
            body: '{"title":"New","slug":"new","length":10,"author":1,"__proto__":{"owner":"eve"}}',
          }),
        )
        check(answer, 201)
        expect(await articles.find(JSON.parse(answer.text).id)).toMatchObject({ owner: 'ada' })
      })
    })
  },
)
