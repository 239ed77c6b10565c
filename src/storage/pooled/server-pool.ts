import type { Gauge } from '../../core/ports/service-facts.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { Semaphore } from '../semaphore.ts'
import { AllBusy, ConnectionSilent } from './failures.ts'
import { inTime } from '../../core/std/deadlines.ts'
import type { PoolOptions } from './open.ts'
import { type PooledConnection, ServerConnection, type ServerDriver } from './server-connection.ts'

/** The use of a connection; if that is not known yet, it is `'write'`. */
export type Use = 'read' | 'write'

export type ConnectionPool = Pick<
  ServerPool<never, never, never>,
  'patience' | 'connect' | 'close'
> &
  Partial<Pick<ServerPool<never, never, never>, 'gauges'>>

/** Statements that stay prepared on each connection; a server of MySQL has 16382 of them in all. */
export const MOST_PREPARED = 300

/** Characters of a text that is worth preparing: the server keeps its plan, which is many times as large. */
export const LONGEST_PREPARED = 4096

/** Milliseconds after which an idle connection asks whether the other end is still there. */
export const KEEP_ALIVE = 10_000
/** Milliseconds after which a server ends a transaction in which nothing happens, and its locks. */
export const IDLE_IN_TRANSACTION = 60_000
/** Milliseconds in which a server has answered that a statement took too long; one that has not is silent. */
const GRACE = 1000
/** Milliseconds that connections may take to say goodbye. */
const GOODBYE = 2000
/** One connection of so many is for readers, however many writers wait for each other's locks. */
const READERS_SHARE = 4

/** Waiting for a connection has an end, and so has waiting for an answer on it. */
export class ServerPool<Pool extends { end(): Promise<void> }, Client, Result> {
  /** Milliseconds after which a statement without an answer is given up, or `Infinity`. */
  readonly patience: number
  readonly #options: PoolOptions<Pool>
  readonly #driver: ServerDriver<Pool, Client, Result>
  readonly #writers: Semaphore
  /** When each connection that was given back had answered last. */
  readonly #answered = new WeakMap<object, number>()
  /** When the last statement was sent that was never answered. */
  #silentSince = -Infinity
  #pool: Promise<Pool> | null = null
  #closed = false
  /** The number of connections that are taken, and of work that waits for one. */
  #busy = 0
  #waiting = 0

  constructor(options: PoolOptions<Pool>, driver: ServerDriver<Pool, Client, Result>) {
    const { connections, connectTimeout, statementTimeout, place } = options
    this.patience = statementTimeout === null ? Infinity : statementTimeout + GRACE
    this.#options = options
    this.#driver = driver
    const writers = Math.max(1, connections - Math.ceil(connections / READERS_SHARE))
    this.#writers = new Semaphore(writers, connectTimeout, () => new AllBusy(place))
  }

  async connect(use: Use = 'read'): Promise<PooledConnection> {
    this.#waiting++
    try {
      return await this.#connect(use)
    } finally {
      this.#waiting--
    }
  }

  async #connect(use: Use): Promise<PooledConnection> {
    if (this.#closed)
      throw new DatabaseUnavailable(`The database ${this.#options.place} has been closed.`)
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

  gauges(): readonly Gauge[] {
    const of = (state: string, value: number) => ({
      name: 'database_connections',
      labels: { state },
      value,
    })
    return [
      of('busy', this.#busy),
      of('waiting', this.#waiting),
      { name: 'database_connections_limit', value: this.#options.connections },
    ]
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
    const pool = await (this.#pool ??= this.#options.open())
    const client = await this.#trusted(pool)
    this.#busy++
    const connection = new ServerConnection(client, this.#driver, {
      place: this.#options.place,
      patience: this.patience,
      release: (unusable) => {
        this.#busy--
        this.#note(client, connection)
        this.#driver.release(client, unusable)
        released()
      },
    })
    return connection
  }

  /** A connection that has answered since the last silence. Others are not tried: connections seldom go silent alone. */
  async #trusted(pool: Pool): Promise<Client> {
    for (;;) {
      const client = await this.#acquired(pool)
      const answered = this.#answered.get(this.#driver.identity(client)) ?? Infinity
      if (answered >= this.#silentSince) return client
      this.#driver.release(client, true)
    }
  }

  async #acquired(pool: Pool): Promise<Client> {
    const { place, connectTimeout } = this.#options
    const tooLate = (client: Client) => this.#driver.release(client, false)
    try {
      const acquired = this.#driver.acquire(pool)
      return await inTime(acquired, connectTimeout, () => new AllBusy(place), tooLate)
    } catch (error) {
      throw this.#driver.failures.unreachable(error, place)
    }
  }

  #note(client: Client, { lost, answered, asked }: ServerConnection<Client, Result>): void {
    if (lost instanceof ConnectionSilent) this.#silentSince = Math.max(this.#silentSince, asked)
    else if (answered > 0) this.#answered.set(this.#driver.identity(client), answered)
  }
}
