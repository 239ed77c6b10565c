import type { Readable, Writable } from 'node:stream'
import type { styleText } from 'node:util'

export interface Terminal {
  readonly cwd: string
  readonly input: Readable & { readonly isTTY?: boolean }
  print(line: string): void
  /** Prints a line on standard error. */
  complain(line: string): void
  /** The width of standard output; `null`: a program reads it, so that there are no tables and no colours. */
  readonly columns: number | null
  /** Standard error, where it is a terminal: questions and progress are shown there. */
  readonly screen: Writable | null
  /** The text in a style, where standard output takes styles: not with `NO_COLOR` or `TERM=dumb`, always with `FORCE_COLOR`. */
  styled(style: Parameters<typeof styleText>[0], text: string): string
}

/** The command cannot do its work; the message is all that the user needs. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed'
  readonly status: number

  constructor(message: string, status = 1) {
    super(message)
    this.status = status
  }
}

/** The typed words make no command: exit status 2, whatever the state of the application. */
export class UsageError extends CommandFailed {
  override readonly name = 'UsageError'

  constructor(message: string) {
    super(message, 2)
  }
}

/** Reports a `RangeError`, such as for a version that does not exist, as a mistake of the operator. */
export function orFailed<T>(work: () => T, about = ''): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? new CommandFailed(about + error.message) : error
  }
}

type Row = readonly string[]

/** The first row is the heading. In a pipe there is a line for each row, with tabs between its cells. */
export async function printTable(
  terminal: Terminal,
  [heading = [], ...rows]: readonly Row[],
): Promise<void> {
  const { columns, print } = terminal
  const body = rows.map((row) => row.map(printable))
  if (columns === null) return [heading, ...body].forEach((row) => print(row.join('\t')))
  const { default: widthOf } = await import('fast-string-width')
  const all = [heading, ...body]
  const natural = heading.map((_, at) => Math.max(...all.map((row) => widthOf(row[at]!))))
  const { wrapAnsi } = await import('fast-wrap-ansi')
  const widths = fitting(natural, columns - GAP.length * (heading.length - 1))
  for (const [at, row] of all.entries()) {
    const cells = row.map((text, i) => wrapAnsi(text, widths[i]!, { hard: true }).split('\n'))
    for (let line = 0; line < Math.max(...cells.map(({ length }) => length)); line++) {
      const texts = cells.map((lines, i) => {
        const text = lines[line] ?? ''
        return text + ' '.repeat(Math.max(0, widths[i]! - widthOf(text)))
      })
      const shown = texts.join(GAP).trimEnd()
      print(at === 0 ? terminal.styled('bold', shown) : shown)
    }
  }
}

const GAP = '  '
/** The least width of a column: a narrower one is hard to read, so the table becomes wider than the terminal. */
const NARROWEST = 8

/** Widths of columns that fit. The widest columns give way first; what does not fit them goes on in the next line. */
function fitting(natural: readonly number[], available: number): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) - available
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) break
    widths[widths.indexOf(widest)] = widest - 1
    excess--
  }
  return widths
}

/** Stored texts may hold characters that a terminal obeys, or that end a line of a table. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escaped)
}

export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

export interface ListForm<T> {
  readonly heading: Row
  readonly row: (item: T) => Row
  readonly json: (item: T) => object
}
