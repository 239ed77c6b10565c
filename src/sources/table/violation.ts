import type { MaybePromise } from '../../contract/request.ts'
import type { Database } from '../../contract/storage.ts'
import { ConstraintViolation, type ViolationKind } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import type { Reader } from './catalogue.ts'
import type { TableFacts } from './facts.ts'
import { mysqlViolation } from './mysql-violation.ts'
import { postgresViolation } from './postgres-violation.ts'
import { sqliteViolation } from './sqlite-violation.ts'

/** What was tried. */
export interface Attempt {
  readonly verb: 'insert' | 'update' | 'delete'
  readonly table: string
  readonly values: Readonly<Record<string, unknown>>
  readonly facts: TableFacts
  /** Asks the database more, where its error does not say all. */
  readonly reader: Reader
}

/** What a database held against it. */
export interface Violation {
  readonly kind: ViolationKind
  readonly columns: readonly string[]
}

const DIALECTS: {
  readonly [D in Database['dialect']]: (
    error: Error,
    attempt: Attempt,
  ) => MaybePromise<Violation | null>
} = { sqlite: sqliteViolation, postgres: postgresViolation, mysql: mysqlViolation }

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
export function explained(
  dialect: Database['dialect'],
  error: unknown,
  attempt: Attempt,
): MaybePromise<unknown> {
  if (!(error instanceof Error) || error instanceof ConstraintViolation) return error
  return after(DIALECTS[dialect](error, attempt), (violation) => {
    if (violation === null) return error
    const columns = violation.columns.filter((column) => attempt.facts.columns.has(column))
    // Of a constraint that is partly about something else nobody should be told a part.
    const known = columns.length === violation.columns.length ? columns : []
    return new ConstraintViolation(violation.kind, {
      table: attempt.table,
      columns: known,
      cause: error,
    })
  })
}

/** NULL was said, or nothing was. */
export function missing(column: string, { values }: Attempt): Violation {
  return { kind: column in values ? 'null' : 'required', columns: [column] }
}
