import { afterEach, describe, expect, test } from 'vitest'
import {
  type App,
  ConfigurationError,
  CursorPagination,
  OrderingFilter,
  type Ordering,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { EVENTS, type Event, type Events, byId, eventOf, onEvents } from './cursor-sources.ts'
import { type Door, doors } from './doors.ts'
import { DETAIL, addresses } from './fixtures.ts'

const MIXED: Ordering = [
  { field: 'place', nulls: 'last' },
  '-value',
  { field: 'title', descending: true },
]
const STYLES = {
  feed: new CursorPagination({ pageSize: 3 }),
  twin: new CursorPagination({ pageSize: 3 }),
  ties: new CursorPagination({ pageSize: 5, ordering: 'value' }),
  mixed: new CursorPagination({ pageSize: 4, ordering: MIXED }),
  nulls: new CursorPagination({ pageSize: 4, ordering: '-place' }),
  'nulls-up': new CursorPagination({ pageSize: 4, ordering: ['place'] }),
  'nulls-first': new CursorPagination({
    pageSize: 4,
    ordering: { field: 'place', descending: true, nulls: 'first' },
  }),
  whole: new CursorPagination({ pageSize: 5 }),
  renamed: new CursorPagination({ pageSize: 3, cursorQueryParam: 'at' }),
  sized: new CursorPagination({ pageSize: 3, pageSizeQueryParam: 'size', maxPageSize: 4 }),
  off: new CursorPagination({ pageSize: null, pageSizeQueryParam: 'size' }),
  zero: new CursorPagination({ pageSize: 0 }),
  inherited: new CursorPagination(),
  message: new CursorPagination({ pageSize: 3, invalidCursorMessage: 'Turn back.' }),
  bare: new CursorPagination({ pageSize: 3, template: null }),
}
const LENGTHS: Readonly<Record<string, number>> = { ties: Infinity, mixed: Infinity, empty: 0 }
const NAMES = [...Object.keys(STYLES), 'empty', 'filtered', 'declared']
const api = defineApi({ urls: addresses(NAMES), pageSize: 4 })

const serveOn = (events: Events, keys: Readonly<Record<string, unknown>> = SECRET): App => {
  const plain = Object.entries({ ...STYLES, empty: STYLES.feed }).map(([name, pagination]) =>
    api.endpoint(name, { pagination }).get(
      list({
        // Changes show, whether the array is another or not.
        source: () => events.upTo(LENGTHS[name] ?? 10),
        serializer: byId,
      }),
    ),
  )
  const filters = [new OrderingFilter()]
  const filtered = (name: string, ordering: '-id' | null) =>
    api.endpoint(name, { pagination: STYLES.feed, filters }).get(
      list({
        source: () => events.upTo(10),
        serializer: byId,
        orderingFields: ['id', 'value', 'place'],
        ordering,
      }),
    )
  const endpoints = [...plain, filtered('filtered', null), filtered('declared', '-id')]
  return api.serve(endpoints, { configuration: configurationOf(keys) })
}
const SECRET = { SECRET_KEY: 'a secret of these tests' }

interface Answered {
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly number[]
}

const LOCAL = 'http://localhost'

async function ask(door: Door, path: string): Promise<Answered> {
  const { status, text } = await door.send({ method: 'GET', path: path.replace(LOCAL, '') })
  expect({ status, text }).toEqual({ status: 200, text })
  return JSON.parse(text) as Answered
}

async function walk(door: Door, path: string, way: 'next' | 'previous'): Promise<Answered[]> {
  const pages: Answered[] = []
  for (let at: string | null = path; at !== null; at = pages.at(-1)![way]) {
    pages.push(await ask(door, at))
    expect(pages.length).toBeLessThan(40)
  }
  return pages
}

const idsOf = (pages: readonly Answered[]): unknown => pages.map(({ results }) => results)
const cursorOf = (link: string | null, parameter = 'cursor'): string =>
  new URL(link!).searchParams.get(parameter)!

const services = await onEvents()
const everywhere = services.flatMap((events) => {
  const app = serveOn(events)
  return doors(app).map((door) => ({ on: events.on, door, through: door.name, events }))
})

describe.each(everywhere)('$on, $through', ({ door, events }) => {
  const bad = async (path: string): Promise<void> => {
    events.asked()
    const { status, text } = await door.send({ method: 'GET', path: path.replace(LOCAL, '') })
    expect({ status, data: JSON.parse(text) as unknown }).toEqual({ status: 404, data: DETAIL })
    expect(events.asked()).toBe(0)
  }

  describe('C50 ten events, newest first', () => {
    const FORWARD = [[10, 9, 8], [7, 6, 5], [4, 3, 2], [1]]

    test('next leads through all of them, and ends', async () => {
      expect(idsOf(await walk(door, '/feed/', 'next'))).toEqual(FORWARD)
    })

    test('previous leads back, and ends', async () => {
      const pages = await walk(door, '/feed/', 'next')
      const back = await walk(door, pages.at(-1)!.previous!, 'previous')
      expect(idsOf(back)).toEqual(FORWARD.slice(0, 3).toReversed())
    })

    test('I1: the page before the page after is the page, and its links lead on', async () => {
      const pages = await walk(door, '/feed/', 'next')
      for (const [index, page] of pages.slice(1).entries()) {
        const before = await ask(door, page.previous!)
        expect(before.results).toEqual(pages[index]!.results)
        expect((await ask(door, before.next!)).results).toEqual(page.results)
      }
    })

    test('pages that fit exactly: no empty page at the end', async () => {
      expect(idsOf(await walk(door, '/whole/', 'next'))).toEqual([
        [10, 9, 8, 7, 6],
        [5, 4, 3, 2, 1],
      ])
    })
  })

  test('C51: ties come in the order of the key, each once, both ways', async () => {
    const ids = EVENTS.map(({ id }) => id)
    const pages = await walk(door, '/ties/', 'next')
    expect(idsOf(pages)).toEqual([0, 5, 10, 15, 20, 25].map((at) => ids.slice(at, at + 5)))
    const back = await walk(door, pages.at(-1)!.previous!, 'previous')
    expect(idsOf(back)).toEqual([20, 15, 10, 5, 0].map((at) => ids.slice(at, at + 5)))
  })

  describe('I1: rows without a value', () => {
    const tenBy = (order: (a: Event, b: Event) => number) =>
      EVENTS.slice(0, 10)
        .toSorted(order)
        .map(({ id }) => id)
    const least = ({ place }: Event): number => place ?? -1

    test.each([
      ['nulls-up', tenBy((a, b) => least(a) - least(b) || a.id - b.id)],
      ['nulls', tenBy((a, b) => least(b) - least(a) || b.id - a.id)],
      ['nulls-first', tenBy((a, b) => (b.place ?? 7) - (a.place ?? 7) || b.id - a.id)],
    ])('/%s/', async (name, ids) => {
      const pages = await walk(door, `/${name}/`, 'next')
      expect(pages.flatMap(({ results }) => results)).toEqual(ids)
      const back = await walk(door, pages.at(-1)!.previous!, 'previous')
      const rest = ids.slice(0, -pages.at(-1)!.results.length)
      expect(back.toReversed().flatMap(({ results }) => results)).toEqual(rest)
    })

    test('and several keys, each in its own direction', async () => {
      const pages = await walk(door, '/mixed/', 'next')
      const order = (a: Event, b: Event): number =>
        (a.place ?? 7) - (b.place ?? 7) ||
        b.value - a.value ||
        (a.title < b.title ? 1 : a.title > b.title ? -1 : b.id - a.id)
      const ids = EVENTS.toSorted(order).map(({ id }) => id)
      expect(pages.flatMap(({ results }) => results)).toEqual(ids)
    })
  })

  describe('C3, C4 the envelope and its links', () => {
    test('C3, P5: exactly next, previous, results', async () => {
      const { text } = await door.send({ method: 'GET', path: '/feed/' })
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['next', 'previous', 'results'])
    })

    test('an empty list', async () => {
      expect(await ask(door, '/empty/')).toEqual({ next: null, previous: null, results: [] })
    })

    test('P8: everything else in the query stays, sorted by name', async () => {
      const { next } = await ask(door, '/feed/?page=3&b=2&b=1&limit=2&a=%C3%A9%20x&z')
      const query = next!.slice(`${LOCAL}/feed/?`.length)
      expect(query).toMatch(/^a=%C3%A9\+x&b=2&b=1&cursor=[\w-]+&limit=2&page=3&z=$/)
      expect((await ask(door, next!)).previous).toContain('&limit=2&page=3&z=')
    })

    test('C1: the parameter can have another name', async () => {
      const { next } = await ask(door, '/renamed/?cursor=mine')
      expect(next).toMatch(/\?at=[\w-]+&cursor=mine$/)
      expect((await ask(door, next!)).results).toEqual([7, 6, 5])
    })

    test('a cursor for a time and a key is short, and needs no escape', async () => {
      for (const { next, previous } of await walk(door, '/feed/', 'next'))
        for (const link of [next, previous])
          if (link !== null) expect(link).toMatch(/\?cursor=[\w-]{22,120}$/)
    })

    test('D40: it shows nothing of the values that it holds', async () => {
      const { next } = await ask(door, '/feed/')
      expect(Buffer.from(cursorOf(next), 'base64url').toString('latin1')).not.toMatch(/2024|08:00/)
    })

    test('the same page has the same cursors', async () => {
      expect(await ask(door, '/feed/')).toEqual(await ask(door, '/feed/'))
    })

    test('H1, H3: a page for people has controls, and none where there is nothing to turn', async () => {
      const headers = { accept: 'text/html' }
      const html = async (path: string) => (await door.send({ method: 'GET', path, headers })).text
      const page = await html('/feed/')
      expect(page).toMatch(/<a href="http:\/\/localhost\/feed\/\?cursor=[\w-]+" rel="next">/)
      expect(await html('/empty/')).not.toContain('<nav aria-label="Pages">')
      expect(await html('/bare/')).not.toContain('<nav aria-label="Pages">')
    })
  })

  describe('C2, P13–P15 page sizes', () => {
    test.each([
      ['/sized/?size=2', [10, 9]],
      ['/sized/?size=9', [10, 9, 8, 7]],
      ['/sized/?size=0', [10, 9, 8]],
      ['/sized/?size=-1', [10, 9, 8]],
      ['/sized/?size=x', [10, 9, 8]],
      ['/off/?size=2', [10, 9]],
      ['/off/?size=99999999999999999999', [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
      ['/inherited/', [10, 9, 8, 7]],
      ['/feed/?size=2&page_size=2', [10, 9, 8]],
    ])('%s', async (path, results) => {
      expect((await ask(door, path)).results).toEqual(results)
    })

    test.each(['/off/', '/off/?size=0', '/zero/', '/zero/?cursor=x'])(
      'P3: %s is not split',
      async (path) => {
        const { text } = await door.send({ method: 'GET', path })
        expect(JSON.parse(text)).toHaveLength(10)
      },
    )

    test('C4: the size stays in the links as it was sent, and can change on the way', async () => {
      const { next } = await ask(door, '/sized/?size=99')
      expect(next).toMatch(/&size=99$/)
      const smaller = await ask(door, next!.replace('size=99', 'size=2'))
      expect(smaller.results).toEqual([6, 5])
      expect((await ask(door, smaller.previous!)).results).toEqual([8, 7])
    })
  })

  describe('C13, C14 what comes in', () => {
    test.each(['/feed/?cursor=', '/feed/?cursor', '/feed/?cursor=x&cursor=', '/feed/?CURSOR=x'])(
      'C14, P11: %s is the first page',
      async (path) => expect((await ask(door, path)).results).toEqual([10, 9, 8]),
    )

    test.each([
      ...['x', '%00', '%FF', '%F0%9F%98%80', 'null', '0', '-1', '[]', 'A'.repeat(22)],
      // What other services take for cursors (C11, C14, C16).
      ...['cD0z', 'cj0xJnA9MQ%3D%3D', 'bz0yJnA9MA==', 'enp6', '!!!!', 'cD1Ob25l', 'A'.repeat(6000)],
    ])('C13, I2: ?cursor=%s is none, and nothing is read', (cursor) =>
      bad(`/feed/?cursor=${cursor}`),
    )

    test('C13: the message can be another', async () => {
      const { text } = await door.send({ method: 'GET', path: '/message/?cursor=x' })
      expect(JSON.parse(text)).toEqual({ detail: 'Turn back.' })
    })

    test('I2: neither is one that was changed, cut, stretched or written otherwise', async () => {
      const cursor = cursorOf((await ask(door, '/feed/')).next)
      const bytes = Buffer.from(cursor, 'base64url')
      const changed = [...bytes.keys()].map((at) =>
        Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))),
      )
      const others = [
        ...changed.map((each) => each.toString('base64url')),
        ...[cursor.slice(0, -1), cursor.slice(1), `${cursor}A`, `A${cursor}`, cursor + cursor],
        ...[`${cursor}=`, `%20${cursor}`, `${cursor}%0A`, cursor.toLowerCase()],
        encodeURIComponent(bytes.toString('base64').replace(/=*$/, '/')),
        bytes.toString('hex'),
        encodeURIComponent(Buffer.from(cursor).toString('base64')),
      ]
      for (const other of others) await bad(`/feed/?cursor=${other}`)
    })

    test('I2: nor one of another list, or of another order', async () => {
      const feed = cursorOf((await ask(door, '/feed/')).next)
      for (const name of ['twin', 'ties', 'nulls', 'empty', 'filtered'])
        await bad(`/${name}/?cursor=${feed}`)
      const ties = cursorOf((await ask(door, '/ties/')).next)
      await bad(`/feed/?cursor=${ties}`)
    })

    test('I2: nor one of another service', async () => {
      const [other] = doors(serveOn(events, { SECRET_KEY: 'another secret' }))
      await bad(`/feed/?cursor=${cursorOf((await ask(other!, '/feed/')).next)}`)
    })

    test('I2: a secret that was replaced is good for as long as it is a fallback', async () => {
      const { next } = await ask(door, '/feed/')
      const renewed = { SECRET_KEY: 'a new secret', SECRET_KEY_FALLBACKS: [SECRET.SECRET_KEY] }
      const [later] = doors(serveOn(events, renewed))
      const page = await ask(later!, next!)
      expect(page.results).toEqual([7, 6, 5])
      // What it gives out is under the new one.
      await bad(page.next!)
      const [last] = doors(serveOn(events, { SECRET_KEY: 'a new secret' }))
      expect((await ask(last!, page.next!)).results).toEqual([4, 3, 2])
      expect((await last!.send({ method: 'GET', path: next!.replace(LOCAL, '') })).status).toBe(404)
    })
  })

  describe('C20 filters decide on the order', () => {
    test.each([
      ['/filtered/', [10, 9, 8]],
      ['/filtered/?ordering=id', [1, 2, 3]],
      ['/filtered/?ordering=-value,id', [9, 10, 8]],
      ['/filtered/?ordering=nonsense', [10, 9, 8]],
      ['/declared/', [10, 9, 8]],
      ['/declared/?ordering=place,-id', [9, 6, 3]],
    ])('%s', async (path, results) => {
      const first = await ask(door, path)
      expect(first.results).toEqual(results)
      const pages = await walk(door, path, 'next')
      expect(pages.flatMap((page) => page.results)).toHaveLength(10)
      expect((await ask(door, pages[1]!.previous!)).results).toEqual(results)
    })

    test('I2: a cursor goes with its order', async () => {
      const { next } = await ask(door, '/filtered/?ordering=id')
      expect((await ask(door, next!)).results).toEqual([4, 5, 6])
      await bad(next!.replace('ordering=id', 'ordering=-id'))
      await bad(next!.replace('ordering=id', 'ordering=value'))
      await bad(next!.replace('ordering=id', 'ordering=id,value'))
      await bad(next!.replace('&ordering=id', ''))
    })
  })

  describe('I1 while others write', () => {
    afterEach(() => events.restore())

    test('the row that a cursor was made from may be gone', async () => {
      const { next } = await ask(door, '/feed/')
      await events.remove(8, 6)
      const second = await ask(door, next!)
      expect(second.results).toEqual([7, 5, 4])
      await events.remove(7)
      expect((await ask(door, second.previous!)).results).toEqual([10, 9])
      expect((await ask(door, second.next!)).results).toEqual([3, 2, 1])
    })

    test('all the rest may be gone: an empty page, and back to the last rows that are left', async () => {
      const { next } = await ask(door, '/feed/')
      await events.remove(1, 2, 3, 4, 5, 6, 7, 8)
      const page = await ask(door, next!)
      expect({ ...page, previous: '' }).toEqual({ results: [], next: null, previous: '' })
      expect(await ask(door, page.previous!)).toEqual({
        results: [10, 9],
        next: null,
        previous: null,
      })
    })

    test('all before may be gone: an empty page, and on to the first page', async () => {
      const [, second] = await walk(door, '/feed/', 'next')
      await events.remove(8, 9, 10)
      const page = await ask(door, second!.previous!)
      expect(page).toEqual({ results: [], next: `${LOCAL}/feed/`, previous: null })
      expect((await ask(door, page.next!)).results).toEqual([7, 6, 5])
    })

    test('everything may be gone: back from nowhere is nowhere', async () => {
      const [, second] = await walk(door, '/feed/', 'next')
      await events.remove(...EVENTS.map(({ id }) => id))
      const page = await ask(door, second!.next!)
      expect(await ask(door, page.previous!)).toEqual({ results: [], next: null, previous: null })
    })

    test('from the end of what was left, previous goes on', async () => {
      const pages = await walk(door, '/feed/', 'next')
      await events.remove(1)
      const empty = await ask(door, pages[2]!.next!)
      expect(empty.results).toEqual([])
      const back = await walk(door, empty.previous!, 'previous')
      expect(idsOf(back)).toEqual([
        [4, 3, 2],
        [7, 6, 5],
        [10, 9, 8],
      ])
    })

    test('C62: what is newer shows on the way back, and the page at the head may be short', async () => {
      const { next } = await ask(door, '/ties/')
      const second = await ask(door, next!)
      // Ids are what orders ties here: these stand before all, and among the first.
      await events.insert(eventOf(-2, 1), eventOf(-1, 0), eventOf(0, 1))
      expect(idsOf(await walk(door, second.previous!, 'previous'))).toEqual([
        [1, 2, 3, 4, 5],
        [-1, -2, 0],
      ])
      expect((await ask(door, second.next!)).results).toEqual([11, 12, 13, 14, 15])
    })
  })
})

describe('C22 an ordering there must be', () => {
  test.each([null, '', [], 7, [''], { field: 'id', nulls: 'middle' }])('%j', (ordering) => {
    const options = { ordering } as unknown as { ordering: string }
    expect(() => new CursorPagination(options)).toThrow(ConfigurationError)
  })

  test.each([
    [{ pageSize: 'x' }, 'pageSize'],
    [{ cursorQueryParam: '' }, 'cursorQueryParam'],
    [{ maxPageSize: -1 }, 'maxPageSize'],
    [{ template: 'nothing' }, 'nothing'],
    [{ invalidCursorMessage: 7 }, 'invalidCursorMessage'],
  ])('%j is refused', (options, name) => {
    expect(() => new CursorPagination(options as object)).toThrow(name)
  })
})
