import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { inTime } from '../../core/std/deadlines.ts'

/** A server of Redis, or one that knows where others are. */
export interface RedisPlace {
  readonly host: string
  readonly port: number
}

/** The place of a Redis, and the account. */
export interface RedisAddress {
  /** A server alone, one that sentinels know by its name, or a cluster. */
  readonly kind: 'server' | 'sentinel' | 'cluster'
  /** The server, the sentinels, or some servers of the cluster. */
  readonly places: readonly RedisPlace[]
  /** The sentinels' name for the primary. */
  readonly name: string
  readonly tls: boolean
  readonly username?: string
  readonly password?: string
  readonly database: number
  /** The place without account and password, for messages. */
  readonly place: string
}

/** Scheme, account, hosts, and the rest. A password may contain an @: as in every URL, the last one ends it. */
const PARTS =
  /^(?<scheme>rediss?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?<account>(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<path>[^?#]*)/

/**
 * Reads `redis://user:password@host:port/database`, `redis+sentinel://user:password@host,host/name/database` and
 * `redis+cluster://user:password@host,host`; no error repeats the address, which may have a password in it.
 */
export function parseAddress(address: string): RedisAddress {
  const {
    scheme,
    kind = 'server',
    account,
    hosts = '',
    path = '',
  } = PARTS.exec(address)?.groups ?? {}
  if (scheme === undefined) throw unknownScheme(address)
  if (hosts === '') throw new ConfigurationError('The address of Redis names no host.')
  if (kind === 'server' && hosts.includes(','))
    throw new ConfigurationError(
      'An address of Redis with several hosts begins with redis+sentinel:// or redis+cluster://.',
    )
  const [, name = '', rest = ''] =
    kind === 'sentinel' ? (/^\/?([^/]*)(.*)$/.exec(path) ?? []) : ['', '', path]
  if (kind === 'sentinel' && name === '')
    throw new ConfigurationError(
      'An address of sentinels of Redis ends in the name of the primary: redis+sentinel://host,host/mymaster',
    )
  if (kind === 'cluster' && !/^\/?$/.test(path))
    throw new ConfigurationError(
      'A cluster of Redis has no databases: its address ends behind the hosts.',
    )
  return {
    kind: kind as RedisAddress['kind'],
    places: hosts.split(',').map((host) => placeOf(host, kind === 'sentinel' ? 26_379 : 6379)),
    name,
    tls: scheme === 'rediss',
    ...accountOf(urlOf(`redis://${account}host`)),
    database: databaseOf(rest),
    place: address.slice(0, address.indexOf('://') + 3) + hosts + path,
  }
}

const ESCAPES = 'Characters such as # / ? @ % in its password are written as %23 %2F %3F %40 %25.'

function unknownScheme(address: string): ConfigurationError {
  const { protocol } = urlOf(address)
  return new ConfigurationError(
    `An address of Redis begins with redis:// or rediss:// (TLS), redis+sentinel:// or redis+cluster://, not with ${protocol}`,
  )
}

function urlOf(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw new ConfigurationError(`The address of Redis is not a URL. ${ESCAPES}`)
  return url
}

function placeOf(text: string, usual: number): RedisPlace {
  const { hostname, port } = urlOf(`redis://${text}`)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) }
}

function accountOf({ username, password }: URL): Pick<RedisAddress, 'username' | 'password'> {
  try {
    return {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    }
  } catch {
    throw new ConfigurationError(`The account in the address of Redis cannot be read. ${ESCAPES}`)
  }
}

function databaseOf(pathname: string): number {
  if (/^\/?$/.test(pathname)) return 0
  if (/^\/\d{1,9}$/.test(pathname)) return Number(pathname.slice(1))
  throw new ConfigurationError(
    `The address of Redis ends in the number of a database, such as /0, and not in ${JSON.stringify(pathname)}.`,
  )
}

// Several servers: sentinels that know the primary, and clusters.

/** The part of a client of `@redis/client` that we use. */
export interface DriverClient {
  sendCommand(command: string[]): Promise<unknown>
  connect(): Promise<unknown>
  close(): Promise<unknown>
  destroy(): void
  unref(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly isOpen: boolean
  readonly isReady: boolean
}

type Options = Readonly<Record<string, unknown>>

interface ClusterClient extends Omit<DriverClient, 'sendCommand' | 'unref'> {
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean,
    command: string[],
  ): Promise<unknown>
}

interface ClusterOptions extends Options {
  readonly rootNodes: { readonly socket: RedisPlace }[]
}

/** The part of `@redis/client` that we use. */
export interface Driver {
  createClient(options: Options): DriverClient
  createCluster(options: ClusterOptions): ClusterClient
}

/** A client that follows keys to the server that has them; their slots may move meanwhile. */
export function clusterClient(
  driver: Driver,
  places: readonly RedisPlace[],
  { commandOptions, RESP, ...defaults }: Options,
): DriverClient {
  const rootNodes = places.map((socket) => ({ socket }))
  // Counters have one slot, so that one connection is all that is needed.
  const settings = { rootNodes, defaults, commandOptions, RESP, minimizeConnections: true }
  const cluster = driver.createCluster(settings)
  return {
    // EVALSHA, digest, number of keys, first key.
    sendCommand: (command) => cluster.sendCommand(command[3], false, command),
    connect: () => cluster.connect(),
    close: () => cluster.close(),
    destroy: () => cluster.destroy(),
    // Its connections change, and keep the program running until it is closed.
    unref: () => undefined,
    on: (event, listener) => cluster.on(event, listener),
    get isOpen() {
      return cluster.isOpen
    },
    get isReady() {
      return cluster.isReady
    },
  }
}

/**
 * The primary that the sentinels know by this name. They are asked in order for each new connection, each for its share of the
 * time.
 */
export async function primaryOf(
  driver: Driver,
  sentinels: readonly RedisPlace[],
  {
    name,
    tls,
    timeout,
  }: { readonly name: string; readonly tls: boolean; readonly timeout: number },
): Promise<RedisPlace> {
  const share = timeout / sentinels.length
  let failure = new Error('No sentinel was asked.')
  for (const place of sentinels) {
    const socket = { ...place, tls, reconnectStrategy: false, connectTimeout: share }
    const client = driver.createClient({ socket, RESP: 2, disableClientInfo: true })
    client.on('error', () => undefined)
    try {
      return await inTime(asked(client, name), share, () => new Error(`no answer of ${place.host}`))
    } catch (error) {
      failure = error as Error
    } finally {
      if (client.isOpen) client.destroy()
    }
  }
  throw failure
}

async function asked(client: DriverClient, name: string): Promise<RedisPlace> {
  await client.connect()
  const found = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
  if (!Array.isArray(found)) throw new Error(`no sentinel knows a primary named ${name}`)
  return { host: String(found[0]), port: Number(found[1]) }
}
