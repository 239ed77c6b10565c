import type { Constraint } from './facts.ts'

/** One column of a constraint, as catalogues tell them. */
export type NamedColumn = readonly [name: string, kind: Constraint['kind'], column: string]

/** Constraints with all their columns. */
export function constraintsOf(rows: readonly NamedColumn[]): readonly Constraint[] {
  const byName = Map.groupBy(rows, ([name, kind]) => `${kind} ${name}`)
  return [...byName.values()].map((parts) => {
    const [name, kind] = parts[0]!
    return { name, kind, columns: parts.map(([, , column]) => column) }
  })
}
