import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packages } from '../../house/tarball.ts'

export interface Finished {
  readonly status: number | null
  readonly output: string
  readonly complaint: string
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** The program. @default that of `colophon` */
  readonly main?: string
}

const OF_SOURCES = process.env['MUTANTS'] !== undefined
/**
 * The package, as it is installed: processes start for a third of what they take from the sources, and the compiler reads
 * declarations alone. What mutants change, only the sources have.
 */
export const PACKAGE: string = OF_SOURCES ? resolve('.') : (await packages()).home

/** A program of the package, by its path without an ending: `tools/cli/main`. */
export function programOf(path: string): string {
  return OF_SOURCES ? resolve('src', `${path}.ts`) : join(PACKAGE, `${path}.js`)
}

export const MAIN: string = programOf('tools/cli/main')

/** A folder of applications where they find the package: a copy of one in the repository, which finds its sources. */
export function beside(folder: string): string {
  if (OF_SOURCES) return resolve(folder)
  const copy = mkdtempSync(join(PACKAGE, '../../applications-'))
  cpSync(folder, copy, { recursive: true })
  return copy
}

/** The applications of these tests, and where processes find them. */
export const APPLICATIONS: string = resolve('test/tools/cli/service')
export const SERVICE: string = beside(APPLICATIONS)

/** Of the environment of the tests, with what Node has compiled before; anything else could configure the service. */
export function bareEnvironment(): Readonly<Record<string, string>> {
  const kept = ['PATH', 'HOME', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(kept.map((name) => [name, process.env[name] ?? '']))
}

/** Runs the command line in a process of its own, as an operator does. */
export async function colophon(args: readonly string[], options: Options = {}): Promise<Finished> {
  const child = start(args, options)
  child.stdin.end(options.input ?? '')
  const [output, complaint, [status]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { status, output, complaint }
}

/** Starts a command that goes on by itself. */
export function start(
  args: readonly string[],
  { env = {}, cwd = SERVICE, main = MAIN }: Options = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [main, ...args], { cwd, env: { ...bareEnvironment(), ...env } })
}

/** The first line that a pattern fits, and what the pattern captured. */
export async function lineOf(
  child: ChildProcessWithoutNullStreams,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  let text = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const found = pattern.exec(text)
    if (found !== null) return found
  }
  throw new Error(`The command ended without saying ${pattern}: ${text}`)
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}
