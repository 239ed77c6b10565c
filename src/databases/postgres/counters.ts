import type { CounterStatements } from '../pooled/counters.ts'

export const counterStatements: CounterStatements = {
  count: ({ ids, numbers }) => ({
    sql: 'select colophon_count($1, $2)',
    // An array of numbers in the form of the database: the driver would quote each of them.
    parameters: [ids, `{${numbers.join(',')}}`],
  }),
  // What is locked is in use, and is looked at another time: no hit waits for the sweep of many rows.
  sweep: (at, most) => ({
    sql: `delete from colophon_counter where id in (select id from colophon_counter where expires <= $1
      order by expires limit $2 for update skip locked)`,
    parameters: [at, most],
  }),
}
