import { describe, expect, test } from 'vitest'
import { ConfigurationError, CursorPagination } from '../../src/index.ts'
import { LOCAL, ask, bytesOf, cursorOf, everywhere, idsOf, walk } from './cursor-service.ts'
import { EVENTS, type Event } from './cursor-sources.ts'

describe.each(await everywhere())('$on, $through', ({ door }) => {
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
      expect(query).toMatch(/^a=%C3%A9\+x&b=2&b=1&cursor=v1\.[\w-]+&limit=2&page=3&z=$/)
      expect((await ask(door, next!)).previous).toContain('&limit=2&page=3&z=')
    })

    test('C1: the parameter can have another name', async () => {
      const { next } = await ask(door, '/renamed/?cursor=mine')
      expect(next).toMatch(/\?at=v1\.[\w-]+&cursor=mine$/)
      expect((await ask(door, next!)).results).toEqual([7, 6, 5])
    })

    test('a cursor for a time and a key is short, and needs no escape', async () => {
      const pages = await walk(door, '/feed/', 'next')
      const links = pages.flatMap(({ next, previous }) => [next, previous])
      const cursors = links.filter((link) => link !== null)
      expect(cursors).toHaveLength(2 * (pages.length - 1))
      for (const link of cursors) expect(link).toMatch(/\?cursor=v1\.[\w-]{22,117}$/)
    })

    test('D40: it shows nothing of the values that it holds', async () => {
      const { next } = await ask(door, '/feed/')
      expect(bytesOf(cursorOf(next)).toString('latin1')).not.toMatch(/2024|08:00/)
    })

    test('the same page has the same cursors', async () => {
      expect(await ask(door, '/feed/')).toEqual(await ask(door, '/feed/'))
    })

    test('H1, H3: a page for people has controls, and none where there is nothing to turn', async () => {
      const headers = { accept: 'text/html' }
      const html = async (path: string) => (await door.send({ method: 'GET', path, headers })).text
      const page = await html('/feed/')
      expect(page).toMatch(/<a href="http:\/\/localhost\/feed\/\?cursor=v1\.[\w-]+" rel="next">/)
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
