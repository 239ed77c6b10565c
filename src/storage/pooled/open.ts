import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** Times that a server and the way to it may take. */
export interface ServerTimes {
  /** Milliseconds to wait for a connection, be it a new one or a free one. @default 5000 */
  readonly connectTimeout?: number
  /**
   * Milliseconds that a statement may take; `null`: as many as it likes. The server cancels it then; MySQL
   * cancels only what reads. Where the server does not answer for a second more, the connection is given
   * up. On a pool of your own set `statement_timeout`, `max_statement_time` or `max_execution_time`
   * yourself: only the second half is done here. Migrations take as long as they like.
   *
   * @default 10000
   */
  readonly statementTimeout?: number | null
}

/** A pool of connections that belongs to the database. */
export interface ServerUrlOptions {
  /** The address, with options of the driver behind `?`. */
  readonly url: string
  /** Connections at most. @default 10 */
  readonly connections?: number
  /** Milliseconds that a statement waits for a lock; on MySQL in whole seconds. @default 3000 */
  readonly lockTimeout?: number
}

/** Options of our own pool's connections. */
export type OwnPoolOptions = Required<ServerTimes & ServerUrlOptions>

export interface PoolOptions<Pool> extends Required<ServerTimes> {
  /** Called when the first connection is needed. */
  readonly open: () => Promise<Pool>
  /** The place of the database, for messages. */
  readonly place: string
  readonly connections: number
}

interface ServerKind<Pool> {
  /** The name for messages, if there is no address. */
  readonly name: string
  readonly schemes: readonly string[]
  readonly create: (options: OwnPoolOptions) => Promise<Pool>
  readonly sizeOf: (pool: Pool) => number | undefined
}

/** The options of a server with their defaults. Its pool is handed in, or made when `open` is called. */
export function poolOptions<Pool>(
  options: ServerTimes & (ServerUrlOptions | { readonly pool: Pool }),
  { name, schemes, create, sizeOf }: ServerKind<Pool>,
): PoolOptions<Pool> {
  const { connectTimeout = 5000, statementTimeout = 10_000 } = options
  const times = { connectTimeout, statementTimeout }
  if ('pool' in options) {
    const { pool } = options
    return { open: async () => pool, place: name, connections: sizeOf(pool) ?? 10, ...times }
  }
  const { url, connections = 10, lockTimeout = 3000 } = options
  const own = { url, connections, lockTimeout, ...times }
  return { open: () => create(own), place: placeOf(url, schemes), connections, ...times }
}

/** The hosts behind the first one, which no URL has. A comma of the password has an @ behind it. */
const OTHERS = /(?<=^[^/]*\/\/[^/?#]*)(?:,[^,@/?#]+)+(?=[/?#]|$)/

/** The place of the database, without account and password, which the error does not repeat either. */
function placeOf(address: string, schemes: readonly string[]): string {
  // `postgres://user@/database?host=/run/postgresql` has no host: it means a socket.
  const url = URL.parse(address.replace('@/', '@localhost/').replace(OTHERS, ''))
  if (url === null) {
    throw new ConfigurationError(
      'The address of the database is not a URL. Characters such as # / ? @ in its password are written as %23 %2F %3F %40.',
    )
  }
  const { protocol, host, pathname } = url
  if (schemes.includes(protocol.slice(0, -1)))
    return `${protocol}//${host}${OTHERS.exec(address)?.[0] ?? ''}${pathname}`
  throw new ConfigurationError(
    `An address of this database begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}, not with ${protocol}`,
  )
}

/** The package of a driver: what its users are called to install, and the oldest version that works. */
export interface DriverPackage {
  readonly name: string
  /** The beginning of the peer dependency's range: `8.11.0`. */
  readonly oldest: string
  readonly reaches: string
}

/** A driver, which is loaded when the first connection is needed. */
export async function loadDriver<Driver>(
  load: () => Promise<unknown>,
  { name, oldest, reaches }: DriverPackage,
): Promise<Driver> {
  const remedy = `Run: npm install ${name}`
  const module = await load().catch((cause: unknown) => {
    const isMissing = cause instanceof Error && 'code' in cause && NOT_FOUND.has(cause.code)
    const reason = `It is installed, and cannot be loaded: ${String(cause)}`
    const problem = isMissing ? remedy : reason
    throw new ConfigurationError(`${reaches} with the package ${name}. ${problem}`, { cause })
  })
  const version = await versionOf(name)
  // `8.9.1` is older than `8.11.0`.
  if (version !== null && version.localeCompare(oldest, 'en', { numeric: true }) < 0)
    throw new ConfigurationError(
      `${reaches} with the package ${name} from ${oldest} on, and ${version} is installed. ${remedy}@latest`,
    )
  // CommonJS, whose members are not always found by name: those of `pg` are not before 8.15.
  return ((module as { readonly default?: unknown }).default ?? module) as Driver
}

/** `null`: it does not tell, as versions do that are older than what we know. */
async function versionOf(name: string): Promise<string | null> {
  const file = `${name}/package.json`
  const read = import(file, { with: { type: 'json' } }) as Promise<{ default: { version: string } }>
  return read.then(
    (module) => module.default.version,
    () => null,
  )
}

const NOT_FOUND: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])
