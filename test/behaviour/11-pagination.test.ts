import { beforeEach, describe, expect, test } from 'vitest'
import { PageNumberPagination, defineApi, list } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type Row, throughDoors } from './doors.ts'
import { notebook, numbers, quiet } from './fixtures.ts'

const ten = numbers(10)
const counted = {
  asked: [] as string[],
  count: (): number => {
    throw new Error('page() knows the count')
  },
  slice: (): number[] => {
    throw new Error('page() knows the rows')
  },
  page(at: (count: number) => { offset: number; limit: number }) {
    const { offset, limit } = at(10)
    counted.asked.push(`page ${offset} ${limit}`)
    return Promise.resolve({ count: 10, rows: numbers(10).slice(offset, limit) })
  },
}
const represented: number[] = []
const style = new PageNumberPagination()
const api = defineApi({
  urls: {
    plain: '/plain/',
    paged: '/paged/',
    sizeless: '/sizeless/',
    off: '/off/',
    offHere: '/off-here/',
    own: '/own/',
    shown: '/shown/',
    even: '/even/',
    snapshot: '/snapshot/',
    byHand: '/by-hand/',
    item: '/lists/:id<int>/items/',
  },
  logger: notebook(),
})
const paged = api.group({ pagination: style, pageSize: 3 })
const small = new PageNumberPagination({ pageSize: 4 })
const app = api.serve(
  [
    api.endpoint('plain').get(list({ source: ten })),
    paged.endpoint('paged').get(list({ source: ten })),
    api.endpoint('sizeless', { pagination: style }).get(list({ source: ten })),
    paged.endpoint('off', { pagination: null }).get(list({ source: ten })),
    paged.endpoint('offHere').get(list({ source: ten, pagination: null })),
    paged.endpoint('own').get(list({ source: ten, pagination: small })),
    paged.endpoint('shown').get(
      list({
        source: ten,
        serializer: {
          represent(id: number) {
            represented.push(id)
            return { id }
          },
        },
      }),
    ),
    paged.endpoint('even').get(
      list({
        source: async (request) => {
          const even = Array.from({ length: 10 }, (_, index) => index + 1).filter(
            (id) => request.query.get('even') === null || id % 2 === 0,
          )
          return { count: () => even.length, slice: (o: number, l: number) => even.slice(o, o + l) }
        },
      }),
    ),
    paged.endpoint('snapshot').get(list({ source: counted })),
    api.endpoint('byHand', { pageSize: 2 }).get(async (request) => {
      const page = await style.paginate(ten, request)
      return page === null
        ? []
        : style.respond(
            page,
            page.rows.map((id) => `#${String(id)}`),
          )
    }),
    paged.endpoint('item').get(list({ source: ten })),
  ],
  quiet,
)

const H = 'http://localhost'
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const links = (next: string | null, previous: string | null, path = '/paged/', host = H) => ({
  status: 200,
  data: expect.objectContaining({
    next: next === null ? null : host + path + next,
    previous: previous === null ? null : host + path + previous,
  }),
})

const shapes: Row[] = [
  ['P1 no style: a bare array', 'GET /plain/', { status: 200, data: ALL }],
  ['P1 and the parameters mean nothing', 'GET /plain/?page=99', { status: 200, data: ALL }],
  ['P1 a style switched off for one endpoint', 'GET /off/?page=2', { status: 200, data: ALL }],
  ['P1 or for one list', 'GET /off-here/?page=2', { status: 200, data: ALL }],
  ['P3, P4 no page size: a bare array', 'GET /sizeless/?page=2', { status: 200, data: ALL }],
  [
    'P4 the setting is the default size',
    'GET /paged/',
    { status: 200, data: expect.objectContaining({ results: [1, 2, 3] }) },
  ],
  [
    'P4 a style for one list has its own',
    'GET /own/',
    { status: 200, data: expect.objectContaining({ results: [1, 2, 3, 4] }) },
  ],
  [
    'P5 the envelope, in this order',
    'GET /paged/?page=4',
    {
      status: 200,
      text: `{"count":10,"next":null,"previous":"${H}/paged/?page=3","results":[10]}`,
    },
  ],
  [
    'P2 the count is the count after filtering',
    'GET /even/?even=1',
    {
      status: 200,
      data: { count: 5, next: `${H}/even/?even=1&page=2`, previous: null, results: [2, 4, 6] },
    },
  ],
  [
    'P18 both operations by hand',
    'GET /by-hand/?page=2',
    {
      status: 200,
      data: {
        count: 10,
        next: `${H}/by-hand/?page=3`,
        previous: `${H}/by-hand/`,
        results: ['#3', '#4'],
      },
    },
  ],
  [
    'P19 a source that gives both in one trip',
    'GET /snapshot/?page=2',
    {
      status: 200,
      data: {
        count: 10,
        next: `${H}/snapshot/?page=3`,
        previous: `${H}/snapshot/`,
        results: [4, 5, 6],
      },
    },
  ],
  ['P19 and a page that is none', 'GET /snapshot/?page=5', 404],
  [
    'HEAD has the length of the whole answer',
    'HEAD /plain/',
    { status: 200, text: '', headers: { 'content-length': '22' } },
  ],
]

