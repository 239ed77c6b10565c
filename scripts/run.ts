import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The path of the repository, with a slash at the end. */
export const root: string = join(import.meta.dirname, '..', '/')

/** Passed and failed, as every suite reports them. */
export interface Tally {
  readonly passed: number
  readonly failed: number
}

/** The end of a command. */
export interface Outcome {
  readonly ok: boolean
  /** All printed text; without stderr if that was shown. */
  readonly output: string
  readonly seconds: string
}

// The Node of node_modules comes first, also for a script that npm did not start.
const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`

/**
 * Variables that make started programs cheaper. Node uses its compile cache. The compiler and the linter, written in Go, would
 * spend a third of their time on garbage, for which a machine has enough memory.
 */
export const THRIFTY: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
  GOGC: 'off',
  GOMEMLIMIT: '3GiB',
}

/** Runs a shell command at the root, and keeps its output, which `show` also prints at once. */
export function run(command: string, { show = true, env = {} } = {}): Promise<Outcome> {
  const started = performance.now()
  const child = spawn(command, {
    cwd: root,
    shell: true,
    env: { ...process.env, ...THRIFTY, ...env, PATH },
    stdio: ['ignore', 'pipe', show ? 'inherit' : 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (show) process.stdout.write(text)
    })
  }
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ ok: code === 0, output, seconds: since(started) }))
  })
}

/** Seconds since `started`, for people. */
export function since(started: number): string {
  return ((performance.now() - started) / 1000).toFixed(1)
}

/** The line that adds suites up. */
export function summary({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`
}

/** Reads the last summary of a suite; `null`: it printed none. */
export function readSummary(output: string): Tally | null {
  const last = [...output.matchAll(/^(\d+) passed, (\d+) failed\r?$/gm)].at(-1)
  return last ? { passed: Number(last[1]), failed: Number(last[2]) } : null
}
