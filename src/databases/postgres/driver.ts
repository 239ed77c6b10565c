import { ConfigurationError } from '../../errors/configuration-error.ts'
import { inTime } from '../pooled/in-time.ts'
import { IDLE_IN_TRANSACTION, KEEP_ALIVE } from '../pooled/server-pool.ts'

/** The part of `Pool` of the package `pg` that we use; any compatible pool will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
  /** Connections that break while nobody uses them are no reason for a program to end. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** `max`: connections at most. */
  readonly options?: { readonly max?: number | undefined }
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

/** How a pool of our own connects; times in milliseconds. */
export interface PostgresPoolOptions {
  readonly url: string
  readonly connections: number
  readonly connectTimeout: number
  readonly lockTimeout: number
  readonly statementTimeout: number | null
}

interface Driver {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
}

/** Makes a pool with the package `pg`, which is loaded now. */
export async function createPool(
  options: PostgresPoolOptions,
  load: () => Promise<unknown> = () => import('pg'),
): Promise<PostgresPool> {
  const { url, connections, connectTimeout } = options
  const { Pool } = await driver(load)
  const settings = settingsOf(options)
  return new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    // What waits in the pool keeps no program from ending.
    allowExitOnIdle: true,
    // Said on the connection, because poolers refuse it as a parameter of the start.
    onConnect: (client: { query(text: string): Promise<unknown> }) =>
      inTime(client.query(settings), connectTimeout, () => new Error('timeout expired')),
  })
}

/** Whoever is gone in the middle of a transaction leaves no lock behind for longer. */
function settingsOf({ lockTimeout, statementTimeout }: PostgresPoolOptions): string {
  const settings = {
    lock_timeout: lockTimeout,
    statement_timeout: statementTimeout ?? 0,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
  }
  return Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${Math.trunc(value)}`)
    .join('; ')
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
