import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The repository, ending in a slash. */
export const root: string = join(import.meta.dirname, '..', '/')

/** Passed and failed, as every suite reports them. */
export interface Tally {
  readonly passed: number
  readonly failed: number
}

/** How a command ended. */
export interface Outcome {
  readonly ok: boolean
  /** Everything it printed; without stderr, where that was shown. */
  readonly output: string
  readonly seconds: string
}

// The Node of node_modules comes first, also where the script was not started by npm.
const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`

/**
 * What makes programs that others start cheap. Node reads what it has made of sources before. The compiler and the
 * linter, which are written in Go, spend a third of their time on garbage of which a machine has room for all.
 */
export const THRIFTY: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
  GOGC: 'off',
  GOMEMLIMIT: '3GiB',
}

/** Runs a shell command at the root and keeps what it prints, which `show` also shows at once. */
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

/** The one line that suites are added up by. */
export function summary({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`
}

/** Reads the last summary line of a suite; `null` where it printed none. */
export function readSummary(output: string): Tally | null {
  const last = [...output.matchAll(/^(\d+) passed, (\d+) failed\r?$/gm)].at(-1)
  return last ? { passed: Number(last[1]), failed: Number(last[2]) } : null
}
