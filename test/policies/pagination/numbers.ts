// H13: the numbers that lead to pages, with breaks, on every page of some lists.
/** By the number of pages: what each of them shows. */
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

/** The cells of the table: what page `current` of `final` pages shows. */
export const NUMBERS = Object.entries(TABLE).flatMap(([final, row]) =>
  row.map((wanted, at) => ({ current: at + 1, final: Number(final), wanted })),
)
