import { type Accounts, defineAccounts } from 'colophon/accounts'
import { type SqlDatabase, type Statement, openDatabase } from 'colophon/sql'
import { type Configuration, MemoryCounters } from 'colophon'
import { randomBytes } from 'node:crypto'
import { AdjustableClock } from './clock.ts'
import type { WorldData } from './data.ts'
import { emptied, runAll, takeSnapshot, turnBackCounters, writtenTo } from './snapshot.ts'
import { type Library, libraryIn, migrations, writtenTime } from './tables.ts'

/** The cases check some five hundred passwords, and the world has no secrets. */
const CHEAP = { memory: 8, passes: 1, parallelism: 1 } as const

/** The data of the service and what looks after it. */
export interface World {
  readonly database: SqlDatabase
  readonly accounts: Accounts
  readonly library: Library
  readonly clock: AdjustableClock
  readonly counters: MemoryCounters
  /** Everything is as after loading. */
  reset(): Promise<void>
}

/** Fills the database of a configuration with the world. What was in these tables before is gone. */
export async function createWorld(configuration: Configuration, data: WorldData): Promise<World> {
  const database = openDatabase({ configuration, migrations })
  const secretKey = randomBytes(32).toString('hex')
  const accounts = defineAccounts({ database, configuration, secretKey, passwordCost: CHEAP })
  const library = libraryIn(database)
  const clock = new AdjustableClock(data.clock)
  const counters = new MemoryCounters()
  await database.migrate()
  await runAll(database, emptied)
  await loadUsers(data, accounts)
  await runAll(database, booksOf(data, database, library))
  const start = await takeSnapshot(database, booksOf(data, database, library))
  let written: string | null = null
  const reset = async (): Promise<void> => {
    clock.reset()
    counters.clear()
    // Most cases only read, and leave everything as it was.
    if (written !== null && written === (await writtenTo(database))) return
    await runAll(database, start)
    await turnBackCounters(database)
    written = await writtenTo(database)
  }
  return { database, accounts, library, clock, counters, reset }
}

/** Users are created through the public API, which hashes the passwords once; the rows it made are kept. */
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

/** The statements that fill the library, in the words of the data. */
function booksOf(
  { authors, books }: WorldData,
  database: SqlDatabase,
  { db }: Library,
): readonly Statement[] {
  const rows = books.map((book) => ({ ...book, created: writtenTime(database, book.created) }))
  return [
    db.insertInto('author').values(authors.slice()).compile(),
    db.insertInto('book').values(rows).compile(),
  ]
}
