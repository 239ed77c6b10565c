// Processes that look after a served program: one that watches its files, and one that has several workers.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { type Server, type Socket, createServer } from 'node:net'
import { resolve as absolute, basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Terminal, CommandFailed } from '../terminal.ts'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type MetricsNews,
  type MetricsOrder,
  WORKER,
} from '../../../addons/operations/worker-metrics.ts'
import { CannotListen, type Listening, bySocket } from '../../../core/serving/listening.ts'
import { notifySystemd } from './systemd.ts'
import { WatchedFiles } from '../files.ts'

/**
 * The reports of a served program to the process above it: that it listens and lives, a file that it has loaded, and the folder
 * of its templates. A worker also reports the place where it takes connections, a connection that it has taken, that it has
 * read all up to a question, or that it wants no more.
 */
export type News =
  | { readonly listen: { readonly port: number; readonly host: string } }
  | { readonly taken: true }
  | { readonly leaving: true }
  | { readonly behind: number }
  | { readonly url: string }
  | { readonly alive: true }
  | { readonly file: string }
  | { readonly templates: string }
  | MetricsNews

/** Programs also send messages of their own, which are not news. */
function onNews(worker: Worker, listener: (news: News) => void): void {
  worker.on('message', (message: unknown) => {
    const { colophon } = (message ?? {}) as { readonly colophon?: News }
    if (colophon !== undefined) listener(colophon)
  })
}

/** Runs in the served program before it loads the application: reports its modules, except those of packages. */
export function tellFiles(): void {
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:') && !url.includes('/node_modules/'))
        tell({ file: fileURLToPath(url) })
      return next(url, context)
    },
  })
}

/** Reports news from the served program. */
export function tell(news: News): void {
  if (process.connected) process.send!({ colophon: news })
}

/**
 * Ends the news of a served program, which would keep it alive. Connections on their way to it are handed back first, since
 * hanging up would lose them.
 */
export function tellNoMore(): void {
  if (process.connected) cluster.worker!.disconnect()
}

/**
 * Serves a program in a process of its own, and a new one when its files change; SIGINT or SIGTERM ends it. A new process is
 * necessary because loaded modules stay. The port belongs to this process through `node:cluster`, so the next program listens
 * before the last one stops: no connection is refused, and running requests are finished. If a program does not start, the last
 * one goes on.
 */
export async function serveWatching(
  argsFor: (port: number | null) => readonly string[],
  terminal: Terminal,
): Promise<void> {
  const watching = new Watching(argsFor, terminal)
  watching.start()
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  terminal.print('Stopping: finishing what is in flight.')
  await watching.stop()
}

class Watching {
  readonly #argsFor: (port: number | null) => readonly string[]
  readonly #terminal: Terminal
  readonly #files: WatchedFiles
  /** The program that answers, and the program that is starting. */
  #serving: Worker | null = null
  #starting: Worker | null = null
  /** The port of the first program, so that "any free port" stays the same. */
  #port: number | null = null
  #url: string | null = null

  constructor(argsFor: (port: number | null) => readonly string[], terminal: Terminal) {
    this.#argsFor = argsFor
    this.#terminal = terminal
    this.#files = new WatchedFiles(
      (file) => this.#changed(file),
      () => this.#starting !== null,
    )
    this.#files.add(absolute(terminal.cwd, process.env['COLOPHON_CONFIG'] || 'colophon.json'))
  }

  start(): void {
    // While a program listens on any free port, the next one must ask for the same to share it.
    const port = this.#serving === null ? this.#port : null
    cluster.setupPrimary({ exec: process.argv[1]!, args: [...this.#argsFor(port)] })
    const worker = forked()
    this.#starting = worker
    onNews(worker, (news) => {
      if ('file' in news) this.#files.add(news.file)
      else if ('templates' in news) this.#files.addTemplates(news.templates)
      else if ('url' in news && worker === this.#starting) this.#listens(worker, news.url)
    })
    worker.once('exit', () => this.#ended(worker))
  }

  async stop(): Promise<void> {
    this.#files.close()
    const workers = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined)
    this.#serving = this.#starting = null
    await Promise.all(
      workers.map((worker) => {
        const gone = once(worker, 'exit')
        worker.process.kill('SIGTERM')
        return gone
      }),
    )
  }

  #listens(worker: Worker, url: string): void {
    const last = this.#serving
    this.#serving = worker
    this.#starting = null
    this.#files.onlyKnown = true
    this.#terminal.print(
      this.#url === url ? 'Started again.' : `Listening on ${url}, and watching its files`,
    )
    this.#url = url
    this.#port = url.startsWith('http') ? Number(new URL(url).port || 80) : null
    last?.process.kill('SIGTERM')
  }

  #changed(file: string): void {
    this.#terminal.print(`Changed: ${basename(file)}`)
    // The starting program ends at once, unless it has begun to listen and was given connections.
    this.#starting?.process.kill('SIGTERM')
    this.start()
  }

  #ended(worker: Worker): void {
    const isNext = worker === this.#starting
    if (!isNext && worker !== this.#serving) return
    if (isNext) this.#starting = null
    else this.#serving = null
    // The missing file may be one that no program has loaded.
    this.#files.onlyKnown = false
    const rest = this.#serving === null ? '' : ' The one before goes on serving.'
    this.#terminal.complain(
      `colophon: ${isNext ? 'The program does not start.' : 'The program has stopped.'}${rest} Waiting for a change.`,
    )
  }
}

