import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CounterStore, Limit } from '../../src/contract/throttling.ts'
import { openSqlite } from '../../src/databases/sqlite/open.ts'
import type { SqlDatabase } from '../../src/sql/sql-database.ts'
import { limitOf } from '../contract/counter-exactness.ts'
import { temporaryPath } from '../contract/temporary.ts'
import { type DialectName, SERVERS, migratedDatabaseUrl, opened } from '../setup/databases.ts'

const HOUR = 3600

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

/** A process that is ready to count, and begins when it is told to. */
async function started(...args: readonly string[]) {
  const program = ['test/databases/counting-process.ts', ...args]
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return { child, lines, begin: () => void child.stdin.write('begin\n') }
}

async function counted(counters: CounterStore, limits: readonly Limit[]) {
  const { standings } = await counters.hit({ limits, at: null, counting: false })
  return standings.map(({ remaining }, i) => limits[i]!.limit - remaining)
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'close')
}

describe.each(['sqlite', ...SERVERS] as const)('processes that count on %s', (dialect) => {
  const few = limitOf(5, HOUR, { key: 'few' })
  const many = limitOf(100, HOUR, { key: 'many', algorithm: 'gcra' })

  test.each([
    ['100', [[many]], 100],
    [
      'both, in either order',
      [
        [few, many],
        [many, few],
      ],
      5,
    ],
  ])(
    'let pass as many as the limit is: %s of 4 times 250',
    async (_title, sets, expected) => {
      const { address, database } = await migrated(dialect)
      const args = [dialect, address, '250', JSON.stringify(sets)]
      const processes = await Promise.all(Array.from({ length: 4 }, () => started(...args)))
      for (const { begin } of processes) begin()
      const passed = await Promise.all(
        processes.map(async ({ lines }) => (await lines.next()).value),
      )
      expect(passed.map(Number).reduce((sum, one) => sum + one)).toBe(expected)
      expect(await counted(database.counters, sets[0]!)).toEqual(sets[0]!.map(() => expected))
    },
    30_000,
  )

  test('lose nothing that was acknowledged, and hold no lock, when one is killed', async () => {
    const { address, database } = await migrated(dialect)
    const limit = limitOf(3000, HOUR)
    const { child, lines, begin } = await started(
      dialect,
      address,
      'endless',
      JSON.stringify([[limit]]),
    )
    begin()
    let acknowledged = 0
    for (; acknowledged < 400; acknowledged++) expect((await lines.next()).value).toBe('passed')
    await kill(child)
    for (let line = await lines.next(); !line.done; line = await lines.next()) acknowledged++
    const began = performance.now()
    const [before] = await counted(database.counters, [limit])
    expect(before).toBeGreaterThanOrEqual(acknowledged)
    // What was under way may have been counted without an answer.
    expect(before).toBeLessThanOrEqual(acknowledged + 100)
    const hits = Array.from({ length: 3100 - before! }, async () =>
      database.counters.hit({ limits: [limit], at: null, counting: true }),
    )
    const passed = (await Promise.all(hits)).filter(({ standings }) => standings[0]!.allowed)
    expect(passed).toHaveLength(3000 - before!)
    expect(performance.now() - began).toBeLessThan(10_000)
  }, 30_000)
})
