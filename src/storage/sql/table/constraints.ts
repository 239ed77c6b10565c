// What the dialects share about constraints and the errors of them.
import type { Attempt, Constraint, TableFacts, Violation } from '../dialect.ts'

export type ConstrainedColumn = readonly [name: string, kind: Constraint['kind'], column: string]

export function constraintsOf(rows: readonly ConstrainedColumn[]): readonly Constraint[] {
  const byName = Map.groupBy(rows, ([name, kind]) => `${kind} ${name}`)
  return [...byName.values()].map((parts) => {
    const [name, kind] = parts[0]!
    return { name, kind, columns: parts.map(([, , column]) => column) }
  })
}

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
