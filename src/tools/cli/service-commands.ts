import { resolve as absolute } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { App } from '../../preset/define-api.ts'
import { requireTables } from '../../core/app/before-serving.ts'
import type { Database, MigrationStatus } from '../../core/ports/database.ts'
import { serve } from '../../core/serving/node.ts'
import { randomText } from '../../core/secrets/keys.ts'
import type { CommandContext } from './application.ts'
import {
  CommandFailed,
  JSON_FLAG,
  type ListForm,
  OBJECT_LINES,
  ONE_OBJECT,
  type Printing,
  type Terminal,
  printList,
  report,
} from './terminal.ts'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** `colophon serve`, `migrate` and `secret` */
export function addServiceCommands(program: Command, context: CommandContext): void {
  const { app, terminal, end } = context
  program
    .command('serve')
    .summary('serve the application until it is stopped')
    .description('Serves the application until SIGINT or SIGTERM, and finishes what is in flight.')
    .option('--port <number>', 'port to listen on (default: the key PORT, else 8000)', portOf)
    .option('--host <address>', 'address to listen on (default: the key HOST, else 127.0.0.1)')
    .option('--watch', 'start again when files of the application change; for development')
    .addOption(new Option('--watched').hideHelp())
    .option(JSON_FLAG, 'print the address as a JSON object, for programs')
    .action((options: Serving, command: Command) => serveApp(options, command, context))
  program
    .command('migrate')
    .summary('bring the tables up to date')
    .description('Brings the tables up to date, those of Colophon and those of the application.')
    .option('--status', 'show what was applied and what is pending, and change nothing')
    .option(JSON_FLAG, OBJECT_LINES)
    .action(async ({ status = false, ...printing }: Printing & { readonly status?: boolean }) => {
      const databases = databasesOf(await app())
      if (status) end(await showStatus(databases, printing, terminal))
      else await migrate(databases, printing, terminal)
    })
  program
    .command('secret')
    .summary('print a new secret')
    .description('Prints a new secret for the key SECRET_KEY. It needs no application.')
    .option(JSON_FLAG, ONE_OBJECT)
    .action((options: Printing) => {
      const secret = randomText(64, LETTERS_AND_DIGITS)
      report(terminal, options, { secret }, secret)
    })
}

interface Serving extends Printing {
  readonly port?: number
  readonly host?: string
  readonly watch?: boolean
  /** By a process that watches, and starts others like this one. */
  readonly watched?: boolean
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('It is a number from 0 to 65535.')
}

async function serveApp(
  options: Serving,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { watch = false, watched = false } = options
  if (!watch && !watched) return serveHere(await context.app(), options, context.terminal)
  const watching = await import('./watch.ts')
  if (!watched) return watching.serveWatching((port) => argsOf(command, port), context.terminal)
  watching.tellFiles()
  const print = (): void => {}
  const app = await context.app()
  for (const folder of templatesOf(app))
    watching.tell({ templates: absolute(context.terminal.cwd, folder) })
  await tablesThere(app, context.terminal)
  await serveHere(app, options, { ...context.terminal, print }, (url) => watching.tell({ url }))
  watching.tellNoMore()
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
function argsOf(command: Command, known: number | null): readonly string[] {
  const { app, host, port } = command.optsWithGlobals<Serving & { readonly app?: string }>()
  const given = { app, host, port: known ?? port }
  const values = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
  const [before, behind] = app === undefined ? [[], values] : [values.slice(0, 2), values.slice(2)]
  return [...before, 'serve', '--watched', ...behind]
}

/** Serves until SIGINT or SIGTERM, and then finishes what is in flight. */
async function serveHere(
  app: App,
  { host, port, ...printing }: Serving,
  terminal: Terminal,
  tell?: (url: string) => void,
): Promise<void> {
  await requireTables(app.databases)
  const server = await serve(app, { ...(host && { host }), ...(port !== undefined && { port }) })
  // Signals are handled before the address is printed, since it invites others to send them.
  const stop = stopped()
  const { url } = server
  report(terminal, printing, { url }, `Listening on ${terminal.styled('cyan', url)}`)
  tell?.(url)
  const failure = await stop
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  if (!printing.json) terminal.print('Stopping: finishing what is in flight.')
  await server.close()
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

async function migrate(
  databases: readonly Database[],
  printing: Printing,
  terminal: Terminal,
): Promise<void> {
  let count = 0
  for (const database of databases)
    for (const name of await database.migrate()) {
      report(terminal, printing, { done: name }, `Done: ${name}`)
      count += 1
    }
  if (count === 0 && !printing.json) terminal.print('The tables are up to date.')
}

/** 1 where there is something to do, for scripts. */
async function showStatus(
  databases: readonly Database[],
  printing: Printing,
  terminal: Terminal,
): Promise<number> {
  const all = (await Promise.all(databases.map((database) => database.migrationStatus()))).flat()
  await printList(terminal, all, MIGRATIONS, printing)
  return all.every(({ state }) => state === 'applied' || state === 'unknown') ? 0 : 1
}

const MIGRATIONS: ListForm<MigrationStatus> = {
  heading: ['MIGRATION', 'OF', 'STATE', 'APPLIED'],
  row: ({ name, of, state, applied }) => [name, of, state, applied?.toISOString() ?? '-'],
  json: ({ name, of, state, applied }) => ({ name, of, state, applied: applied ?? null }),
}
