// Requests a second with 1 and 2 workers, or with the given numbers, beside `node:http` in a cluster, and the Universal
// Scalability Law of them: `npm run bench -- scale [1,2,3,4] [rounds] [part]`. The generator needs a core of the same machine,
// and is the bound unless each worker is limited to a part of a core, such as 0.2 (Linux and root).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../../scripts/run.ts'
import { pathOf } from '../../scripts/servers/programs.ts'
import { Group, childrenOf } from '../machines/group.ts'
import { table } from '../runs/words.ts'
import { errorOf, lawOf } from './law.ts'

const [counts = '1,2', rounds = '5', part] = process.argv.slice(2)
const WORKERS = counts.split(',').map(Number)
const SECONDS = 3

const COMMANDS: Readonly<Record<string, (workers: number) => readonly string[]>> = {
  'node:http': (workers) => [join(import.meta.dirname, 'raw.ts'), String(workers)],
  colophon: (workers) => [
    join(root, 'src/tools/cli/main.ts'),
    `--app=${join(import.meta.dirname, 'app.ts')}`,
    ...`serve --port 0 --workers ${workers}`.split(' '),
  ],
}

interface Figure {
  readonly rps: number
  /** The microseconds of all processes for a request. */
  readonly cpu: number
}

const figures = new Map<string, Figure[]>()
// Measurements take turns, so that other work on the machine affects all alike.
for (let round = 0; round < Number(rounds); round++) {
  for (const [server, commandFor] of Object.entries(COMMANDS)) {
    for (const workers of WORKERS) {
      const key = `${server} ${workers}`
      const figure = await measured(commandFor(workers))
      figures.set(key, [...(figures.get(key) ?? []), figure])
    }
  }
}

console.log(`\n${cpus().length} cores, ${rounds} rounds of ${SECONDS} s, medians:\n\n${shown()}\n`)
for (const server of Object.keys(COMMANDS)) console.log(law(server))

async function measured(command: readonly string[]): Promise<Figure> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const groups: Group[] = []
  try {
    const url = await addressOf(child)
    await wrk(url, SECONDS)
    if (part !== undefined) groups.push(...childrenOf(child.pid!).map(held))
    const before = cpuOf(child.pid!)
    const { requests, rps } = await wrk(url, SECONDS)
    return { rps, cpu: (cpuOf(child.pid!) - before) / requests }
  } finally {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    for (const group of groups) {
      // Workers of `node:cluster` end after their parent.
      while (!group.isEmpty) await pause(20)
      group.remove()
    }
  }
}

/** Limits a worker to a part of a core. */
function held(pid: number): Group {
  const group = new Group(`worker-${pid}`)
  group.add(pid)
  group.limit(Number(part))
  return group
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) {
    const [, url] = /Listening on (\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout!.resume()
    return url
  }
  throw new Error('The server has ended.')
}

async function wrk(url: string, seconds: number): Promise<{ requests: number; rps: number }> {
  const program = await pathOf({ name: 'wrk', packages: ['wrk'] })
  const child = spawn(program, ['-t1', '-c64', `-d${seconds}s`, `${url}/`])
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  await once(child, 'close')
  const [, requests, rps] = /(\d+) requests in[^]*Requests\/sec:\s+([\d.]+)/.exec(output) ?? []
  if (rps === undefined || /Non-2xx/.test(output)) throw new Error(`wrk printed:\n${output}`)
  return { requests: Number(requests), rps: Number(rps) }
}

/** The microseconds that a process and its workers have used. A tick of the kernel is 10 ms. */
function cpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const all = [pid, ...(children === '' ? [] : children.split(' ').map(Number))]
  return all.reduce((sum, each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return sum + (Number(fields[11]) + Number(fields[12])) * 10_000
  }, 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!
}

function rpsOf(server: string, workers: number): readonly number[] {
  return figures.get(`${server} ${workers}`)!.map(({ rps }) => rps)
}

function shown(): string {
  const rows = Object.keys(COMMANDS).flatMap((server) =>
    WORKERS.map((workers) => {
      const rps = rpsOf(server, workers)
      const cpu = median(figures.get(`${server} ${workers}`)!.map((each) => each.cpu))
      const range = `${Math.round(Math.min(...rps))}–${Math.round(Math.max(...rps))}`
      const times = median(rps) / median(rpsOf(server, WORKERS[0]!))
      return [
        server,
        String(workers),
        String(Math.round(median(rps))),
        range,
        times.toFixed(2),
        cpu.toFixed(1),
      ]
    }),
  )
  const head = ['Server', 'Workers', 'requests/s', 'range', 'times the first', 'CPU, µs a request']
  return table(head, rows, 1)
}

function law(server: string): string {
  const points = WORKERS.flatMap((n) => rpsOf(server, n).map((rps) => ({ n, rps })))
  const { lambda, sigma, kappa, at } = lawOf(points)
  const guesses = [2, 4, 8, 16, 32, 64].map((n) => `${n}: ${Math.round(at(n))}`).join(', ')
  const error = (100 * errorOf(at, points).most).toFixed(1)
  return `${server}: λ ${lambda.toFixed(0)}/s, σ ${sigma.toFixed(4)}, κ ${kappa.toFixed(5)}, error of the fit ${error} % at most; ${guesses} requests/s`
}
