import type { Statement } from '../../src/core/ports/database.ts'
import { ConnectionLost } from '../../src/storage/sql/sql-database.ts'
import { SharedCounts } from '../../src/storage/pooled/shared-counts.ts'
import { SlowPool, firstRow } from './slow-pool.ts'

export const COUNT: Statement = { sql: 'select count(*) from item', parameters: [] }
export const lost = () => new ConnectionLost('nowhere', new Error('reset'))

/** Shared snapshots over a pool that is told what ends when. */
export function started() {
  const pool = new SlowPool()
  const shared = new SharedCounts(pool)
  /** Counts, and reads a page of that name: the numbers of the runs that both came from, and the name. */
  const page = (name: string, first = COUNT): Promise<unknown[]> =>
    shared.read(first, async (found, reader) => {
      const rows = await reader.rows({ sql: 'page', parameters: [name] })
      return [...firstRow(found), ...firstRow(rows)]
    })
  const count = (first = COUNT): Promise<unknown> =>
    shared.read(first, (found) => firstRow(found)[0])
  return { pool, shared, page, count }
}

/** What became of each: its value, or its error. */
export async function outcomes(promises: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))
}
