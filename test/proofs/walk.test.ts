// The proofs themselves: they agree to a reader that is right, and to none that is wrong.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SeekableSource } from '../../src/core/ports/list-source.ts'
import { DIALECTS, freshDatabase } from './databases.ts'
import { proofCase } from './cases.ts'
import { createProofTable, fill, oracle } from './proof-table.ts'
import { type Labelled, throughApplication, throughStyle } from './readers.ts'
import { type Ask, proveWalk } from './walk.ts'
import { proveSeen } from './writers.ts'

const ROWS = [3, 1, 4, 15, 9, 2, 6]

/** A reader whose addresses are places in the list. */
function reader(rows: readonly number[], size: number, shift = (from: number) => from): Ask {
  return (address) => {
    const from = address === null ? 0 : shift(Number(address))
    const to = from + size
    return {
      labels: rows.slice(Math.max(0, from), to),
      next: to < rows.length ? String(to) : null,
      previous: from > 0 ? String(from - size) : null,
    }
  }
}

describe('a walk', () => {
  test.each([1, 2, 3, 7, 50])('in pages of %i is right', async (size) => {
    await proveWalk(reader(ROWS, size), ROWS, size)
    await proveWalk(reader([], size), [], size)
  })

  test.each<[name: string, ask: Ask]>([
    ['a row is missing', reader(ROWS.toSpliced(3, 1), 2)],
    ['a row comes twice', reader(ROWS.toSpliced(3, 0, 4), 2)],
    ['two rows are exchanged', reader([1, 3, ...ROWS.slice(2)], 2)],
    ['pages overlap', reader(ROWS, 2, (from) => from - 1)],
    ['pages leave something out', reader(ROWS, 2, (from) => from + 1)],
    ['pages are short', reader(ROWS, 1)],
    ['nothing comes next', (address) => ({ ...first(address), next: null })],
    ['nothing comes before', (address) => ({ ...first(address), previous: null })],
    ['there is no end', (address) => ({ ...first(address), next: '0' })],
    ['something is in front of the first', (address) => ({ ...first(address), previous: '0' })],
    ['the way back is another', back],
  ])('is wrong where %s', async (_, ask) => {
    await expect(proveWalk(ask, ROWS, 2)).rejects.toThrow(/: .*, and not |no end of pages/)
  })

  const first = (address: string | null) => reader(ROWS, 2)(address) as Awaited<ReturnType<Ask>>

  function back(address: string | null) {
    const page = first(address?.replace('back', '') ?? null)
    const labels = address?.startsWith('back') ? page.labels.toReversed() : page.labels
    return { ...page, labels, previous: page.previous && `back${page.previous}` }
  }
})

/** A list that stays as it is: where a row stands is its place. */
function still(rows: readonly number[]): SeekableSource<Labelled, string> {
  const labelled = rows.map((label) => ({ label }))
  return {
    count: () => rows.length,
    slice: (offset, limit) => labelled.slice(offset, offset + limit),
    seek({ position, reverse, limit }) {
      const from = reverse ? -1 : position === null ? 0 : Number(position[0]) + 1
      const to = position === null || !reverse ? rows.length : Number(position[0])
      const start = reverse ? Math.max(0, to - limit) : from
      const end = reverse ? to : Math.min(rows.length, from + limit)
      const [first, last] = start < end ? [[start], [end - 1]] : [null, null]
      const more = reverse ? start > 0 : end < rows.length
      return { rows: labelled.slice(start, end), more, first, last }
    },
  }
}

describe.each([
  ['the style', throughStyle],
  ['an application', throughApplication],
])('a list that stays as it is, through %s', (_, through) => {
  test.each([1, 2, 3, 7, 50])('C3 in pages of %i', async (size) => {
    const keys = [{ field: 'label', descending: false, nulls: 'first' as const }]
    for (const rows of [ROWS, []])
      await proveWalk(through({ source: still(rows), keys, size }), rows, size)
  })
})

describe('what a reader saw while others wrote', () => {
  const seen =
    (found: number[], deleted: number[] = []) =>
    () =>
      proveSeen('seen', found, ROWS, new Set(deleted))

  test('is right with rows that came, and without those that went', () => {
    expect(seen([3, 1, 100, 4, 15, 9, 2, 6])).not.toThrow()
    expect(seen([3, 1, 4, 9, 2, 6], [15])).not.toThrow()
    expect(seen(ROWS, [15])).not.toThrow()
  })

  test.each<[name: string, found: number[]]>([
    ['a row that stayed is missing', [3, 1, 4, 9, 2, 6]],
    ['a row comes twice', [3, 1, 4, 15, 9, 2, 6, 3]],
    ['a row that came comes twice', [3, 100, 1, 4, 100, 15, 9, 2, 6]],
    ['two rows are exchanged', [1, 3, 4, 15, 9, 2, 6]],
  ])('is wrong where %s', (_, found) => {
    expect(seen(found)).toThrow(/^seen.*: .*, and not /)
  })
})

describe.each(DIALECTS)('random tables on %s', (_, dialect) => {
  test('are what the databases keep, and have ties, NULLs and order', async () => {
    const database = await freshDatabase(dialect)
    await createProofTable(database)
    const facts = { rows: 0, most: 0, nulls: 0, ties: 0 }
    const property = fc.asyncProperty(proofCase(dialect, 2), async ({ content, routes }) => {
      await fill(database, content)
      for (const { keys } of routes)
        expect(await oracle(database, keys)).toHaveLength(content.rows.length)
      facts.most = Math.max(facts.most, content.rows.length)
      facts.rows += content.rows.length
      facts.nulls += content.rows.filter((row) => row.includes(null)).length
      facts.ties += content.rows.length - new Set(content.rows.map((row) => row.join())).size
    })
    await fc.assert(property, { numRuns: 30 })
    expect(facts.most).toBeGreaterThan(300)
    expect(facts.nulls).toBeGreaterThan(100)
    expect(facts.ties).toBeGreaterThan(100)
  })
})
