// What the dialects share about constraints and the errors of them.
import type { Attempt, Constraint, TableFacts, Violation } from '../dialect.ts'

/** One column of a constraint, as catalogues give them. */
export type NamedColumn = readonly [name: string, kind: Constraint['kind'], column: string]

/** Constraints with all their columns. */
export function constraintsOf(rows: readonly NamedColumn[]): readonly Constraint[] {
  const byName = Map.groupBy(rows, ([name, kind]) => `${kind} ${name}`)
  return [...byName.values()].map((parts) => {
    const [name, kind] = parts[0]!
    return { name, kind, columns: parts.map(([, , column]) => column) }
  })
}

/** The columns of a constraint that an error names; none where it is not known. */
export function columnsOf(
  name: string | undefined,
  kind: Constraint['kind'],
  { constraints }: TableFacts,
): readonly string[] {
  return constraints.find((each) => each.kind === kind && each.name === name)?.columns ?? []
}

/** A column got NULL, or nothing. */
export function missing(column: string, { values }: Attempt): Violation {
  return { kind: column in values ? 'null' : 'required', columns: [column] }
}
