import { inTime } from '../in-time.ts'
import { ConnectionSilent } from '../pooled/failures.ts'
import { type RedisClient, type Send, isAway, senderOf } from './client.ts'
import { redisFailures, translated } from './failures.ts'

/** Where commands are sent, each of which is answered in time or fails. */
export interface Line {
  readonly send: Send
  close(): Promise<void>
}

/** Milliseconds. */
export interface LineTimes {
  readonly connectTimeout: number
  readonly commandTimeout: number
}

/** The client of an application, which stays its own. */
export function givenLine(client: RedisClient, { commandTimeout }: LineTimes): Line {
  const place = 'Redis'
  const send = senderOf(client)
  return {
    async send(command) {
      if (isAway(client)) throw redisFailures.unreachable(new Error('not connected'), place)
      try {
        return await inTime(
          send(command),
          commandTimeout,
          () => new ConnectionSilent(place, commandTimeout),
        )
      } catch (error) {
        throw translated(error, place)
      }
    },
    close: async () => undefined,
  }
}
