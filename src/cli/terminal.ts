import type { Readable } from 'node:stream'

export interface Terminal {
  readonly cwd: string
  readonly input: Readable & { readonly isTTY?: boolean }
  print(line: string): void
  /** Prints a line on standard error. */
  complain(line: string): void
  /** Shows the progress in place of the text before; absent where standard error is no terminal. */
  readonly progress?: (text: string) => void
}

/** The command cannot do what it was asked; the message is all that the user needs. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  /** Exit status. */
  readonly status: number

  constructor(message: string, status = 1) {
    super(message)
    this.status = status
  }
}

export function printTable({ print }: Terminal, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  for (const row of rows) {
    const cells = row.map((text, i) => text.padEnd(widths[i]!))
    print(cells.join('  ').trimEnd())
  }
}

export interface ListForm<T> {
  readonly heading: readonly string[]
  readonly row: (item: T) => readonly string[]
  readonly json: (item: T) => object
}

/** Prints a list as a table, or as one JSON object a line while the items arrive. */
export async function printList<T>(
  terminal: Terminal,
  items: AsyncIterable<T> | Iterable<T>,
  form: ListForm<T>,
  asJson: boolean,
): Promise<void> {
  const rows = [form.heading]
  for await (const item of items) {
    if (asJson) terminal.print(JSON.stringify(form.json(item)))
    else rows.push(form.row(item))
  }
  if (!asJson) printTable(terminal, rows)
}
