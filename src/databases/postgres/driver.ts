import { inTime } from '../in-time.ts'
import { type OwnPoolOptions, loaded } from '../pooled/open.ts'
import { IDLE_IN_TRANSACTION, KEEP_ALIVE } from '../pooled/server-pool.ts'

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

interface Driver {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => PostgresPool
  readonly types: { readonly getTypeParser: ParserOf }
}

/** By the number of a type: what makes a value of its text. */
type ParserOf = (type: number, format?: string) => (text: string) => unknown

const MISSING = 'PostgreSQL is reached with the package pg. Run: npm install pg'

export async function createPool(
  options: OwnPoolOptions,
  load: () => Promise<unknown> = () => import('pg'),
): Promise<PostgresPool> {
  const { url, connections, connectTimeout } = options
  const { Pool, types } = await loaded<Driver>(load, MISSING)
  const settings = settingsOf(options)
  return new Pool({
    connectionString: url,
    types: { getTypeParser: inUtc(types.getTypeParser) },
    max: connections,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    // What waits in the pool keeps no program from ending.
    allowExitOnIdle: true,
    // Sent on the connection, because poolers refuse it as a parameter of the start.
    onConnect: (client: { query(text: string): Promise<unknown> }) =>
      inTime(client.query(settings), connectTimeout, () => new Error('timeout expired')),
  })
}

const DATE = 1082
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/** What has no zone is in UTC: the driver would take that of the machine, and a day in Tokyo would be the day before. */
function inUtc(parserOf: ParserOf): ParserOf {
  return (type, format) => {
    if ((type !== DATE && type !== TIMESTAMP) || format === 'binary') return parserOf(type, format)
    const parse = parserOf(TIMESTAMPTZ, format)
    const clock = type === DATE ? ' 00:00:00+00' : '+00'
    return (text) => parse(/\d/.test(text) ? text.replace(/(?= BC$|$)/, clock) : text)
  }
}

function settingsOf({ lockTimeout, statementTimeout }: OwnPoolOptions): string {
  return [
    `set lock_timeout = ${Math.trunc(lockTimeout)}`,
    `set statement_timeout = ${Math.trunc(statementTimeout ?? 0)}`,
    // A client that disappears in the middle of a transaction leaves its locks behind.
    `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION}`,
  ].join('; ')
}
