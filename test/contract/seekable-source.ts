import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  Position,
  SeekableSource,
  SortKey,
  Stretch,
} from '../../src/core/ports/list-source.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { InvalidPosition } from '../../src/core/errors/api-errors.ts'

/** What the lists of these suites are made of. Names are small letters, so that all collations agree. */
export interface Item {
  readonly id: number
  readonly kind: number | null
  readonly name: string | null
}

export type ItemField = keyof Item

/** A list of items with the unique key `id`. */
export interface OpenSource<Source> {
  readonly source: Source
  /** Takes an item away. */
  remove(id: number): unknown
}

type Seekable = SeekableSource<Item, ItemField>
type Keys = readonly SortKey<ItemField>[]

/** Items in the order of the keys and of `id` behind them, in the direction of the last one. */
export function inOrder(items: readonly Item[], keys: Keys): readonly Item[] {
  const descending = keys.at(-1)?.descending ?? false
  const all: Keys = [...keys, { field: 'id', descending, nulls: 'last' }]
  return items.toSorted((left, right) => {
    for (const key of all) {
      const found = compared(left[key.field], right[key.field], key)
      if (found !== 0) return found
    }
    return 0
  })
}

type Value = number | string | null

function compared(left: Value, right: Value, { descending, nulls }: SortKey): number {
  if (left === right) return 0
  if (left === null || right === null) return (left === null) === (nulls === 'first') ? -1 : 1
  return left < right === descending ? 1 : -1
}

export const anyKeys: fc.Arbitrary<Keys> = fc.array(
  fc.record({
    field: fc.constantFrom<ItemField>('id', 'kind', 'name'),
    descending: fc.boolean(),
    nulls: fc.constantFrom('first', 'last'),
  }),
  { maxLength: 3 },
)

export const anyItems: fc.Arbitrary<readonly Item[]> = fc
  .array(
    fc.record({
      kind: fc.option(fc.nat(2), { nil: null }),
      name: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null }),
    }),
    { maxLength: 30, size: 'max' },
  )
  .map((rows) => rows.map((row, index) => ({ id: index + 1, ...row })))

/** All stretches from one end to the other. */
async function walk(
  source: Seekable,
  keys: Keys,
  limit: number,
  reverse: boolean,
): Promise<readonly Stretch<Item>[]> {
  const stretches: Stretch<Item>[] = []
  for (let position: Position | null = null; ;) {
    const stretch: Stretch<Item> = await source.seek({ keys, position, reverse, limit })
    stretches.push(stretch)
    position = reverse ? stretch.first : stretch.last
    if (!stretch.more) return stretches
  }
}

/** What every list has to do that can start at a position. */
export function testSeekableSource(
  name: string,
  open: (items: readonly Item[]) => Promise<OpenSource<Seekable>>,
  { runs = 60 }: { readonly runs?: number } = {},
): void {
  describe(`${name} can start at a position`, () => {
    test('I1 walks in both directions meet every row once, in order, whatever the order', async () => {
      const limits = fc.integer({ min: 1, max: 7 })
      await fc.assert(
        fc.asyncProperty(anyItems, anyKeys, limits, async (items, keys, limit) => {
          const { source } = await open(items)
          const expected = inOrder(items, keys)
          const forwards = await walk(source, keys, limit, false)
          expect(forwards.flatMap(({ rows }) => rows)).toEqual(expected)
          const backwards = await walk(source, keys, limit, true)
          expect(backwards.toReversed().flatMap(({ rows }) => rows)).toEqual(expected)
        }),
        { numRuns: runs },
      )
    })

    test('I1 back from the next page is this page', async () => {
      await fc.assert(
        fc.asyncProperty(anyItems, anyKeys, async (items, keys) => {
          const { source } = await open(items)
          const pages = await walk(source, keys, 4, false)
          for (const [index, page] of pages.slice(0, -1).entries()) {
            const position = pages[index + 1]!.first
            const back = await source.seek({ keys, position, reverse: true, limit: 4 })
            expect(back.rows).toEqual(page.rows)
            expect(back.more).toBe(index > 0)
          }
        }),
        { numRuns: Math.ceil(runs / 3) },
      )
    })

    const items: readonly Item[] = [
      { id: 1, kind: 1, name: 'a' },
      { id: 2, kind: null, name: 'a' },
      { id: 3, kind: 1, name: null },
      { id: 4, kind: 0, name: 'b' },
    ]
    const byKind: Keys = [{ field: 'kind', descending: false, nulls: 'first' }]
    const from = (position: Position | null, reverse = false, limit = 2) => ({
      keys: byKind,
      position,
      reverse,
      limit,
    })

    test('I1 a row that is gone leaves its place', async () => {
      const { source, remove } = await open(items)
      const { rows, last } = await source.seek(from(null))
      expect(rows.map(({ id }) => id)).toEqual([2, 4])
      await remove(4)
      expect((await source.seek(from(last))).rows.map(({ id }) => id)).toEqual([1, 3])
      expect((await source.seek(from(last, true))).rows.map(({ id }) => id)).toEqual([2])
    })

    test('behind the last row there is nothing, and before the first one', async () => {
      const { source } = await open(items)
      const { first } = await source.seek(from(null))
      const { last } = await source.seek(from(null, true))
      const nothing = { rows: [], more: false, first: null, last: null }
      expect(await source.seek(from(last))).toEqual(nothing)
      expect(await source.seek(from(first, true))).toEqual(nothing)
    })

    test('an empty list has no positions', async () => {
      const { source } = await open([])
      const nothing = { rows: [], more: false, first: null, last: null }
      expect(await source.seek(from(null))).toEqual(nothing)
      expect(await source.seek(from(null, true))).toEqual(nothing)
    })

    test('as many rows as are asked for, and whether there are more', async () => {
      const { source } = await open(items)
      for (const limit of [1, 3, 4, 5, Number.MAX_SAFE_INTEGER]) {
        const { rows, more } = await source.seek(from(null, false, limit))
        expect(rows).toHaveLength(Math.min(limit, 4))
        expect(more).toBe(limit < 4)
      }
    })

    test('without keys the order is that of the unique key', async () => {
      const { source } = await open(items)
      const { rows } = await source.seek({ ...from(null), keys: [], limit: 10 })
      expect(rows).toEqual(items)
    })

    test.each<[string, Position]>([
      ['too few values', [1]],
      ['too many values', [1, 2, 3]],
      ['none at all', []],
    ])('a position with %s is refused', async (_, position) => {
      const { source } = await open(items)
      await expect(async () => source.seek(from(position))).rejects.toThrow(InvalidPosition)
    })

    test('a field that it does not know is a mistake in the program', async () => {
      const { source } = await open(items)
      const keys = [{ ...byKind[0]!, field: 'knd' }] as unknown as Keys
      await expect(async () => source.seek({ ...from(null), keys })).rejects.toThrow(
        ConfigurationError,
      )
    })
  })
}
