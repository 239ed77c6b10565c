import type {
  Counted,
  CounterStore,
  Hit,
  Limit,
  Standing,
} from '../../core/ports/policies/throttling.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { parseAddress } from './address.ts'
import { type Line, type RedisClient, RedisConnection, givenLine } from './client.ts'
import { CLEAR, HIT, type Script, WITHDRAW } from './scripts.ts'

/** Options of counters in Redis, for an address or a client. */
export interface RedisStoreOptions {
  /**
   * The prefix of every key. Services that share a Redis, but not their counters, have different ones. On a Redis cluster it
   * has braces, so that all keys are on one server: `{colophon}:`.
   *
   * @default 'colophon:'; with an address of a cluster '{colophon}:'
   */
  readonly prefix?: string
  /** Milliseconds that an answer may take; no request waits longer than a second. @default 1000 */
  readonly commandTimeout?: number
}

/** The Redis: its address, or an existing client. */
export type RedisOptions = RedisStoreOptions & (RedisUrlOptions | RedisClientOption)

/** A connection that belongs to the store. */
export interface RedisUrlOptions {
  /**
   * `redis://user:password@host:6379/0`; `redis+sentinel://user:password@host:26379,host:26379/name/0`, where sentinels know the
   * primary by its name; `redis+cluster://user:password@host:6379,host:6379`. With `rediss` in place of `redis`: TLS.
   */
  readonly url: string
  /** Milliseconds that connecting may take. @default 1000 */
  readonly connectTimeout?: number
}

/** A client that the application has made, and closes. */
export interface RedisClientOption {
  readonly client: RedisClient
}

/** Counters in Redis. */
export interface RedisCounters extends CounterStore {
  close(): Promise<void>
}

/**
 * Counters in Redis or Valkey, which all processes of a service share. A request is one script and one trip, however
 * many limits it has, and keys that no longer matter are gone by themselves. With an address it needs the package
 * `@redis/client`, which is loaded before a server listens, or on first use. A client of `redis` or `ioredis` may be handed in instead.
 *
 * @example
 * const api = defineApi({ urls, counters: redisCounters({ url: 'redis://cache.example:6379/0' }) })
 *
 * @throws ConfigurationError the address is none of Redis, or `@redis/client` is not installed
 * @throws DatabaseUnavailable on use: not reachable, refused, read-only, out of memory, or silent
 */
export function redisCounters(given: RedisOptions | string): RedisCounters {
  const options: RedisOptions = typeof given === 'string' ? { url: given } : given
  const { commandTimeout = 1000 } = options
  if ('client' in options)
    return new Counters(givenLine(options.client, commandTimeout), options.prefix ?? PREFIX)
  const { url, connectTimeout = 1000 } = options
  const address = parseAddress(url)
  const prefix = options.prefix ?? (address.kind === 'cluster' ? `{colophon}:` : PREFIX)
  if (address.kind === 'cluster' && !/\{[^}]+\}/.test(prefix))
    throw new ConfigurationError(
      `On a cluster of Redis the prefix of counters has braces, such as "{colophon}:", and not ${JSON.stringify(prefix)}.`,
    )
  return new Counters(new RedisConnection(address, { connectTimeout, commandTimeout }), prefix)
}

const PREFIX = 'colophon:'

class Counters implements RedisCounters {
  readonly #line: Line
  readonly #prefix: string

  constructor(line: Line, prefix: string) {
    this.#line = line
    this.#prefix = prefix
  }

  async hit({ limits, at, counting }: Hit): Promise<Counted> {
    const values = [at === null ? '' : String(at), counting ? '1' : '0']
    for (const { algorithm, limit, seconds, cost } of limits) {
      values.push(algorithm, String(limit), windowOf(seconds), String(cost))
    }
    const answer = await this.#run(HIT, this.#keysOf(limits), values)
    return toCounted(numbersIn(answer, 1 + 4 * limits.length), limits.length)
  }

  async withdraw(limits: readonly Limit[], at: number): Promise<void> {
    const values = limits.flatMap(({ algorithm, cost, seconds }) => [
      algorithm,
      String(cost),
      windowOf(seconds),
    ])
    await this.#run(WITHDRAW, this.#keysOf(limits), [String(at), ...values])
  }

  async clear(): Promise<void> {
    const pattern = `${this.#prefix.replaceAll(/[*?[\]\\]/g, String.raw`\$&`)}*`
    let cursor = '0'
    do {
      cursor = String(await this.#run(CLEAR, [this.#prefix], [cursor, pattern]))
      if (!/^\d+$/.test(cursor)) throw nonsense()
    } while (cursor !== '0')
  }

  async prepare(): Promise<void> {
    await this.#line.prepare?.()
  }

  close(): Promise<void> {
    return this.#line.close()
  }

  /** The algorithms store different values, so a throttle that changes its algorithm starts anew. */
  #keysOf(limits: readonly Limit[]): readonly string[] {
    return limits.map(({ key, algorithm }) => `${this.#prefix}${algorithm}:${key}`)
  }

  /** A server that has started since does not know the script: it gets the text, and keeps it. */
  async #run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values]
    try {
      return await this.#line.send(['EVALSHA', script.digest, ...rest])
    } catch (error) {
      if (!isUnknownScript(error)) throw error
      return this.#line.send(['EVAL', script.text, ...rest])
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && cause.message.startsWith('NOSCRIPT')
}

function windowOf(seconds: number): string {
  return String(Math.round(seconds * 1000))
}

/** @throws DatabaseUnavailable it is no answer of the script: a proxy, or another server, has spoken */
function numbersIn(answer: unknown, count: number): readonly number[] {
  const numbers = Array.isArray(answer) ? answer.map(toNumber) : []
  if (numbers.length === count && numbers.every(Number.isSafeInteger)) return numbers
  throw nonsense()
}

/** Clients give integers as numbers or as texts. */
function toNumber(value: unknown): number {
  const isText = typeof value === 'string' && value !== ''
  return isText || typeof value === 'number' ? Number(value) : NaN
}

const nonsense = (): DatabaseUnavailable =>
  new DatabaseUnavailable('Redis answers what no counter answers. Is the address right?')

function toCounted([at = 0, ...numbers]: readonly number[], limits: number): Counted {
  const standings = Array.from({ length: limits }, (_, i) => toStanding(numbers, 4 * i))
  return { at, standings }
}

function toStanding(numbers: readonly number[], from: number): Standing {
  const [remaining, wait, reset] = [numbers[from + 1]!, numbers[from + 2]!, numbers[from + 3]!]
  return { allowed: numbers[from] === 1, remaining, wait: wait < 0 ? null : wait, reset }
}
