import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ListSource, Portion } from '../../src/core/ports/list-source.ts'
import { toRowObjects } from '../../src/core/std/row-objects.ts'

type Page = Portion & { readonly count: number }

/** Beside its table. */
export function shown({ count, rows }: Page = { count: -1, rows: [] }) {
  return { count, rows }
}

/** What the table of the portion says; `instead`, where it has none. */
function rowsOfTable({ table }: Portion = { rows: [] }, instead: readonly unknown[]) {
  return table === undefined ? instead : toRowObjects(table)
}

/** Numbers that a client can ask for and no database integer can hold. */
const BEYOND = [Number.MAX_SAFE_INTEGER, 2 ** 63, 1e300, Number.POSITIVE_INFINITY]

/**
 * What every list has to do: the same as the array of its rows. `open` makes a source whose rows are
 * `{ id: 1 }` to `{ id: size }` in this order.
 */
export function testListSource(
  name: string,
  open: (size: number) => Promise<ListSource<{ readonly id: number }>>,
): void {
  const rows = (size: number) => Array.from({ length: size }, (_, index) => ({ id: index + 1 }))

  describe(`${name} is a list`, () => {
    test('it counts and slices as an array does, in the first half and in the second', async () => {
      const source = await open(23)
      const range = fc.record({ offset: fc.nat(30), limit: fc.nat(30) })
      await fc.assert(
        fc.asyncProperty(range, async ({ offset, limit }) => {
          const expected = rows(23).slice(offset, offset + limit)
          expect(await source.slice(offset, limit)).toEqual(expected)
          const page = await source.page?.(() => ({ offset, limit }))
          // Before the rows: there is a table as long as they are not made.
          const cut = await source.cut?.(offset, limit)
          // The table is gone once its rows were made.
          for (const each of [page, cut]) expect(rowsOfTable(each, expected)).toEqual(expected)
          expect(shown(page)).toEqual({ count: 23, rows: expected })
          expect(cut?.rows ?? expected).toEqual(expected)
        }),
      )
      expect(await source.count()).toBe(23)
    })

    test('a page is asked for when the count is known', async () => {
      const source = await open(7)
      const page = await source.page?.((count) => ({ offset: count - 2, limit: 5 }))
      expect(shown(page)).toEqual({ count: 7, rows: rows(7).slice(-2) })
    })

    test('an empty list has a count and no rows', async () => {
      const source = await open(0)
      expect(await source.count()).toBe(0)
      expect(await source.slice(0, 5)).toEqual([])
      const page = await source.page?.(() => ({ offset: 0, limit: 5 }))
      expect(shown(page)).toEqual({ count: 0, rows: [] })
    })

    test.each(BEYOND)(
      'I15, L5 an offset of %d has no rows, a limit of it has all',
      async (number) => {
        const source = await open(3)
        expect(await source.slice(number, 10)).toEqual([])
        expect(await source.slice(1, number)).toEqual(rows(3).slice(1))
        expect(await source.slice(number, number)).toEqual([])
        const behind = await source.page?.(() => ({ offset: number, limit: number }))
        expect(shown(behind)).toEqual({ count: 3, rows: [] })
        const all = await source.page?.(() => ({ offset: 2, limit: number }))
        expect(shown(all)).toEqual({ count: 3, rows: rows(3).slice(2) })
      },
    )
  })
}
