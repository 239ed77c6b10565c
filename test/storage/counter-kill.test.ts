import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { limitOf } from '../contract/counter-exactness.ts'
import { temporaryPath } from '../contract/temporary.ts'
import { patiently } from '../setup/patiently.ts'
import { type DialectName, SERVERS, migratedDatabaseUrl, opened } from '../setup/databases.ts'

const LIMIT = 3000
const limit = limitOf(LIMIT, 3600)

async function migrated(dialect: DialectName) {
  if (dialect !== 'sqlite') {
    const address = await migratedDatabaseUrl(dialect)
    return { address, database: opened(dialect, address) as SqlDatabase }
  }
  const address = temporaryPath()
  const database: SqlDatabase = openSqlite({ path: address })
  onTestFinished(() => database.close())
  await database.migrate()
  return { address, database }
}

/** How many requests it has acknowledged when it dies, a while after so many. */
async function acknowledgedBy(dialect: DialectName, address: string, most: number) {
  const program = ['test/storage/counting-until-killed.ts', dialect, address]
  const child = spawn(process.execPath, [...program, JSON.stringify(limit)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let lines = 0
  createInterface(child.stdout).on('line', () => {
    if (++lines === most) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  expect(signal).toBe('SIGKILL')
  return lines
}

test.each(['sqlite', ...SERVERS] as const)(
  'a process that is killed takes no count with it, and leaves no lock: %s',
  async (dialect) => {
    const { address, database } = await migrated(dialect)
    const { counters } = database
    const acknowledged = await acknowledgedBy(dialect, address, 400)
    // A server finishes what it has received.
    await pause(200)
    const look = await patiently(() => counters.hit({ limits: [limit], at: null, counting: false }))
    const counted = LIMIT - look.standings[0]!.remaining
    expect(counted).toBeGreaterThanOrEqual(acknowledged)
    // What was under way may be counted without an answer.
    expect(counted).toBeLessThanOrEqual(acknowledged + 100)
    const hits = Array.from({ length: LIMIT + 100 - counted }, () =>
      patiently(() => counters.hit({ limits: [limit], at: null, counting: true })),
    )
    const passed = (await Promise.all(hits)).filter(({ standings }) => standings[0]!.allowed)
    expect(passed).toHaveLength(LIMIT - counted)
  },
)
