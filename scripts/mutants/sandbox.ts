// A copy of the sources that can contain faults, and the processes that test it.
import { type ChildProcess, fork } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../run.ts'
import { type FunctionPlace, type Mutant, mutated } from './mutate.ts'
import type { Ask, Told } from './tester.ts'

/** The files that tests read. */
const COPIED = [
  'src',
  'test',
  'scripts',
  'conformance',
  'bench/independent/peers/colophon',
  'examples',
  'projects',
  'docs',
  'SECURITY.md',
  'package.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'tsconfig.src.json',
  'vitest.config.ts',
]
/** Tests that run meanwhile make folders with a dot among the examples, which may be gone before they are copied. */
const isSource = (path: string): boolean => !basename(path).startsWith('.')
const READY = 120_000

/** The result of a mutant. */
export interface Verdict {
  readonly verdict: 'killed' | 'timed out' | 'survived'
  /** The failure that detected it. */
  readonly reason: string | null
}

export class Sandbox {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'colophon-mutants-'))
  readonly #env: Readonly<Record<string, string>>
  #process: ChildProcess | null = null
  /** The changed file of the last mutant, which must be restored. */
  #dirty: string | null = null

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env
    for (const name of COPIED)
      cpSync(join(root, name), join(this.folder, name), { recursive: true, filter: isSource })
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'))
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  /** @param limit - milliseconds after which the fault counts as one that never ends */
  async judge(mutant: Mutant, tests: readonly string[], limit: number): Promise<Verdict> {
    const changed = [...new Set([mutant.file, this.#dirty ?? mutant.file])]
    if (this.#dirty !== null) this.write(this.#dirty, original(this.#dirty))
    this.write(mutant.file, mutated(original(mutant.file), mutant))
    this.#dirty = mutant.file
    const told = await this.run({ changed, tests, bail: true }, limit)
    if (told === null) return { verdict: 'timed out', reason: null }
    return { verdict: told.reason === null ? 'survived' : 'killed', reason: told.reason }
  }

  /** `null`: it took too long, and the next run has a new process. */
  async run({ changed, tests, bail }: Ask, limit: number): Promise<Told | null> {
    const within = (file: string): string => join(this.folder, file)
    this.#process ??= await this.#start()
    const child = this.#process
    const told = heard<Told>(child, limit)
    child.send({ changed: changed.map(within), tests: tests.map(within), bail })
    const answer = await told
    if (answer === null) await this.#stop()
    return answer
  }

  async close(): Promise<void> {
    await this.#stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(join(this.folder, 'scripts/mutants/tester.ts'), [this.folder], {
      cwd: this.folder,
      // Tests of built programs use the sources instead.
      env: { ...process.env, MUTANTS: '1', ...this.#env },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if ((await heard(child, READY)) === null) throw new Error('The tests did not start.')
    return child
  }

  async #stop(): Promise<void> {
    const child = this.#process
    this.#process = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
}

const read = new Map<string, string>()

/** The source as it was when it was first asked for, because positions are only valid in that text. */
export function original(file: string): string {
  const text = read.get(file) ?? readFileSync(join(root, file), 'utf8')
  read.set(file, text)
  return text
}

/** The text of a source that notes the functions that run. */
export function instrumented(
  file: string,
  text: string,
  functions: readonly FunctionPlace[],
): string {
  const edits = functions.flatMap(({ start, end, isBlock }, at) => {
    const note = `globalThis.functionsThatRan?.add('${file}#${at}')`
    return isBlock
      ? [{ at: start + 1, text: `${note};` }]
      : [
          { at: start, text: `(${note}, ` },
          { at: end, text: ')' },
        ]
  })
  // From the end, so that positions stay valid; of two at one position, the end of a part comes first.
  const ordered = edits.toSorted((one, other) => other.at - one.at)
  return ordered.reduce((now, { at, text: put }) => now.slice(0, at) + put + now.slice(at), text)
}

/** The next message of a process; `null`: it sends none in time, or dies. */
function heard<T>(child: ChildProcess, limit: number): Promise<T | null> {
  return new Promise((resolve) => {
    const end = (message: T | null): void => {
      clearTimeout(timer)
      child.off('message', end as () => void).off('exit', died)
      resolve(message)
    }
    const died = (): void => end(null)
    const timer = setTimeout(end, limit, null)
    child.on('message', end as () => void).on('exit', died)
  })
}
