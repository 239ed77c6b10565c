import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Statement } from '../../../src/core/ports/database.ts'
import type { Counted, CounterStore, Limit } from '../../../src/core/ports/policies/throttling.ts'
import { SqliteCounters } from '../../../src/storage/sqlite/counters.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { limitOf } from '../../contract/counter-exactness.ts'
import { testCounterStore } from '../../contract/counter-store.ts'
import {
  migratedSqlite,
  nextTurn,
  temporaryPath,
  temporarySqlite,
} from '../../contract/temporary.ts'

testCounterStore('SQLite', async () => {
  const database = openSqlite({ path: temporaryPath(afterAll) })
  await database.migrate()
  afterAll(() => database.close())
  return database.counters
})

const HOUR = 3600
const hitOf = (limit: Limit, at: number | null = null) => ({ limits: [limit], at, counting: true })
const hitting = async ({ counters }: { counters: CounterStore }, limit: Limit) =>
  counters.hit(hitOf(limit))

/** Another number after every commit of another connection. */
function watched(path: string) {
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  const statement = other.prepare('pragma data_version')
  return { other, commits: () => Object.values(statement.get()!)[0] }
}

describe('counters in SQLite', () => {
  test('of one turn are one commit, and those of another turn another', async () => {
    const database = await migratedSqlite()
    const { commits } = watched(database.path)
    const seen = new Set([commits()])
    const hits = Array.from({ length: 50 }, (_, i) =>
      hitting(database, limitOf(5, HOUR, { key: `${i}` })),
    )
    for (const hit of hits) await hit.then(() => seen.add(commits()))
    expect(seen.size).toBe(2)
    await database.counters.hit(hitOf(limitOf(5, HOUR)))
    expect(seen.has(commits())).toBe(false)
  })

  test('are answered when they are committed', async () => {
    const database = await migratedSqlite()
    const { other } = watched(database.path)
    await database.counters.hit(hitOf(limitOf(5, HOUR)))
    expect(other.prepare('select id from colophon_counter').all()).toEqual([{ id: 'log a' }])
  })

  test('are not answered as counted where the commit fails', async () => {
    const statements: string[] = []
    const writer = {
      inTransaction: true,
      first: () => undefined,
      write({ sql }: Statement) {
        statements.push(sql.slice(0, 6).trim())
        if (sql === 'COMMIT') throw new DatabaseUnavailable('The disk is full.')
        return { changes: 0 }
      },
    }
    const counters = new SqliteCounters((work) => work(writer))
    await expect(hitting({ counters }, limitOf(5, HOUR))).rejects.toThrow('The disk is full.')
    expect(statements).toEqual(['BEGIN', 'insert', 'COMMIT', 'ROLLBA'])
  })

  test('that refuse, or that are only looked at, write nothing', async () => {
    const database = await migratedSqlite()
    const limit = limitOf(1, 60)
    const start = Date.now()
    await database.counters.hit(hitOf(limit, start))
    const { commits } = watched(database.path)
    const before = commits()
    await database.counters.hit(hitOf(limit, start + 1))
    await database.counters.hit({ ...hitOf(limitOf(5, 60, { key: 'b' })), counting: false })
    await database.counters.hit(hitOf(limitOf(0, 60, { key: 'c' })))
    expect(commits()).toBe(before)
    // But for a clock that was set back.
    await database.counters.hit(hitOf(limit, start - 1))
    expect(commits()).not.toBe(before)
  })

  test('wait for another process without stopping the event loop, and are all counted then', async () => {
    const database = await migratedSqlite()
    const { other } = watched(database.path)
    other.exec('begin immediate')
    const limit = limitOf(10, HOUR)
    const hits: Promise<Counted>[] = []
    for (let turn = 0; turn < 10; turn++) {
      hits.push(hitting(database, limit), hitting(database, limit))
      // Where the lock were waited for within a call, it would never be given back.
      await pause(5)
    }
    other.exec('commit')
    const counted = await Promise.all(hits)
    expect(counted.filter(({ standings }) => standings[0]!.allowed)).toHaveLength(10)
  })

  test('say so where another process never ends', async () => {
    const database = await migratedSqlite({ busyTimeout: 30 })
    const { other } = watched(database.path)
    other.exec('begin immediate')
    const hits = Promise.allSettled(
      [1, 2].map(async () => database.counters.hit(hitOf(limitOf(5, 60)))),
    )
    expect(await hits).toMatchObject([
      { reason: expect.any(DatabaseUnavailable) },
      { reason: expect.any(DatabaseUnavailable) },
    ])
    other.exec('commit')
    const { standings } = await database.counters.hit(hitOf(limitOf(5, 60)))
    expect(standings[0]!.remaining).toBe(4)
  })

  test('wait for a transaction of this process, and are not undone with it', async () => {
    const database = await migratedSqlite()
    let hit: Promise<Counted> | null = null
    const undone = database.transaction(async () => {
      hit = hitting(database, limitOf(5, HOUR))
      await pause(10)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await hit!).standings[0]!.remaining).toBe(4)
    const again = await database.counters.hit(hitOf(limitOf(5, HOUR)))
    expect(again.standings[0]!.remaining).toBe(3)
  })

  test('begin anew with another algorithm, and are as they were with the first again', async () => {
    const { counters } = await migratedSqlite()
    const limit = limitOf(5, HOUR)
    await counters.hit(hitOf({ ...limit, cost: 5 }))
    const other = await counters.hit(hitOf({ ...limit, algorithm: 'gcra', cost: 2 }))
    expect(other.standings[0]!.remaining).toBe(3)
    expect((await counters.hit(hitOf(limit))).standings[0]!.allowed).toBe(false)
  })

  test('that no store could take are the failure of no other', async () => {
    const { counters } = await migratedSqlite()
    const wrong = Promise.allSettled([counters.hit(hitOf(limitOf(1.5, 60)))])
    expect((await counters.hit(hitOf(limitOf(5, 60)))).standings[0]!.remaining).toBe(4)
    expect(await wrong).toMatchObject([{ reason: expect.any(TypeError) }])
  })

  test('of a database without tables say what to do', async () => {
    const { counters } = temporarySqlite()
    const hit = async () => counters.hit(hitOf(limitOf(5, 60)))
    await expect(hit).rejects.toThrow(DatabaseUnavailable)
    await expect(hit).rejects.toThrow('colophon migrate')
    await expect(async () => counters.clear()).rejects.toThrow('colophon migrate')
  })

  test('that are over are deleted in time, those that block are not', async () => {
    const database = await migratedSqlite()
    const count = { sql: 'select count(*) as rows from colophon_counter', parameters: [] }
    const rows = () => database.read<{ rows: number }>(count)[0]!.rows
    const blocked = limitOf(1, 24 * HOUR, { key: 'blocked' })
    const start = Date.UTC(2026, 0, 1)
    await database.counters.hit(hitOf(blocked, start))
    const sizes: number[] = []
    for (let minute = 0; minute < 30; minute++) {
      for (let i = 0; i < 200; i++) {
        const limit = limitOf(5, 10, { key: `client ${minute} ${i}` })
        void database.counters.hit(hitOf(limit, start + minute * 60_000))
        if (i % 10 === 0) await nextTurn()
      }
      await nextTurn()
      sizes.push(rows())
    }
    expect(Math.max(...sizes)).toBeLessThan(800)
    const late = await database.counters.hit(hitOf(blocked, start + 24 * HOUR * 1000 - 1))
    expect(late.standings).toEqual([{ allowed: false, remaining: 0, wait: 1, reset: 1 }])
  })
})
