import { describe, expect, test } from 'vitest'
import {
  type App,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import type { FilterBackend } from '../../src/types.ts'
import { type Books, byId, onBooks } from './filter-sources.ts'
import { type Door, doors, doorsOn } from './doors.ts'
import { addresses, notebook } from './fixtures.ts'

const FILTERS = [new SearchFilter(), new OrderingFilter(), new FieldFilter()]
const NAMES = [
  'all',
  'beginning',
  'whole',
  'over',
  'twice',
  'default',
  'paged',
  'none',
  'patterns',
  'words',
  'one',
]
const api = defineApi({ urls: addresses(NAMES), filters: FILTERS, logger: notebook() })

const declared = {
  searchFields: ['title'],
  orderingFields: ['pages', 'id', 'title', 'copies'],
  filterFields: [
    ...(['id', 'title', 'pages', 'copies', 'lent'] as const),
    ...(['id__in', 'pages__gte', 'pages__lt', 'pages__isnull'] as const),
    ...(['title__icontains', 'copies__gt'] as const),
  ],
} as const

const serveOn = ({ source, dialect }: Pick<Books, 'source' | 'dialect'>): App => {
  const of = (said: object) => list({ source, serializer: byId, ...said })
  const hasPatterns = dialect === 'postgres' || dialect === 'mysql'
  const plain = {
    all: of(declared),
    beginning: of({ searchFields: ['^title'] }),
    whole: of({ searchFields: ['=title'] }),
    over: of({ searchFields: ['pages__gte'] }),
    twice: of({ searchFields: ['title', 'pages'] }),
    default: of({
      orderingFields: ['pages'],
      ordering: ['-pages', { field: 'id', descending: true }],
    }),
    paged: of({ ...declared, pagination: new PageNumberPagination({ pageSize: 2 }) }),
    none: of({}),
    patterns: of(hasPatterns ? { searchFields: ['$title'] } : {}),
    words: of(hasPatterns ? { searchFields: ['@title'] } : {}),
    one: list({ source, serializer: byId, searchFields: ['title'], filters: [FILTERS[0]!] }),
  }
  const endpoints = Object.entries(plain).map(([name, behaviour]) =>
    api.endpoint(name).get(behaviour),
  )
  return api.serve(endpoints, { configuration: configurationOf() })
}

const places: readonly (Books & { readonly door: Door; readonly through: string })[] = (
  await onBooks()
).flatMap((books) =>
  doorsOn(books.on, serveOn(books)).map((door) => ({ ...books, door, through: door.name })),
)

describe.each(places)('on $on, through the $through', ({ door, dialect, sent }) => {
  const get = async (path: string) => {
    const { status, text } = await door.send({ method: 'GET', path })
    const data: unknown = JSON.parse(text)
    return status === 200 ? data : { status, data }
  }
  const refused = (data: unknown) => ({ status: 400, data })

  describe('F1–F5 search', () => {
    test.each([
      ['F4 a part of a text, whatever its case', '/all/?search=RIVER', [1, 2, 6]],
      ['F3 all terms', '/all/?search=silent,river', [1]],
      ['F2 several words as one term', '/all/?search=%22silent+river%22', [1]],
      ['F2 in this order', '/all/?search=%27river+silent%27', []],
      ['F2 an apostrophe is a letter', '/all/?search=it%27s', [5]],
      ['letters beyond ASCII', '/all/?search=%E6%97%A5%E6%9C%AC', [4]],
      ['with accents', '/all/?search=%C4%8Das', [3]],
      ['which differ from those without', '/all/?search=cas', []],
      ['% is a letter', '/all/?search=100%25', [4]],
      ['so is _', '/all/?search=_', [4]],
      ['and a backslash', '/all/?search=%5C', []],
      ['and !', '/all/?search=!', []],
      ['F1 nothing is searched for', '/all/?search=', [1, 2, 3, 4, 5, 6]],
      ['F1 only white space and commas', '/all/?search=%20,%09,', [1, 2, 3, 4, 5, 6]],
      ['F1 without fields', '/none/?search=river', [1, 2, 3, 4, 5, 6]],
      ['F4 ^ begins with', '/beginning/?search=river', [2, 6]],
      ['F4 ^ takes % literally', '/beginning/?search=%25', []],
      ['F4 = is', '/whole/?search=RIVER', [6]],
      ['F4 a lookup in full', '/over/?search=200', [2, 4, 5]],
      ['F3 in any field', '/twice/?search=100', [1, 4]],
      ['F3 each term in any field', '/twice/?search=300+stone', [2]],
    ])('%s', async (_, path, ids) => {
      expect(await get(path)).toEqual(ids)
    })

    test('F6 NUL is 400, a list of one', async () => {
      expect(await get('/all/?search=a%00')).toEqual(refused([expect.any(String)]))
    })

    test('F4 a term that fits no type is 400, and names the parameter', async () => {
      expect(await get('/over/?search=many')).toEqual(refused({ search: [expect.any(String)] }))
      expect(await get('/over/?search=1e400')).toEqual(refused({ search: [expect.any(String)] }))
    })

    // oxlint-disable-next-line vitest/no-conditional-tests -- SQLite has neither
    if (dialect === 'postgres' || dialect === 'mysql') {
      test('F4 $ is a regular expression', async () => {
        expect(await get('/patterns/?search=%5Eri.er$')).toEqual([6])
        expect(await get('/patterns/?search=%5Eri.er')).toEqual([2, 6])
      })
      test.each(['(', '[', '*a'])('F6 and %s is none: 400', async (pattern) => {
        expect(await get(`/patterns/?search=${encodeURIComponent(pattern)}`)).toEqual(
          refused({ search: [expect.any(String)] }),
        )
      })
      test('F4 @ is full text', async () => {
        expect(await get('/words/?search=stone')).toEqual([2])
        expect(await get(`/words/?search=%22stone+%26+|+(+%27%22`)).toEqual(expect.any(Array))
      })
    }
  })

  describe('F10–F13 ordering', () => {
    test.each([
      ['no value is smaller than every value', '/all/?ordering=pages,id', [3, 6, 1, 4, 2, 5]],
      ['so it comes last the other way round', '/all/?ordering=-pages,id', [2, 5, 4, 1, 6, 3]],
      ['ties by the next field', '/all/?ordering=-pages,-id', [5, 2, 4, 1, 6, 3]],
      ['texts by code point', '/all/?ordering=title', [3, 5, 2, 1, 6, 4]],
      ['numbers beyond 2^53', '/all/?ordering=-copies', [3, 2, 6, 5, 4, 1]],
      ['F12 unknown names are dropped', '/all/?ordering=secret,-id', [6, 5, 4, 3, 2, 1]],
      ['F12 the order of the list', '/default/', [5, 2, 4, 1, 6, 3]],
      ['F12 where nothing is left', '/default/?ordering=id', [5, 2, 4, 1, 6, 3]],
      ['one of the source', '/none/?ordering=-id', [1, 2, 3, 4, 5, 6]],
      [
        'a filter for one list leaves out the rest',
        '/one/?ordering=-id&search=river&id=1',
        [1, 2, 6],
      ],
    ])('%s', async (_, path, ids) => {
      expect(await get(path)).toEqual(ids)
    })
  })

  describe('fields', () => {
    test.each([
      ['equal', '/all/?pages=300', [2, 5]],
      ['a text is compared as it is', '/all/?title=river', [6]],
      ['case and all', '/all/?title=RIVER', []],
      ['a part of it', '/all/?title__icontains=RIVER', [1, 2, 6]],
      ['yes', '/all/?lent=true', [1, 4, 6]],
      ['no', '/all/?lent=0', [2, 3, 5]],
      ['a number beyond 2^53', '/all/?copies=9007199254740993', [2]],
      ['and its neighbour', '/all/?copies=9007199254740994', [3]],
      ['greater', '/all/?copies__gt=9007199254740993', [3]],
      ['some of them', '/all/?id__in=2,4,77', [2, 4]],
      ['from, to', '/all/?pages__gte=100&pages__lt=300', [1, 4]],
      ['no value', '/all/?pages__isnull=true', [3]],
      ['any value', '/all/?pages__isnull=0', [1, 2, 4, 5, 6]],
      ['with a search and an order', '/all/?pages=300&search=i&ordering=-id', [5, 2]],
      ['P11 the last of several', '/all/?id=1&id=2', [2]],
      ['empty is not said', '/all/?id=&pages=', [1, 2, 3, 4, 5, 6]],
      ['what is not declared is not read', '/all/?secret=apple&id__gt=5', [1, 2, 3, 4, 5, 6]],
      ['and nothing where nothing is', '/none/?id=1', [1, 2, 3, 4, 5, 6]],
    ])('%s', async (_, path, ids) => {
      expect(await get(path)).toEqual(ids)
    })

    test.each([
      ['pages', 'many'],
      ['pages', '1.5x'],
      ['pages', '0x10'],
      ['pages', '%20'],
      ['pages', '1e400'],
      ['pages', '%00'],
      ['pages__gte', '--1'],
      ['pages__isnull', 'perhaps'],
      ['lent', 'perhaps'],
      ['lent', '2'],
      ['id__in', '1,x'],
      ['title', 'a%00b'],
      ['title__icontains', '%00'],
    ])('%s=%s is 400, and names the parameter', async (parameter, value) => {
      const body = { [parameter]: [expect.any(String)] }
      expect(await get(`/all/?${parameter}=${value}`)).toEqual(refused(body))
    })

    test.each(['99999999999999999999', '-99999999999999999999', '9'.repeat(400)])(
      'a number that no column holds is 400 or finds nothing: %s',
      async (value) => {
        const body = { id: [expect.any(String)] }
        expect([[], refused(body)]).toContainEqual(await get(`/all/?id=${value}`))
      },
    )
  })

  test('P2, P10 count, page and links are those of the filtered list', async () => {
    expect(await get('/paged/?search=river&ordering=-id&page=2&pages__gte=1')).toEqual({
      count: 3,
      next: null,
      previous: 'http://localhost/paged/?ordering=-id&pages__gte=1&search=river',
      results: [1],
    })
  })

  describe('nothing that a client writes becomes SQL', () => {
    const ATTACKS = [
      `' or '1'='1`,
      `"; drop table book; --`,
      '`id`',
      '\\',
      "\\' or 1=1 -- ",
      '%',
      '${id}',
      '$1',
      '?',
      ':id',
      '@@version',
      "x' union select secret from book --",
    ]
    const sqlOf = async (query: string) => {
      sent()
      await get(`/all/${query}`)
      return sent().map(({ sql }) => sql)
    }
    const named = (parameter: string, value: string) =>
      `?${parameter}=${encodeURIComponent(value).replaceAll("'", '%27')}`

    test.each(ATTACKS)('as a value: %s', async (attack) => {
      const quoted = `"${attack.replaceAll(/["\\]/g, '\\$&')}"`
      expect(await sqlOf(named('search', quoted))).toEqual(await sqlOf('?search=plain'))
      expect(await sqlOf(named('title', attack))).toEqual(await sqlOf('?title=plain'))
      expect(await get(`/all/${named('title', attack)}`)).toEqual([])
    })

    test.each([
      ...ATTACKS,
      'secret',
      '-secret',
      'book.secret',
      'id desc, secret',
      '(select secret)',
      'length(secret)',
      'rowid',
      '1',
    ])('as an ordering: %s', async (attack) => {
      expect(await sqlOf(named('ordering', attack))).toEqual(await sqlOf(''))
    })

    test.each([
      'secret=apple',
      'secret__icontains=a',
      'book.secret=apple',
      'title__secret=apple',
      'pages__gte__gte=1',
      'search_fields=secret',
      'ordering_fields=secret',
      '__proto__=1',
      'constructor=1',
    ])('as a parameter: %s', async (query) => {
      expect(await sqlOf(`?${query}`)).toEqual(await sqlOf(''))
    })
  })

  test('of a query of 14 kB, a value too long to look for is refused by name', async () => {
    const long = {
      search: ['%22'.repeat(4500), 'a,'.repeat(7000), 'x'.repeat(14_000)],
      title: ['%25'.repeat(4500)],
    }
    for (const [name, values] of Object.entries(long)) {
      for (const value of values)
        expect(await get(`/all/?${name}=${value}`)).toEqual(
          refused({ [name]: [expect.any(String)] }),
        )
    }
    // Names of an ordering are looked up, and values of a list count once.
    for (const query of [`ordering=${'-id,'.repeat(3500)}`, `id__in=${'1,'.repeat(7000)}`])
      expect(await get(`/all/?${query}`)).toEqual(expect.any(Array))
    const many = Array.from({ length: 2000 }, (_, at) => `t${at}`).join()
    expect(await get(`/all/?search=${many}`)).toEqual(refused({ search: [expect.any(String)] }))
  })
})

test.each((await onBooks()).filter(({ dialect }) => dialect === 'sqlite' || dialect === 'array'))(
  'on $on there are no regular expressions: said when the service starts',
  ({ source }) => {
    for (const field of ['$title', '@title'] as const) {
      const handler = list({ source, searchFields: [field] })
      expect(() =>
        api.serve(
          NAMES.map((name) => api.endpoint(name).get(handler)),
          { configuration: configurationOf() },
        ),
      ).toThrow(/title|iregex|search/)
    }
  },
)

test.each(await onBooks())(
  'on $on names that the list does not know are found at the start',
  ({ source }) => {
    const serve = (said: object) =>
      api.serve(
        NAMES.map((name) => api.endpoint(name).get(list({ source, ...said }))),
        { configuration: configurationOf() },
      )
    for (const said of [
      { searchFields: ['secret'] },
      { filterFields: ['secret__gte'] },
      { orderingFields: ['secret'] },
      { ordering: '-secret' },
    ]) {
      expect(() => serve(said)).toThrow(/secret/)
    }
  },
)

test('G5 a filter of the application hides rows from every list of an api', async () => {
  const [books] = await onBooks()
  const onlyLent: FilterBackend = {
    filter: (source) => source.where([{ field: 'lent', operator: 'equals', value: true }]),
  }
  const hidden = defineApi({ urls: { a: '/a/' }, filters: [onlyLent] })
  const app = hidden.serve(
    [hidden.endpoint('a').get(list({ source: books!.source, serializer: byId }))],
    { configuration: configurationOf() },
  )
  const [door] = doors(app)
  expect((await door!.send({ method: 'GET', path: '/a/' })).text).toBe('[1,4,6]')
})
