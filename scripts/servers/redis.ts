import { join } from 'node:path'
import { type Program, pathOf } from './programs.ts'
import { type Running, onFreePort, runServer, temporaryFolder } from './run-server.ts'

export const REDIS: Program = { name: 'redis-server', packages: ['redis-server'] }

/** How to start Redis. */
export interface RedisOptions {
  /** To listen where a server that has stopped did. @default a free one */
  readonly port?: number
  /** More directives, such as `['--maxmemory 10mb']`. */
  readonly settings?: readonly string[]
}

/** A Redis of our own, which keeps everything in memory. */
export interface RedisServer extends Running {
  readonly port: number
  /** With the account of a user; no other may do anything. */
  readonly url: string
  /** Path of its unix socket. */
  readonly socket: string
}

const PASSWORD = 'not-secret'

/** Starts Redis on a port of this machine. What it holds is gone when it stops. */
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
    '--user default off',
    `--user colophon on >${PASSWORD} ~* &* +@all`,
  ]
}
