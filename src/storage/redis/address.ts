import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** A server of Redis, or one that knows where others are. */
export interface RedisPlace {
  readonly host: string
  readonly port: number
}

/** Where a Redis is, and with which account. */
export interface RedisAddress {
  /** A server alone, one that sentinels know by its name, or a cluster. */
  readonly kind: 'server' | 'sentinel' | 'cluster'
  /** The server, the sentinels, or some servers of the cluster. */
  readonly places: readonly RedisPlace[]
  /** How sentinels call the primary. */
  readonly name: string
  readonly tls: boolean
  readonly username?: string
  readonly password?: string
  readonly database: number
  /** Without account and password, for messages. */
  readonly place: string
}

/** Scheme, account, hosts, and what is behind them. */
const PARTS =
  /^(?<scheme>rediss?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?<account>(?:[^@/?#]*@)?)(?<hosts>[^/?#]*)(?<path>[^?#]*)/

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
