import type { Readable } from 'node:stream'

/** Where a command runs and whom it talks to. */
export interface Terminal {
  /** Where the application and its configuration are looked for. */
  readonly cwd: string
  /** What the user types or pipes in. */
  readonly input: Readable & { readonly isTTY?: boolean }
  /** A line for standard output. */
  print(line: string): void
  /** A line for standard error. */
  complain(line: string): void
  /** Shows how far something is, in place of what was shown before; not there where nobody is watching. */
  readonly progress?: (text: string) => void
}

/** The command cannot do what it was asked; the message is all the user needs. Exit status 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
