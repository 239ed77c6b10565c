import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numbersTemplate, shownNumbers } from '../../../src/policies/pagination/page-controls.ts'
import { NUMBERS } from './numbers.ts'

const shown = (current: number, final: number): string =>
  shownNumbers(current, final)
    .map((number) => number ?? '…')
    .join(' ')

test.each(NUMBERS)('H13 page $current of $final: $wanted', ({ current, final, wanted }) => {
  expect(shown(current, final)).toBe(wanted)
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

test.each([
  ['a break', { isBreak: true }],
  ['no address', { url: null }],
  ['no number', { number: null }],
])('H2 %s leads nowhere, whatever else a style says of it', (_, more) => {
  const link = { url: '/7/', number: 7, isActive: false, isBreak: false, ...more }
  const text = numbersTemplate.render({ previousUrl: null, nextUrl: null, pageLinks: [link] })
  expect(text.split('\n')[3]).toBe('<li><span>…</span></li>')
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
