import type { Statement } from '../../contract/database.ts'
import { oncePer } from '../../std/once.ts'
import type { Execution } from '../kysely.ts'
import { OutdatedPlan } from '../pooled/failures.ts'
import type { ServerDriver } from '../pooled/server-connection.ts'
import type { PoolOptions } from '../pooled/open.ts'
import { type ConnectionPool, ServerPool } from '../pooled/server-pool.ts'
import { checkedValues, withIntegers } from '../values.ts'
import { catalogueOf, toColumnFacts } from './catalogue.ts'
import type { PostgresClient, PostgresPool, PostgresResult } from './driver.ts'
import { isOutdatedPlan, postgresFailures } from './failures.ts'
import type { StatementNames } from './statement-names.ts'

/** Options of a pool of `pg`. */
interface PostgresPoolOptions extends PoolOptions<PostgresPool> {
  /** `null`: nothing is prepared. */
  readonly names: StatementNames | null
}

/** A pool of `pg`, in our words. Errors of it are ignored: the statement under way fails anyway. */
export function createServerPool({ names, ...options }: PostgresPoolOptions): ConnectionPool {
  const open = async () => {
    const pool = await options.open()
    pool.on('error', ignore)
    return pool
  }
  return new ServerPool({ ...options, open }, driver(names))
}

function ignore(): void {}

/** The type of integers with 64 bits, which `pg` hands over as texts. */
const INT8 = 20

function driver(
  names: StatementNames | null,
): ServerDriver<PostgresPool, PostgresClient, PostgresResult> {
  const listened = oncePer((client: PostgresClient) => {
    client.on('error', ignore)
    return client
  })
  return {
    acquire: async (pool) => listened(await pool.connect()),
    release: (client, unusable) => client.release(unusable || names?.isFull(client) === true),
    identity: (client) => client,
    run: (client, statement, inTransaction) => run(client, statement, names, inTransaction),
    async send(client, text) {
      // A text of several statements has several results.
      return [await client.query({ text, values: [], rowMode: 'array' })].flat().at(-1)!
    },
    toExecution,
    async columnsOf({ fields }, execute) {
      return toColumnFacts(fields, await execute(catalogueOf(fields)))
    },
    beginning({ isolationLevel, accessMode = '', snapshot = false }) {
      if (snapshot) return ['begin isolation level repeatable read read only']
      const isolation = isolationLevel === undefined ? '' : `isolation level ${isolationLevel}`
      return [`begin ${isolation} ${accessMode}`]
    },
    takesSeveral: true,
    checkCommit({ command }) {
      // PostgreSQL undoes a transaction in which a statement failed, and calls that a success.
      if (command === 'ROLLBACK') {
        throw new Error(
          'Nothing was kept: a statement of this transaction failed, and on PostgreSQL that undoes all of it, even where the error was caught.',
        )
      }
    },
    unhurried: 'set statement_timeout = 0',
    failures: postgresFailures,
  }
}

async function run(
  client: PostgresClient,
  { sql: text, parameters }: Statement,
  names: StatementNames | null,
  inTransaction: boolean,
): Promise<PostgresResult> {
  const query = { text, values: checkedValues(parameters).slice(), rowMode: 'array' } as const
  const name = names?.nameOf(text, client)
  if (name === undefined) return client.query(query)
  try {
    return await client.query({ name, ...query })
  } catch (error) {
    if (!isOutdatedPlan(error)) throw error
    names?.forget(text)
    // Within a transaction nothing can be asked any more.
    if (inTransaction) throw new OutdatedPlan(error)
    return client.query(query)
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
