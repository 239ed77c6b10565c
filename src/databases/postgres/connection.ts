import type { ColumnFacts, Statement } from '../../contract/database.ts'
import type { Beginning, ConnectionPool, PooledConnection } from '../pooled/connection-pool.ts'
import { OutdatedPlan } from '../pooled/failures.ts'
import type { Execution } from '../kysely.ts'
import { type DriverPool, type PoolLimits, ServerPool, type Wire } from '../pooled/server-pool.ts'
import { checkedValues, withIntegers } from '../values.ts'
import { catalogueOf, toColumnFacts } from './catalogue.ts'
import type { PostgresClient, PostgresPool, PostgresResult } from './driver.ts'
import { isOutdatedPlan, postgresFailures } from './failures.ts'
import type { StatementNames } from './statement-names.ts'

/** What a pool is made from. */
interface PoolOptions extends PoolLimits {
  /** Called when the first connection is needed. */
  readonly open: () => Promise<PostgresPool>
  /** `null`: nothing is prepared. */
  readonly names: StatementNames | null
}

/** A pool of `pg`, in our words. */
export function createServerPool({ open, names, ...limits }: PoolOptions): ConnectionPool {
  return new ServerPool<PostgresClient>(limits, {
    open: async () => driverPool(await open(), names),
    connection: (client, wire) => new Connection(client, wire, names),
    failures: postgresFailures,
  })
}

/** Errors of connections and of the pool are ignored: the statement under way fails anyway. */
function driverPool(pool: PostgresPool, names: StatementNames | null): DriverPool<PostgresClient> {
  const known = new WeakSet<PostgresClient>()
  pool.on('error', ignore)
  return {
    async acquire() {
      const client = await pool.connect()
      if (!known.has(client)) client.on('error', ignore)
      known.add(client)
      return client
    },
    release: (client, unusable) => client.release(unusable || names?.isFull(client) === true),
    identity: (client) => client,
    end: () => pool.end(),
  }
}

function ignore(): void {}

const SNAPSHOT = 'begin isolation level repeatable read read only'

/** The type of integers with 64 bits, which `pg` hands over as texts. */
const INT8 = 20

class Connection implements PooledConnection {
  readonly #client: PostgresClient
  readonly #wire: Wire
  readonly #names: StatementNames | null
  #inTransaction = false

  constructor(client: PostgresClient, wire: Wire, names: StatementNames | null) {
    this.#client = client
    this.#wire = wire
    this.#names = names
  }

  async execute({ sql, parameters }: Statement): Promise<Execution> {
    const values = checkedValues(parameters).slice()
    return toExecution(await this.#wire.ask(() => this.#query(sql, values)))
  }

  async describe({ sql, parameters }: Statement): Promise<readonly ColumnFacts[]> {
    const values = checkedValues(parameters).slice()
    const { fields } = await this.#wire.ask(() => this.#query(sql, values))
    const known = await this.execute(catalogueOf(fields))
    return toColumnFacts(fields, known)
  }

  async begin({ isolationLevel, accessMode, snapshot = false }: Beginning): Promise<void> {
    if (snapshot) await this.#command(SNAPSHOT)
    else {
      const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`
      await this.#command(`begin${isolation}${accessMode === undefined ? '' : ` ${accessMode}`}`)
    }
    this.#inTransaction = true
  }

  async beginWith(first: Statement): Promise<Execution> {
    this.#inTransaction = true
    if (first.parameters.length === 0)
      return toExecution(await this.#command(`${SNAPSHOT}; ${first.sql}`))
    await this.#command(SNAPSHOT)
    return this.execute(first)
  }

  async commit(): Promise<void> {
    const { command } = await this.#command('commit')
    this.#inTransaction = false
    // PostgreSQL undoes a transaction in which a statement failed, and calls that a success.
    if (command === 'ROLLBACK') {
      throw new Error(
        'Nothing was kept: a statement of this transaction failed, and on PostgreSQL that undoes all of it, even where the error was caught.',
      )
    }
  }

  async rollback(): Promise<void> {
    await this.#command('rollback')
    this.#inTransaction = false
  }

  async unhurry(): Promise<void> {
    await this.#command('set statement_timeout = 0')
    this.#wire.unhurry()
  }

  release(unusable = false): void {
    this.#wire.release(unusable)
  }

  async #command(text: string): Promise<PostgresResult> {
    const results = await this.#wire.ask(() =>
      this.#client.query({ text, values: [], rowMode: 'array' }),
    )
    // A text of several statements has several results.
    return [results].flat().at(-1)!
  }

  async #query(text: string, values: unknown[]): Promise<PostgresResult> {
    const name = this.#names?.nameOf(text, this.#client)
    if (name === undefined) return this.#client.query({ text, values, rowMode: 'array' })
    try {
      return await this.#client.query({ name, text, values, rowMode: 'array' })
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error
      this.#names?.forget(text)
      // Within a transaction nothing can be asked any more.
      if (this.#inTransaction) throw new OutdatedPlan(error)
      return this.#client.query({ text, values, rowMode: 'array' })
    }
  }
}

function toExecution({ command, rowCount, rows, fields }: PostgresResult): Execution {
  const integers = fields.flatMap(({ dataTypeID }, place) => (dataTypeID === INT8 ? [place] : []))
  return {
    columns: fields.map(({ name }) => name),
    values: withIntegers(rows, integers),
    changes: CHANGING.has(command) ? rowCount : null,
  }
}

const CHANGING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
