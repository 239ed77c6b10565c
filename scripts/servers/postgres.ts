import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Program, pathOf } from './programs.ts'
import {
  type Running,
  onFreePort,
  prepare,
  runServer,
  temporaryFolder,
  userFor,
} from './run-server.ts'

export const POSTGRES: Program = {
  name: 'postgres',
  packages: ['postgresql'],
  folders: '/usr/lib/postgresql/*/bin',
}

/** A database server of our own. Whoever has one of its addresses may do everything. */
export interface DatabaseServer extends Running {
  /** Of a database that is there. */
  readonly url: string
  /** The same through the unix socket. */
  readonly socketUrl: string
}

const PASSWORD = 'not-secret'

/** Starts PostgreSQL on a free port with data that is gone afterwards. */
export function startPostgres(): Promise<DatabaseServer> {
  return onFreePort(startAt)
}

async function startAt(port: number): Promise<DatabaseServer> {
  const command = await pathOf(POSTGRES)
  const user = userFor('postgres')
  const folder = temporaryFolder('postgres', user)
  await createData(folder, user, join(dirname(command), 'initdb'))
  const running = await runServer({
    folder,
    command,
    args: ['-D', join(folder, 'data'), ...settings(folder, port)],
    user,
    ready: /ready to accept connections/,
    stopSignal: 'SIGINT',
  })
  const account = `postgres://postgres:${PASSWORD}@`
  return {
    ...running,
    url: `${account}127.0.0.1:${port}/postgres`,
    socketUrl: `${account}/postgres?host=${encodeURIComponent(folder)}&port=${port}`,
  }
}

async function createData(folder: string, user: string | null, initdb: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, PASSWORD)
  const args = ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=scram-sha-256']
  await prepare(folder, user, initdb, [
    ...args,
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ])
}

/** Nothing has to survive a power failure here. */
function settings(folder: string, port: number): readonly string[] {
  return [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'shared_buffers=32MB',
    'max_connections=100',
    'max_wal_size=256MB',
    'autovacuum=off',
    'log_min_messages=log',
  ].flatMap((setting) => ['-c', setting])
}
