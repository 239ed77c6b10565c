// Faults that make a cursor lose or repeat rows, each as a change to the text of the sources.

/** Text of a file, once in it, and what takes its place. */
interface Change {
  readonly file: string
  readonly from: string
  readonly to: string
}

export interface Fault {
  readonly name: string
  readonly changes: readonly Change[]
}

const fault = (name: string, file: string, from: string, to: string): Fault => ({
  name,
  changes: [{ file, from, to }],
})

export const CURSOR_FAULTS: readonly Fault[] = [
  fault(
    'the tie-breaker is dropped',
    'src/sources/list-query.ts',
    'if (missing.has(identity(field)))',
    'if (wanted.size === 0 && missing.has(identity(field)))',
  ),
]
