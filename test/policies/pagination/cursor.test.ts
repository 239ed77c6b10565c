import { beforeAll, describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  CursorPagination,
  type ApiRequest,
  InvalidPosition,
  NotFound,
  Query,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import type {
  ListView,
  Position,
  SeekRequest,
  SeekableSource,
  Stretch,
} from '../../../src/types.ts'
import { Seal } from '../../../src/core/secrets/seal.ts'

const seals = new Seal('texts', () => ['a secret'])

/** As much of a request as a style looks at. */
function asking(query = '', endpointName = 'feed'): ApiRequest {
  const [origin, path] = ['http://localhost', '/feed/']
  const settings = { pageSize: 2 }
  const about = { origin, path, endpointName, params: {}, version: null }
  const request = { ...about, query: Query.parse(query), seals, settings }
  return request as unknown as ApiRequest
}

/** A source that tells what it was asked, and answers as it is told. */
function answering(
  answer: (request: SeekRequest) => Stretch<unknown> | Promise<Stretch<unknown>>,
): SeekableSource<unknown, string> & { readonly asked: SeekRequest[] } {
  const asked: SeekRequest[] = []
  const seek = (request: SeekRequest): Stretch<unknown> | Promise<Stretch<unknown>> => {
    asked.push(request)
    return answer(request)
  }
  return { asked, seek, count: () => 0, slice: () => [] }
}

const stretch = (more: boolean, ...positions: Position[]): Stretch<unknown> => ({
  rows: positions,
  more,
  first: positions[0] ?? null,
  last: positions.at(-1) ?? null,
})
const queryOf = (link: string | null | undefined): string => link!.slice(link!.indexOf('?') + 1)
const style = new CursorPagination()
const order = [{ field: 'created', descending: true, nulls: 'last' }]

describe('what a source is asked', () => {
  test('the first page, in the order of the style', async () => {
    const source = answering(() => stretch(false))
    await style.paginate(source, asking())
    expect(source.asked).toEqual([{ keys: order, position: null, reverse: false, limit: 2 }])
  })

  test('then what is behind the last row, or before the first', async () => {
    const rows: [Position, Position] = [
      ['2024-01-01 00:00:00.000001', 9n],
      ['2024-01-01 00:00:00.000002', -(2n ** 63n)],
    ]
    const source = answering(() => stretch(true, ...rows))
    const first = await style.paginate(source, asking())
    expect(first!.previous).toBeNull()
    const second = await style.paginate(source, asking(queryOf(first!.next)))
    await style.paginate(source, asking(queryOf(second!.previous)))
    expect(source.asked.slice(1)).toStrictEqual([
      { keys: order, position: rows[1], reverse: false, limit: 2 },
      { keys: order, position: rows[0], reverse: true, limit: 2 },
    ])
  })

  test('C20: in the order that the filters decided on', async () => {
    const source = answering(() => stretch(true, [1]))
    const keys = [{ field: 'id', descending: false, nulls: 'last' }] as const
    const view: ListView = { name: 'feed', ordering: keys }
    const page = await style.paginate(source, asking(), view)
    await style.paginate(source, asking(queryOf(page!.next)), view)
    expect(source.asked.map((request) => request.keys)).toEqual([keys, keys])
    await expect(style.paginate(source, asking(queryOf(page!.next)))).rejects.toThrow(NotFound)
    const nulls = { name: 'feed', ordering: [{ ...keys[0], nulls: 'first' as const }] }
    await expect(style.paginate(source, asking(queryOf(page!.next)), nulls)).rejects.toThrow(
      NotFound,
    )
    expect(source.asked).toHaveLength(2)
  })

  test('C20: null is no decision', async () => {
    const source = answering(() => stretch(false))
    await style.paginate(source, asking(), { name: 'feed', ordering: null })
    expect(source.asked[0]!.keys).toEqual(order)
  })
})

describe('C13 a position that the source refuses', () => {
  const other = new Error('The database is gone.')

  test.each([
    [
      'at once',
      (error: Error) => () => {
        throw error
      },
    ],
    ['later', (error: Error) => () => rejection(error)],
  ])('%s', async (_, refusing) => {
    const paginate = async (error: Error) => style.paginate(answering(refusing(error)), asking())
    const refused = paginate(new InvalidPosition())
    await expect(refused).rejects.toThrow(NotFound)
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'not_found' })
    await expect(refused).rejects.toThrow('This cursor is not valid for this list.')
    await expect(paginate(other)).rejects.toBe(other)
  })
})

