import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseServer } from './postgres.ts'
import { type Program, pathOf } from './programs.ts'
import {
  type Running,
  freePort,
  onFreePort,
  prepare,
  runServer,
  temporaryFolder,
  userFor,
} from './run-server.ts'

export const MARIADB: Program = { name: 'mariadbd', packages: ['mariadb-server'] }

const PASSWORD = 'not-secret'

/** Starts MariaDB on a free port; its data is deleted afterwards. */
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
    `create user colophon@'%' identified by '${PASSWORD}';\ngrant all on *.* to colophon@'%' with grant option;\ncreate user checker@'%' identified by 'checks-only';\n`,
    { mode: 0o644 },
  )
}

/** Three servers with the same rows. */
export interface Galera extends Running {
  readonly nodes: readonly { readonly url: string; readonly host: string; readonly port: number }[]
  /** The id of a node's process, while it runs. */
  pidOf(node: number): number
  /** Starts an ended node again without data: a node other than the first sends it all rows. */
  rejoin(node: number): Promise<void>
  /** Cuts or restores the network between the first node and the others, if they have networks of their own. */
  split(isSplit: boolean): void
}

const PROVIDER = '/usr/lib/galera/libgalera_smm.so'

interface Place {
  readonly host: string
  /** The network namespace; `null`: the network of this machine. */
  readonly network: string | null
  readonly port: number
  /** The ports for messages between nodes, for missed changes, and for all rows. */
  readonly group: number
  readonly changes: number
  readonly rows: number
}

/** Starts a Galera cluster. `apart`: each node has its own network namespace (Linux and root). */
export async function startGalera({ apart = false } = {}): Promise<Galera> {
  await pathOf({ name: 'rsync', packages: ['galera-4', 'rsync'] })
  const networks = apart ? joinedNetworks(3) : null
  const places: Place[] = []
  for (let node = 0; node < 3; node++) {
    const [port, group, changes, rows] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    places.push({
      host: '127.0.0.1',
      network: null,
      ...networks?.places[node],
      port,
      group,
      changes,
      rows,
    })
  }
  const running = new Map<number, Running & { readonly folder: string }>()
  const start = async (node: number, isFirst = false): Promise<void> =>
    void running.set(node, await startNode(places, node, isFirst))
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((each) => each.stop()))
    networks?.remove()
  }
  try {
    await start(0, true)
    for (const node of [1, 2]) await start(node)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    nodes: places.map(({ host, port }) => ({
      host,
      port,
      url: `mysql://colophon:${PASSWORD}@${host}:${port}/mysql`,
    })),
    pidOf: (node) => Number(readFileSync(join(running.get(node)!.folder, 'pid'), 'utf8')),
    rejoin: (node) => start(node),
    split: (isSplit) => networks?.split(isSplit),
    stop,
  }
}

/** Networks with one address each, which this machine sees too. */
function joinedNetworks(count: number) {
  const ip = (...args: readonly string[]): void => void execFileSync('ip', args)
  const name = `col${process.pid}`
  const net = `10.213.${process.pid % 250}`
  const places = Array.from({ length: count }, (_, at) => ({
    network: `${name}n${at}`,
    host: `${net}.${at + 1}`,
  }))
  ip('link', 'add', name, 'type', 'bridge')
  ip('address', 'add', `${net}.254/24`, 'dev', name)
  ip('link', 'set', name, 'up')
  for (const { network, host } of places) {
    const inside = (...args: readonly string[]): void => ip('-n', network, ...args)
    ip('netns', 'add', network)
    ip('link', 'add', network, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network)
    ip('link', 'set', network, 'master', name, 'up')
    inside('address', 'add', `${host}/24`, 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) inside('link', 'set', device, 'up')
  }
  return {
    places,
    split(isSplit: boolean): void {
      const [first, ...others] = places
      const change = isSplit ? 'add' : 'del'
      for (const other of others) {
        ip('-n', first!.network, 'route', change, 'blackhole', `${other.host}/32`)
        ip('-n', other.network, 'route', change, 'blackhole', `${first!.host}/32`)
      }
    },
    remove(): void {
      for (const { network } of places) ip('netns', 'del', network)
      ip('link', 'del', name)
    },
  }
}

async function startNode(
  places: readonly Place[],
  node: number,
  isFirst: boolean,
): Promise<Running & { readonly folder: string }> {
  const { host, network, port, ...ports } = places[node]!
  const command = await pathOf(MARIADB)
  const user = userFor('mysql')
  const folder = temporaryFolder('galera', user)
  if (isFirst) await createData(folder, user)
  else await prepare(folder, user, 'mkdir', ['data'])
  const own = settings(folder, port, join(folder, 'socket'))
  const args = [
    '--no-defaults',
    ...(isFirst
      ? [...own, '--wsrep-new-cluster']
      : own.filter((each) => !each.startsWith('--init-file'))),
    ...clusterSettings(places, node, ports),
    `--bind-address=${host}`,
  ]
  const inside =
    network === null ? null : ['netns', 'exec', network, command, ...args, `--user=${user}`]
  const running = await runServer({
    folder,
    command: inside === null ? command : 'ip',
    args: inside ?? args,
    user: inside === null ? user : null,
    ready: isFirst ? /: ready for connections/ : /Synchronized with group/,
  })
  return { ...running, folder }
}

function clusterSettings(
  places: readonly Place[],
  node: number,
  { group, changes, rows }: Pick<Place, 'group' | 'changes' | 'rows'>,
): readonly string[] {
  const { host } = places[node]!
  const provider = [
    `gmcast.listen_addr=tcp://${host}:${group}`,
    `ist.recv_addr=${host}:${changes}`,
    'gcache.size=32M',
  ]
  // A donor may stand still while it sends all rows, so it is not the first node, which is written to.
  const donors = [2, 1].filter((each) => each !== node).map((each) => `node-${each},`)
  return [
    '--binlog-format=row',
    '--innodb-autoinc-lock-mode=2',
    '--wsrep-on=on',
    `--wsrep-provider=${PROVIDER}`,
    `--wsrep-provider-options=${provider.join(';')}`,
    `--wsrep-cluster-address=gcomm://${places.map((each) => `${each.host}:${each.group}`).join(',')}`,
    '--wsrep-cluster-name=notes',
    `--wsrep-node-name=node-${node}`,
    `--wsrep-node-address=${host}:${group}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=${host}:${rows}`,
    `--wsrep-sst-donor=${donors.join('')}`,
  ]
}

/** A folder for each server: two that are made at the same moment would find each other's temporary tables. */
function temporaryIn(folder: string): string {
  return `--tmpdir=${folder}`
}

/** Data need not survive a power failure here. */
const FAST = [
  '--innodb-flush-method=nosync',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-log-file-size=16M',
  '--innodb-buffer-pool-size=64M',
  // Thousands of tables are made and dropped, so they share a file.
  '--loose-innodb-file-per-table=0',
  // Statistics of tables are not stored, but counted when a plan first needs them.
  '--innodb-stats-persistent=0',
]

/** The character set stays latin1, as on old servers: tables that need another one must name it. */
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
