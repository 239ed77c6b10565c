import type { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { ConnectionSilent, allBusy, closedDatabase } from './connection-lost.ts'
import type { ConnectionPool, PooledConnection, Use } from './connection-pool.ts'
import { inTime } from './in-time.ts'
import { Turns } from '../turns.ts'
import { Wire } from './wire.ts'

/** A pool of a driver. */
export interface DriverPool<Client> {
  acquire(): Promise<Client>
  /** Back to the pool; one that is unusable is closed, without a word to the server. */
  release(client: Client, unusable: boolean): void
  /** The same object whenever the same connection is acquired. */
  identity(client: Client): object
  end(): Promise<void>
}

/** What every pool of connections to a server goes by. */
export interface PoolLimits {
  /** Where the database is, for messages. */
  readonly place: string
  /** Connections at most. */
  readonly connections: number
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number
  /** Milliseconds that a statement may take; `null`: as many as it likes. */
  readonly statementTimeout: number | null
}

/** What is different with each driver. */
export interface PoolDriver<Client> {
  /** Called when the first connection is needed. */
  open(): Promise<DriverPool<Client>>
  /** One connection, in our words. */
  connection(client: Client, wire: Wire): PooledConnection
  /** A failure of a statement: as `DatabaseUnavailable` where it lies with the database. */
  translated(error: unknown, place: string): unknown
  /** Why there is no connection. */
  unreachable(error: unknown, place: string): DatabaseUnavailable
}

/** Milliseconds after which an idle connection asks whether the other end is still there. */
export const KEEP_ALIVE = 10_000
/** Milliseconds after which a server ends a transaction in which nothing happens, and its locks. */
export const IDLE_IN_TRANSACTION = 60_000
/** Milliseconds in which a server has told that a statement took too long; one that has not is silent. */
const GRACE = 1000
/** Milliseconds that connections may take to say goodbye. */
const GOODBYE = 2000
/** One connection of so many is for those who read: writers wait for each other's locks. */
const READERS_SHARE = 4

/**
 * Connections to a server. Nobody waits for one for ever, nor for an answer on one, and those who write
 * never have all of them: however many wait for a lock, there is one to read with.
 */
export class ServerPool<Client extends object> implements ConnectionPool {
  readonly patience: number
  readonly #limits: PoolLimits
  readonly #driver: PoolDriver<Client>
  readonly #writers: Turns
  /** When connections that were given back had answered. */
  readonly #heard = new WeakMap<object, number>()
  /** When a statement was sent that was never answered. */
  #silentSince = -Infinity
  #pool: Promise<DriverPool<Client>> | null = null
  #closed = false

  constructor(limits: PoolLimits, driver: PoolDriver<Client>) {
    const { connections, connectTimeout, statementTimeout, place } = limits
    this.patience = statementTimeout === null ? Infinity : statementTimeout + GRACE
    this.#limits = limits
    this.#driver = driver
    const writers = Math.max(1, connections - Math.ceil(connections / READERS_SHARE))
    this.#writers = new Turns(writers, connectTimeout, () => allBusy(place))
  }

  async connect(use: Use = 'read'): Promise<PooledConnection> {
    if (this.#closed) throw closedDatabase(this.#limits.place)
    if (use === 'read') return this.#connected(() => undefined)
    await this.#writers.take()
    const end = (): void => this.#writers.end()
    try {
      return await this.#connected(end)
    } catch (error) {
      end()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const pool = await this.#pool?.catch(() => null)
    this.#pool = null
    // A connection that is broken cannot be told to end, and has ended; one that is silent never says so.
    const ended = pool?.end() ?? Promise.resolve()
    await inTime(ended, GOODBYE, () => new Error('No goodbye.')).catch(() => undefined)
  }

  async #connected(released: () => void): Promise<PooledConnection> {
    const pool = await (this.#pool ??= this.#driver.open())
    const client = await this.#trusted(pool)
    const { place } = this.#limits
    const wire = new Wire({
      place,
      patience: this.patience,
      translated: this.#driver.translated,
      release: (unusable) => {
        this.#note(pool.identity(client), wire)
        pool.release(client, unusable)
        released()
      },
    })
    return this.#driver.connection(client, wire)
  }

  /** Connections seldom go silent alone: those that were not heard of since are not tried. */
  async #trusted(pool: DriverPool<Client>): Promise<Client> {
    for (;;) {
      const client = await this.#acquired(pool)
      const heard = this.#heard.get(pool.identity(client)) ?? Infinity
      if (heard >= this.#silentSince) return client
      pool.release(client, true)
    }
  }

  async #acquired(pool: DriverPool<Client>): Promise<Client> {
    const { place, connectTimeout } = this.#limits
    try {
      return await inTime(
        pool.acquire(),
        connectTimeout,
        () => allBusy(place),
        (client) => pool.release(client, false),
      )
    } catch (error) {
      throw this.#driver.unreachable(error, place)
    }
  }

  #note(client: object, { lost, answered, asked }: Wire): void {
    if (lost instanceof ConnectionSilent) this.#silentSince = Math.max(this.#silentSince, asked)
    else if (answered > 0) this.#heard.set(client, answered)
  }
}