async function rejection(error: Error): Promise<never> {
  throw error
}

describe('what comes later', () => {
  test('is waited for', async () => {
    const source = answering(async () => stretch(true, [1]))
    expect(await style.paginate(source, asking())).toMatchObject({ rows: [[1]], previous: null })
  })
})

describe('H14 controls', () => {
  const controls = async (options: object, more: boolean) => {
    const page = await new CursorPagination(options).paginate(
      answering(() => stretch(more, [1])),
      asking(),
    )
    return page!.controls!()
  }

  test('have two addresses and no numbers', async () => {
    const { template, data } = (await controls({}, true))!
    expect(template.name).toBe('previous-and-next')
    expect(data).toEqual({
      previousUrl: null,
      nextUrl: expect.stringContaining('/feed/?cursor=') as unknown,
      pageLinks: [],
    })
  })

  test('H1: are none without another page, or without a template', async () => {
    expect(await controls({}, false)).toBeNull()
    expect(await controls({ template: null }, true)).toBeNull()
  })
})

describe('C35, C36, C40–C45, C63: where the pages around one begin', () => {
  const FROM = { first: '', behind: '', before: '', last: '' }
  const full = stretch(true, [1], [2])
  const empty = stretch(false)
  const paged = (query: string, answer: Stretch<unknown>) =>
    style.paginate(
      answering(() => answer),
      asking(query),
    )
  beforeAll(async () => {
    FROM.behind = queryOf((await paged('', full))!.next)
    FROM.before = queryOf((await paged(FROM.behind, full))!.previous)
    FROM.last = queryOf((await paged(FROM.behind, empty))!.previous)
  })
  /** Where a link leads. */
  async function kindOf(link: string | null): Promise<string | null> {
    if (link === null) return null
    if (!link.includes('?')) return 'first'
    const source = answering(() => empty)
    await style.paginate(source, asking(queryOf(link)))
    const { position, reverse } = source.asked[0]!
    if (position === null) return reverse ? 'last' : 'first with a cursor'
    return `${reverse ? 'before' : 'behind'} ${String(position)}`
  }

  test.each<[keyof typeof FROM, rows: string, previous: string | null, next: string | null]>([
    ['first', 'all rows', null, null],
    ['first', 'rows', null, 'behind 2'],
    ['first', 'none', null, null],
    ['behind', 'all rows', 'before 1', null],
    ['behind', 'rows', 'before 1', 'behind 2'],
    ['behind', 'none', 'last', null],
    ['before', 'all rows', null, 'behind 2'],
    ['before', 'rows', 'before 1', 'behind 2'],
    ['before', 'none', null, 'first'],
    ['last', 'all rows', null, null],
    ['last', 'rows', 'before 1', null],
    ['last', 'none', null, null],
  ])('%s: %s', async (from, rows, previous, next) => {
    const page = await paged(
      FROM[from],
      rows === 'none' ? empty : { ...full, more: rows === 'rows' },
    )
    expect([await kindOf(page!.previous), await kindOf(page!.next)]).toEqual([previous, next])
  })
})

test('long values are cut for a source that takes it, and for no other', async () => {
  const long = 'x'.repeat(9000)
  for (const takesCut of [true, false, undefined]) {
    const source = Object.assign(
      answering(() => stretch(true, [long])),
      { takesCut },
    )
    const { next } = (await style.paginate(source as SeekableSource<unknown, string>, asking()))!
    await style.paginate(source as SeekableSource<unknown, string>, asking(queryOf(next)))
    expect(source.asked[1]).toMatchObject(
      takesCut === true ? { cut: { 0: expect.any(String) as unknown } } : { position: [long] },
    )
  }
})

test('a source that cannot begin at a row is refused at the request, too', async () => {
  const source = { count: () => 0, slice: () => [] } as unknown as SeekableSource<unknown, string>
  await expect(style.paginate(source, asking())).rejects.toThrow(
    new ConfigurationError(
      'endpoint feed: CursorPagination needs a source with seek(): take sqlSource, or arraySource with a key, or another style.',
    ),
  )
})

