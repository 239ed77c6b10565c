// The pool of an address: of one server, or of several, of which it finds one of the wanted kind.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { inTime } from '../../core/std/deadlines.ts'
import { type OwnPoolOptions, loadDriver } from '../pooled/open.ts'
import { IDLE_IN_TRANSACTION, KEEP_ALIVE } from '../pooled/server-pool.ts'
import { type ParserOf, parsersInUtc } from './value-kinds.ts'
import { type Line, type PostgresQuery, type PostgresResult, readingRows } from './query.ts'

/** The part of `Pool` of the package `pg` that we use; any compatible pool will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  /** A connection that breaks while it is idle is no reason for a program to end. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** `max`: connections at most. */
  readonly options?: { readonly max?: number | undefined }
}

/** One connection of such a pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(unusable?: boolean): void
  /** Do statements travel before those in front of them are answered? */
  readonly pipeline?: boolean
  readonly connection?: Line & { readonly stream: { destroy(): unknown } }
  /** Gives the reader of a type's text; without it, rows are never texts as written. */
  readonly getTypeParser?: ParserOf
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface Driver {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
  readonly Client: ClientClass
  readonly types: { readonly getTypeParser: ParserOf }
}

const PACKAGE = { name: 'pg', oldest: '8.11.0', reaches: 'PostgreSQL is reached' }

export async function createPool(
  options: OwnPoolOptions,
  load: () => Promise<unknown> = () => import('pg'),
): Promise<PostgresPool> {
  const { url, connections, connectTimeout } = options
  const { Pool, Client, types } = await loadDriver<Driver>(load, PACKAGE)
  const hosts = new Hosts(url)
  // If a pooler gives each transaction another connection, other programs would get the settings.
  const settings = hosts.isPooled ? [] : settingsOf(options)
  const share = connectTimeout / hosts.urls.length
  const pool = new Pool({
    connectionString: hosts.current,
    Client: readingRows(hosts.areOne ? Client : hostedClients(Client, hosts, share)),
    types: { getTypeParser: parsersInUtc(types.getTypeParser) },
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    // A connection that waits in the pool keeps no program from ending.
    allowExitOnIdle: true,
    // Statements that are asked at the same moment leave together.
    pipeline: true,
    // Settings are sent on the connection, because poolers refuse them as parameters of the start.
    async onConnect(client: PostgresClient) {
      const text = [...settings, ...(hosts.areOne ? [] : [WHAT_IT_IS])].join('; ')
      if (text === '') return
      const asked = client.query({ text, values: [], rowMode: 'array' })
      const results = await inTime(asked, share, () => new Error('timeout expired'))
      if (!hosts.areOne) hosts.judge(lastOf(results).rows[0]!)
    },
  })
  return hosts.areOne ? pool : amongHosts(pool, hosts)
}

/** The last result of a text, which may have several statements. */
export function lastOf(results: PostgresResult | readonly PostgresResult[]): PostgresResult {
  return [results].flat().at(-1)!
}