/** The number of workers, and the times to wait for them. */
export interface Crew {
  readonly count: number | 'auto'
  /** The milliseconds after which an ending worker is killed. */
  readonly patience: number
  /** The seconds of silence after which a worker is killed, because its event loop stands still. */
  readonly silence: number
  /** The seconds in which a worker must listen. */
  readonly startTimeout: number
  readonly args: readonly string[]
  /** Reports that the service listens. */
  readonly listening: (url: string) => Promise<void>
}

/** Runs in a worker once it listens. Before, a signal ends it at once. */
export function beWorker(): void {
  // A terminal and systemd signal each process, and so does the supervisor: one signal is enough.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  // While these arrive, its event loop turns.
  setInterval(() => tell({ alive: true }), SECOND).unref()
}

/** In a worker: resolves when another one has taken its place, so that the service as a whole does not stop. */
export function replaced(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message: unknown) => {
      if ((message as typeof REPLACED | null)?.colophon?.replaced === true) resolve()
    })
  })
}

const REPLACED = { colophon: { replaced: true } } as const

/** Messages of a supervisor about connections: its address, or why it cannot listen; a connection; or the end of all. */
type ConnectionOrder =
  | { readonly url: string }
  | { readonly cannot: Cannot }
  | typeof CONNECTION
  /** A question after the connection of this number. */
  | { readonly behind: number }
  | { readonly last: true }

/** The facts from which another process makes the error again. */
interface Cannot {
  readonly code?: string
  readonly message: string
  readonly where: string
}

const CONNECTION = { connection: true } as const

function forked(environment: object = {}): Worker {
  const worker = cluster.fork(environment)
  // Node also answers the goodbye of a worker that has ended. Only its end counts.
  worker.on('error', () => {})
  return worker
}

function order(worker: Worker, colophon: MetricsOrder | ConnectionOrder): void {
  if (worker.isConnected()) worker.send({ colophon })
}

/** In a worker: its supervisor listens, and hands connections over until the worker leaves. */
export function handedOver(): Listening {
  const [listening, last] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  return {
    listen(server, port, host) {
      process.on('message', (message: unknown, socket?: Socket) => {
        const { colophon: given } = (message ?? {}) as { readonly colophon?: ConnectionOrder }
        if (given === undefined) return
        if ('connection' in given) take(socket, server)
        else if ('behind' in given) tell({ behind: given.behind })
        else if ('last' in given) last.resolve()
        else if ('url' in given) listening.resolve(given.url)
        else if ('cannot' in given) listening.reject(failureOf(given.cannot))
      })
      tell({ listen: { port, host } })
      return listening.promise.then((url) => {
        // Node looks for late clients from here on.
        server.emit('listening')
        return url
      })
    },
    stop() {
      tell({ leaving: true })
      return last.promise
    },
  }
}

/** Takes a connection. The worker says so before anything is read: until then, the connection can be handed to another one. */
function take(socket: Socket | undefined, server: Server): void {
  tell({ taken: true })
  if (socket !== undefined) server.emit('connection', socket)
}