describe('what a cursor is bound to', () => {
  /** Shows the version in one of the ways. */
  const versions = (form: (version: string) => object, more: object = {}) => ({
    settings: { pageSize: 2, versioning: { linkForms: (each: string) => [form(each)] }, ...more },
  })
  const inPath = versions((version) => ({ param: ['v', version] }))
  const inQuery = versions((version) => ({ query: ['v', version] }))
  const inSpace = versions((version) => ({ namespace: version }))
  const space = (name: string, version: string | null) => {
    const namespace = name.split(':').slice(0, -1)
    return { endpointName: name, namespace, version }
  }
  const read = (query: string, own: string) => ({ query: Query.parse(query), own })
  const one = { a: 1, b: 2, c: 3 }

  test.each<[title: string, from: object, to: object, isSame: boolean]>([
    ['parameters in another order', { params: one }, { params: { c: 3, a: 1, b: 2 } }, true],
    ['parameters in the opposite order', { params: one }, { params: { c: 3, b: 2, a: 1 } }, true],
    ['another parameter', { params: one }, { params: { ...one, c: 4 } }, false],
    ['a suffix', {}, { params: { format: 'json' }, suffixed: true }, true],
    ['a parameter called as a suffix is', {}, { params: { format: 'json' } }, false],
    [
      'another version in the path',
      { ...inPath, version: 'v1', params: { v: 'v1' } },
      { ...inPath, version: 'v2', params: { v: 'v2' } },
      true,
    ],
    [
      'a parameter that is none of the version',
      { ...inQuery, version: 'v1', params: { v: 'v1' } },
      { ...inQuery, version: 'v2', params: { v: 'v2' } },
      false,
    ],
    [
      'another version in the query',
      { ...inQuery, version: 'v1', ...read('v=v1', 'v') },
      { ...inQuery, version: 'v2', ...read('v=v2', 'v') },
      true,
    ],
    ['another value of the query', read('q=a', 'q'), read('q=b', 'q'), false],
    ['the same value of the query', read('q=a', 'q'), read('q=a', 'q'), true],
    [
      'another format in the query',
      { ...versions(() => ({}), { urlFormatOverride: 'f' }), ...read('f=json', 'f') },
      versions(() => ({}), { urlFormatOverride: 'f' }),
      true,
    ],
    [
      'another version in the namespace',
      { ...inSpace, ...space('library:v1:feed', 'v1') },
      { ...inSpace, ...space('library:v2:feed', 'v2') },
      true,
    ],
    [
      'a namespace of the version, and none',
      { ...inSpace, ...space('v1:library:feed', 'v1') },
      { ...inSpace, ...space('library:feed', 'v2') },
      true,
    ],
    [
      'another namespace',
      { ...inSpace, ...space('library:v1:feed', 'v1') },
      { ...inSpace, ...space('archive:v1:feed', 'v1') },
      false,
    ],
    [
      'another namespace, in which the version is none',
      { ...inSpace, ...space('library:feed', 'v1') },
      { ...inSpace, ...space('archive:feed', 'v1') },
      false,
    ],
    [
      'a namespace called as the version is, which the query shows',
      { ...inQuery, ...space('v1:feed', 'v1') },
      { ...inQuery, ...space('feed', 'v1') },
      false,
    ],
    [
      'no version',
      { ...inSpace, ...space('library:feed', null) },
      space('library:feed', null),
      true,
    ],
    [
      'a scheme that shows no version',
      { settings: { pageSize: 2, versioning: {} }, version: 'v1' },
      { settings: { pageSize: 2 }, version: 'v2' },
      true,
    ],
  ])('%s', async (_, from, to, isSame) => {
    const source = answering(() => stretch(true, [1]))
    const paged = async ({ query, own, ...about }: ReturnType<typeof read> & object, text = '') => {
      const asked = (query ?? Query.parse('')).with(text === '' ? {} : { cursor: text })
      asked.get(own ?? '')
      return style.paginate(source, Object.assign(asking(), about, { query: asked }))
    }
    const { next } = (await paged(from as never))!
    const cursor = new URL(next!).searchParams.get('cursor')!
    const found = paged(to as never, cursor)
    if (isSame) await expect(found).resolves.not.toBeNull()
    else await expect(found).rejects.toThrow(NotFound)
  })

  test('a page may be of another size', async () => {
    const sized = new CursorPagination({ pageSizeQueryParam: 'size' })
    const source = answering(() => stretch(true, [1]))
    const { next } = (await sized.paginate(source, asking('size=3')))!
    const query = queryOf(next).replace('size=3', 'size=7')
    await sized.paginate(source, asking(query))
    expect(source.asked.map(({ limit }) => limit)).toEqual([3, 7])
  })

  test('two endpoints do not read each other’s, however their names begin', async () => {
    const source = answering(() => stretch(true, [1]))
    const page = await style.paginate(source, asking('', 'feed'))
    for (const name of ['feeds', 'fee', 'v1:feed', ''])
      await expect(style.paginate(source, asking(queryOf(page!.next), name))).rejects.toThrow(
        NotFound,
      )
  })

  test('an order is the same, however it was written', async () => {
    const source = answering(() => stretch(true, [1]))
    const page = await style.paginate(source, asking())
    const same = { field: 'created', descending: true, nulls: 'last' } as const
    for (const ordering of [same, ['-created'], [same, 'created']] as const) {
      const other = new CursorPagination({ ordering })
      expect(await other.paginate(source, asking(queryOf(page!.next)))).not.toBeNull()
    }
  })
})

