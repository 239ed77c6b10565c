// The figures of docs/performance.md: files beside the page, with the machine, the day and the command.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/run.ts'

/** The folder of the figures and the pictures. */
export const folder: string = join(root, 'docs/performance')

/** Measurements, with their place and time. */
export interface Kept<Figures> {
  /** The day in UTC. */
  readonly taken: string
  readonly command: string
  readonly machine: Machine
  readonly figures: Figures
}

/** The machine, which hardly changes a ratio, but every absolute figure. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly memory: string
  readonly system: string
  /** The load of the minute before the bench: above a few tenths, other programs were measured too. */
  readonly load: number
  /** Names with versions, such as `Node 24.21.0`. */
  readonly software: readonly string[]
}

/** Measured before the bench begins. */
const load = Number(loadavg()[0]!.toFixed(1))

/** Keeps measurements; `software`: further programs beside Node and its SQLite. */
export function keep(
  name: string,
  command: string,
  figures: unknown,
  software: readonly string[] = [],
): void {
  const kept: Kept<unknown> = {
    taken: new Date().toISOString().slice(0, 10),
    command,
    machine: thisMachine(software),
    figures,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileOf(name), `${written(kept)}\n`)
}

/** `null`: it has not been measured. */
export function readKept<Figures>(name: string): Kept<Figures> | null {
  const file = fileOf(name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept<Figures>) : null
}

/** Writes JSON with a line for each figure. */
function written(value: unknown, indent = ''): string {
  const inner = `${indent} `
  if (Array.isArray(value) && typeof value[0] === 'object')
    return `[\n${value.map((each) => inner + JSON.stringify(each)).join(',\n')}\n${indent}]`
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${written(each, inner)}`,
  )
  return `{\n${members.join(',\n')}\n${indent}}`
}

function fileOf(name: string): string {
  return join(folder, `${name}.json`)
}

function thisMachine(software: readonly string[]): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    load,
    system: `Linux ${release().split('-')[0]}`,
    software: [
      `Node ${process.versions.node}`,
      `SQLite ${process.versions['sqlite'] ?? ''}`,
      ...software,
    ],
  }
}
