import type { ViolationKind } from '../../errors/storage-errors.ts'
import type { Reader, TableFacts } from './facts.ts'

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

/** NULL was said, or nothing was. */
export function missing(column: string, { values }: Attempt): Violation {
  return { kind: column in values ? 'null' : 'required', columns: [column] }
}
