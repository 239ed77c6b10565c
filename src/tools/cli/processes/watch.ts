import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type FSWatcher, watch as watchFolder } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Terminal } from '../terminal.ts'

/** What a served program reports to the process above it: that it listens, that it lives, a file that it has loaded, or where its templates are. */
export type News =
  | { readonly url: string }
  | { readonly alive: true }
  | { readonly file: string }
  | { readonly templates: string }

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
  if (process.connected) process.send!(news)
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
  /** Where the first one listened, so that any free port stays the same one. */
  #port: number | null = null
  #url: string | null = null

  constructor(argsFor: (port: number | null) => readonly string[], terminal: Terminal) {
    this.#argsFor = argsFor
    this.#terminal = terminal
    this.#files = new Files((file) => this.#changed(file))
    this.#files.add(resolve(terminal.cwd, process.env['COLOPHON_CONFIG'] || 'colophon.json'))
  }

  start(): void {
    // As long as a program listens on any free port, the next one has to ask for the same to get it.
    const port = this.#serving === null ? this.#port : null
    cluster.setupPrimary({ exec: process.argv[1]!, args: [...this.#argsFor(port)] })
    const worker = cluster.fork()
    this.#starting = worker
    worker.on('message', (news: News) => {
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
    // It ends at once, unless it has begun to listen and was given connections.
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
