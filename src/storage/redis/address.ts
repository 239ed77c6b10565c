import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** Where a Redis is, and with which account. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly username?: string
  readonly password?: string
  readonly database: number
  /** Without account and password, for messages. */
  readonly place: string
}

/** Reads `redis://user:password@host:port/database`; no error repeats the address, which may have a password in it. */
export function parseAddress(address: string): RedisAddress {
  const url = URL.parse(address)
  if (url === null) throw new ConfigurationError(`The address of Redis is not a URL. ${ESCAPES}`)
  const { protocol, hostname, port, pathname } = url
  if (protocol !== 'redis:' && protocol !== 'rediss:') {
    throw new ConfigurationError(
      `An address of Redis begins with redis:// or rediss:// (TLS), not with ${protocol}`,
    )
  }
  if (hostname === '') throw new ConfigurationError('The address of Redis names no host.')
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 6379 : Number(port),
    tls: protocol === 'rediss:',
    ...accountOf(url),
    database: databaseOf(pathname),
    place: `${protocol}//${url.host}${pathname}`,
  }
}

const ESCAPES = 'Characters such as # / ? @ % in its password are written as %23 %2F %3F %40 %25.'

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
