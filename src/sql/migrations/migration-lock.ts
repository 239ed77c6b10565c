import { type Kysely, sql } from 'kysely'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import type { Dialect } from '../dialect.ts'

type Work<T> = (connection: Kysely<unknown>) => Promise<T>

/** Seconds to wait while another process migrates. */
const PATIENCE = 600

/**
 * Does work on one connection while nobody else does such work. On SQLite and PostgreSQL it is a
 * transaction, so all of it is done or nothing.
 *
 * @throws DatabaseUnavailable another process has been migrating for ten minutes
 */
export function exclusively<T>(
  database: Kysely<unknown>,
  dialect: Dialect,
  work: Work<T>,
): Promise<T> {
  if (dialect.id === 'mysql') return database.connection().execute((only) => named(only, work))
  return database.transaction().execute(async (transaction) => {
    // A transaction of SQLite is the only one that writes.
    if (dialect.id === 'postgres') await lockPostgres(transaction)
    return work(transaction)
  })
}

/** A number that means this and nothing else; the lock ends with the transaction. */
const NUMBER = 4_033_250_142_908_817_153n

async function lockPostgres(transaction: Kysely<unknown>): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(PATIENCE * 1000)}`.execute(transaction)
  await sql`select pg_advisory_xact_lock(${sql.lit(NUMBER)})`.execute(transaction)
}

/** Locks of MySQL belong to the whole server, so the name of the database is in it. They end with the connection, too. */
const NAME = sql`concat('colophon ', left(sha2(database(), 256), 40))`

async function named<T>(connection: Kysely<unknown>, work: Work<T>): Promise<T> {
  const lock = sql<{ got: number | null }>`select get_lock(${NAME}, ${sql.lit(PATIENCE)}) as got`
  const { rows } = await lock.execute(connection)
  if (rows[0]?.got !== 1) {
    throw new DatabaseUnavailable('Another process is migrating this database. Try again.')
  }
  try {
    return await work(connection)
  } finally {
    await sql`select release_lock(${NAME})`.execute(connection)
  }
}
