// Processes that look after a served program: one that watches its files, and one that has several workers.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type FSWatcher, watch as watchFolder } from 'node:fs'
import { registerHooks } from 'node:module'
import { type Server, type Socket, createServer } from 'node:net'
import { resolve as absolute, basename, dirname, join } from 'node:path'
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

/**
 * What a served program reports to the process above it: that it listens, that it lives, a file that it has loaded, where its
 * templates are; of a worker, where connections for it come from, that it has one that was handed over, that it has read what came before a question, or that it wants no more.
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

/** Programs send messages of their own, which are none of ours. */
function onNews(worker: Worker, listener: (news: News) => void): void {
  worker.on('message', (message: unknown) => {
    const { colophon } = (message ?? {}) as { readonly colophon?: News }
    if (colophon !== undefined) listener(colophon)
  })
}

/** In the served program, before it loads the application: its modules are reported, those of packages are not. */
export function tellFiles(): void {
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:') && !url.includes('/node_modules/'))
        tell({ file: fileURLToPath(url) })
      return next(url, context)
    },
  })
}

/** In the served program. */
export function tell(news: News): void {
  if (process.connected) process.send!({ colophon: news })
}

/**
 * In the served program, which would live on for further news. Connections that are on their way to it go back first:
 * just to hang up would lose them.
 */
export function tellNoMore(): void {
  if (process.connected) cluster.worker!.disconnect()
}

/**
 * Serves a program in a process of its own, and another one when its files change; ends by SIGINT or SIGTERM.
 * Modules once loaded stay in a process, so it takes a new one. The port belongs to this process (that is what
 * `node:cluster` is for), so the next program listens before the last one stops: no connection is refused, and what
 * is in flight is finished. A program that does not start leaves the last one serving.
 */
export async function serveWatching(
  argsFor: (port: number | null) => readonly string[],
  terminal: Terminal,
): Promise<void> {
  const watching = new Watching(argsFor, terminal)
  watching.start()
  await new Promise<void>((end) => {
    process.once('SIGINT', () => end())
    process.once('SIGTERM', () => end())
  })
  terminal.print('Stopping: finishing what is in flight.')
  await watching.stop()
}

class Watching {
  readonly #argsFor: (port: number | null) => readonly string[]
  readonly #terminal: Terminal
  readonly #files: Files
  /** The one that answers, and the one that is about to. */
  #serving: Worker | null = null
  #starting: Worker | null = null
  /** The port of the first program, so that any free port stays the same one. */
  #port: number | null = null
  #url: string | null = null

  constructor(argsFor: (port: number | null) => readonly string[], terminal: Terminal) {
    this.#argsFor = argsFor
    this.#terminal = terminal
    this.#files = new Files((file) => this.#changed(file))
    this.#files.add(absolute(terminal.cwd, process.env['COLOPHON_CONFIG'] || 'colophon.json'))
  }

  start(): void {
    // As long as a program listens on any free port, the next one has to ask for the same to get it.
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
    // What is missing may be a file that no program has loaded.
    this.#files.onlyKnown = false
    const rest = this.#serving === null ? '' : ' The one before goes on serving.'
    this.#terminal.complain(
      `colophon: ${isNext ? 'The program does not start.' : 'The program has stopped.'}${rest} Waiting for a change.`,
    )
  }
}

/** Milliseconds in which several changes are one: editors write a file in steps. */
const ONE_CHANGE = 80

/** Tells of changes of files. The folder is watched, because editors put a new file in the place of the old one. */
class Files {
  readonly #known = new Set<string>()
  readonly #templates = new Set<string>()
  readonly #folders = new Map<string, FSWatcher>()
  readonly #onChange: (file: string) => void
  #timer: NodeJS.Timeout | null = null
  /** `false`: any source file beside them may be what was missing. */
  onlyKnown = true

  constructor(onChange: (file: string) => void) {
    this.#onChange = onChange
  }

  add(file: string): void {
    this.#known.add(file)
    this.#watch(dirname(file))
  }

  /** A page reads them when it is first asked for; one that is new counts too. */
  addTemplates(folder: string): void {
    this.#templates.add(folder)
    this.#watch(folder)
  }