function failureOf({ where, message, code }: Cannot): CannotListen {
  return new CannotListen(Object.assign(new Error(message), { code }), where)
}

/** A connection that no worker has. */
interface Pending {
  readonly socket: Socket
  readonly since: number
  /** The number of connections that were handed over before. */
  number: number
}

/**
 * The socket of a service, and its connections on their way to workers. Each worker is handed one connection at a time, in
 * turn. The connection stays open here until the worker has it, so that it goes to another worker if that one ends.
 */
class Port {
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    this.#waiting.push({ socket, since: performance.now(), number: 0 })
    this.#hand()
  })
  readonly #waiting: Pending[] = []
  /** Workers that take connections; the first one that is free has the next connection. */
  readonly #workers = new Set<Worker>()
  readonly #handed = new Map<Worker, Pending>()
  readonly #patience: number
  #number = 0
  #url: Promise<string> | null = null
  #closed: Promise<void> | null = null
  #settled: (() => void) | null = null

  /** `patience`: milliseconds for connections to reach a worker when the service stops. */
  constructor(patience: number) {
    this.#patience = patience
    // Further connections are closed at once.
    this.#server.maxConnections = MOST_PENDING
    setInterval(() => this.#look(), SECOND).unref()
  }

  /** Opens the one port of all workers. @throws CannotListen */
  open(port: number, host: string): Promise<string> {
    return (this.#url ??= bySocket.listen(this.#server, port, host))
  }

  /** Takes the waiting connections, and resolves when workers have them all, or no worker is left to take them. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    if (this.#url === null) return
    await bySocket.stop(this.#server)
    const settled = new Promise<void>((resolve) => (this.#settled = resolve))
    this.#hand()
    await Promise.race([settled, pause(this.#patience, null, { ref: false })])
    for (const { socket } of this.#waiting) socket.destroy()
  }

  add(worker: Worker): void {
    this.#workers.add(worker)
    // The news that the worker has taken one may be read only now. (Node says nothing of a channel that broke with a socket
    // in it.)
    worker.once('exit', () => setTimeout(() => this.#lose(worker), MOMENT))
    this.#hand()
  }

  remove(worker: Worker): void {
    this.#workers.delete(worker)
  }

  /** The worker has the connection that it was handed. */
  taken(worker: Worker): void {
    this.#handed.get(worker)?.socket.destroy()
    this.#handed.delete(worker)
    this.#putLast(worker)
    this.#hand()
  }

  /** The worker has read all up to this connection. If it has not taken the connection, it had no file descriptor for it. */
  hasRead(worker: Worker, number: number): void {
    if (this.#handed.get(worker)?.number !== number) return
    this.#takeBack(worker)
    this.#putLast(worker)
    setTimeout(() => this.#hand(), MOMENT)
  }

  /** Puts a worker behind those that have waited longer. */
  #putLast(worker: Worker): void {
    if (this.#workers.delete(worker)) this.#workers.add(worker)
  }

  #lose(worker: Worker): void {
    this.remove(worker)
    this.#takeBack(worker)
    this.#hand()
  }

  #takeBack(worker: Worker): void {
    const pending = this.#handed.get(worker)
    if (this.#handed.delete(worker)) this.#waiting.unshift(pending!)
  }

  /** Looks for connections that have not arrived, and ends old ones, whose clients may have gone unseen. */
  #look(): void {
    for (const [worker, { number }] of this.#handed) order(worker, { behind: number })
    // Connections of a worker that hangs must not keep the others from ending.
    if (this.#waiting.length === 0) this.#settled?.()
    const since = performance.now() - LONGEST_PENDING
    while (this.#waiting[0] && this.#waiting[0].since < since)
      this.#waiting.shift()!.socket.destroy()
  }

  #hand(): void {
    for (const worker of this.#workers) {
      if (this.#waiting.length === 0) break
      if (this.#handed.has(worker) || !worker.isConnected()) continue
      const pending = this.#waiting.shift()!
      pending.number = ++this.#number
      this.#handed.set(worker, pending)
      // A failure means that the worker is about to be lost.
      worker.process.send({ colophon: CONNECTION }, pending.socket, { keepOpen: true }, () => {})
    }
    const isOver = this.#waiting.length === 0 || this.#workers.size === 0
    if (isOver && this.#handed.size === 0) this.#settled?.()
  }
}

/** The most connections without a worker, and the milliseconds that one waits. */
const [MOST_PENDING, LONGEST_PENDING] = [4096, 30_000]
const SECOND = 1000
const MOMENT = 100
/** The milliseconds after which a worker counts as well started. */
const STEADY = 10 * SECOND
/** The number of workers that start at the same time: hundreds would keep this process from hearing a signal. */
const AT_ONCE = Math.max(8, availableParallelism())
/** The pause before the next process, if one ended soon after its start: it doubles up to the longest. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [250, 30 * SECOND]

/**
 * Serves in several processes; ends by SIGINT or SIGTERM, and puts new processes in the place of all by SIGHUP, one
 * after the other. The port belongs to this process, which passes each connection on: a worker that ends takes no
 * connection with it that it has not accepted. (With `SO_REUSEPORT` each worker would have a queue of its own, which
 * the kernel drops with it; from one queue of all, idle workers took 63 of 64 connections, and one; and `node:cluster`
 * keeps no connection that it has given away.)
 *
 * @throws CommandFailed the first worker has ended before it listened; why, it has printed
 */
export async function serveWithWorkers(crew: Crew, terminal: Terminal): Promise<void> {
  const supervisor = new Supervisor(crew, terminal)
  const stop = new Promise<void>((end) => {
    process.once('SIGINT', () => end())
    // The listener stays, so that a second signal, such as from a program in between, does not end running work.
    process.on('SIGTERM', () => end())
  })
  process.on('SIGHUP', () => void supervisor.renew())
  const started = supervisor.start()
  started.catch(() => {})
  await Promise.race([stop, started.then(() => stop)])
  terminal.print('Stopping: finishing what is in flight.')
  await supervisor.stop()
}

/** The place of a worker, whose process may change. */
interface Place {
  worker: Worker | null
  /** The number of processes in a row that ended soon after their start. */
  failures: number
}

class Supervisor {
  readonly #crew: Crew
  readonly #terminal: Terminal
  readonly #places: readonly Place[]
  readonly #stopping = new AbortController()
  #url: string | null = null
  readonly #ending = new Map<Worker, Promise<void>>()
  /** Unanswered questions to workers about their metrics. */
  readonly #asked = new Map<number, (text: string | null) => void>()
  #questions = 0
  #renewals: Promise<void> = Promise.resolve()
  readonly #port: Port

  constructor(crew: Crew, terminal: Terminal) {
    const count = crew.count === 'auto' ? availableParallelism() : crew.count
    this.#crew = crew
    this.#terminal = terminal
    this.#port = new Port(crew.patience)
    this.#places = Array.from({ length: count }, () => ({ worker: null, failures: 0 }))
  }

  /** Starts the first worker alone: an error that stops it would stop all. */
  async start(): Promise<void> {
    const [first, ...others] = this.#places
    if (!(await this.#fill(first!))) throw new CommandFailed('no worker has started.')
    const next = others.values()
    const starting = Array.from({ length: AT_ONCE }, async () => {
      for (const place of next) await this.#filled(place)
    })
    await Promise.all(starting)
    if (this.#stopping.signal.aborted) return
    await this.#crew.listening(this.#url!)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const notice = notifySystemd('STOPPING=1', this.#terminal)
    const workers = Object.values(cluster.workers ?? {}).filter((each) => each !== undefined)
    await Promise.all([notice, ...workers.map((worker) => this.#end(worker))])
    await this.#port.close()
  }

  /** Starts new processes for all, one after the other; if one does not start, the rest stay as they are. */
  renew(): Promise<void> {
    return (this.#renewals = this.#renewals.then(() => this.#renew()))
  }

  async #renew(): Promise<void> {
    this.#terminal.print('Starting each worker again.')
    const { signal } = this.#stopping
    for (const place of this.#places) {
      // A process that starts now would be missing from the list of those to end.
      if (signal.aborted) return
      const isNew = await this.#fill(place)
      if (signal.aborted) return
      if (!isNew)
        return this.#terminal.complain('colophon: The new worker does not start. The others go on.')
    }
    this.#terminal.print('All workers are new.')
  }

  /** Starts a process until one listens. */
  async #filled(place: Place): Promise<void> {
    const { signal } = this.#stopping
    while (place.worker === null && !signal.aborted && !(await this.#fill(place)))
      await this.#wait(place)
  }

  /** Starts a process, which takes the place once it listens, and ends the one before. `false`: the process itself has ended. */
  #fill(place: Place): Promise<boolean> {
    const worker = this.#fork(this.#places.indexOf(place) + 1)
    const start = performance.now()
    const late = setTimeout(() => this.#giveUp(worker), this.#crew.startTimeout * SECOND)
    return new Promise((resolve) => {
      onNews(worker, (news) => {
        if ('collect' in news) return void this.#collect(worker, news.collect.key, news.collect.at)
        if ('shown' in news) return this.#asked.get(news.shown.key)?.(news.shown.text)
        if ('listen' in news) return void this.#listen(worker, news.listen.port, news.listen.host)
        if ('taken' in news) return this.#port.taken(worker)
        if ('behind' in news) return this.#port.hasRead(worker, news.behind)
        if ('leaving' in news) return void this.#letGo(worker)
        if (!('url' in news)) return
        clearTimeout(late)
        const last = place.worker
        this.#url ??= news.url
        place.worker = worker
        this.#watchOver(worker)
        this.#port.add(worker)
        resolve(last === null ? true : this.#retire(last).then(() => true))
      })
      worker.once('exit', (code, signal) => {
        clearTimeout(late)
        if (performance.now() - start > STEADY) place.failures = 0
        resolve(false)
        void this.#replace(place, worker, signal ?? `exit status ${code}`)
      })
    })
  }

  async #listen(worker: Worker, port: number, host: string): Promise<void> {
    try {
      order(worker, { url: await this.#port.open(port, host) })
    } catch (error) {
      const { where = host, cause = error } = error as Partial<CannotListen>
      const { code = '', message } = cause as NodeJS.ErrnoException
      order(worker, { cannot: { code, message, where } })
    }
  }

  /** Lets a worker go. A signal to all arrives here a moment later: then the last workers take the waiting connections. */
  async #letGo(worker: Worker): Promise<void> {
    const { signal } = this.#stopping
    await pause(MOMENT, null, { signal }).catch(() => {})
    if (signal.aborted) await this.#port.close()
    this.#port.remove(worker)
    order(worker, { last: true })
  }

  #giveUp({ process: { pid }, process }: Worker): void {
    this.#terminal.complain(
      `colophon: Worker ${pid} does not listen after ${this.#crew.startTimeout} s, and is killed.`,
    )
    process.kill('SIGKILL')
  }

  /** Ends a replaced worker, which need not announce an end of the service, nor wait for load balancers to notice. */
  async #retire(last: Worker): Promise<void> {
    if (last.isConnected()) last.send(REPLACED)
    // A worker of an older version does not know the message.
    await Promise.race([once(last, 'exit'), pause(SECOND)])
    await this.#end(last)
  }

  /** Collects the metrics of each worker for the one that was asked. A worker that gives none within a second has none. */
  async #collect(asker: Worker, key: number, at: number): Promise<void> {
    const workers = this.#places.flatMap(({ worker }) => (worker?.isConnected() ? worker : []))
    const texts = await Promise.all(workers.map((worker) => this.#metricsOf(worker, at)))
    const given = texts.filter((text) => text !== null)
    const collected = { key, at, texts: given, workers: this.#places.length }
    order(asker, { collected })
  }

  async #metricsOf(worker: Worker, at: number): Promise<string | null> {
    const key = ++this.#questions
    const { promise, resolve } = Promise.withResolvers<string | null>()
    this.#asked.set(key, resolve)
    order(worker, { show: { key, at } })
    const text = await Promise.race([promise, pause(SECOND, null, { ref: false })])
    this.#asked.delete(key)
    return text
  }

  async #replace(place: Place, worker: Worker, how: string): Promise<void> {
    // The worker ends on purpose, or it never took the place: then its starter goes on.
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

  #fork(number: number): Worker {
    cluster.setupPrimary({ exec: process.argv[1]!, args: [...this.#crew.args] })
    const count = String(this.#places.length)
    return forked({ COLOPHON_WORKERS: count, [WORKER]: String(number) })
  }

  /** Counts its own seconds instead of a clock's: after sleep of the machine, no worker seems to hang. */
  #watchOver(worker: Worker): void {
    let silent = 0
    onNews(worker, () => (silent = 0))
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
