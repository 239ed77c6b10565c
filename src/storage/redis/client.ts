import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { CounterUnusable, DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { Deadlines, inTime } from '../../core/std/deadlines.ts'
import { ConnectionSilent, type ServerFailures, serverFailures } from '../pooled/failures.ts'
import { COMMANDS } from './scripts.ts'
import {
  type DriverClient,
  type Driver,
  type RedisAddress,
  type RedisPlace,
  clusterClient,
  primaryOf,
} from './address.ts'

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

/** Gives the answer of Redis, or rejects with its refusal. */
type SendCommand = (command: string[]) => Promise<unknown>

/** A connection for commands, each of which is answered in time or fails. */
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

function deadlinesOf(place: string, milliseconds: number): Deadlines {
  return new Deadlines(milliseconds, () => new ConnectionSilent(place, milliseconds))
}

/** Both packages have `sendCommand`, which takes something else with `ioredis`. */
function senderOf(client: RedisClient): SendCommand {
  if (!('call' in client)) return (command) => client.sendCommand(command)
  return ([name = '', ...args]) => client.call(name, ...args)
}

/** The states in which `ioredis` is connected, or connects for the first time. */
const HOPEFUL = ['ready', 'wait', 'connecting', 'connect']

/** Is the client without a connection? A command would only wait for another one. */
function isAway(client: RedisClient): boolean {
  if ('call' in client) return client.status !== undefined && !HOPEFUL.includes(client.status)
  return client.isReady === false
}

/** Milliseconds. */
interface LineTimes {
  readonly connectTimeout: number
  readonly commandTimeout: number
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
  #client: DriverClient | null = null
  #attempt: Promise<DriverClient> | null = null
  /** Why the last attempt has failed, and when. */
  #failure: DatabaseUnavailable | null = null
  #failedAt = 0
  #answeredAt = 0
  #closed = false

  /** @throws ConfigurationError the package of the client is not installed; it is loaded by `prepare`, or on first use */
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

  async #ask(client: DriverClient, command: string[]): Promise<unknown> {
    const sentAt = performance.now()
    try {
      const answer = await this.#deadlines.within(client.sendCommand(command), () => undefined)
      this.#answeredAt = performance.now()
      return answer
    } catch (error) {
      // Answers come in order. If none has come since the command was sent, the next command gets another connection.
      const failure = translated(error, this.#address.place)
      const isSilent = error instanceof ConnectionSilent
      if (isSilent ? this.#answeredAt < sentAt : leadsElsewhere(failure)) end(client)
      throw failure
    }
  }

  async #connected(): Promise<DriverClient> {
    this.#checkOpen()
    const failed = this.#failure !== null
    if (failed && (this.#attempt !== null || performance.now() - this.#failedAt < PAUSE)) {
      throw this.#failure
    }
    this.#attempt ??= this.#connect().finally(() => (this.#attempt = null))
    return this.#attempt
  }

  async #connect(): Promise<DriverClient> {
    const connectTimeout = this.#connectTimeout
    const driver: Driver = await import('@redis/client')
    const made: DriverClient[] = []
    let client: DriverClient
    try {
      const late = () => new Error(`no answer in ${connectTimeout / 1000} s`)
      client = await inTime(this.#opened(driver, made), connectTimeout, late, end)
    } catch (error) {
      for (const each of made) end(each)
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

  async #opened(driver: Driver, made: DriverClient[]): Promise<DriverClient> {
    const { kind, places, name, tls } = this.#address
    const timeout = this.#connectTimeout
    const sought =
      kind === 'sentinel' ? await primaryOf(driver, places, { name, tls, timeout }) : null
    const client = this.#create(driver, sought)
    made.push(client)
    const { promise: broken, reject } = Promise.withResolvers<never>()
    client.on('error', reject)
    await Promise.race([client.connect(), broken])
    return client
  }

  #create(driver: Driver, sought: RedisPlace | null = null): DriverClient {
    const { kind, places, tls, username, password, database } = this.#address
    const socket = { tls, reconnectStrategy: false, connectTimeout: this.#connectTimeout }
    const options = {
      username,
      password,
      RESP: 2,
      disableClientInfo: true,
      disableOfflineQueue: true,
      // The time-out of the driver would cost more than the command itself; ours is above.
      commandOptions: { timeout: 0 },
    }
    if (kind === 'cluster') return clusterClient(driver, places, { ...options, socket })
    return driver.createClient({
      ...options,
      database,
      socket: { ...socket, ...(sought ?? places[0]) },
    })
  }
}

/** Does the failure ask for another connection? That may lead to the server that is the primary now. */
function leadsElsewhere({ message, cause }: DatabaseUnavailable): boolean {
  return cause instanceof Error && (isLost(cause) || message.includes(READ_ONLY.slice(2)))
}

/** A store that cannot work is found at start-up, and not by the first request. */
function checkInstalled(): void {
  try {
    import.meta.resolve('@redis/client')
  } catch (cause) {
    throw new ConfigurationError(MISSING, { cause })
  }
}

/** Closes a client, which rejects what still waits for an answer. */
function end(client: DriverClient): void {
  if (client.isOpen) client.destroy()
}

const REFUSED_ACCOUNT =
  '% refuses this account: look at the user name and the password in the address.'
const REFUSED_COMMAND = `% does not let this account do what counting needs: keys that begin with the prefix, and the commands ${COMMANDS}.`
const READ_ONLY = '% is a replica, which cannot be written: use the address of the primary.'
const NOT_READY = '% is not ready: it is starting, or its primary is not there. Try again.'
const CLUSTER =
  '% belongs to a cluster: begin its address with redis+cluster://, or hand in a client of the cluster, with a prefix in braces such as "{colophon}:".'

/** The messages of `@redis/client` and `ioredis` if a connection ends before an answer. */
const ENDED =
  /^(?:Socket closed|Connection is closed|The client is (?:closed|offline)|Disconnects client|Stream isn't writeable)/

/** By the first word of what Redis answers. */
const redisFailures: ServerFailures = serverFailures({
  meanings: [
    [REFUSED_ACCOUNT, 'NOAUTH', 'WRONGPASS'],
    [REFUSED_COMMAND, 'NOPERM'],
    [READ_ONLY, 'READONLY'],
    [NOT_READY, 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN'],
    [CLUSTER, 'CROSSSLOT', 'MOVED', 'ASK'],
    ['% runs another script that does not end.', 'BUSY'],
    ['% has no memory left: raise its maxmemory, or let it evict other keys.', 'OOM'],
    ['% cannot save its data, and takes no writes until it can.', 'MISCONF'],
    ['% has no connection to give: raise its maxclients.', 'MAXCLIENTS'],
  ],
  codeOf: ({ message }) => codeIn(message),
  isLoss: isLost,
})

function isLost(error: Error): boolean {
  return 'syscall' in error || ENDED.test(error.message)
}

function codeIn(message: string): string {
  // Redis, and Valkey, of a command inside of the script.
  if (/can't run this command|^ERR ACL failure in script/.test(message)) return 'NOPERM'
  if (message.startsWith('ERR max number of clients')) return 'MAXCLIENTS'
  return /^[A-Z]+/.exec(message)?.[0] ?? ''
}

/** The failure of a script whose key has another type, or a text that is no number. */
const OF_ONE_KEY = /WRONGTYPE|: attempt to |: bad argument /

/** The application's error for any rejection of a client. */
function translated(error: unknown, place: string): DatabaseUnavailable {
  const failure = redisFailures.translated(error, place)
  if (failure instanceof DatabaseUnavailable) return failure
  const message = failure instanceof Error ? failure.message : String(failure)
  const Failure = OF_ONE_KEY.test(message) ? CounterUnusable : DatabaseUnavailable
  return new Failure(`${place} refused a command: ${message}`, { cause: error })
}
