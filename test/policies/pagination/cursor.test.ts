import { describe, expect, test } from 'vitest'
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

describe('what a cursor is bound to', () => {
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
