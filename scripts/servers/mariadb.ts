import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseServer } from './postgres.ts'
import { type Program, pathOf } from './programs.ts'
import { onFreePort, prepare, runServer, temporaryFolder, userFor } from './run-server.ts'

export const MARIADB: Program = { name: 'mariadbd', packages: ['mariadb-server'] }

const PASSWORD = 'not-secret'

/** Starts MariaDB on a free port with data that is gone afterwards. */
export function startMariadb(): Promise<DatabaseServer> {
  return onFreePort(startAt)
}

async function startAt(port: number): Promise<DatabaseServer> {
  const command = await pathOf(MARIADB)
  const user = userFor('mysql')
  const folder = temporaryFolder('mariadb', user)
  await createData(folder, user)
  const socket = join(folder, 'socket')
  const running = await runServer({
    folder,
    command,
    args: ['--no-defaults', ...settings(folder, port, socket)],
    user,
    ready: /ready for connections/,
  })
  const account = `mysql://colophon:${PASSWORD}@`
  return {
    ...running,
    url: `${account}127.0.0.1:${port}/mysql`,
    socketUrl: `${account}localhost/mysql?socketPath=${encodeURIComponent(socket)}`,
  }
}

async function createData(folder: string, user: string | null): Promise<void> {
  await prepare(folder, user, await pathOf({ ...MARIADB, name: 'mariadb-install-db' }), [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
    temporaryIn(folder),
    ...FAST,
  ])
  writeFileSync(
    join(folder, 'start.sql'),
    `create user colophon@'%' identified by '${PASSWORD}';\ngrant all on *.* to colophon@'%' with grant option;\n`,
    { mode: 0o644 },
  )
}

/** Two servers that are made at the same moment would find each other's temporary tables. */
function temporaryIn(folder: string): string {
  return `--tmpdir=${folder}`
}

/** Nothing has to survive a power failure here. */
const FAST = [
  '--innodb-flush-method=nosync',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-log-file-size=16M',
  '--innodb-buffer-pool-size=64M',
  // No file for each table: they are made and dropped by the thousand.
  '--loose-innodb-file-per-table=0',
]

/** The character set stays latin1, as on old servers: what needs another one has to ask for it. */
function settings(folder: string, port: number, socket: string): readonly string[] {
  return [
    `--datadir=${join(folder, 'data')}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--init-file=${join(folder, 'start.sql')}`,
    '--character-set-server=latin1',
    '--skip-name-resolve',
    '--max-connections=100',
    '--performance-schema=off',
    temporaryIn(folder),
    ...FAST,
  ]
}
