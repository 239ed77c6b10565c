import type { CounterStatements } from '../pooled/counters.ts'

/** Characters of a number, so that the routine finds each by its place. */
const WIDTH = 17

export const counterStatements: CounterStatements = {
  count({ ids, numbers }) {
    const names = ids.map((id) => Buffer.from(id))
    let end = 0
    const ends = names.map(({ length }) => (end += length))
    const parameters = [Buffer.concat(names), list(ends), list(numbers)]
    return { sql: 'call colophon_count(?, ?, ?)', parameters }
  },
  sweep: (at, most) => ({ sql: 'call colophon_sweep(?, ?)', parameters: [at, most] }),
}

function list(numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.map((number) => String(number).padStart(WIDTH)).join(''))
}
