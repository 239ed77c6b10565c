import { resolve as absolute } from 'node:path'
import type { App } from '../../preset/define-api.ts'
import { randomText } from '../../core/secrets/keys.ts'
import { type CommandNode, type CommandInput, ONE_OBJECT, command, wholeFrom } from './command.ts'
import { readHeaders } from './prompts.ts'
import { CommandFailed, type Terminal, UsageError } from './terminal.ts'
import { requireTables } from '../../core/app/lifecycle.ts'
import { type NodeServerOptions, serve } from '../../core/serving/node.ts'
import { readConfiguration } from '../../core/settings/configuration.ts'
import { handedSocket, notifySystemd } from './processes/systemd.ts'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

const countOf = wholeFrom(1, 1024)
const workersOf = (text: string): number | 'auto' => (text === 'auto' ? text : countOf(text))
const secondsOf = wholeFrom(1, 86_400)
const portOf = wholeFrom(0, 65_535)

export const serviceCommands: readonly CommandNode[] = [
  command({
    name: 'serve',
    summary: 'serve the application until it is stopped',
    description:
      'Serves the application until SIGINT or SIGTERM, and finishes what is in flight. With workers, SIGHUP puts new processes in the place of all, one after the other.',
    options: [
      ['--port <number>', 'port to listen on (default: the key PORT, else 8000)', { read: portOf }],
      [
        '--host <address>',
        'address to listen on (default: the socket that systemd handed over, else the key HOST, else 127.0.0.1)',
      ],
      [
        '--workers <number>',
        'processes that answer, or "auto" for one on each core (default: the key WORKERS, else 1)',
        { read: workersOf },
      ],
      [
        '--grace-period <seconds>',
        'what requests in flight get to finish when it stops (default: 10)',
        { read: secondsOf },
      ],
      [
        '--drain-period <seconds>',
        'how long it still takes requests when it stops, and says in /readyz that it does (default: 0)',
        { read: secondsOf },
      ],
      [
        '--worker-timeout <seconds>',
        'silence after which a worker is killed, and another one starts (default: 30)',
        { read: secondsOf },
      ],
      [
        '--start-timeout <seconds>',
        'what a worker gets to load the application and listen, before it is killed (default: 120)',
        { read: secondsOf },
      ],
      [
        '--watch',
        'start again when files of the application change; for development',
        { conflicts: ['workers'] },
      ],
      // A process that watches, and starts others like this one, gives these options.
      ['--watched', '', { isHidden: true }],
      ['--worker', '', { isHidden: true }],
    ],
    json: 'print the address as a JSON object, for programs',
    async run(given) {
      const { app: load, options, terminal } = given
      if (options.worker) return serveAsWorker(given)
      if (options.watched) return serveWatched(given)
      const argsFor = (kind: string) => (port: number | null) => argsOf(given, kind, port)
      if (options.watch)
        return (await import('./processes/supervisors.ts')).serveWatching(
          argsFor('--watched'),
          terminal,
        )
      const count =
        options.workers ?? several(readConfiguration({ cwd: terminal.cwd }).service.workers)
      if (count === undefined) return serveHere(await load(), given, {})
      const { gracePeriod = 10, drainPeriod = 0 } = options
      const { workerTimeout: silence = 30, startTimeout = 120 } = options
      const patience = (drainPeriod + gracePeriod + 5) * 1000
      const crew = { count, silence, startTimeout, patience }
      return (await import('./processes/supervisors.ts')).serveWithWorkers(
        { ...crew, args: argsFor('--worker')(null), listening: (url) => tellAddress(given, url) },
        terminal,
      )
    },
  }),
  command({
    name: 'top <address>',
    summary: 'show what a service does now, from its metrics',
    description:
      'Reads the metrics of a service again and again, and shows its requests by route, its statements, its pools and its processes. In a pipe, and with --once, nothing is cleared.',
    args: { address: ['the page of its metrics, such as http://127.0.0.1:8000/metrics'] },
    options: [
      ['--once', 'show it once: what happened in one interval'],
      ['--interval <seconds>', 'time between two looks (default: 2)', { read: secondsOf }],
      [
        '-H, --header <line...>',
        'a header to ask with; @file reads lines from a file, @- from standard input',
      ],
    ],
    json: 'print one JSON object for each interval, for programs',
    async run({
      args: [address],
      options: { once = false, interval = 2, header },
      json,
      terminal,
    }) {
      const headers = Object.fromEntries(await readHeaders(header ?? [], terminal))
      const { top } = await import('./processes/top.ts')
      return top({ address: addressOf(address), headers, interval, once, json }, terminal)
    },
  }),
  command({
    name: 'secret',
    summary: 'print a new secret',
    description: 'Prints a new secret for the key SECRET_KEY. It needs no application.',
    json: ONE_OBJECT,
    run({ report }) {
      const secret = randomText(64, LETTERS_AND_DIGITS)
      report({ secret }, secret)
    },
  }),
]

/** The address is not repeated in the error: it may hold a secret. */
function addressOf(text: string): string {
  const { protocol = '', username, password } = URL.parse(text) ?? {}
  if (/^https?:$/.test(protocol) && !username && !password) return text
  throw new UsageError(
    'An address begins with http:// or https://, and has no password: send that with --header @file.',
  )
}

interface Serving {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly gracePeriod: number | undefined
  readonly drainPeriod: number | undefined
}

/** One process needs none that looks after it, unless that is asked for. */
function several(workers: number | 'auto'): number | 'auto' | undefined {
  return workers === 1 ? undefined : workers
}

