import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
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

/** A database server of our own. Each of its addresses gives all rights. */
export interface DatabaseServer extends Running {
  /** The address of an existing database. */
  readonly url: string
  /** The address through the unix socket. */
  readonly socketUrl: string
}

/** A server of PostgreSQL. */
export interface PostgresServer extends DatabaseServer {
  /** The folder of its data, whose `postmaster.pid` has the id of its process. */
  readonly data: string
}

const PASSWORD = 'not-secret'

/** Starts PostgreSQL on a free port; its data is deleted afterwards. Settings such as `wal_level=logical` replace ours. */
export function startPostgres(own: readonly string[] = []): Promise<PostgresServer> {
  return onFreePort((port) => startAt(port, createData, own))
}

/** Starts a standby of a server of ours. `select pg_promote()` makes it a primary. */
export function startStandby(
  primary: string,
  own: readonly string[] = [],
): Promise<PostgresServer> {
  const copied: MakeData = (folder, user, programs) =>
    prepare(folder, user, join(programs, 'pg_basebackup'), [
      `--pgdata=${join(folder, 'data')}`,
      `--dbname=${primary}`,
      '--write-recovery-conf',
      '--wal-method=stream',
      '--checkpoint=fast',
    ])
  return onFreePort((port) => startAt(port, copied, own))
}

type MakeData = (folder: string, user: string | null, programs: string) => Promise<void>

async function startAt(
  port: number,
  makeData: MakeData,
  own: readonly string[],
): Promise<PostgresServer> {
  const command = await pathOf(POSTGRES)
  const user = userFor('postgres')
  const folder = temporaryFolder('postgres', user)
  await makeData(folder, user, dirname(command))
  const data = join(folder, 'data')
  const running = await runServer({
    folder,
    command,
    // The last value of a setting counts.
    args: ['-D', data, ...settings(folder, port), ...own.flatMap((each) => ['-c', each])],
    user,
    ready: /ready to accept (?:read-only )?connections/,
    stopSignal: 'SIGINT',
  })
  const account = `postgres://postgres:${PASSWORD}@`
  return {
    ...running,
    data,
    url: `${account}127.0.0.1:${port}/postgres`,
    socketUrl: `${account}/postgres?host=${encodeURIComponent(folder)}&port=${port}`,
  }
}

async function createData(folder: string, user: string | null, programs: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, quicklyProved(PASSWORD))
  const args = ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=scram-sha-256']
  await prepare(folder, user, join(programs, 'initdb'), [
    ...args,
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ])
}

/** The stored form of a password (RFC 5803), with one round of hashing for each log-in instead of 4,096. */
function quicklyProved(password: string): string {
  const salt = Buffer.alloc(16, 'salt')
  const salted = pbkdf2Sync(password, salt, 1, 32, 'sha256')
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const server = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${server}`
}

/** Data need not survive a power failure here. */
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
    // Plans of tests run once, so compiling them costs more than it saves.
    'jit=off',
    'log_min_messages=log',
  ].flatMap((setting) => ['-c', setting])
}
