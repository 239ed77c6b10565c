import { resolve as absolute } from 'node:path'
import type { App } from '../../preset/define-api.ts'
import type { Database, MigrationStatus } from '../../core/ports/database.ts'
import { randomText } from '../../core/secrets/keys.ts'
import {
  type CommandNode,
  type CommandInput,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
  wholeFrom,
} from './command.ts'
import { CommandFailed, type ListForm, type Terminal, UsageError } from './terminal.ts'
import { requireTables } from '../../core/app/before-serving.ts'
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
      ['--watch', 'start again when files of the application change; for development'],
      // By a process that watches, and starts others like this one.
      ['--watched', '', { isHidden: true }],
      ['--worker', '', { isHidden: true }],
    ],
    json: 'print the address as a JSON object, for programs',
    async run(given) {
      const { app: load, options, terminal } = given
      if (options.worker) return serveAsWorker(given)
      if (options.watched) return serveWatched(given)
      if (options.watch && options.workers)
        throw new UsageError('--watch serves in one process: leave out --workers.')
      const argsFor = (kind: string) => (port: number | null) => argsOf(given, kind, port)
      if (options.watch)
        return (await import('./processes/supervisors.ts')).serveWatching(
          argsFor('--watched'),
          terminal,
        )
      const count =
        options.workers ?? several(readConfiguration({ cwd: terminal.cwd }).service.workers)
      if (count === undefined) return serveHere(await load(), given)
      const { gracePeriod = 10, drainPeriod = 0, workerTimeout: silence = 30 } = options
      const isHanded = (options.host ?? handedSocket() ?? '').startsWith('fd:')
      const crew = { count, silence, isHanded, patience: (drainPeriod + gracePeriod + 5) * 1000 }
      return (await import('./processes/supervisors.ts')).serveWithWorkers(
        { ...crew, argsFor: argsFor('--worker'), listening: (url) => tellAddress(given, url) },
        terminal,
      )
    },
  }),
  command({
    name: 'migrate',
    summary: 'bring the tables up to date',
    description: 'Brings the tables up to date, those of Colophon and those of the application.',
    options: [['--status', 'show what was applied and what is pending, and change nothing']],
    json: OBJECT_LINES,
    async run(given) {
      const databases = databasesOf(await given.app())
      if (given.options.status) return showStatus(databases, given)
      let count = 0
      for (const database of databases)
        for (const name of await database.migrate()) {
          given.report({ done: name }, `Done: ${name}`)
          count += 1
        }
      if (count === 0 && !given.json) given.terminal.print('The tables are up to date.')
    },
  }),
  command({
    name: 'backup <file>',
    summary: 'copy the file of the database while it serves',
    description:
      'Copies the database of the application into a new file, while others read and write it, and reads the copy through.',
    args: { file: ['the new file'] },
    json: ONE_OBJECT,
    async run({ app, args: [file], terminal, report }) {
      const path = absolute(terminal.cwd, file)
      const { bytes } = await backUp(await app(), path)
      report({ file: path, bytes }, `${path}: ${bytes} bytes, checked.`)
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

function databasesOf({ databases }: App): readonly Database[] {
  if (databases.length > 0) return databases
  throw new CommandFailed(
    'This application has no database. Give it to defineApi({ database }) or, with accounts, defineApi({ accounts }).',
  )
}

async function backUp(app: App, file: string): Promise<{ readonly bytes: number }> {
  const [database, ...others] = databasesOf(app)
  if (others.length > 0)
    throw new CommandFailed(
      'This application has several databases. Copy each in a program: await database.backup(file).',
    )
  if (database!.backup !== undefined) return database!.backup(file)
  const { name } = database!.dialect
  throw new CommandFailed(`The database is one of ${name}, and no file. Use the tools of ${name}.`)
}

/** 1 where there is something to do, for scripts. */
async function showStatus(
  databases: readonly Database[],
  { list }: CommandInput<[]>,
): Promise<number> {
  const all = (await Promise.all(databases.map((database) => database.migrationStatus()))).flat()
  await list(all, MIGRATIONS)
  return all.every(({ state }) => state === 'applied' || state === 'unknown') ? 0 : 1
}

const MIGRATIONS: ListForm<MigrationStatus> = {
  heading: ['MIGRATION', 'OF', 'STATE', 'APPLIED'],
  row: ({ name, of, state, applied }) => [name, of, state, applied?.toISOString() ?? '-'],
  json: ({ name, of, state, applied }) => ({ name, of, state, applied: applied ?? null }),
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
  const { beWorker } = await import('./processes/supervisors.ts')
  await serveBelow(given, () => given.app(), beWorker)
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

/** Serves in a process below another one, which says what there is to say. */
async function serveBelow(
  given: CommandInput<[], Serving>,
  load: () => Promise<App>,
  listening?: () => void,
): Promise<void> {
  const { tell, tellNoMore } = await import('./processes/supervisors.ts')
  const silent = { ...given, terminal: { ...given.terminal, print: () => {} }, report: () => {} }
  try {
    await serveHere(await load(), silent, (url) => {
      listening?.()
      tell({ url })
    })
  } finally {
    tellNoMore()
  }
}

/** What a database lacks is no change of a file, so it is asked again, each second. */
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

/** What the served program is called with, by the process that watches over it. */
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

/** Serves until SIGINT or SIGTERM, and then finishes what is in flight. */
async function serveHere(
  app: App,
  given: CommandInput<[], Serving>,
  tell?: (url: string) => void,
): Promise<void> {
  const { terminal, json } = given
  await requireTables(app.databases)
  // Before it listens: a process that hands connections over may send one and a signal before this one knows that it listens.
  const stop = stopped()
  const server = await serve(app, optionsOf(given))
  if (tell === undefined) await tellAddress(given, server.url)
  else tell(server.url)
  const failure = await stop
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  if (!json) terminal.print('Stopping: finishing what is in flight.')
  const notice = tell === undefined ? notifySystemd('STOPPING=1', terminal) : null
  if (failure === null) await drained(app, given)
  await server.close()
  await notice
  // What a task that hangs has left open does not keep the process; what is printed has a second to be read.
  setTimeout(() => process.exit(), 1000).unref()
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

/** `null`: by a signal; a second SIGTERM changes nothing. Else by the first uncaught error: any work may be half done. */
function stopped(): Promise<{ readonly error: unknown } | null> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(null))
    process.on('SIGTERM', () => resolve(null))
    process.once('uncaughtException', (error) => resolve({ error }))
  })
}
