// Figures for readers: names, numbers and tables in Markdown.
import type { Cold, Figure } from './figures.ts'
import type { Verdict } from './targets.ts'

const DATABASES: Readonly<Record<string, string>> = {
  sqlite: 'SQLite',
  pg: 'PostgreSQL',
  mariadb: 'MariaDB',
}
const WORKS: Readonly<Record<string, string>> = {
  hello: 'hello',
  me: 'identify',
  page: 'page',
  page20: 'page 1–20',
  cursor: 'first cursor page',
  cursordeep: 'deep cursor page',
  cold: 'cold start',
}
const MEASURES: Readonly<Record<Verdict['measure'], string>> = {
  cpu: 'CPU of the server',
  total: 'CPU with the database',
  p99: 'p99',
  pss: 'memory',
  start: 'time',
}

export const databaseName = (database: string): string => DATABASES[database] ?? database
export const workName = (work: string): string => WORKS[work] ?? work

/** A number with its significant digits. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}

/** A table with words in the first `texts` columns, and numbers in the others. */
export function table(head: readonly string[], rows: readonly string[][], texts: number): string {
  const widths = head.map((cell, at) =>
    Math.max(3, cell.length, ...rows.map((row) => row[at]!.length)),
  )
  const pad = (cell: string, at: number): string =>
    at < texts ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)
  const rule = widths.map((width, at) =>
    at < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  )
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [head.map(pad), rule, ...rows.map((row) => row.map(pad))].map(line).join('\n')
}

/** A table of every peer at every work. */
export function figuresTable(figures: readonly Figure[]): string {
  const head = [
    'Database',
    'Work',
    'Peer',
    'CPU, µs',
    '÷ raw',
    'of all rounds',
    'with database, µs',
    '÷ raw',
    'requests/s',
    'p99, ms',
    '÷ raw',
    'MB',
    '÷ raw',
  ]
  const noted = [...new Set(figures.flatMap(notesOf))]
  const rows = figures.map((figure) => rowOf(figure, noted))
  const notes = noted.map((note, at) => `\n${mark(at)} ${note}`)
  return [table(head, rows, 3), ...notes].join('\n')
}

const FRONT =
  'Reads every page from the front. Colophon reads those of the second half from the end.'
const COUNTS = 'Counts for each request. In Colophon those that wait for the same count share one.'
const ASYNC =
  'Answers through an `async` function here, which costs it some microseconds; not so on SQLite.'

/** The differences between the work of a peer and Colophon's that the answers do not show. */
function notesOf({ database, work, peer }: Figure): string[] {
  if (peer === 'colophon') return []
  if (work === 'hello') return database === 'pg' && peer === 'raw' ? [ASYNC] : []
  if (work !== 'page') return []
  if (database === 'sqlite') return peer === 'best' ? [] : [FRONT]
  return [FRONT, COUNTS]
}

const mark = (at: number): string => '¹²³'[at]!

function rowOf(figure: Figure, noted: readonly string[]): string[] {
  const { database, work, peer, cpu, db, rps, p99, pss, errors, ratio } = figure
  const total = database === 'sqlite' ? ['–', '–'] : [digits(cpu + db), ratio.total.toFixed(2)]
  const marks = notesOf(figure).map((note) => mark(noted.indexOf(note)))
  return [
    databaseName(database),
    workName(work),
    [errors === 0 ? peer : `${peer} (${errors} requests failed)`, ...marks].join(' '),
    digits(cpu),
    ratio.cpu.toFixed(2),
    rangeOf([ratio.low, ratio.high]),
    ...total,
    digits(rps),
    digits(p99),
    ratio.p99.toFixed(2),
    digits(pss),
    ratio.pss.toFixed(2),
  ]
}

export function coldTable(colds: readonly Cold[]): string {
  const rows = colds.map(({ database, peer, milliseconds, ratio }) => [
    databaseName(database),
    peer,
    digits(milliseconds),
    ratio.toFixed(2),
  ])
  return table(['Database', 'Peer', 'ms', '÷ raw'], rows, 2)
}

const rangeOf = (range: readonly number[] | null): string =>
  range === null ? '–' : range.map((ratio) => ratio.toFixed(2)).join(' to ')

const STATES = { missed: '**not reached**', open: '**open**', reached: 'reached' } as const

/** The targets: missed ones first, then those that some rounds reached. */
export function verdictsTable(verdicts: readonly Verdict[]): string {
  const order = Object.keys(STATES)
  const sorted = verdicts.toSorted(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state),
  )
  const rows = sorted.map(({ database, work, measure, most, ratio, range, state }) => [
    STATES[state],
    databaseName(database),
    workName(work),
    MEASURES[measure],
    ratio.toFixed(2),
    rangeOf(range),
    most.toFixed(2),
  ])
  const head = ['Target', 'Database', 'Work', 'Of', '÷ raw', 'of all rounds', 'at most']
  return table(head, rows, 4)
}
