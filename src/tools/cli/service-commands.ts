import { resolve as absolute } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { App } from '../../preset/define-api.ts'
import { requireTables } from '../../core/app/before-serving.ts'
import type { Database, MigrationStatus } from '../../core/ports/database.ts'
import { serve } from '../../core/serving/node.ts'
import { randomText } from '../../core/secrets/keys.ts'
import {
  type CommandNode,
  type CommandInput,
  OBJECT_LINES,
  ONE_OBJECT,
  command,
} from './command.ts'
import { CommandFailed, type ListForm, type Terminal } from './terminal.ts'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export const serviceCommands: readonly CommandNode[] = [
  command({
    name: 'serve',
    summary: 'serve the application until it is stopped',
    description: 'Serves the application until SIGINT or SIGTERM, and finishes what is in flight.',
    options: [
      ['--port <number>', 'port to listen on (default: the key PORT, else 8000)', { read: portOf }],
      ['--host <address>', 'address to listen on (default: the key HOST, else 127.0.0.1)'],
      ['--watch', 'start again when files of the application change; for development'],
      // By a process that watches, and starts others like this one.
      ['--watched', '', { isHidden: true }],
    ],
    json: 'print the address as a JSON object, for programs',
    async run(given) {
      const { app: load, options, terminal } = given
      const { watch = false, watched = false } = options
      if (!watch && !watched) return serveHere(await load(), given)
      const watching = await import('./watch.ts')
      if (!watched) return watching.serveWatching((port) => argsOf(given, port), terminal)
      watching.tellFiles()
      const app = await load()
      for (const folder of templatesOf(app))
        watching.tell({ templates: absolute(terminal.cwd, folder) })
      await tablesThere(app, terminal)
      const silent = { ...terminal, print: () => {} }
      const report = (): void => {}
      await serveHere(app, { ...given, terminal: silent, report }, (url) => watching.tell({ url }))
      watching.tellNoMore()
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

interface Serving {
  readonly host: string | undefined
  readonly port: number | undefined
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It is a number from 0 to 65535.')
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

/** What the served program is called with, by the process that watches it. */
function argsOf(
  { module, options }: CommandInput<[], Serving>,
  known: number | null,
): readonly string[] {
  const { host, port } = options
  const values = Object.entries({ host, port: known ?? port }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
  return [...(module === null ? [] : ['--app', module]), 'serve', '--watched', ...values]
}

/** Serves until SIGINT or SIGTERM, and then finishes what is in flight. */
async function serveHere(
  app: App,
  { options: { host, port }, terminal, json, report }: CommandInput<[], Serving>,
  tell?: (url: string) => void,
): Promise<void> {
  await requireTables(app.databases)
  const server = await serve(app, { ...(host && { host }), ...(port !== undefined && { port }) })
  // Signals are handled before the address is printed, since it invites others to send them.
  const stop = stopped()
  const { url } = server
  report({ url }, `Listening on ${terminal.styled('cyan', url)}`)
  tell?.(url)
  const failure = await stop
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  if (!json) terminal.print('Stopping: finishing what is in flight.')
  await server.close()
  // What a task that hangs has left open does not keep the process; what is printed has a second to be read.
  setTimeout(() => process.exit(), 1000).unref()
  if (failure) throw new CommandFailed('stopped by an uncaught error; see the log.')
}

/** `null`: by a signal; else by the first uncaught error, after which any work may be half done. */
function stopped(): Promise<{ readonly error: unknown } | null> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(null))
    process.once('SIGTERM', () => resolve(null))
    process.once('uncaughtException', (error) => resolve({ error }))
  })
}

function databasesOf({ databases }: App): readonly Database[] {
  if (databases.length > 0) return databases
  throw new CommandFailed(
    'This application has no database. Give it to defineApi({ database }) or, with accounts, defineApi({ accounts }).',
  )
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
