import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shownNumbers } from '../../src/pagination/page-controls.ts'

const shown = (current: number, final: number): string =>
  shownNumbers(current, final)
    .map((number) => number ?? '…')
    .join(' ')

describe('H13 the table', () => {
  const TABLE: Readonly<Record<number, readonly string[]>> = {
    1: ['1'],
    2: ['1 2', '1 2'],
    4: Array.from({ length: 4 }, () => '1 2 3 4'),
    5: Array.from({ length: 5 }, () => '1 2 3 4 5'),
    6: ['1 2 3 … 6', '1 2 3 … 6', '1 2 3 4 5 6', '1 2 3 4 5 6', '1 … 4 5 6', '1 … 4 5 6'],
    7: [
      '1 2 3 … 7',
      '1 2 3 … 7',
      '1 2 3 4 … 7',
      '1 2 3 4 5 6 7',
      '1 … 4 5 6 7',
      '1 … 5 6 7',
      '1 … 5 6 7',
    ],
    8: [
      '1 2 3 … 8',
      '1 2 3 … 8',
      '1 2 3 4 … 8',
      '1 2 3 4 5 … 8',
      '1 … 4 5 6 7 8',
      '1 … 5 6 7 8',
      '1 … 6 7 8',
      '1 … 6 7 8',
    ],
    9: [
      '1 2 3 … 9',
      '1 2 3 … 9',
      '1 2 3 4 … 9',
      '1 2 3 4 5 … 9',
      '1 … 4 5 6 … 9',
      '1 … 5 6 7 8 9',
      '1 … 6 7 8 9',
      '1 … 7 8 9',
      '1 … 7 8 9',
    ],
  }
  const rows = Object.entries(TABLE).flatMap(([final, answers]) =>
    answers.map((answer, index) => [index + 1, Number(final), answer] as const),
  )
  test.each(rows)('page %d of %d: %s', (current, final, answer) => {
    expect(shown(current, final)).toBe(answer)
  })
})

test('H12 far away from both ends', () => {
  expect(shown(500_000, 1_000_000)).toBe('1 … 499999 500000 500001 … 1000000')
})

test('H10–H12 whatever the page', () => {
  const pages = fc
    .integer({ min: 1, max: 10_000 })
    .chain((final) => fc.tuple(fc.integer({ min: 1, max: final }), fc.constant(final)))
  fc.assert(
    fc.property(pages, ([current, final]) => {
      const all = shownNumbers(current, final)
      const numbers = all.filter((number) => number !== null)
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      expect(numbers).toEqual(expect.arrayContaining([1, current, final]))
      const near = [current - 1, current + 1].filter((page) => page >= 1 && page <= final)
      expect(numbers).toEqual(expect.arrayContaining(near))
      expect(all.length).toBeLessThanOrEqual(7)
      for (const [at, number] of all.entries()) checkNeighbours(all[at - 1], number, all[at + 1])
    }),
  )
})

type Shown = number | null | undefined

/** A break stands between numbers and hides two pages or more; without one, nothing is hidden. */
function checkNeighbours(before: Shown, here: Shown, after: Shown): void {
  if (here === null) {
    expect(before).toEqual(expect.any(Number))
    expect(after).toEqual(expect.any(Number))
    expect(after! - before!).toBeGreaterThan(2)
  } else if (typeof before === 'number') {
    expect(here).toBe(before + 1)
  }
}
