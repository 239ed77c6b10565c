// What every change of a table goes through: values that can be stored, transactions that are run again,
// errors that are explained.
import type { Executor } from '../../contract/storage.ts'
import { ConstraintViolation, type ViolationKind } from '../../errors/storage-errors.ts'
import type { Attempt, Dialect, TableFacts } from '../dialect.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { Values } from './statements.ts'

/**
 * Values as the database takes them; what was not given is left out.
 *
 * @throws ConstraintViolation an integer that no database can hold, which drivers would fail on
 */
export function storable(values: Values, table: string, { columns }: TableFacts): Values {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([column, value]) => {
      if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
        throw new ConstraintViolation('invalid', { table, columns: [column] })
      const stored = columns.get(column)?.kind.stored
      return [column, stored === undefined ? value : stored(value)]
    }),
  )
}

/** Times that a transaction is run which the database gave up for another one. */
const ATTEMPTS = 3

/** A transaction that may be run again, for it does nothing but ask this database. */
export async function transactionInTurn<T>(
  database: Pick<SqlDatabase, 'dialect' | 'transaction'>,
  work: (executor: Executor) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !wasGivenUp(database.dialect, error)) throw error
    }
  }
}

/** The error of the database may be the cause of one that says more. */
function wasGivenUp(dialect: Dialect, error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause ?? error) : null
  return typeof cause === 'object' && cause !== null && dialect.gaveUp(cause)
}

const MISSING: ReadonlySet<ViolationKind> = new Set(['null', 'required'])

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
export async function explained(
  dialect: Dialect,
  error: unknown,
  attempt: Attempt,
): Promise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  const violation = await dialect.violation(error, attempt)
  if (violation === null) return error
  const { table, facts } = attempt
  const { kind } = violation
  const columns = violation.columns.filter((column) => facts.columns.has(column))
  // A trigger may have written elsewhere: what it left out is no affair of the client's.
  if (MISSING.has(kind) && columns.length === 0) return error
  // Of a constraint that is partly about something else a part would mislead.
  const known = columns.length === violation.columns.length ? columns : []
  return new ConstraintViolation(kind, { table, columns: known, cause: error })
}
