import { afterEach, describe, expect, test } from 'vitest'
import { LOCAL, ask, everywhere, idsOf, refused, walk } from './cursor-service.ts'
import { EVENTS, eventOf } from './cursor-sources.ts'

describe.each(await everywhere())('$on, $through', (service) => {
  const { door, events } = service
  const bad = (path: string): Promise<void> => refused(service, path)

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
