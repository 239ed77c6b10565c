import type { Command } from 'commander'
import type { App } from '../api/app.ts'
import type { Database } from '../contract/database.ts'
import { serve } from '../doors/node.ts'
import { describe } from '../settings/fold.ts'
import { KEYS, SETTING_NAMES } from '../settings/keys.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { randomText } from '../std/crypto/random.ts'
import type { Context } from './application.ts'
import { requireTables } from '../api/before-serving.ts'
import { CommandFailed, type Terminal, printTable } from './terminal.ts'

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

export function addServiceCommands(program: Command, { app, terminal, end }: Context): void {
  program
    .command('serve')
    .description('serves the application until it is stopped')
    .option('--port <number>', 'port to listen on (default: the key PORT, else 8000)', portOf)
    .option('--host <address>', 'address to listen on (default: the key HOST, else 127.0.0.1)')
    .action(async (options: Address) => serveApp(await app(), options, terminal))
  program
    .command('secret')
    .description('prints a new secret for the key SECRET_KEY')
    .action(() => terminal.print(randomText(64, LETTERS_AND_DIGITS)))
  program
    .command('migrate')
    .description('brings the tables up to date, those of Colophon and those of the application')
    .option('--status', 'shows what was applied and what is pending, and changes nothing')
    .action(async ({ status = false }: { readonly status?: boolean }) => {
      const databases = databasesOf(await app())
      if (status) end(await showStatus(databases, terminal))
      else await migrate(databases, terminal)
    })
  program
    .command('routes')
    .description('lists every address with its methods and its endpoint')
    .action(async () => routes(await app(), terminal))
  program
    .command('explain <endpoint>')
    .description('shows every setting of an endpoint, and the layer that set it')
    .action(async (name: string) => explain(await app(), name, terminal))
}

interface Address {
  readonly port?: number
  readonly host?: string
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new CommandFailed(`--port wants a number from 0 to 65535, and got "${text}".`)
}

/** Serves until SIGINT or SIGTERM, and then finishes what is in flight. */
async function serveApp(app: App, address: Address, { print }: Terminal): Promise<void> {
  await requireTables(app.databases)
  const server = await serve(app, address)
  // Signals are handled before the address is printed, since it invites others to send them.
  const stop = stopped()
  print(`Listening on ${server.url}`)
  const failure = await stop
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  print('Stopping: finishing what is in flight.')
  await server.close()
  if (failure)
    throw new CommandFailed('stopped after an error that nothing caught; the log has it.')
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

async function migrate(databases: readonly Database[], { print }: Terminal): Promise<void> {
  let count = 0
  for (const database of databases)
    for (const name of await database.migrate()) {
      print(`Done: ${name}`)
      count += 1
    }
  if (count === 0) print('The tables are up to date.')
}

/** 1 where there is something to do, for scripts. */
async function showStatus(databases: readonly Database[], terminal: Terminal): Promise<number> {
  const all = (await Promise.all(databases.map((database) => database.migrationStatus()))).flat()
  const rows = all.map(({ name, of, state, applied }) => [
    name,
    of,
    state,
    applied?.toISOString() ?? '-',
  ])
  printTable(terminal, [['MIGRATION', 'OF', 'STATE', 'APPLIED'], ...rows])
  return all.every(({ state }) => state === 'applied' || state === 'unknown') ? 0 : 1
}

function routes(app: App, terminal: Terminal): void {
  const rows = app.describe().map(({ path, name, methods }) => [path, name, methods.join(' ')])
  printTable(terminal, [['PATH', 'NAME', 'METHODS'], ...rows])
}

function explain(app: App, name: string, terminal: Terminal): void {
  const endpoints = app.describe()
  const endpoint = endpoints.find((each) => each.name === name)
  if (endpoint === undefined) {
    const names = endpoints.map((each) => each.name)
    const hint = didYouMean(name, names) || ' All are in: colophon routes.'
    throw new CommandFailed(`There is no endpoint "${name}".${hint}`)
  }
  terminal.print(`${endpoint.name}  ${endpoint.path}  ${endpoint.methods.join(' ')}`)
  const rows = SETTING_NAMES.map((setting) => [
    setting,
    KEYS[setting].key,
    describe(endpoint.settings[setting]),
    `from ${endpoint.provenance[setting]}`,
  ])
  printTable(terminal, [['SETTING', 'KEY', 'VALUE', 'LAYER'], ...rows])
}
