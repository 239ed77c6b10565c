import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Statement } from '../../../src/core/ports/database.ts'
import type { Limit } from '../../../src/core/ports/policies/throttling.ts'
import { PooledCounters } from '../../../src/storage/pooled/counters.ts'
import { postgresDialect } from '../../../src/storage/postgres/open.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { limitOf } from '../../contract/counter-exactness.ts'
import { nextTurn } from '../../contract/temporary.ts'
import {
  DIALECTS,
  SERVERS,
  emptyDatabase,
  migratedDatabase,
  migratedDatabaseUrl,
  opened,
  placeholder,
} from '../../setup/databases.ts'

const HOUR = 3600

class Deadlock extends Error {
  readonly code = '40P01'
}

/** A server that lets everything pass, and answers when it is told to. */
class SlowServer {
  readonly dialect = postgresDialect
  readonly statements = postgresDialect.counters
  readonly asked: Statement[] = []
  underway = 0
  most = 0
  /** The next statements fail with these. */
  failures: Error[] = []
  #answers: (() => void)[] = []
  readonly counters = new PooledCounters(this)

  readonly ask = async (statement: Statement): Promise<unknown> => {
    this.asked.push(statement)
    this.most = Math.max(this.most, ++this.underway)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answers.push(resolve)
    await promise
    this.underway--
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
    return answerTo(statement)
  }

  hit(...limits: readonly Limit[]) {
    return this.counters.hit({ limits, at: null, counting: true })
  }

  async answer(): Promise<void> {
    this.#answers.shift()?.()
    await nextTurn()
  }

