import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { Deadlines, inTime } from '../../core/std/deadlines.ts'
import { ConnectionSilent } from '../pooled/failures.ts'
import type { RedisAddress } from './address.ts'
import { type Line, type SendCommand, deadlinesOf } from './client.ts'
import { redisFailures, translated } from './failures.ts'

/** Milliseconds. */
export interface LineTimes {
  readonly connectTimeout: number
  readonly commandTimeout: number
}

/** The part of a client of `@redis/client` that we use. */
interface Client {
  readonly sendCommand: SendCommand
  connect(): Promise<unknown>
  close(): Promise<unknown>
  destroy(): void
  unref(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly isOpen: boolean
  readonly isReady: boolean
}

interface Driver {
  createClient(options: Readonly<Record<string, unknown>>): Client
}

const MISSING = 'Redis is reached with the package @redis/client. Run: npm install @redis/client'
/** Milliseconds after a failed attempt to connect, in which no other is made. */
const PAUSE = 50
/** Milliseconds that the last answers may take when the line is closed. */
const GOODBYE = 2000

/**
 * One connection to a server, made when it is first needed and again when it is lost. While the server is away,
 * commands fail at once; now and then one of them tries to connect, and waits for what comes of it.
 */
export class RedisConnection implements Line {
  readonly #address: RedisAddress
  readonly #connectTimeout: number
  readonly #deadlines: Deadlines
  #client: Client | null = null
  #attempt: Promise<Client> | null = null
  /** Why the last attempt has failed, and when. */
  #failure: DatabaseUnavailable | null = null
  #failedAt = 0
  #answeredAt = 0
  #closed = false

  /** @throws ConfigurationError the package of the client is not installed; it is loaded on first use */
  constructor(address: RedisAddress, { connectTimeout, commandTimeout }: LineTimes) {
    this.#address = address
    this.#connectTimeout = connectTimeout
    this.#deadlines = deadlinesOf(address.place, commandTimeout)
    checkInstalled()
  }

  /** Reads the package, and has it make its commands: together they stop the event loop for 200 ms. */
  async prepare(): Promise<void> {
    this.#create(await import('@redis/client'))
  }

  send(command: string[]): Promise<unknown> {
    const client = this.#client
    if (client?.isReady === true) return this.#ask(client, command)
    return this.#connected().then((fresh) => this.#ask(fresh, command))
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = this.#client
    this.#client = null
    if (client === null || !client.isOpen) return
    await inTime(client.close(), GOODBYE, () => new Error('late')).catch(() => end(client))
  }

  async #ask(client: Client, command: string[]): Promise<unknown> {
    const sentAt = performance.now()
    try {
      const answer = await this.#deadlines.within(client.sendCommand(command), () => undefined)
      this.#answeredAt = performance.now()
      return answer
    } catch (error) {
      // Answers come in order. Where none has come since, the next command gets another connection.
      if (error instanceof ConnectionSilent && this.#answeredAt < sentAt) end(client)
      throw translated(error, this.#address.place)
    }
  }

  async #connected(): Promise<Client> {
    this.#checkOpen()
    const isAway = this.#failure !== null
    if (isAway && (this.#attempt !== null || performance.now() - this.#failedAt < PAUSE)) {
      throw this.#failure
    }
    this.#attempt ??= this.#connect().finally(() => (this.#attempt = null))
    return this.#attempt
  }

  async #connect(): Promise<Client> {
    const connectTimeout = this.#connectTimeout
    const driver: Driver = await import('@redis/client')
    const client = this.#create(driver)
    try {
      const { promise: broken, reject } = Promise.withResolvers<never>()
      client.on('error', reject)
      await inTime(
        Promise.race([client.connect(), broken]),
        connectTimeout,
        () => new Error(`no answer in ${connectTimeout / 1000} s`),
      )
    } catch (error) {
      end(client)
      this.#failedAt = performance.now()
      this.#failure = redisFailures.unreachable(error, this.#address.place)
      throw this.#failure
    }
    // An idle connection keeps no program from ending.
    client.unref()
    this.#failure = null
    this.#client = client
    if (this.#closed) end(client)
    this.#checkOpen()
    return client
  }

  #checkOpen(): void {
    if (!this.#closed) return
    throw new DatabaseUnavailable(`The store of counters at ${this.#address.place} was closed.`)
  }

  #create(driver: Driver): Client {
    const { host, port, tls, username, password, database } = this.#address
    return driver.createClient({
      socket: {
        host,
        port,
        tls,
        reconnectStrategy: false,
        connectTimeout: this.#connectTimeout,
      },
      username,
      password,
      database,
      RESP: 2,
      disableClientInfo: true,
      disableOfflineQueue: true,
      // It would cost more than the command itself; ours is above.
      commandOptions: { timeout: 0 },
    })
  }
}

/** A store that cannot work is found at start-up, and not by the first request. */
function checkInstalled(): void {
  try {
    import.meta.resolve('@redis/client')
  } catch (cause) {
    throw new ConfigurationError(MISSING, { cause })
  }
}

/** Rejects what still waits for an answer. */
function end(client: Client): void {
  if (client.isOpen) client.destroy()
}
