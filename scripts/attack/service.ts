import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../servers/run-server.ts'
import type { Order, Reading } from './target/gauge.ts'

const root = join(import.meta.dirname, '../..')
const GAUGE = join(import.meta.dirname, 'target/gauge.ts')
const APP = join(import.meta.dirname, 'target/app.ts')

/** Milliseconds after which a service counts as hanging. */
const PATIENCE = 20_000

/** The service under attack in its own process: `colophon serve`, with a gauge that reports over IPC. */
export class Service {
  readonly url: string
  readonly #child: ChildProcess
  readonly #log: string[] = []
  #orders = 0

  private constructor(child: ChildProcess, url: string) {
    this.#child = child
    this.url = url
  }

  /** Starts it with configuration keys, and resolves when it listens. */
  static async start(keys: Readonly<Record<string, string>>): Promise<Service> {
    const port = await freePort()
    const child = spawn(
      process.execPath,
      [
        '--expose-gc',
        '--import',
        GAUGE,
        'src/tools/cli/main.ts',
        '--app',
        APP,
        'serve',
        '--port',
        String(port),
      ],
      { cwd: root, env: environment(keys), stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    )
    const service = new Service(child, `http://127.0.0.1:${port}`)
    try {
      await service.#listening()
    } catch (error) {
      await service.kill()
      throw error
    }
    return service
  }

  /** Does the process still run? */
  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The lines of its log so far. */
  get log(): readonly string[] {
    return this.#log
  }

  /** Reads the gauge in the service. */
  async read(order: Omit<Order, 'id'> = {}): Promise<Reading> {
    const id = ++this.#orders
    const { promise, resolve, reject } = Promise.withResolvers<Reading>()
    const hear = (answer: { readonly id: number; readonly reading: Reading }): void => {
      if (answer.id === id) resolve(answer.reading)
    }
    const end = (): void => reject(new Error('The process of the service has ended.'))
    const late = setTimeout(() => reject(new Error('The service hangs.')), PATIENCE)
    this.#child.on('message', hear).once('exit', end)
    if (this.alive) this.#child.send({ ...order, id }, () => {})
    else end()
    return promise.finally(() => {
      clearTimeout(late)
      this.#child.off('message', hear).off('exit', end)
    })
  }

  /** Bytes of resident memory: now, and the maximum since `forgetPeak`. */
  memory(): { readonly now: number; readonly peak: number } {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
    const value = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
    return { now: value('VmRSS'), peak: value('VmHWM') }
  }

  /** Lets the next peak begin here (man proc_pid_clear_refs). */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5')
  }

  /** The number of its open files and sockets. */
  descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length
  }

  /** Asks the service to stop, and gives its exit code; `null`: it did not stop in time, and was killed. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.alive) return this.#child.exitCode
    const gone = once(this.#child, 'exit')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE)
    this.#child.kill(signal)
    const [code] = (await gone) as [number | null]
    clearTimeout(late)
    return code
  }

  /** Kills it without warning. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL')
  }

  async #listening(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      createInterface({ input: stream }).on('line', (line) => {
        this.#log.push(line)
        if (line.startsWith('Listening on ')) resolve()
      })
    this.#child.once('exit', () => reject(new Error(`It did not start:\n${this.#log.join('\n')}`)))
    await promise
  }
}

/** The environment without the settings of the person who runs this. */
function environment(keys: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const said = Object.entries(keys).map(([key, value]) => [`COLOPHON_${key}`, value] as const)
  return { PATH: process.env['PATH'], NODE_ENV: 'production', ...Object.fromEntries(said) }
}
