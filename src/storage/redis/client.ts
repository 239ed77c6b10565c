import { Deadlines } from '../../core/std/deadlines.ts'
import { ConnectionSilent } from '../pooled/failures.ts'
import { redisFailures, translated } from './failures.ts'

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
export type SendCommand = (command: string[]) => Promise<unknown>

/** Where commands are sent, each of which is answered in time or fails. */
export interface Line {
  readonly send: SendCommand
  prepare?(): Promise<void>
  close(): Promise<void>
}

/** The client of an application, which stays its own. */
export function givenLine(client: RedisClient, commandTimeout: number): Line {
  const place = 'Redis'
  const send = senderOf(client)
  const deadlines = deadlinesOf(place, commandTimeout)
  return {
    async send(command) {
      if (isAway(client)) throw redisFailures.unreachable(new Error('not connected'), place)
      try {
        return await deadlines.within(send(command), () => undefined)
      } catch (error) {
        throw translated(error, place)
      }
    },
    close: async () => undefined,
  }
}

export function deadlinesOf(place: string, milliseconds: number): Deadlines {
  return new Deadlines(milliseconds, () => new ConnectionSilent(place, milliseconds))
}

/** Both packages have `sendCommand`, which takes something else with `ioredis`. */
function senderOf(client: RedisClient): SendCommand {
  if (!('call' in client)) return (command) => client.sendCommand(command)
  return ([name = '', ...args]) => client.call(name, ...args)
}

/** With these `ioredis` is connected, or connects for the first time. */
const HOPEFUL = ['ready', 'wait', 'connecting', 'connect']

/** A command would only wait for another connection. */
function isAway(client: RedisClient): boolean {
  if ('call' in client) return client.status !== undefined && !HOPEFUL.includes(client.status)
  return client.isReady === false
}
