import { ConfigurationError } from '../../errors/configuration-error.ts'

/** The part of `Pool` of the package `pg` that we use; any compatible pool will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  /** Connections that break while nobody uses them are no reason for a program to end. */
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** One connection of such a pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  release(unusable?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** A statement, as `pg` takes it; one with a name is prepared once on each connection. */
export interface PostgresQuery {
  readonly text: string
  readonly values: unknown[]
  readonly rowMode: 'array'
  readonly name?: string
}

/** What a statement found. */
export interface PostgresResult {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: unknown[][]
  readonly fields: readonly PostgresField[]
}

/** A column of what was found, with numbers from the catalogue; those of a computed column are 0. */
export interface PostgresField {
  readonly name: string
  readonly dataTypeID: number
  readonly tableID: number
  readonly columnID: number
}

/** How a pool of our own connects. */
export interface PostgresPoolOptions {
  readonly url: string
  readonly connections: number
  readonly connectTimeout: number
  readonly lockTimeout: number
}

interface Driver {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
}

/** Makes a pool with the package `pg`, which is loaded now. */
export async function createPool(
  { url, connections, connectTimeout, lockTimeout }: PostgresPoolOptions,
  load: () => Promise<unknown> = () => import('pg'),
): Promise<PostgresPool> {
  const { Pool } = await driver(load)
  return new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    // What waits in the pool keeps no program from ending.
    allowExitOnIdle: true,
    // Said on the connection, because poolers refuse it as a parameter of the start.
    onConnect: (client: { query(text: string): Promise<unknown> }) =>
      client.query(`set lock_timeout = ${Math.trunc(lockTimeout)}`),
  })
}

async function driver(load: () => Promise<unknown>): Promise<Driver> {
  try {
    return (await load()) as Driver
  } catch (error) {
    throw new ConfigurationError('PostgreSQL is reached with the package pg. Run: npm install pg', {
      cause: error,
    })
  }
}
