import type { App } from '../../api/app.ts'
import type { Terminal } from '../terminal.ts'

/** `colophon routes`: one line an address, in columns. */
export function routes(app: App, { print }: Terminal): void {
  const rows = app.describe().map(({ path, name, methods }) => [path, name, methods.join(' ')])
  for (const line of columns([['PATH', 'NAME', 'METHODS'], ...rows])) print(line)
}

/** Rows as lines in which each column is as wide as its widest text. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
}