  #watch(folder: string): void {
    if (this.#folders.has(folder)) return
    const watcher = watchFolder(folder, (_, name) => this.#noted(folder, name))
    // A folder that is removed is seen by the files in it.
    watcher.on('error', () => this.#folders.delete(folder))
    this.#folders.set(folder, watcher)
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #noted(folder: string, name: string | null): void {
    const file = join(folder, name ?? '')
    const isSource = /\.(?:[cm]?[jt]s|json)$/.test(file)
    const isTemplate = this.#templates.has(folder) && /\.(?:eta|css)$/.test(file)
    const counts = this.#known.has(file) || isTemplate || (isSource && !this.onlyKnown)
    if (!counts) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#onChange(file), ONE_CHANGE)
  }
}

/** How many workers there are, and how long they are waited for. */
export interface Crew {
  readonly count: number | 'auto'
  /** Milliseconds after which a worker that is to end is killed. */
  readonly patience: number
  /** Seconds of silence after which a worker is killed, because its event loop stands still. */
  readonly silence: number
  /** Seconds in which a worker has to listen. */
  readonly startTimeout: number
  readonly args: readonly string[]
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

/** In a worker: resolves when another one has taken its place, so that the service as a whole does not stop. */
export function replaced(): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message: unknown) => {
      if ((message as typeof REPLACED | null)?.colophon?.replaced === true) resolve()
    })
  })
}

const REPLACED = { colophon: { replaced: true } } as const

/** What a supervisor sends about connections: where it listens for them, or why it cannot, one of them, or that there are no more. */
type ConnectionOrder =
  | { readonly url: string }
  | { readonly cannot: Cannot }
  | typeof CONNECTION
  /** A question that comes behind the connection of this number. */
  | { readonly behind: number }
  | { readonly last: true }

/** What an error is made of again, in another process. */
interface Cannot {
  readonly code?: string
  readonly message: string
  readonly where: string
}

const CONNECTION = { connection: true } as const

function forked(environment: object = {}): Worker {
  const worker = cluster.fork(environment)
  // Node answers a worker that says goodbye even where it has ended by then. Its end is what counts.
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
  /** How many were handed over before it was. */
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

  /** Milliseconds that connections may take to reach a worker when the service stops. */
  constructor(patience: number) {
    this.#patience = patience
    // More are closed at once.
    this.#server.maxConnections = MOST_PENDING
    setInterval(() => this.#look(), SECOND).unref()
  }

  /** All workers have one, whatever they ask for. @throws CannotListen */
  open(port: number, host: string): Promise<string> {
    return (this.#url ??= bySocket.listen(this.#server, port, host))
  }

  /** Takes what waits, and resolves when workers have all, or none that could is left. */
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

  /** Asks for connections that have not arrived, and ends old ones: whether their clients are still there cannot be seen. */
  #look(): void {
    for (const [worker, { number }] of this.#handed) order(worker, { behind: number })
    // A worker that hangs must not keep the others from ending: nothing waits for them.
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
      // Where it fails, the worker is about to be lost.
      worker.process.send({ colophon: CONNECTION }, pending.socket, { keepOpen: true }, () => {})
    }
    const isOver = this.#waiting.length === 0 || this.#workers.size === 0
    if (isOver && this.#handed.size === 0) this.#settled?.()
  }
}

/** Connections that no worker has: how many there may be, and how many milliseconds one waits. */
const [MOST_PENDING, LONGEST_PENDING] = [4096, 30_000]
const SECOND = 1000
/** Milliseconds. */
const MOMENT = 100
/** Milliseconds that a worker serves before it counts as one that started well. */
const STEADY = 10 * SECOND
/** Milliseconds before the next one starts, where one ended soon after its start: doubled each time, up to the longest. */
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
    // It stays, so that a second one, such as of a program in between, does not end what is being finished.
    process.on('SIGTERM', () => end())
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
  #url: string | null = null
  readonly #ending = new Map<Worker, Promise<void>>()
  /** Questions to workers for their metrics that are not answered. */
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

  /** Starts the first worker alone, since what keeps it from starting keeps all. */
  async start(): Promise<void> {
    const [first, ...others] = this.#places
    if (!(await this.#fill(first!))) throw new CommandFailed('no worker has started.')
    await Promise.all(others.map((place) => this.#filled(place)))
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
      // What starts now would be in no list of those that have to end.
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

  /** Lets a worker go. A signal for all processes comes here a moment later: then the last workers take what waits. */
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

  /** Ends a replaced worker, which need not say that the service stops, nor wait for those who would find out. */
  async #retire(last: Worker): Promise<void> {
    if (last.isConnected()) last.send(REPLACED)
    // One of an older version does not know the message.
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
    const late = setTimeout(() => resolve(null), SECOND)
    order(worker, { show: { key, at } })
    const text = await promise
    clearTimeout(late)
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

  /** Counts seconds of its own, not those of a clock: a machine that slept is no worker that hangs. */
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
