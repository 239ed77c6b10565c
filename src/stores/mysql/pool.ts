import type { ColumnFacts, Statement } from '../../contract/storage.ts'
import type {
  Beginning,
  ConnectionPool,
  Execution,
  PooledConnection,
} from '../sql/connection-pool.ts'
import { ConnectionLost, closedDatabase } from '../sql/connection-lost.ts'
import { checkedValues, withIntegers } from '../sql/values.ts'
import { tablesAmong, toColumnFacts } from './column-facts.ts'
import type { MysqlColumn, MysqlConnection, MysqlPool, MysqlResult } from './driver.ts'
import { allBusy, translated, unreachable } from './failures.ts'

/** What a pool is made from. */
export interface PoolOptions {
  /** Called when the first connection is needed. */
  readonly open: () => Promise<MysqlPool>
  /** Where the database is, for messages. */
  readonly place: string
  /** Milliseconds to wait for a connection. */
  readonly patience: number
}

/** A pool of `mysql2`, in our words. */
export class Pool implements ConnectionPool {
  readonly #options: PoolOptions
  #pool: Promise<MysqlPool> | null = null
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async connect(): Promise<PooledConnection> {
    const { place, open } = this.#options
    if (this.#closed) throw closedDatabase(place)
    const pool = await (this.#pool ??= open())
    return new Connection(await this.#inTime(pool), place)
  }

  async close(): Promise<void> {
    this.#closed = true
    const pool = await this.#pool?.catch(() => null)
    this.#pool = null
    // A connection that is broken cannot be told to end, and has ended.
    await pool?.end().catch(() => undefined)
  }

  /** `mysql2` lets wait for ever. A connection that comes too late goes back. */
  #inTime(pool: MysqlPool): Promise<MysqlConnection> {
    const { place, patience } = this.#options
    return new Promise((resolve, reject) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        reject(allBusy(place))
      }, patience)
      pool.getConnection().then(
        (connection) => {
          clearTimeout(timer)
          if (late) connection.release()
          else resolve(connection)
        },
        (error: unknown) => {
          clearTimeout(timer)
          reject(unreachable(error, place))
        },
      )
    })
  }
}

class Connection implements PooledConnection {
  readonly #connection: MysqlConnection
  readonly #place: string
  #lost = false

  constructor(connection: MysqlConnection, place: string) {
    this.#connection = connection
    this.#place = place
  }

  async execute(statement: Statement): Promise<Execution> {
    return toExecution(await this.#run(statement))
  }

  async describe(statement: Statement): Promise<readonly ColumnFacts[]> {
    const [, columns = []] = await this.#run(statement)
    const question = tablesAmong(columns)
    const found = question === null ? [] : (await this.execute(question)).values.flat()
    return toColumnFacts(columns, new Set(found))
  }

  #run({ sql, parameters }: Statement): Promise<MysqlResult> {
    const values = checkedValues(parameters).map(toMysqlValue)
    const statement = { sql, rowsAsArray: true } as const
    // Not every command can be prepared, and those that cannot have no values.
    return this.#translating(() =>
      values.length === 0
        ? this.#connection.query(statement)
        : this.#connection.execute(statement, values as never[]),
    )
  }

  async begin({ isolationLevel, accessMode, snapshot = false }: Beginning): Promise<void> {
    if (snapshot) return this.#command('start transaction with consistent snapshot, read only')
    if (isolationLevel !== undefined)
      await this.#command(`set transaction isolation level ${isolationLevel}`)
    await this.#command(`start transaction${accessMode === undefined ? '' : ` ${accessMode}`}`)
  }

  async beginWith(first: Statement): Promise<Execution> {
    await this.begin({ snapshot: true })
    return this.execute(first)
  }

  commit(): Promise<void> {
    return this.#command('commit')
  }

  rollback(): Promise<void> {
    return this.#command('rollback')
  }

  release(unusable = false): void {
    if (unusable || this.#lost) this.#connection.destroy()
    else this.#connection.release()
  }

  async #command(sql: string): Promise<void> {
    await this.#translating(() => this.#connection.query({ sql, rowsAsArray: true }))
  }

  async #translating<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const failure = translated(error, this.#place)
      this.#lost ||= failure instanceof ConnectionLost
      throw failure
    }
  }
}

/** Bytes that are no Buffer would be sent as a text. */
function toMysqlValue(value: unknown): unknown {
  if (!ArrayBuffer.isView(value) || Buffer.isBuffer(value)) return value
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** The type of integers with 64 bits; those beyond 2^53 come as texts. */
const LONGLONG = 8

function toExecution([found, columns = []]: MysqlResult): Execution {
  if (!Array.isArray(found)) return done(found as Done)
  const integers = columns.flatMap(({ columnType }, place) =>
    columnType === LONGLONG ? [place] : [],
  )
  return {
    columns: columns.map(({ name }: MysqlColumn) => name),
    values: withIntegers(found as unknown[][], integers),
    changes: null,
  }
}

interface Done {
  readonly affectedRows: number
  readonly insertId: number | string
}

function done({ affectedRows, insertId }: Done): Execution {
  const nothing = { columns: [], values: [], changes: affectedRows }
  return Number(insertId) === 0 ? nothing : { ...nothing, insertId: BigInt(insertId) }
}
