import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { type Program, pathOf } from './programs.ts'
import { type Running, freePort, onFreePort, runServer, temporaryFolder } from './run-server.ts'

export const REDIS: Program = { name: 'redis-server', packages: ['redis-server'] }

/** Options of Redis. */
export interface RedisOptions {
  /** The port, such as that of a stopped server. @default a free one */
  readonly port?: number
  /** Further directives, such as `['--maxmemory 10mb']`. */
  readonly settings?: readonly string[]
}

/** A Redis of our own, which keeps everything in memory. */
export interface RedisServer extends Running {
  readonly port: number
  /** The address with the account of a user; other accounts have no rights. */
  readonly url: string
  /** Path of its unix socket. */
  readonly socket: string
}

const PASSWORD = 'not-secret'

/** Starts Redis on a port of this machine. Its data is gone when it stops. */
export async function startRedis({ port, settings = [] }: RedisOptions = {}): Promise<RedisServer> {
  return port === undefined
    ? onFreePort((free) => startAt(free, settings))
    : startAt(port, settings)
}

async function startAt(port: number, settings: readonly string[]): Promise<RedisServer> {
  const command = await pathOf(REDIS)
  const folder = temporaryFolder('redis')
  const place = { port, socket: join(folder, 'socket') }
  const running = await runServer({
    folder,
    command,
    args: [...directives(folder, place), ...settings],
    user: null,
    ready: /Ready to accept connections/,
  })
  return { ...place, ...running, url: `redis://colophon:${PASSWORD}@127.0.0.1:${place.port}/0` }
}

function directives(
  folder: string,
  { port, socket }: { readonly port: number; readonly socket: string },
): readonly string[] {
  return [
    `--port ${port}`,
    '--bind 127.0.0.1',
    `--unixsocket ${socket}`,
    `--dir ${folder}`,
    '--save ""',
    '--repl-diskless-sync-delay 0',
    '--user default off',
    `--user colophon on >${PASSWORD} ~* &* +@all`,
  ]
}

/** Sentinels of a primary, whose name is `mymaster`. */
export interface Sentinels extends Running {
  /** An address for counters. */
  readonly url: string
}

/** Starts sentinels that replace a primary after half a second, by majority. */
export async function startSentinels(primary: RedisServer, count = 1): Promise<Sentinels> {
  const started = await Promise.all(
    Array.from({ length: count }, () => onFreePort((port) => startSentinel(port, primary, count))),
  )
  const hosts = started.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `redis+sentinel://colophon:${PASSWORD}@${hosts}/mymaster`,
    stop: async () => void (await Promise.all(started.map((each) => each.stop()))),
  }
}

async function startSentinel(
  port: number,
  primary: RedisServer,
  count: number,
): Promise<Running & { readonly port: number }> {
  const command = await pathOf(REDIS)
  const folder = temporaryFolder('sentinel')
  const file = join(folder, 'sentinel.conf')
  const directivesOfIt = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor mymaster 127.0.0.1 ${primary.port} ${Math.floor(count / 2) + 1}`,
    'sentinel auth-user mymaster colophon',
    `sentinel auth-pass mymaster ${PASSWORD}`,
    'sentinel down-after-milliseconds mymaster 500',
    'sentinel failover-timeout mymaster 3000',
  ]
  writeFileSync(file, `${directivesOfIt.join('\n')}\n`)
  const args = [file, '--sentinel']
  const running = await runServer({ folder, command, args, user: null, ready: /\+monitor master/ })
  return { ...running, port }
}

/** Starts a Redis that replicates another one. */
export async function startReplica({ port }: RedisServer): Promise<RedisServer> {
  const account = ['--masteruser colophon', `--masterauth ${PASSWORD}`]
  const replica = await startRedis({ settings: [`--replicaof 127.0.0.1 ${port}`, ...account] })
  const client = await createClient({ url: replica.url, RESP: 2 }).connect()
  while (!(await client.info('replication')).includes('link_status:up'))
    await new Promise((resolve) => setTimeout(resolve, 20))
  client.destroy()
  return replica
}

type Send = (...command: readonly string[]) => Promise<unknown>

/** A cluster of three primaries. */
export interface RedisCluster extends Running {
  readonly url: string
  /** Moves the slot of a key, with all its keys, from its first server to another one. */
  moveSlotOf(key: string): Promise<void>
}

const SLOTS = 16_384

/** Starts a cluster, and waits until each server knows that it is one. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const bus = await freePort()
      const settings = ['--cluster-enabled yes', '--cluster-announce-ip 127.0.0.1']
      return { bus, ...(await startRedis({ settings: [...settings, `--cluster-port ${bus}`] })) }
    }),
  )
  const clients = await Promise.all(
    servers.map(({ url }) => createClient({ url, RESP: 2 }).connect()),
  )
  const nodes = await Promise.all(
    clients.map(async (client, at) => {
      const send: Send = (...command) => client.sendCommand([...command])
      const id = String(await send('CLUSTER', 'MYID'))
      const [first, last] = [at, at + 1].map((share) => Math.floor((share * SLOTS) / 3))
      await send('CLUSTER', 'ADDSLOTSRANGE', String(first), String(last! - 1))
      // Each server has its own epoch, as redis-cli sets it: with equal epochs, the old owner could take a moved slot back.
      await send('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1))
      return { send, id, port: servers[at]!.port, bus: servers[at]!.bus }
    }),
  )
  const first = nodes[0]!.send
  for (const { port, bus } of nodes.slice(1))
    await first('CLUSTER', 'MEET', '127.0.0.1', String(port), String(bus))
  for (const { send } of nodes) await known(send, nodes.length)
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `redis+cluster://colophon:${PASSWORD}@${hosts}`,
    async moveSlotOf(key) {
      const slot = Number(await first('CLUSTER', 'KEYSLOT', key))
      const at = nodes.findIndex((_, share) => slot < Math.floor(((share + 1) * SLOTS) / 3))
      await moveSlot(String(slot), nodes[at]!, nodes[(at + 1) % 3]!)
    },
    async stop() {
      for (const client of clients) client.destroy()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

async function known(send: Send, servers: number): Promise<void> {
  for (;;) {
    const text = String(await send('CLUSTER', 'INFO'))
    if (text.includes('cluster_state:ok') && text.includes(`cluster_known_nodes:${servers}`)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

interface ClusterNode {
  readonly send: Send
  readonly id: string
  readonly port: number
}

async function moveSlot(slot: string, from: ClusterNode, to: ClusterNode): Promise<void> {
  await to.send('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
  await from.send('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
  const target = ['127.0.0.1', String(to.port), '', '0', '5000', 'AUTH2', 'colophon', PASSWORD]
  for (;;) {
    const keys = (await from.send('CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[]
    if (keys.length === 0) break
    // Keys move one by one, so that requests meet a slot of which only a part has moved.
    for (const key of keys) await from.send('MIGRATE', ...target, 'KEYS', key)
  }
  for (const { send } of [to, from]) await send('CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
}
