import type { Database, Executor } from '../../contract/storage.ts'

/** Where transactions waited for each other, the database gave one of them up: it is run again. */
const ATTEMPTS = 3

/** A transaction that may be run again, for it does nothing but ask this database. */
export async function settledTransaction<T>(
  database: Pick<Database, 'transaction'>,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !wasGivenUp(error)) throw error
    }
  }
}

/** PostgreSQL 40P01 and 40001, MySQL and MariaDB 1213 and 1020. */
function wasGivenUp(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : null
  if (typeof cause !== 'object' || cause === null) return false
  const { code, errno } = cause as { readonly code?: unknown; readonly errno?: unknown }
  return code === '40P01' || code === '40001' || errno === 1213 || errno === 1020
}
