import type { MaybePromise } from '../../contract/request.ts'
import { ConstraintViolation, type ViolationKind } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import type { Attempt } from './attempt.ts'
import type { Dialect } from '../dialect.ts'

const MISSING: ReadonlySet<ViolationKind> = new Set(['null', 'required'])

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
export function explained(
  dialect: Dialect,
  error: unknown,
  attempt: Attempt,
): MaybePromise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  return after(dialect.violation(error, attempt), (violation) => {
    if (violation === null) return error
    const columns = violation.columns.filter((column) => attempt.facts.columns.has(column))
    // A trigger may have written elsewhere: what it left out is no affair of the client's.
    if (MISSING.has(violation.kind) && columns.length === 0) return error
    // Of a constraint that is partly about something else nobody should be told a part.
    const known = columns.length === violation.columns.length ? columns : []
    return new ConstraintViolation(violation.kind, {
      table: attempt.table,
      columns: known,
      cause: error,
    })
  })
}
