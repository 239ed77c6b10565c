import { createClient } from '@redis/client'
import { type afterAll, onTestFinished } from 'vitest'
import type { RedisServer } from '../../scripts/servers/redis.ts'
import { type RedisCounters, type RedisUrlOptions, redisCounters } from '../../src/redis.ts'
import { addressesOf } from './addresses.ts'

/** The Redis of this run, which all tests share, each with its own prefix. */
export async function sharedRedis(): Promise<string> {
  return (await addressesOf<RedisServer>('redis')).url
}

/** Time-outs of tests about other subjects, on busy machines. */
export const PATIENT = { commandTimeout: 10_000, connectTimeout: 10_000 } as const

export function newPrefix(): string {
  return `test-${crypto.randomUUID()}:`
}

/** Counters on their own connection, closed after the test. */
export function openCounters(
  url: string,
  options: Partial<RedisUrlOptions & { prefix: string; commandTimeout: number }> = {},
): RedisCounters {
  const counters = redisCounters({ url, prefix: newPrefix(), ...PATIENT, ...options })
  onTestFinished(() => counters.close())
  return counters
}

/** Sends any commands to a server. */
export type Commander = (...command: string[]) => Promise<unknown>

/** A connection that is closed after the test, or by `afterAll`. */
export async function commander(
  url: string,
  later: typeof onTestFinished | typeof afterAll = onTestFinished,
): Promise<Commander> {
  const client = createClient({ url, RESP: 2 })
  client.on('error', () => undefined)
  await client.connect()
  later(() => client.destroy())
  return (...command) => client.sendCommand(command)
}
