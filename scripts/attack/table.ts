import type { Figures } from './stage.ts'

/** The result of a scenario. */
export interface Row {
  readonly name: string
  readonly sends: string
  readonly seconds: number
  readonly figures: Figures | null
  readonly missed: readonly string[]
  /** Were only bounds of time missed? */
  readonly onlyLate: boolean
  readonly notes: readonly string[]
}

const HEAD = ['scenario', 'what was sent', 'standstill', 'wait', 'memory MB', 's', 'verdict']

/** The rows in aligned columns; below them, missed expectations and notes. */
export function table(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)]
  const widths = HEAD.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  const [head, ...body] = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [head, rule, ...body, '', ...rows.flatMap(remarks)].join('\n')
}

function cells({ name, sends, seconds, figures, missed }: Row): string[] {
  const verdict = missed.length === 0 ? 'held' : 'MISSED'
  if (figures === null) return [name, sends, '–', '–', '–', seconds.toFixed(0), verdict]
  const { standstill, wait, memory } = figures
  const sizes = [memory.before, memory.peak, memory.after].map((bytes) => (bytes / 1e6).toFixed(0))
  return [
    name,
    sends,
    `${standstill.toFixed(0)} ms`,
    `${wait.toFixed(0)} ms`,
    sizes.join(' → '),
    seconds.toFixed(0),
    verdict,
  ]
}

function remarks({ name, missed, notes }: Row): string[] {
  const all = [...missed.map((claim) => `missed: ${claim}`), ...notes]
  return all.length === 0 ? [] : [name, ...all.map((text) => `  ${text}`)]
}
