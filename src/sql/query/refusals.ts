import type { Dialect } from '../dialect.ts'

/** Codes of PostgreSQL for a value that it cannot read: out of range, no date, no text, no regular expression. */
const POSTGRES: ReadonlySet<unknown> = new Set([
  '22003',
  '22007',
  '22008',
  '22021',
  '22P02',
  '22P03',
  '2201B',
])

/** Numbers of MySQL and MariaDB for the same, and for characters that the column does not have. */
const MYSQL: ReadonlySet<unknown> = new Set([1139, 1264, 1267, 1292, 1366, 1525, 1690, 3685, 3692])

/** Did the database refuse a value, and nothing else? */
export function isRefusedValue(dialect: Dialect, error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (dialect.id === 'postgres') return 'code' in error && POSTGRES.has(error.code)
  return dialect.id === 'mysql' && 'errno' in error && MYSQL.has(error.errno)
}

/** What `work` gives; where the database refuses a value, what `refused` makes of it is thrown. */
export function refusing<T>(
  dialect: Dialect,
  work: () => T | Promise<T>,
  refused: () => Error,
): T | Promise<T> {
  // SQLite takes every value for every column.
  if (dialect.id === 'sqlite') return work()
  return answered(work).catch((error: unknown) => {
    throw isRefusedValue(dialect, error) ? refused() : error
  })
}

async function answered<T>(work: () => T | Promise<T>): Promise<T> {
  return work()
}