  async answerAll(): Promise<void> {
    for (let idle = 0; idle < 10; idle++) {
      await pause(1)
      if (this.#answers.length === 0) continue
      await this.answer()
      idle = 0
    }
  }
}

/** For tasks of one limit each. */
function answerTo({ parameters: [ids, work] }: Statement): string {
  if (!Array.isArray(ids)) return ''
  const tasks = String(work).slice(1, -1).split(',').length / 10
  return Array.from({ length: tasks }, () => '1000,1,4,0,60').join(',')
}

/** A statement is slow when a timer says so, also where this process has waited for its own turn. */
function takeNothingForSlow(): void {
  vi.stubGlobal('setTimeout', () => 0)
  onTestFinished(() => void vi.unstubAllGlobals())
}

describe('hits that wait at the same moment', () => {
  const one = limitOf(5, HOUR)

  test('travel as one statement, on one connection', async () => {
    takeNothingForSlow()
    const server = new SlowServer()
    const first = Array.from({ length: 20 }, () => server.hit(one))
    await nextTurn()
    const later = Array.from({ length: 30 }, () => server.hit(one))
    await nextTurn()
    expect(server.asked).toHaveLength(1)
    await server.answerAll()
    const counted = await Promise.all([...first, ...later])
    expect(counted[49]).toEqual({
      at: 1000,
      standings: [{ allowed: true, remaining: 4, wait: 0, reset: 60 }],
    })
    expect([server.asked.length, server.most]).toEqual([2, 1])
  })

  test('are at most 250 of one statement', async () => {
    takeNothingForSlow()
    const server = new SlowServer()
    const hits = Array.from({ length: 600 }, () => server.hit(one))
    await server.answerAll()
    await Promise.all(hits)
    expect([server.asked.length, server.most]).toEqual([3, 1])
  })

  test('get a second connection where the first is slow, and never a third', async () => {
    const server = new SlowServer()
    const hits: Promise<unknown>[] = []
    for (let wave = 0; wave < 4; wave++) {
      hits.push(server.hit(one))
      await pause(40)
    }
    expect([server.asked.length, server.most]).toEqual([2, 2])
    await server.answerAll()
    await Promise.all(hits)
    expect([server.asked.length, server.most]).toEqual([3, 2])
  })

  test('are not counted late, when no request waits for them any more', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = new SlowServer()
    const first = server.hit(one)
    await nextTurn()
    const late = Promise.allSettled([server.hit(one), server.counters.withdraw([one], 0)])
    vi.advanceTimersByTime(5001)
    const third = server.hit(one)
    await server.answerAll()
    await Promise.all([first, third])
    expect(await late).toMatchObject([
      { reason: expect.any(DatabaseUnavailable) },
      { reason: expect.any(DatabaseUnavailable) },
    ])
    expect(server.asked.map(({ parameters }) => parameters[1])).toHaveLength(2)
  })

  test('are asked again where their statement was given up for another one', async () => {
    const server = new SlowServer()
    server.failures = [
      new DatabaseUnavailable('deadlock', { cause: new Deadlock() }),
      new Deadlock(),
    ]
    const hit = server.hit(one)
    await server.answerAll()
    await hit
    expect(server.asked).toHaveLength(3)
  })

  test('fail together where the database is away, and are not asked again', async () => {
    const server = new SlowServer()
    server.failures = [new DatabaseUnavailable('away')]
    const hits = Promise.allSettled([server.hit(one), server.hit(one)])
    await server.answerAll()
    expect((await hits).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(server.asked).toHaveLength(1)
  })

  test('that no database could take fail alone', async () => {
    const server = new SlowServer()
    const wrong: readonly Partial<Limit>[] = [
      { key: 'a\0' },
      { key: '\uD800' },
      { key: 'x'.repeat(251) },
      { limit: 1.5 },
      { limit: Number.NaN },
      { limit: 2 ** 50 },
      { cost: -1 },
      { cost: 0.5 },
      { seconds: 0 },
      { seconds: 0.0001 },
    ]
    const refused = Promise.allSettled(wrong.map((each) => server.hit({ ...one, ...each })))
    const hit = server.hit(one)
    await server.answerAll()
    await hit
    expect((await refused).map((each) => each.status)).toEqual(wrong.map(() => 'rejected'))
    expect(server.asked).toHaveLength(1)
  })

  test('sweep what is over now and then, and do not mind where that fails', async () => {
    const server = new SlowServer()
    const hits = Array.from({ length: 300 }, (_, i) => server.hit(limitOf(5, 60, { key: `k${i}` })))
    await server.answer()
    await server.answer()
    const isSweep = ({ sql }: Statement) => sql.startsWith('delete')
    await server.answerAll()
    server.failures = [new Error('no sweep today')]
    await Promise.all(hits)
    expect(server.asked.filter(isSweep)).toHaveLength(1)
    expect(server.asked.find(isSweep)!.parameters).toEqual([1000, 600])
  })
})

describe.each(SERVERS)('counters on %s', (dialect) => {
  const limit = limitOf(5, HOUR)
  const hitOf = (one: Limit) => ({ limits: [one], at: null, counting: true })

  test('are counted when a locked row is free, by the clock of then, and leave connections to others', async () => {
    const database = await migratedDatabase(dialect, { connections: 4 })
    const { counters } = database
    await counters.hit(hitOf(limit))
    let hits: Promise<unknown>[] = []
    const free = await database.transaction(async (transaction) => {
      await transaction.rows({ sql: 'select id from colophon_counter for update', parameters: [] })
      for (let wave = 0; wave < 6; wave++) {
        hits.push(...Array.from({ length: 20 }, async () => counters.hit(hitOf(limit))))
        await pause(40)
      }
      let settled = 0
      for (const hit of hits) void hit.finally(() => settled++)
      // Where all connections wait for the row, this one would too.
      await database.rows({ sql: 'select 1', parameters: [] })
      expect(settled).toBe(0)
      return Date.now()
    })
    const counted = (await Promise.all(hits)) as Awaited<ReturnType<typeof counters.hit>>[]
    expect(counted.filter(({ standings }) => standings[0]!.allowed)).toHaveLength(4)
    expect(Math.min(...counted.map(({ at }) => at))).toBeGreaterThanOrEqual(free - 5)
  })

  test('of several processes never knot, whatever the order of their limits', async () => {
    const url = await migratedDatabaseUrl(dialect)
    const given: unknown[] = []
    const stores = Array.from({ length: 4 }, () => {
      const database = opened(dialect, url)
      const ask = async (statement: Statement): Promise<unknown> => {
        try {
          return (await database.rows(statement)).values[0]?.[0]
        } catch (error) {
          given.push(error)
          throw error
        }
      }
      const { counters: statements } = DIALECTS[dialect]
      return new PooledCounters({ dialect: database.dialect, statements, ask })
    })
    const keys = Array.from({ length: 150 }, (_, i) => `key ${i}`)
    const work = stores.map(async (store, s) => {
      for (let round = 0; round < 20; round++) {
        const limits = keys
          // Another order for each store and round.
          .map((key, i) => [key, ((i + 1) * (s * 20 + round + 2) * 7919) % 1009] as const)
          .toSorted(([, one], [, other]) => one - other)
          .map(([key]) => key)
          .slice(0, 100)
          // New rows in each round, so that inserts meet.
          .map((key) => limitOf(1000, 60, { key: `${key} ${round % 4}` }))
        await store.hit({ limits, at: s, counting: true })
      }
    })
    await Promise.all(work)
    expect(given).toEqual([])
  })

  test('that are over are deleted in time, those that block are not', async () => {
    const database = await migratedDatabase(dialect)
    const rows = async () => {
      const sql = 'select count(*) from colophon_counter'
      return Number((await database.rows({ sql, parameters: [] })).values[0]![0])
    }
    const blocked = limitOf(1, 24 * HOUR, { key: 'blocked' })
    const start = Date.UTC(2026, 0, 1)
    await database.counters.hit({ ...hitOf(blocked), at: start })
    const sizes: number[] = []
    for (let minute = 0; minute < 30; minute++) {
      const hits = Array.from({ length: 200 }, async (_, i) =>
        database.counters.hit({
          ...hitOf(limitOf(5, 10, { key: `client ${minute} ${i}` })),
          at: start + minute * 60_000,
        }),
      )
      await Promise.all(hits)
      sizes.push(await rows())
    }
    expect(Math.max(...sizes)).toBeLessThan(1500)
    const late = await database.counters.hit({
      ...hitOf(blocked),
      at: start + 24 * HOUR * 1000 - 1,
    })
    expect(late.standings).toEqual([{ allowed: false, remaining: 0, wait: 1, reset: 1 }])
  })

  test('that count again while they are swept stay', async () => {
    const database = await migratedDatabase(dialect)
    await database.counters.hit({ ...hitOf(limitOf(5, 10)), at: 0 })
    const sweep = DIALECTS[dialect].counters.sweep(HOUR * 1000, 10)
    const { promise: swept, resolve } = Promise.withResolvers<unknown>()
    await database.transaction(async (transaction) => {
      const sql = 'update colophon_counter set expires = expires + 100000000'
      await transaction.write({ sql, parameters: [] })
      resolve(database.rows(sweep))
      await pause(200)
    })
    await swept
    const left = { sql: 'select id from colophon_counter', parameters: [] }
    expect((await database.rows(left)).values).toHaveLength(1)
  })

  test('a state that changes within the minute leaves the time of its row alone', async () => {
    const database = await migratedDatabase(dialect)
    const expires = async () => {
      const sql = 'select expires from colophon_counter'
      return Number((await database.rows({ sql, parameters: [] })).values[0]![0])
    }
    const start = Date.UTC(2026, 0, 1)
    await database.counters.hit({ ...hitOf(limitOf(9, 10)), at: start + 1 })
    expect(await expires()).toBe(start + 60_000)
    await database.counters.hit({ ...hitOf(limitOf(9, 10)), at: start + 50_000 })
    expect(await expires()).toBe(start + 60_000)
    await database.counters.hit({ ...hitOf(limitOf(9, 10)), at: start + 50_001 })
    expect(await expires()).toBe(start + 120_000)
  })

  test('of a database without tables say what to do', async () => {
    const { counters } = await emptyDatabase(dialect)
    const hit = async () => counters.hit(hitOf(limit))
    await expect(hit).rejects.toThrow(DatabaseUnavailable)
    await expect(hit).rejects.toThrow('colophon migrate')
    await expect(async () => counters.clear()).rejects.toThrow('colophon migrate')
  })

  test('without their routine, as from a backup, say what to do, and that does it', async () => {
    const database = await migratedDatabase(dialect)
    const name = { postgres: 'function', mysql: 'procedure' }[dialect]
    await database.write({ sql: `drop ${name} colophon_count`, parameters: [] })
    const hit = async () => database.counters.hit(hitOf(limit))
    await expect(hit).rejects.toThrow(DatabaseUnavailable)
    await expect(hit).rejects.toThrow('colophon migrate')
    expect(await database.migrate()).toEqual([])
    expect((await hit()).standings[0]!.allowed).toBe(true)
  })

  test('need no right to make routines where these are as they should be', async () => {
    const url = await migratedDatabaseUrl(dialect)
    const admin = opened(dialect, url)
    const account = `app_${crypto.randomUUID().slice(0, 8)}`
    const name = new URL(url).pathname.slice(1)
    const rights = 'select, insert, update, delete'
    const grants = {
      postgres: [
        `create role ${account} login password 'not-secret'`,
        `grant ${rights} on all tables in schema public to ${account}`,
      ],
      mysql: [
        `create user ${account}@'%' identified by 'not-secret'`,
        `grant ${rights} on ${name}.* to ${account}@'%'`,
      ],
    }[dialect]
    for (const sql of grants) await admin.write({ sql, parameters: [] })
    const database = opened(dialect, url.replace(/\/\/[^@]*@/, `//${account}:not-secret@`))
    const hit = async () => database.counters.hit(hitOf(limit))
    if (dialect === 'mysql') {
      await expect(hit).rejects.toThrow(DatabaseUnavailable)
      await expect(hit).rejects.toThrow('EXECUTE')
      const sql = `grant execute on ${name}.* to ${account}@'%'`
      await admin.write({ sql, parameters: [] })
      await database.close()
      const again = opened(dialect, url.replace(/\/\/[^@]*@/, `//${account}:not-secret@`))
      expect(await again.migrate()).toEqual([])
      expect((await again.counters.hit(hitOf(limit))).standings[0]!.allowed).toBe(true)
    } else {
      expect((await hit()).standings[0]!.allowed).toBe(true)
      expect(await database.migrate()).toEqual([])
    }
    await database.close()
    const sql = dialect === 'mysql' ? `drop user ${account}` : `drop owned by ${account}`
    await admin.write({ sql, parameters: [] })
    if (dialect === 'postgres') await admin.write({ sql: `drop role ${account}`, parameters: [] })
  })

  test('count exactly where transactions see one state from beginning to end', async () => {
    const url = await migratedDatabaseUrl(dialect)
    const set = {
      postgres: `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = 'repeatable read'`,
      mysql: 'select 1',
    }[dialect]
    await opened(dialect, url).rows({ sql: set, parameters: [] })
    const many = limitOf(60, HOUR)
    const stores = Array.from({ length: 3 }, () => opened(dialect, url).counters)
    const hits = stores.flatMap((store) =>
      Array.from({ length: 40 }, async (_, i) => {
        await pause(i * 3)
        return store.hit(hitOf(many))
      }),
    )
    const passed = (await Promise.all(hits)).filter(({ standings }) => standings[0]!.allowed)
    expect(passed).toHaveLength(60)
  })

  test('begin anew with another algorithm, and are as they were with the first again', async () => {
    const { counters } = await migratedDatabase(dialect)
    await counters.hit(hitOf({ ...limit, cost: 5 }))
    const other = await counters.hit(hitOf({ ...limit, algorithm: 'gcra', cost: 2 }))
    expect(other.standings[0]!.remaining).toBe(3)
    expect((await counters.hit(hitOf(limit))).standings[0]!.allowed).toBe(false)
  })

  test('are found by their keys, which an operator can read', async () => {
    const database = await migratedDatabase(dialect)
    await database.counters.hit(hitOf(limitOf(5, 60, { key: 'throttle_user_7_60' })))
    const sql = `select id from colophon_counter where id = ${placeholder(dialect, 1)}`
    const { values } = await database.rows({ sql, parameters: ['log throttle_user_7_60'] })
    expect(values).toHaveLength(1)
  })
})
