// Stores of counters that break while requests are counted, and recover.
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { startMariadb } from '../../scripts/servers/mariadb.ts'
import { startRedis } from '../../scripts/servers/redis.ts'
import { type TcpProxy, startTcpProxy } from '../../scripts/servers/tcp-proxy.ts'

/** A server that can be broken. */
export interface Breakable {
  /** Its address through a proxy. */
  readonly url: string
  readonly proxy: TcpProxy
  /** Stops the server, and starts it again at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the server for good. */
  end(): Promise<void>
}

export async function breakableRedis(): Promise<Breakable> {
  let server = await startRedis()
  const { port, url } = server
  const proxy = await startTcpProxy(port)
  return {
    url: proxy.via(url),
    proxy,
    stop: () => server.stop(),
    async start() {
      server = await startRedis({ port })
    },
    async end() {
      proxy.close()
      await server.stop()
    },
  }
}

/** `prepare` makes the tables. A restarted server is empty, and gets the tables again. */
export async function breakableDatabase(
  kind: 'postgres' | 'mysql',
  prepare: (url: string) => Promise<void>,
): Promise<Breakable> {
  const begin = async () => {
    const server = await (kind === 'postgres' ? startPostgres : startMariadb)()
    await prepare(server.url)
    return server
  }
  const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port)
  let server = await begin()
  const proxy = await startTcpProxy(portOf(server))
  return {
    url: proxy.via(server.url),
    proxy,
    async stop() {
      await Promise.all([server.stop(), proxy.refuse()])
    },
    async start() {
      server = await begin()
      proxy.upstream = portOf(server)
      await proxy.resume()
    },
    async end() {
      proxy.close()
      await server.stop()
    },
  }
}

export interface Fault {
  readonly name: string
  begin(store: Breakable): Promise<void> | void
  /** Resolves when the store is usable again. */
  end(store: Breakable): Promise<void> | void
}

export const FAULTS: readonly Fault[] = [
  { name: 'restarted', begin: (store) => store.stop(), end: (store) => store.start() },
  { name: 'silent', begin: ({ proxy }) => proxy.silence(), end: ({ proxy }) => proxy.resume() },
  // This delay is longer than the store's time-out.
  { name: 'slow', begin: ({ proxy }) => proxy.slow(1500), end: ({ proxy }) => proxy.slow(0) },
]
