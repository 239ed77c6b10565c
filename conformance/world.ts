import { type Accounts, type SqlDatabase, type Statement, defineAccounts } from 'colophon/sqlite'
import { type Configuration, MemoryCounters } from 'colophon'
import { randomBytes } from 'node:crypto'
import { AdjustableClock } from './clock.ts'
import type { WorldData } from './data.ts'
import { emptied, runAll, takeSnapshot, turnBackCounters } from './snapshot.ts'
import { type Queries, createTables, queriesOf } from './tables.ts'

/** The data of the service and what looks after it. */
export interface World {
  readonly database: SqlDatabase
  readonly accounts: Accounts
  readonly queries: Queries
  readonly clock: AdjustableClock
  readonly counters: MemoryCounters
  /** Everything is as after loading. */
  reset(): Promise<void>
}

/** Fills a database with the world. What was in these tables before is gone. */
export async function createWorld(
  database: SqlDatabase,
  configuration: Configuration,
  data: WorldData,
): Promise<World> {
  const secretKey = randomBytes(32).toString('hex')
  const accounts = defineAccounts({ database, configuration, secretKey })
  const queries = queriesOf(database)
  const clock = new AdjustableClock(data.clock)
  const counters = new MemoryCounters()
  await database.migrate()
  await createTables(database)
  const start = await load(data, { database, accounts, queries })
  const reset = async (): Promise<void> => {
    clock.reset()
    counters.clear()
    await runAll(database, start)
    await turnBackCounters(database)
  }
  return { database, accounts, queries, clock, counters, reset }
}

type Loading = Pick<World, 'database' | 'accounts' | 'queries'>

/** Loads through the public API, which hashes the passwords once; the rows it made are kept. */
async function load(
  data: WorldData,
  { database, accounts, queries }: Loading,
): Promise<readonly Statement[]> {
  await runAll(database, emptied)
  await loadUsers(data, accounts)
  await queries.insertInto('author').values(data.authors.slice()).execute()
  await queries.insertInto('book').values(data.books.map(toRow)).execute()
  return takeSnapshot(database)
}

async function loadUsers({ users, tokens }: WorldData, accounts: Accounts): Promise<void> {
  for (const { id, username, password, email, is_active: isActive, is_staff: isStaff } of users) {
    // One after the other: ids are given in the order of creation.
    const user = await accounts.users.create({ username, password, email, isActive, isStaff })
    if (user.id !== id)
      throw new Error(`User ${username} should have the id ${id}, and got ${user.id}.`)
    const token = tokens.find((each) => each.user === username)
    if (token !== undefined) await accounts.tokens.create(user, token.key)
  }
}

function toRow({ price, created, ...book }: WorldData['books'][number]) {
  return { ...book, price: Math.round(Number(price) * 100), created: withMicroseconds(created) }
}

function withMicroseconds(time: string): string {
  return time.includes('.') ? time : time.replace('Z', '.000000Z')
}
