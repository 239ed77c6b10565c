// Requests from `wrk`, which needs little of the machine; they come from a file, in turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/run.ts'
import { pathOf } from '../../scripts/servers/programs.ts'
import type { ServerProcess } from '../http/server-process.ts'
import type { Round } from './figures.ts'

/** The script of the independent bench, which prints its results as JSON. */
const SCRIPT = join(root, 'bench/independent/wrk/replay.lua')

interface Printed {
  readonly requests: number
  readonly duration_us: number
  readonly p50: number
  readonly p99: number
  readonly status_errors: number
  readonly socket_errors: number
}

/** The requests, the number of connections, and the seconds. */
export interface Asking {
  /** A file of lines with a path and a tab; another `script` may need another form. */
  readonly file: string
  /** @default the script of the independent bench, which sends GET */
  readonly script?: string
  /** The expected answers: successes, refusals (4xx), or both. @default 'success' */
  readonly answers?: 'success' | 'refusal' | 'either'
  readonly connections: number
  readonly seconds: number
  /** The microseconds of the server's database. */
  readonly databaseCpu: () => number
}

/** Runs one round of one server. */
export async function ask(server: ServerProcess, asking: Asking): Promise<Round> {
  const [cpu, db] = [await server.cpu(), asking.databaseCpu()]
  const seen = await load(server.port, asking)
  const [cpuAfter, dbAfter] = [await server.cpu(), asking.databaseCpu()]
  return {
    cpu: (cpuAfter - cpu) / seen.requests,
    db: (dbAfter - db) / seen.requests,
    rps: (seen.requests / seen.duration_us) * 1e6,
    p50: seen.p50 / 1000,
    p99: seen.p99 / 1000,
    pss: memoryOf(server.id).pss,
    errors: unexpected(seen, asking.answers) + seen.socket_errors,
  }
}

function unexpected(
  { requests, status_errors: refused }: Printed,
  answers: Asking['answers'] = 'success',
): number {
  if (answers === 'either') return 0
  return answers === 'refusal' ? requests - refused : refused
}

async function load(port: number, asking: Asking): Promise<Printed> {
  const { file, script = SCRIPT, connections, seconds } = asking
  const wrk = await pathOf({ name: 'wrk', packages: ['wrk'] })
  const address = `http://127.0.0.1:${port}`
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
  const child = spawn(wrk, [...args, address, '--', file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await once(child, 'close')
  const [, json] = /@@(\{.*\})/.exec(output) ?? []
  if (json === undefined) throw new Error(`wrk printed:\n${output}`)
  return JSON.parse(json) as Printed
}

/** The megabytes of a process: all resident memory, and with a share of the common parts. */
export function memoryOf(id: number): { readonly rss: number; readonly pss: number } {
  const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')
  const [rss, pss] = [/^Rss:\s+(\d+)/m, /^Pss:\s+(\d+)/m].map(
    (line) => Number(line.exec(text)?.[1]) / 1024,
  )
  return { rss: rss!, pss: pss! }
}
