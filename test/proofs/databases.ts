// Where the proofs run, and how much of them: a part in CI, all of it by `node scripts/prove-cursors.ts`.
import fc from 'fast-check'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { temporarySqlite } from '../contract/temporary.ts'
import { NAMES, emptyDatabase } from '../setup/databases.ts'
import type { Dialect } from './kinds.ts'

const asked = process.env['CURSOR_CASES']

/** Says how many random cases run: `asked` of them where a number was asked for. */
export function casesOf(dialect: Dialect, inCi: { readonly [D in Dialect]: number }): number {
  return asked === undefined ? inCi[dialect] : Number(asked)
}

/** Is this the long run, in which servers have to do what only SQLite does in CI? */
export const EVERYWHERE: boolean = Number(asked ?? 0) >= 1000

/** Milliseconds that a proof may take. */
export const PATIENCE: number = EVERYWHERE ? 12 * 3_600_000 : 600_000

/** How properties run: a failure is told before the time is up, however large its case still is. */
export const RUNS: fc.Parameters<unknown> = {
  endOnFailure: process.env['CURSOR_SHRINKING'] === 'off',
  skipAllAfterTimeLimit: PATIENCE * 0.9,
}

export const DIALECTS: readonly (readonly [name: string, dialect: Dialect])[] = [
  ['SQLite', 'sqlite'],
  [NAMES.postgres, 'postgres'],
  [NAMES.mysql, 'mysql'],
]

/** An empty database, which is gone when the test is over. */
export async function freshDatabase(dialect: Dialect): Promise<SqlDatabase> {
  return dialect === 'sqlite' ? temporarySqlite() : emptyDatabase(dialect)
}
