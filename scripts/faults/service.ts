import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root, run } from '../run.ts'

const MAIN = join(root, 'src/tools/cli/main.ts')
const APP = join(import.meta.dirname, 'app.ts')

/** Options of a service. */
export interface ServiceOptions {
  /** Configuration keys and variables of the environment. */
  readonly env: Readonly<Record<string, string>>
  /** The number of workers; 0: one process without a supervisor. @default 4 */
  readonly workers?: number
  /** The module to serve. @default that of the faults */
  readonly app?: string
  /** The program of the command line. @default that of the sources */
  readonly main?: string
  /** Further arguments of the command line. */
  readonly args?: readonly string[]
}

/** `colophon serve --workers`, as an operator starts it. */
export class Service {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  static async start(options: ServiceOptions): Promise<Service> {
    const { env, workers = 4, app = APP, main = MAIN, args = [] } = options
    const command = [main, '--app', app, 'serve', '--port', '0']
    if (workers > 0) command.push('--workers', String(workers))
    const child = spawn(process.execPath, [...command, ...args], {
      cwd: root,
      env: { ...process.env, SECRET_KEY: 'x'.repeat(50), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let complaint = ''
    child.stderr.on('data', (text) => (complaint = (complaint + String(text)).slice(-4000)))
    for await (const line of createInterface(child.stdout)) {
      const [, url] = /Listening on (\S+)/.exec(line) ?? []
      if (url === undefined) continue
      // Reading goes on, because a full pipe would stop the service.
      child.stdout.resume()
      return new Service(child, url)
    }
    throw new Error(`The service did not start:\n${complaint}`)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** The processes that answer. */
  get workers(): readonly number[] {
    const file = `/proc/${this.#child.pid}/task/${this.#child.pid}/children`
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').map(Number) : []
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await gone
  }
}

/** Makes the tables. */
export async function migrate(env: ServiceOptions['env'], app = APP, main = MAIN): Promise<void> {
  const command = `node ${main} --app ${app} migrate`
  const { ok, output } = await run(command, {
    show: false,
    env: { SECRET_KEY: 'x'.repeat(50), ...env },
  })
  if (!ok) throw new Error(output)
}
