// Follows the instructions of a page in an empty folder.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { THRIFTY, root } from '../../scripts/run.ts'
import { freePort } from '../../scripts/servers/run-server.ts'
import type { Step } from './docs.ts'

/** A command of a page, and its output as the page shows it: `…` stands for any text. */
export interface Command {
  readonly line: string
  readonly shown: string | null
}

/** Installs packages into `folder`, in place of `npm install`. */
export type Install = (names: readonly string[], folder: string) => Promise<void>

/** The commands of an `sh` block. Their output follows two spaces and `#`, or is in lines of comments. */
export function commandsIn(text: string): readonly Command[] {
  const commands: { line: string; shown: string | null }[] = []
  for (const row of text.replaceAll('\\\n', ' ').split('\n')) {
    const [line, comment = null] = row.startsWith('#') ? ['', row] : row.split(/\s{2,}(?=# )/)
    const last = commands.at(-1)
    const output = comment?.replace(/^# ?/, '') ?? null
    if (line !== '') commands.push({ line: line!, shown: output })
    else if (last && output !== null)
      last.shown = last.shown === null ? output : `${last.shown}\n${output}`
  }
  return commands
}

/** Does an output look as a page shows it? */
export function looksLike(output: string, shown: string): boolean {
  const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(output.trim())
}

interface Finished {
  readonly status: number
  readonly output: string
}

/** Names of places on pages, with the places here. */
export type Places = Readonly<Record<string, string>>

/** The differences, each with its command; empty: every output is as the page shows it. */
export async function follow(steps: readonly Step[], install: Install): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-session-'))
  const shell = new Shell(folder, await freePort(), install)
  try {
    return await shell.follow(steps)
  } finally {
    await shell.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Has any page asked `npx`? */
let askedNpm = false

/** npm's results for a manifest, by the command and the manifest before: pages begin alike, so npm runs once for each. */
const manifests = new Map<string, Promise<Finished & { readonly made: string }>>()

/** A machine on which a page is followed. */
export class Shell {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #port: number
  readonly #install: Install
  readonly #places: Places

  constructor(cwd: string, port: number, install: Install, places: Places = {}) {
    // `npx` starts all of npm before it runs a program, so only the first one does; then the shell finds the program.
    const path = ['node_modules/.bin', join(root, 'node_modules/.bin'), process.env['PATH'] ?? '']
    // The folder is also the home, because npm's settings on this machine are not those of readers.
    const env = { ...THRIFTY, HOME: cwd, PATH: path.join(delimiter), PORT: String(port) }
    this.#process = spawn('bash', { cwd, env })
    this.#port = port
    this.#install = install
    this.#places = places
  }

  /** The differences, each with its command. */
  async follow(steps: readonly Step[]): Promise<readonly string[]> {
    const complaints: string[] = []
    for (const { path, text } of steps) {
      if (path !== null) write(join(await this.#folder(), path), this.#here(text))
      else complaints.push(...(await this.#typeAll(commandsIn(text))))
    }
    return complaints
  }

  async #typeAll(commands: readonly Command[]): Promise<readonly string[]> {
    const complaints: string[] = []
    for (const { line, shown } of commands) {
      const { status, output } = await this.#type(line)
      const right = status === 0 && (shown === null || looksLike(output, shown))
      if (!right) complaints.push(`$ ${line}\n${output}(status ${status})`)
    }
    return complaints
  }

  /** The output of a command that no page shows. */
  async output(line: string): Promise<string> {
    return (await this.#run(line)).output.trim()
  }

  #folder(): Promise<string> {
    return this.output('pwd')
  }

  #here(text: string): string {
    return Object.entries(this.#places).reduce((all, [one, our]) => all.replaceAll(one, our), text)
  }

  async end(): Promise<void> {
    const closed = once(this.#process, 'close')
    this.#process.stdin.end(`${STOP}\n`)
    await closed
  }

  async #type(line: string): Promise<Finished> {
    if (/^npm (?:init|pkg) /.test(line)) return this.#manifest(line)
    const [, names] = /^npm (?:install|i) (.+)$/.exec(line) ?? []
    if (names !== undefined) {
      const wanted = names.split(' ').filter((name) => !name.startsWith('-'))
      await this.#install(wanted, await this.#folder())
      return { status: 0, output: '' }
    }
    const here = this.#here(line).replaceAll('127.0.0.1:8000', `127.0.0.1:${this.#port}`)
    const own = join(await this.#folder(), 'node_modules/.bin')
    // Only the project's own programs: `PATH` has those of this repository, too.
    const typed = here.replaceAll(/\bnpx (\S+)/g, (npx, name: string) =>
      askedNpm && existsSync(join(own, name)) ? name : npx,
    )
    askedNpm ||= typed.includes('npx ')
    const isServer = /\bcolophon serve\b|^node (?:main|src\/main)\.ts$/.test(line)
    const { status, output } = await this.#run(isServer ? inBackground(typed) : typed)
    return { status, output: output.replaceAll(`127.0.0.1:${this.#port}`, '127.0.0.1:8000') }
  }

  /** Runs npm once for all pages. */
  async #manifest(line: string): Promise<Finished> {
    const file = join(await this.#folder(), 'package.json')
    const read = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    const key = `${line}\n${read()}`
    const known = manifests.get(key)
    const asked = known ?? this.#run(line).then((finished) => ({ ...finished, made: read() }))
    manifests.set(key, asked)
    const { made, ...finished } = await asked
    if (known !== undefined) write(file, made)
    return finished
  }

  /** The output and the errors together, as in a terminal. */
  async #run(line: string): Promise<Finished> {
    const { stdin, stdout } = this.#process
    stdin.write(`{ ${line}\n} 2>&1 </dev/null; printf '\\nended %s\\n' $?\n`)
    let text = ''
    for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
      text += String(chunk)
      const [ending, status] = /\nended (\d+)\n$/.exec(text) ?? []
      if (ending !== undefined)
        return { status: Number(status), output: text.slice(0, -ending.length) }
    }
    throw new Error(`The shell ended: ${text}`)
  }
}

// A server is a group of processes, as for Ctrl-C; npx ends before its program does. All of them write into a pipe, which ends
// with the last one. (Zombie processes would still count as running.)
const STOP = `[ -n "$server" ] && kill -- -$server && wait $reader`

/** Runs a server until the next one starts. The reader sees its first line. */
function inBackground(line: string): string {
  const started = `rm -f serve.pipe; mkfifo serve.pipe; : >serve.log; cat serve.pipe >>serve.log & reader=$!; setsid ${line} >serve.pipe 2>&1 & server=$!`
  const listening = `for i in $(seq 2400); do grep -q Listening serve.log && break; kill -0 $server || break; sleep 0.05; done`
  return `{ ${STOP}; } >/dev/null 2>&1; ${started}; ${listening}; cat serve.log; grep -q Listening serve.log`
}
