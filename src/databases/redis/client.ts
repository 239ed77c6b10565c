/**
 * A client that the application has made: of the package `redis` (or `@redis/client`), of `ioredis`, or any object
 * that sends one command.
 */
export type RedisClient = NodeRedisClient | IoredisClient

/** The part of a client of `redis` that we use. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>
  /** `false`: there is no connection. */
  readonly isReady?: boolean
}

/** The part of a client of `ioredis` that we use. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>
  readonly status?: string
}

/** Gives what Redis answers, or rejects with what it refuses. */
export type Send = (command: string[]) => Promise<unknown>

/** How a command is sent on a client; both packages have `sendCommand`, which takes something else with `ioredis`. */
export function senderOf(client: RedisClient): Send {
  if (!('call' in client)) return (command) => client.sendCommand(command)
  return ([name = '', ...args]) => client.call(name, ...args)
}

/** With these `ioredis` is connected, or connects for the first time. */
const HOPEFUL = ['ready', 'wait', 'connecting', 'connect']

/** A command would only wait for another connection. */
export function isAway(client: RedisClient): boolean {
  if ('call' in client) return client.status !== undefined && !HOPEFUL.includes(client.status)
  return client.isReady === false
}