async function serveAsWorker(given: CommandInput<[], Serving>): Promise<void> {
  const { beWorker, handedOver, replaced } = await import('./processes/supervisors.ts')
  const worker = { '~listening': handedOver(), listening: beWorker, replaced: replaced() }
  await serveBelow(given, () => given.app(), worker)
}

async function serveWatched(given: CommandInput<[], Serving>): Promise<void> {
  const { tell, tellFiles } = await import('./processes/supervisors.ts')
  const { terminal } = given
  tellFiles()
  const load = async (): Promise<App> => {
    const app = await given.app()
    for (const folder of templatesOf(app)) tell({ templates: absolute(terminal.cwd, folder) })
    await tablesThere(app, terminal)
    return app
  }
  await serveBelow(given, load)
}

/** A worker's way to report that it listens, get connections, and learn that another one has taken its place. */
interface AsWorker extends Pick<NodeServerOptions, '~listening'> {
  readonly listening: () => void
  readonly replaced: Promise<void>
}

/** Serves in a process below another one, which prints what there is to print. */
async function serveBelow(
  given: CommandInput<[], Serving>,
  load: () => Promise<App>,
  { listening, ...worker }: Partial<AsWorker> = {},
): Promise<void> {
  const { tell, tellNoMore } = await import('./processes/supervisors.ts')
  const silent = { ...given, terminal: { ...given.terminal, print: () => {} }, report: () => {} }
  try {
    const listens = (url: string): void => {
      listening?.()
      tell({ url })
    }
    await serveHere(await load(), silent, { ...worker, listens })
  } finally {
    tellNoMore()
  }
}

/** Waits until the databases have their tables. They are asked each second, because a new table changes no file. */
async function tablesThere({ databases }: App, terminal: Terminal): Promise<void> {
  const missing = (): Promise<unknown> => requireTables(databases).catch((error: unknown) => error)
  const first = await missing()
  if (first === undefined) return
  terminal.complain(`colophon: ${(first as Error).message}\nWaiting for it.`)
  while ((await missing()) !== undefined) await new Promise((again) => setTimeout(again, 1000))
}

/** Folders with templates of the application's own. */
function templatesOf(app: App): ReadonlySet<string> {
  const folders = app.describe().map(({ settings }) => settings.browsable.templates)
  return new Set(folders.filter((folder) => folder !== undefined))
}

/** The arguments that the served program gets from the process that watches over it. */
function argsOf(
  { module, options }: CommandInput<[], Serving>,
  kind: string,
  known: number | null,
): readonly string[] {
  const { host = handedSocket(), port, gracePeriod, drainPeriod } = options
  const given = {
    host,
    port: known ?? port,
    'grace-period': gracePeriod,
    'drain-period': drainPeriod,
  }
  const values = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
  return [...(module === null ? [] : ['--app', module]), 'serve', kind, ...values]
}

/** Serves until SIGINT or SIGTERM, and then finishes requests in flight. */
async function serveHere(
  app: App,
  given: CommandInput<[], Serving>,
  {
    listens,
    replaced,
    ...worker
  }: Omit<Partial<AsWorker>, 'listening'> & { listens?: (url: string) => void },
): Promise<void> {
  const { terminal, json } = given
  await requireTables(app.databases)
  // Signals count before the server listens: a process that hands connections over may send one and a signal before this one
  // knows that it listens.
  const stop = stopped(replaced)
  let isReplaced = false
  // A process that is replaced does not say that the service stops.
  const drain = (): void => (isReplaced ? undefined : app.drain())
  const server = await serve({ ...app, drain }, { ...optionsOf(given), ...worker })
  if (listens === undefined) await tellAddress(given, server.url)
  else listens(server.url)
  const why = await stop
  isReplaced = why === 'replaced'
  const failure = typeof why === 'object' ? why : null
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  if (!json) terminal.print('Stopping: finishing what is in flight.')
  const notice = listens === undefined ? notifySystemd('STOPPING=1', terminal) : null
  if (why === 'signal') await drained(app, given)
  await server.close()
  await notice
  if (failure) throw new CommandFailed('stopped by an uncaught error; see the log.')
}

function optionsOf({ options }: CommandInput<[], Serving>): NodeServerOptions {
  const { host = handedSocket(), port, gracePeriod } = options
  return {
    ...(host && { host }),
    ...(port !== undefined && { port }),
    ...(gracePeriod && { gracePeriod: gracePeriod * 1000 }),
  }
}

async function tellAddress(given: CommandInput<[], Serving>, url: string): Promise<void> {
  const { report, terminal } = given
  report({ url }, `Listening on ${terminal.styled('cyan', url)}`)
  await notifySystemd('READY=1', terminal)
}

/** Balancers need a while to see that it stops, and send requests meanwhile. */
async function drained(app: App, { options }: CommandInput<[], Serving>): Promise<void> {
  app.drain()
  await new Promise((over) => setTimeout(over, (options.drainPeriod ?? 0) * 1000))
}

type Stop = 'signal' | 'replaced' | { readonly error: unknown }

/** By a signal, of which a second one changes nothing, or by the first uncaught error: any work may be half done. */
function stopped(replaced?: Promise<void>): Promise<Stop> {
  return new Promise((resolve) => {
    void replaced?.then(() => resolve('replaced'))
    process.once('SIGINT', () => resolve('signal'))
    process.on('SIGTERM', () => resolve('signal'))
    process.once('uncaughtException', (error) => resolve({ error }))
  })
}
