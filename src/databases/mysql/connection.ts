import type { ColumnFacts, Statement } from '../../contract/database.ts'
import type { Beginning, ConnectionPool, PooledConnection } from '../pooled/connection-pool.ts'
import type { Execution } from '../kysely.ts'
import {
  type DriverPool,
  type PoolLimits,
  LONGEST_PREPARED,
  ServerPool,
  type Wire,
} from '../pooled/server-pool.ts'
import { checkedValues, withIntegers } from '../values.ts'
import { tablesAmong, toColumnFacts } from './catalogue.ts'
import {
  type MysqlColumn,
  type MysqlConnection,
  type MysqlPool,
  type MysqlResult,
  type MysqlStatement,
  type RawConnection,
  UNHURRIED,
} from './driver.ts'
import { mysqlFailures } from './failures.ts'

/** What a pool is made from. */
interface PoolOptions extends PoolLimits {
  /** Called when the first connection is needed. */
  readonly open: () => Promise<MysqlPool>
}

/** A pool of `mysql2`, in our words. */
export function createServerPool({ open, ...limits }: PoolOptions): ConnectionPool {
  return new ServerPool<MysqlConnection>(limits, {
    open: async () => driverPool(await open()),
    connection: (connection, wire) => new Connection(connection, wire),
    failures: mysqlFailures,
  })
}

function driverPool(pool: MysqlPool): DriverPool<MysqlConnection> {
  return {
    acquire: () => pool.getConnection(),
    release(connection, unusable) {
      if (unusable) destroy(connection)
      else connection.release()
    },
    // Promises are wrapped around a connection anew each time.
    identity: (client) => client.connection ?? client,
    end: () => pool.end(),
  }
}

/** `mysql2` says goodbye, and would wait for an answer of a server that is silent. */
function destroy(connection: MysqlConnection): void {
  connection.destroy()
  const raw: Partial<RawConnection> | undefined = connection.connection
  raw?.stream?.destroy?.()
}

class Connection implements PooledConnection {
  readonly #connection: MysqlConnection
  readonly #wire: Wire

  constructor(connection: MysqlConnection, wire: Wire) {
    this.#connection = connection
    this.#wire = wire
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
    return this.#wire.ask(() =>
      values.length === 0
        ? this.#connection.query(statement)
        : this.#prepared(statement, values as never[]),
    )
  }

  /** A long text is prepared for once, as what the server keeps for it is long, too. */
  async #prepared(statement: MysqlStatement, values: never[]): Promise<MysqlResult> {
    const result = this.#connection.execute(statement, values)
    if (statement.sql.length <= LONGEST_PREPARED) return result
    try {
      return await result
    } finally {
      this.#connection.unprepare?.(statement)
    }
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

  async unhurry(): Promise<void> {
    await this.#command(UNHURRIED)
    this.#wire.unhurry()
  }

  release(unusable = false): void {
    this.#wire.release(unusable)
  }

  async #command(sql: string): Promise<void> {
    await this.#wire.ask(() => this.#connection.query({ sql, rowsAsArray: true }))
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
