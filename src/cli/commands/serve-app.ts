import type { App } from '../../api/app.ts'
import { serve } from '../../doors/node.ts'
import { readyAccountsOf } from '../accounts-of.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'

interface Options {
  readonly port?: string
  readonly host?: string
}

/** `colophon serve`: until SIGINT or SIGTERM, and then what is in flight is finished. */
export async function serveApp(app: App, options: Options, { print }: Terminal): Promise<void> {
  if (app.accounts !== null) await readyAccountsOf(app)
  const port = options.port === undefined ? {} : { port: portOf(options.port) }
  const host = options.host === undefined ? {} : { host: options.host }
  const server = await serve(app, { ...port, ...host })
  // Heard from before anybody is told that there is something to stop.
  const stop = Promise.race([signalled(), failed()])
  print(`Listening on ${server.url}`)
  const failure = await stop
  if (failure) app.report?.({ event: 'process.failed', error: failure.error, request: null })
  print('Stopping: finishing what is in flight.')
  await server.close()
  if (failure)
    throw new CommandFailed('stopped after an error that nothing caught; the log has it.')
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new CommandFailed(`--port wants a number from 0 to 65535, and got "${text}".`)
}

function signalled(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(null))
  })
}

/** What was thrown through code that did not expect it, once: after it, anything may be half done. */
function failed(): Promise<{ readonly error: unknown }> {
  return new Promise((resolve) => {
    process.once('uncaughtException', (error) => resolve({ error }))
  })
}