describe('bindTo', () => {
  const ofUser = new CursorPagination({ bindTo: 'user' })
  const source = answering(() => stretch(true, [1]))
  const by = (user: unknown, isNamed = true, query = ''): ApiRequest =>
    Object.assign(asking(query), { user, authenticator: isNamed ? {} : null })

  test.each([7, 7n, '7'])('a user with the id %o', async (id) => {
    const { next } = (await ofUser.paginate(source, by({ id })))!
    expect(await ofUser.paginate(source, by({ id: 7 }, true, queryOf(next)))).not.toBeNull()
    const other = ofUser.paginate(source, by({ id: 8 }, true, queryOf(next)))
    await expect(other).rejects.toThrow(NotFound)
  })

  test('a user who is called as requests without one are is another', async () => {
    const { next } = (await ofUser.paginate(source, by(null, false)))!
    const other = ofUser.paginate(source, by({ id: 'anonymous' }, true, queryOf(next)))
    await expect(other).rejects.toThrow(NotFound)
    const { next: ofAll } = (await style.paginate(source, by(null, false)))!
    await expect(ofUser.paginate(source, by(null, false, queryOf(ofAll)))).rejects.toThrow(NotFound)
    // Whatever stands for the user of requests without one.
    expect(await ofUser.paginate(source, by({ id: 5 }, false, queryOf(next)))).not.toBeNull()
  })

  test.each([null, undefined, 'ada', {}, { id: null }, { id: {} }])(
    'cannot be without an id: %o',
    async (user) => {
      const page = ofUser.paginate(source, by(user))
      await expect(page).rejects.toThrow(/endpoint feed: .*"id".*"bindTo"/)
      await expect(page).rejects.toThrow(ConfigurationError)
    },
  )

  test('null is the default', async () => {
    const { next } = (await new CursorPagination().paginate(source, by({ id: 1 })))!
    const same = new CursorPagination({ bindTo: null })
    expect(await same.paginate(source, by({ id: 2 }, true, queryOf(next)))).not.toBeNull()
  })

  test.each(['User', 'session', '', true, 1, ['user'], {}])('%o refuses to be one', (bindTo) => {
    const make = (): unknown => new CursorPagination({ bindTo: bindTo as never })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(/CursorPagination: "bindTo" must be one of "user", null/)
  })

  test('in keys it is bind_to', () => {
    const api = defineApi({ urls: { feed: '/' } })
    const start = (bindTo: unknown): unknown => {
      const DEFAULT_PAGINATION_CLASS = { class: 'CursorPagination', bind_to: bindTo }
      const configuration = configurationOf({ SECRET_KEY: 'a secret', DEFAULT_PAGINATION_CLASS })
      return api.serve([api.endpoint('feed').get(() => null)], { configuration })
    }
    expect(start('user')).toBeTruthy()
    expect(start(null)).toBeTruthy()
    expect(() => start('users')).toThrow(/bindTo/)
  })
})
