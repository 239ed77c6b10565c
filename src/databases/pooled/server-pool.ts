import { Turns } from '../turns.ts'
import type { ConnectionPool, PooledConnection, Use } from './connection-pool.ts'
import { ConnectionSilent, type ServerFailures, allBusy, closedDatabase } from './failures.ts'
import { ConnectionLost } from '../../sql/connection-lost.ts'
import { inTime } from './in-time.ts'

/** A pool of a driver. */
export interface DriverPool<Client> {
  acquire(): Promise<Client>
  /** Back to the pool; one that is unusable is closed at once. */
  release(client: Client, unusable: boolean): void
  /** The same object whenever the same connection is acquired. */
  identity(client: Client): object
  end(): Promise<void>
}

/** Statements that stay prepared on each connection; a server of MySQL has 16382 of them in all. */
export const MOST_PREPARED = 300

/** Characters of a text that is worth preparing: the server keeps its plan, which is many times as large. */
export const LONGEST_PREPARED = 4096

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
interface PoolDriver<Client> {
  /** Called when the first connection is needed. */
  open(): Promise<DriverPool<Client>>
  /** One connection, in our words. */
  connection(client: Client, wire: Wire): PooledConnection
  readonly failures: ServerFailures
}

/** Milliseconds after which an idle connection asks whether the other end is still there. */
export const KEEP_ALIVE = 10_000
/** Milliseconds after which a server ends a transaction in which nothing happens, and its locks. */
export const IDLE_IN_TRANSACTION = 60_000
/** Milliseconds in which a server has answered that a statement took too long; one that has not is silent. */
const GRACE = 1000
/** Milliseconds that connections may take to say goodbye. */
const GOODBYE = 2000
/** One connection of so many is for those who read: writers wait for each other's locks. */
const READERS_SHARE = 4

/**
 * Connections to a server. Waiting for one has an end, and so has waiting for an answer on one. Writers
 * never have all of them: however many wait for a lock, there is one to read with.
 */
export class ServerPool<Client extends object> implements ConnectionPool {
  readonly patience: number
  readonly #limits: PoolLimits
  readonly #driver: PoolDriver<Client>
  readonly #writers: Turns
  /** When connections that were given back had answered. */
  readonly #answered = new WeakMap<object, number>()
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
    // A broken connection has ended already, and a silent one never reports its end.
    const ended = pool?.end() ?? Promise.resolve()
    await inTime(ended, GOODBYE, () => new Error('No answer to the end.')).catch(() => undefined)
  }

  async #connected(released: () => void): Promise<PooledConnection> {
    const pool = await (this.#pool ??= this.#driver.open())
    const client = await this.#trusted(pool)
    const { place } = this.#limits
    const wire = new Wire({
      place,
      patience: this.patience,
      failures: this.#driver.failures,
      release: (unusable) => {
        this.#note(pool.identity(client), wire)
        pool.release(client, unusable)
        released()
      },
    })
    return this.#driver.connection(client, wire)
  }

  /** Connections seldom go silent alone: those that have not answered since are not tried. */
  async #trusted(pool: DriverPool<Client>): Promise<Client> {
    for (;;) {
      const client = await this.#acquired(pool)
      const answered = this.#answered.get(pool.identity(client)) ?? Infinity
      if (answered >= this.#silentSince) return client
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
      throw this.#driver.failures.unreachable(error, place)
    }
  }

  #note(client: object, { lost, answered, asked }: Wire): void {
    if (lost instanceof ConnectionSilent) this.#silentSince = Math.max(this.#silentSince, asked)
    else if (answered > 0) this.#answered.set(client, answered)
  }
}

interface WireOptions {
  readonly place: string
  readonly patience: number
  readonly failures: ServerFailures
  readonly release: (unusable: boolean) => void
}

/** The way to a server, for one user at a time: every question is answered in time, or the way is given up. */
export class Wire {
  readonly #options: WireOptions
  #patience: number
  /** Why nothing more can be asked. */
  lost: ConnectionLost | null = null
  /** When the last question was sent, and when the last answer came. */
  asked = 0
  answered = 0
  #unhurried = false

  constructor(options: WireOptions) {
    this.#options = options
    this.#patience = options.patience
  }

  /** @throws DatabaseUnavailable the failure lies with the database; any other is thrown as it is */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.lost !== null) throw this.lost
    const { place, failures } = this.#options
    const patience = this.#patience
    this.asked = performance.now()
    try {
      const answer = await inTime(question(), patience, () => new ConnectionSilent(place, patience))
      this.answered = performance.now()
      return answer
    } catch (error) {
      const failure = failures.translated(error, place)
      if (failure instanceof ConnectionLost) this.lost = failure
      throw failure
    }
  }

  /** From now on answers may take as long as they like. The connection is closed afterwards. */
  unhurry(): void {
    this.#patience = Infinity
    this.#unhurried = true
  }

  release(unusable: boolean): void {
    this.#options.release(unusable || this.lost !== null || this.#unhurried)
  }
}