function settingsOf({ lockTimeout, statementTimeout }: OwnPoolOptions): readonly string[] {
  return [
    `set lock_timeout = ${Math.trunc(lockTimeout)}`,
    `set statement_timeout = ${Math.trunc(statementTimeout ?? 0)}`,
    // A client that disappears in the middle of a transaction leaves its locks behind.
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION}`,
  ]
}

/** The kinds of server that can be asked for, in the words of libpq. */
type Attributes = keyof typeof FITS

interface Server {
  readonly isReadOnly: boolean
  readonly isStandby: boolean
}

/** The servers of each kind. `hopeless`: every server was asked, and none is of the preferred kind. */
const FITS = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': ({ isStandby }, hopeless) => isStandby || hopeless,
} as const satisfies Record<string, (server: Server, hopeless: boolean) => boolean>

const PARAMETER = 'target_session_attrs'
const POOLER = 'pooler'
/** Parameters that the driver is not to see. */
const OURS: readonly string[] = [PARAMETER, POOLER]

/** Asked after all settings, as the last statement of their text. */
const WHAT_IT_IS = `select current_setting('transaction_read_only') = 'on', pg_is_in_recovery()`

/** The servers that an address names, and which of them connections are made to. */
class Hosts {
  /** An address for each server. */
  readonly urls: readonly string[]
  /** The hosts as they stand in the address, for messages. */
  readonly names: string
  /** Is each transaction on another connection to the server? Then no setting holds for longer than a transaction. */
  readonly isPooled: boolean
  readonly #wanted: Attributes
  #at = 0
  #failures = 0
  /** Connections that were made before are not trusted: the server may have become another one since. */
  age = 0

  /** @throws ConfigurationError the address asks for a kind of server that libpq does not know */
  constructor(address: string) {
    const [, front = '', names = '', rest = ''] = PARTS.exec(address) ?? []
    this.names = names
    const [path = '', query = ''] = rest.split('?', 2)
    const parameters = new URLSearchParams(query)
    this.#wanted = attributesOf(parameters.get(PARAMETER), names.includes(','))
    this.isPooled = isPooled(parameters.get(POOLER))
    const others = query.split('&').filter((each) => !OURS.includes(each.split('=', 1)[0]!))
    const behind = others.join('&') === '' ? path : `${path}?${others.join('&')}`
    this.urls = names === '' ? [address] : names.split(',').map((host) => front + host + behind)
  }

  /** Does the address name one server of any kind? Then the server is not asked for its kind. */
  get areOne(): boolean {
    return this.urls.length === 1 && this.#wanted === 'any'
  }

  get current(): string {
    return this.urls[this.#at]!
  }

  /** Leads the next connections to another server, if they would still be made to this one. */
  leave(url: string): void {
    this.#failures++
    if (url === this.current) this.#at = (this.#at + 1) % this.urls.length
  }

  /** @throws DatabaseUnavailable the server is not of the wanted kind */
  judge([isReadOnly, isStandby]: readonly unknown[]): void {
    const server = { isReadOnly: isReadOnly === true, isStandby: isStandby === true }
    if (FITS[this.#wanted](server, this.#failures >= this.urls.length)) {
      this.#failures = 0
      return
    }
    const found = `a ${server.isStandby ? 'standby' : 'primary'} that takes ${server.isReadOnly ? 'no ' : ''}writes`
    throw new DatabaseUnavailable(
      `No server of ${this.names} is what ${PARAMETER}=${this.#wanted} asks for: the last one is ${found}.`,
    )
  }

  /** Every server once, or twice where a standby is only preferred. */
  get attempts(): number {
    return this.urls.length * (this.#wanted === 'prefer-standby' ? 2 : 1)
  }
}

/** @throws ConfigurationError it asks for a server, or says of a pooler, what is not known */
export function readAddress(address: string): Pick<Hosts, 'isPooled'> {
  return new Hosts(address)
}

/** The part before the hosts, the hosts, and the part behind. As in every URL, the last @ ends a password. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The kind of server that is wanted. Unlike in libpq, several servers are asked for the one that takes writes. */
function attributesOf(text: string | null, several: boolean): Attributes {
  if (text === null) return several ? 'read-write' : 'any'
  if (Object.hasOwn(FITS, text)) return text as Attributes
  throw new ConfigurationError(
    `The address of the database asks for ${PARAMETER}=${text}. It may be ${Object.keys(FITS).join(', ')}.`,
  )
}

function isPooled(text: string | null): boolean {
  if (text === null || text === 'session') return false
  if (text === 'transaction') return true
  throw new ConfigurationError(
    `The address of the database says ${POOLER}=${text}. It may be transaction or session.`,
  )
}

/** A client of `pg` that knows the server it was made for. */
interface HostedClient extends PostgresClient {
  readonly hosts: Hosts
  readonly age: number
}

type ClientClass = new (options: Readonly<Record<string, unknown>>) => PostgresClient

/** The class of clients that connect to the current server, in at most so many milliseconds. */
function hostedClients(Client: ClientClass, hosts: Hosts, share: number): ClientClass {
  return class extends Client implements Pick<HostedClient, 'hosts' | 'age'> {
    readonly hosts = hosts
    readonly age = hosts.age

    constructor(options: Readonly<Record<string, unknown>>) {
      const connectionTimeoutMillis = Math.ceil(share)
      super({ ...options, connectionString: hosts.current, connectionTimeoutMillis })
    }
  }
}

/** The pool that asks one server after the other, and gives up connections that are older than the last doubt. */
function amongHosts(pool: PostgresPool, hosts: Hosts): PostgresPool {
  return {
    ...(pool.options === undefined ? {} : { options: pool.options }),
    on: (event, listener) => pool.on(event, listener),
    end: () => pool.end(),
    async connect() {
      for (let attempt = 1; ;) {
        const { current } = hosts
        try {
          const client = (await pool.connect()) as HostedClient
          if (client.age === hosts.age) return client
          client.release(true)
        } catch (error) {
          if (isBusy(error)) throw error
          hosts.leave(current)
          if (attempt++ >= hosts.attempts) throw error
        }
      }
    },
  }
}

/** Did no connection become free in time? That says nothing of a server. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

/** Notes that a connection broke, or led to a server that takes no writes: its server may be another one now. */
export function markHostsStale(client: PostgresClient): void {
  if ('hosts' in client && client.hosts instanceof Hosts) client.hosts.age++
}