const rebuilt: Row[] = [
  [
    'P9 the first vector: next',
    'GET /paged/?page=2&b=2&a=1&b=1&z=&e=%C3%A9%20x+y',
    links('?a=1&b=2&b=1&e=%C3%A9+x+y&page=3&z=', '?a=1&b=2&b=1&e=%C3%A9+x+y&z='),
  ],
  [
    'P9 the second: a name without a value',
    'GET /paged/?page=2&flag',
    links('?flag=&page=3', '?flag='),
  ],
  [
    'P7 the port as sent',
    'GET /paged/',
    links('?page=2', null, '/paged/', 'http://localhost:8001'),
    { headers: { host: 'localhost:8001' } },
  ],
  [
    'P7 the host as sent',
    'GET /paged/',
    links('?page=2', null, '/paged/', 'http://api.localhost'),
    { headers: { host: 'api.localhost' } },
  ],
  ['P7 the path as it is', 'GET /lists/7/items/', links('?page=2', null, '/lists/7/items/')],
  ['P8 a semicolon separates nothing', 'GET /paged/?a=1;b=2', links('?a=1%3Bb%3D2&page=2', null)],
  [
    'P8 what is literal and what is encoded',
    "GET /paged/?q=a-b_c.d~e!*'()/:@$",
    { ...links('?page=2&q=a-b_c.d~e%21%2A%27%28%29%2F%3A%40%24', null) },
    { cannot: ['fetch door', 'a URL writes an apostrophe as %27'] },
  ],
  [
    'P8 the same, already encoded',
    'GET /paged/?q=a-b_c.d~e!*%27()/:@$',
    links('?page=2&q=a-b_c.d~e%21%2A%27%28%29%2F%3A%40%24', null),
  ],
  ['P8 invalid UTF-8 becomes U+FFFD', 'GET /paged/?q=%FF', links('?page=2&q=%EF%BF%BD', null)],
  ['P8 a lone percent sign stays one', 'GET /paged/?q=100%', links('?page=2&q=100%25', null)],
  [
    'P8 sorted by name, capitals first',
    'GET /paged/?b=1&B=2&a=3',
    links('?B=2&a=3&b=1&page=2', null),
  ],
  ['P8 empty pieces vanish', 'GET /paged/?&&a=1&', links('?a=1&page=2', null)],
  ['P8 a name may be empty', 'GET /paged/?=x', links('?=x&page=2', null)],
  [
    'P10 everything else survives',
    'GET /paged/?search=x&ordering=-id&format=json&version=v1',
    links('?format=json&ordering=-id&page=2&search=x&version=v1', null),
  ],
  ['P11 the last page counts', 'GET /paged/?page=2&page=3', links('?page=4', '?page=2')],
  ['P11 an empty last one too', 'GET /paged/?page=2&page=', links('?page=2', null)],
  ['P11 names are case-sensitive', 'GET /paged/?PAGE=2', links('?PAGE=2&page=2', null)],
  [
    'P7 no attacker writes the host of a link',
    'GET /paged/',
    400,
    { headers: { host: 'evil.example' } },
  ],
]

describe('P1–P5, P18, P19 the shape of a list', () => {
  throughDoors(app, shapes)
})
describe('P6–P11 links', () => {
  throughDoors(app, rebuilt)
})

describe('P2, P19 what a page costs', () => {
  beforeEach(() => {
    ten.asked.length = 0
    represented.length = 0
  })

  test.each([
    ['a page: one count, one slice', '/paged/?page=2', ['count', 'slice 3 3']],
    ['a page that is none reads no rows', '/paged/?page=5', ['count']],
    ['a number that is none likewise', '/paged/?page=x', ['count']],
    ['a bare array is not counted', '/plain/', ['slice 0 9007199254740991']],
  ])('P19 %s', async (_, path, asked) => {
    await client(app).get(path)
    expect(ten.asked).toEqual(asked)
  })

  test('P2 only the page is represented', async () => {
    await client(app).get('/shown/?page=4')
    expect(represented).toEqual([10])
  })
})

describe('I15 numbers that no database integer can hold', () => {
  test.each(['9223372036854775808', '9'.repeat(400), '-9223372036854775809'])(
    'page %s is 404',
    async (page) => {
      expect((await client(app).get(`/paged/?page=${page}`)).status).toBe(404)
    },
  )
})
