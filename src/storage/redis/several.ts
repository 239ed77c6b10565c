// Redis as several servers: sentinels that know the primary, and clusters.
import { inTime } from '../../core/std/deadlines.ts'
import type { RedisPlace } from './address.ts'

/** The part of a client of `@redis/client` that we use. */
export interface DriverClient {
  sendCommand(command: string[]): Promise<unknown>
  connect(): Promise<unknown>
  close(): Promise<unknown>
  destroy(): void
  unref(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly isOpen: boolean
  readonly isReady: boolean
}

type Options = Readonly<Record<string, unknown>>

interface ClusterClient extends Omit<DriverClient, 'sendCommand' | 'unref'> {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean,
    command: string[],
  ): Promise<unknown>
}

interface ClusterOptions extends Options {
  readonly rootNodes: { readonly socket: RedisPlace }[]
}

/** The part of `@redis/client` that we use. */
export interface Driver {
  createClient(options: Options): DriverClient
  createCluster(options: ClusterOptions): ClusterClient
}

/** A client that follows keys to the server that has them; their slots may move meanwhile. */
export function clusterClient(
  driver: Driver,
  places: readonly RedisPlace[],
  { commandOptions, RESP, ...defaults }: Options,
): DriverClient {
  const rootNodes = places.map((socket) => ({ socket }))
  // Counters have one slot, so that one connection is all that is needed.
  const settings = { rootNodes, defaults, commandOptions, RESP, minimizeConnections: true }
  const cluster = driver.createCluster(settings)
  return {
    // EVALSHA, digest, number of keys, first key.
    sendCommand: (command) => cluster.sendCommand(command[3], false, command),
    connect: () => cluster.connect(),
    close: () => cluster.close(),
    destroy: () => cluster.destroy(),
    // Its connections come and go: they keep a program running until it is closed.
    unref: () => undefined,
    on: (event, listener) => cluster.on(event, listener),
    get isOpen() {
      return cluster.isOpen
    },
    get isReady() {
      return cluster.isReady
    },
  }
}

/**
 * Where the primary is that the sentinels know by this name. They are asked one after the other, each for its share of the time, and
 * with each new connection.
 */
export async function primaryOf(
  driver: Driver,
  sentinels: readonly RedisPlace[],
  {
    name,
    tls,
    timeout,
  }: { readonly name: string; readonly tls: boolean; readonly timeout: number },
): Promise<RedisPlace> {
  const share = timeout / sentinels.length
  let failure = new Error('No sentinel was asked.')
  for (const place of sentinels) {
    const socket = { ...place, tls, reconnectStrategy: false, connectTimeout: share }
    const client = driver.createClient({ socket, RESP: 2, disableClientInfo: true })
    client.on('error', () => undefined)
    try {
      return await inTime(asked(client, name), share, () => new Error(`no answer of ${place.host}`))
    } catch (error) {
      failure = error as Error
    } finally {
      if (client.isOpen) client.destroy()
    }
  }
  throw failure
}

async function asked(client: DriverClient, name: string): Promise<RedisPlace> {
  await client.connect()
  const found = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
  if (!Array.isArray(found)) throw new Error(`no sentinel knows a primary named ${name}`)
  return { host: String(found[0]), port: Number(found[1]) }
}
