// `colophon serve --workers 4`: a supervisor, and processes that answer.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type News, tell } from './watch.ts'
import { notifySystemd } from './systemd.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'

/** How many workers there are, and how long they are waited for. */
export interface Crew {
  readonly count: number | 'auto'
  /** Milliseconds after which a worker that is to end is killed. */
  readonly patience: number
  /** Seconds of silence after which a worker is killed, because its event loop stands still. */
  readonly silence: number
  readonly argsFor: (port: number | null) => readonly string[]
  /** Says that the service listens. */
  readonly listening: (url: string) => Promise<void>
}

/** In a worker, once it listens. Before, a signal ends it at once. */
export function beWorker(): void {
  // A terminal and systemd send a signal to each process, and the supervisor sends another: one is enough.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  // As long as these arrive, its event loop turns.
  setInterval(() => tell({ alive: true }), SECOND).unref()
}

const SECOND = 1000
/** Milliseconds that a worker serves before it counts as one that started well. */
const STEADY = 10 * SECOND
/** Milliseconds before the next one starts, where one ended soon after its start: doubled each time, up to the longest. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [250, 30 * SECOND]

/**
 * Serves in several processes; ends by SIGINT or SIGTERM, and puts new processes in the place of all by SIGHUP, one
 * after the other. The port belongs to this process, which passes each connection on: a worker that ends takes no
 * connection with it that it has not accepted. (With `SO_REUSEPORT` each worker would have a queue of its own, which
 * the kernel drops with it.)
 *
 * @throws CommandFailed the first worker has ended before it listened; why, it has printed
 */
export async function serveWithWorkers(crew: Crew, terminal: Terminal): Promise<void> {
  const supervisor = new Supervisor(crew, terminal)
  const stop = new Promise<void>((end) => {
    process.once('SIGINT', () => end())
    process.once('SIGTERM', () => end())
  })
  process.on('SIGHUP', () => void supervisor.renew())
  const started = supervisor.start()
  started.catch(() => {})
  await Promise.race([stop, started.then(() => stop)])
  terminal.print('Stopping: finishing what is in flight.')
  await supervisor.stop()
}

/** One of the workers, whichever process it is at the moment. */
interface Place {
  worker: Worker | null
  /** How often in a row a process has ended soon after its start. */
  failures: number
}

class Supervisor {
  readonly #crew: Crew
  readonly #terminal: Terminal
  readonly #places: readonly Place[]
  readonly #stopping = new AbortController()
  /** Where the first one listened, so that any free port stays the same one. */
  #url: string | null = null
  readonly #ending = new Map<Worker, Promise<void>>()
  #renewals: Promise<void> = Promise.resolve()

  constructor(crew: Crew, terminal: Terminal) {
    const count = crew.count === 'auto' ? availableParallelism() : crew.count
    this.#crew = crew
    this.#terminal = terminal
    this.#places = Array.from({ length: count }, () => ({ worker: null, failures: 0 }))
  }

  /** The first one alone, since what keeps it from starting keeps all. */
  async start(): Promise<void> {
    const [first, ...others] = this.#places
    if (!(await this.#fill(first!))) throw new CommandFailed('no worker has started.')
    await Promise.all(others.map((place) => this.#filled(place)))
    if (this.#stopping.signal.aborted) return
    await this.#crew.listening(this.#url!)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await notifySystemd('STOPPING=1', this.#terminal)
    const workers = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined)
    await Promise.all(workers.map((worker) => this.#end(worker)))
  }

  /** New processes for all, one after the other; where one does not start, the rest stay as they are. */
  renew(): Promise<void> {
    return (this.#renewals = this.#renewals.then(() => this.#renew()))
  }

  async #renew(): Promise<void> {
    this.#terminal.print('Starting each worker again.')
    for (const place of this.#places) {
      const isNew = await this.#fill(place)
      if (this.#stopping.signal.aborted) return
      if (!isNew)
        return this.#terminal.complain('colophon: The new worker does not start. The others go on.')
    }
    this.#terminal.print('All workers are new.')
  }

  /** Starts a process until one listens. */
  async #filled(place: Place): Promise<void> {
    while (this.#lacks(place) && !(await this.#fill(place))) await this.#wait(place)
  }

  #lacks({ worker }: Place): boolean {
    return worker === null && !this.#stopping.signal.aborted
  }

  /** Starts a process, which takes the place once it listens; the one before ends. Gives `false` where it ends itself. */
  #fill(place: Place): Promise<boolean> {
    const worker = this.#fork()
    const start = performance.now()
    return new Promise((resolve) => {
      worker.on('message', (news: News) => {
        if (!('url' in news)) return
        const last = place.worker
        this.#url ??= news.url
        place.worker = worker
        this.#watchOver(worker)
        resolve(last === null ? true : this.#end(last).then(() => true))
      })
      worker.once('exit', (code, signal) => {
        if (performance.now() - start > STEADY) place.failures = 0
        resolve(false)
        void this.#replace(place, worker, signal ?? `exit status ${code}`)
      })
    })
  }

  async #replace(place: Place, worker: Worker, how: string): Promise<void> {
    // It ends on purpose, or it never took the place: then its starter goes on.
    if (this.#stopping.signal.aborted || place.worker !== worker) return
    place.worker = null
    this.#terminal.complain(
      `colophon: Worker ${worker.process.pid} has ended: ${how}. Another one starts.`,
    )
    await this.#wait(place)
    await this.#filled(place)
  }

  async #wait(place: Place): Promise<void> {
    const time = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** place.failures++)
    await pause(time, null, { signal: this.#stopping.signal }).catch(() => {})
  }

  #fork(): Worker {
    // As long as a worker listens on any free port, the next one has to ask for the same to get it.
    const isServing = this.#places.some(({ worker }) => worker !== null)
    const port =
      isServing || !this.#url?.startsWith('http') ? null : Number(new URL(this.#url).port || 80)
    cluster.setupPrimary({ exec: process.argv[1]!, args: [...this.#crew.argsFor(port)] })
    return cluster.fork({ COLOPHON_WORKERS: String(this.#places.length) })
  }

  /** Counts seconds of its own, not those of a clock: a machine that slept is no worker that hangs. */
  #watchOver(worker: Worker): void {
    let silent = 0
    worker.on('message', () => (silent = 0))
    const watch = setInterval(() => {
      if (++silent <= this.#crew.silence) return
      clearInterval(watch)
      const { pid } = worker.process
      this.#terminal.complain(
        `colophon: Worker ${pid} has been silent for ${this.#crew.silence} s, and is killed.`,
      )
      worker.process.kill('SIGKILL')
    }, SECOND)
    worker.once('exit', () => clearInterval(watch))
  }

  #end(worker: Worker): Promise<void> {
    const ending = this.#ending.get(worker) ?? this.#ended(worker)
    this.#ending.set(worker, ending)
    return ending
  }

  async #ended(worker: Worker): Promise<void> {
    if (worker.isDead()) return
    const gone = once(worker, 'exit')
    worker.process.kill('SIGTERM')
    const impatience = setTimeout(() => worker.process.kill('SIGKILL'), this.#crew.patience)
    await gone
    clearTimeout(impatience)
    this.#ending.delete(worker)
  }
}
