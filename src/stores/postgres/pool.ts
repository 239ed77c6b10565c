import type { ColumnFacts, Statement } from '../../contract/storage.ts'
import type {
  Beginning,
  ConnectionPool,
  Execution,
  PooledConnection,
} from '../sql/connection-pool.ts'
import { ConnectionLost, closedDatabase } from '../sql/connection-lost.ts'
import { OutdatedPlan } from '../sql/outdated-plan.ts'
import { checkedValues, withIntegers } from '../sql/values.ts'
import { catalogueOf, toColumnFacts } from './column-facts.ts'
import type { PostgresClient, PostgresPool, PostgresResult } from './driver.ts'
import { isOutdatedPlan, translated, unreachable } from './failures.ts'
import type { StatementNames } from './statement-names.ts'

/** What connections share. */
interface Shared {
  /** Where the database is, for messages. */
  readonly place: string
  /** `null`: nothing is prepared. */
  readonly names: StatementNames | null
}

/** What a pool is made from. */
export interface PoolOptions extends Shared {
  /** Called when the first connection is needed. */
  readonly open: () => Promise<PostgresPool>
}

/** A pool of `pg`, in our words. */
export class Pool implements ConnectionPool {
  readonly #options: PoolOptions
  readonly #known = new WeakSet<PostgresClient>()
  #pool: Promise<PostgresPool> | null = null
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  async connect(): Promise<PooledConnection> {
    const pool = await this.#opened()
    try {
      return new Connection(this.#heard(await pool.connect()), this.#options)
    } catch (error) {
      throw unreachable(error, this.#options.place)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const pool = await this.#pool?.catch(() => null)
    this.#pool = null
    // A connection that is broken cannot be told to end, and has ended.
    await pool?.end().catch(() => undefined)
  }

  #opened(): Promise<PostgresPool> {
    if (this.#closed) throw closedDatabase(this.#options.place)
    return (this.#pool ??= this.#open())
  }

  async #open(): Promise<PostgresPool> {
    const pool = await this.#options.open()
    // The pool has replaced the connection by the time we hear of it.
    pool.on('error', ignore)
    return pool
  }

  /** A client that breaks says so to everybody; the statement under way fails anyway. */
  #heard(client: PostgresClient): PostgresClient {
    if (this.#known.has(client)) return client
    this.#known.add(client)
    client.on('error', ignore)
    return client
  }
}

function ignore(): void {}

const SNAPSHOT = 'begin isolation level repeatable read read only'

/** The type of integers with 64 bits, which `pg` hands over as texts. */
const INT8 = 20

class Connection implements PooledConnection {
  readonly #client: PostgresClient
  readonly #shared: Shared
  #lost = false
  #inTransaction = false

  constructor(client: PostgresClient, shared: Shared) {
    this.#client = client
    this.#shared = shared
  }

  async execute({ sql, parameters }: Statement): Promise<Execution> {
    const values = checkedValues(parameters).slice()
    return toExecution(await this.#trying(() => this.#query(sql, values)))
  }

  async describe({ sql, parameters }: Statement): Promise<readonly ColumnFacts[]> {
    const values = checkedValues(parameters).slice()
    const { fields } = await this.#trying(() => this.#query(sql, values))
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

  release(unusable = false): void {
    this.#client.release(unusable || this.#lost)
  }

  async #command(text: string): Promise<PostgresResult> {
    try {
      const results = await this.#client.query({ text, values: [], rowMode: 'array' })
      // A text of several statements has several results.
      return [results].flat().at(-1)!
    } catch (error) {
      throw this.#failed(error)
    }
  }

  async #query(text: string, values: unknown[]): Promise<PostgresResult> {
    const { names } = this.#shared
    const name = names?.nameOf(text)
    if (name === undefined) return this.#client.query({ text, values, rowMode: 'array' })
    try {
      return await this.#client.query({ name, text, values, rowMode: 'array' })
    } catch (error) {
      if (!isOutdatedPlan(error)) throw error
      names?.forget(text)
      // Within a transaction nothing can be asked any more.
      if (this.#inTransaction) throw new OutdatedPlan(error)
      return this.#client.query({ text, values, rowMode: 'array' })
    }
  }

  async #trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#failed(error)
    }
  }

  #failed(error: unknown): unknown {
    const failure = translated(error, this.#shared.place)
    this.#lost ||= failure instanceof ConnectionLost
    return failure
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
