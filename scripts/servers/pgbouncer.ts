import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, pathOf } from './programs.ts'
import { type Running, onFreePort, runServer, temporaryFolder, userFor } from './run-server.ts'

export const PGBOUNCER: Program = { name: 'pgbouncer', packages: ['pgbouncer'] }

/** A PgBouncer of our own. */
export interface Pgbouncer extends Running {
  readonly port: number
  /** The address of a database through PgBouncer. */
  via(url: string): string
}

/** Options of PgBouncer. */
export interface PgbouncerOptions {
  /** The address of the server, with the account for all clients. */
  readonly url: string
  /** The port, such as that of a stopped one. @default a free one */
  readonly port?: number
  /** Further settings, such as `pool_mode=session`. */
  readonly settings?: readonly string[]
}

/** Starts PgBouncer in transaction mode: each transaction may use another one of two connections. */
export function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer> {
  const { port } = options
  return port === undefined ? onFreePort((free) => startAt(free, options)) : startAt(port, options)
}

async function startAt(port: number, options: PgbouncerOptions): Promise<Pgbouncer> {
  const command = await pathOf(PGBOUNCER)
  const user = userFor('postgres')
  const folder = temporaryFolder('pgbouncer', user)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, configuration(port, options))
  const running = await runServer({ folder, command, args: [file], user, ready: /process up/ })
  return { ...running, port, via: (url) => url.replace(/:\d+\//, `:${port}/`) }
}

function configuration(port: number, { url, settings = [] }: PgbouncerOptions): string {
  const { hostname, port: upstream, username, password } = new URL(url)
  return [
    '[databases]',
    `* = host=${hostname} port=${upstream} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr=127.0.0.1',
    `listen_port=${port}`,
    'unix_socket_dir=',
    'auth_type=any',
    'pool_mode=transaction',
    'default_pool_size=2',
    // Code that relies on keeping its connection must fail.
    'server_round_robin=1',
    'max_client_conn=500',
    ...settings,
    '',
  ].join('\n')
}
