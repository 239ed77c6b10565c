import { describe, expect, onTestFinished, test } from 'vitest'
import { sqlSource } from '../../../src/storage/sql/query/sql-source.ts'
import {
  createServerPool as createMysql,
  createPool as createMysqlPool,
} from '../../../src/storage/mysql/driver.ts'
import {
  StatementNames,
  createServerPool as createPostgres,
} from '../../../src/storage/postgres/driver.ts'
import { createPool as createPostgresPool } from '../../../src/storage/postgres/pool.ts'
import type { PooledConnection } from '../../../src/storage/pooled/server-connection.ts'
import type { ConnectionPool } from '../../../src/storage/pooled/server-pool.ts'
import { PooledDatabase } from '../../../src/storage/pooled/database.ts'
import { nextTurn } from '../../contract/temporary.ts'
import {
  NAMES,
  SERVERS,
  type ServerDialect,
  emptyDatabaseUrl,
  DIALECTS,
} from '../../setup/databases.ts'

interface Tables {
  item: { id: number; name: string }
}

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

function openPool(dialect: ServerDialect, url: string): ConnectionPool {
  const limits = { connections: 10, connectTimeout: 10_000, statementTimeout: 10_000 }
  const options = { url, lockTimeout: 10_000, ...limits }
  return dialect === 'mysql'
    ? createMysql({ open: () => createMysqlPool(options), place: 'MariaDB', ...limits })
    : createPostgres({
        open: () => createPostgresPool(options),
        place: 'PostgreSQL',
        names: new StatementNames(),
        ...limits,
      })
}

/** A pool that knows what runs on its connections. */
class CountingPool implements ConnectionPool {
  readonly #pool: ConnectionPool
  readonly patience = Infinity
  readonly firsts: string[] = []

  constructor(pool: ConnectionPool) {
    this.#pool = pool
  }

  async connect(): Promise<PooledConnection> {
    const connection = await this.#pool.connect()
    return {
      pipelines: connection.pipelines,
      execute: (statement) => connection.execute(statement),
      describe: (statement) => connection.describe(statement),
      begin: (beginning) => connection.begin(beginning),
      beginWith: (first) => {
        this.firsts.push(first.sql)
        return connection.beginWith(first)
      },
      commit: () => connection.commit(),
      rollback: () => connection.rollback(),
      unhurry: () => connection.unhurry(),
      hurry: (milliseconds) => connection.hurry(milliseconds),
      release: (unusable) => connection.release(unusable),
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

describe.each(SERVERS)('lists on %s', (dialect) => {
  async function withItems(size: number) {
    const pool = new CountingPool(openPool(dialect, await emptyDatabaseUrl(dialect)))
    const database = new PooledDatabase(DIALECTS[dialect], pool)
    onTestFinished(() => database.close())
    await database.write(run('create table item (id integer primary key, name varchar(20))'))
    const db = database.kysely<Tables>()
    const items = Array.from({ length: size }, (_, index) => ({ id: index + 1, name: `n${index}` }))
    for (let at = 0; at < size; at += 500)
      await db
        .insertInto('item')
        .values(items.slice(at, at + 500))
        .execute()
    const query = db.selectFrom('item').select(['id', 'name'])
    return { pool, database, db, source: sqlSource({ database, query, key: 'id' }) }
  }

  /** Reads again and again, so many at a time, until the work is done; how often it read. */
  async function during(
    readers: number,
    read: () => Promise<void>,
    work: () => Promise<void>,
  ): Promise<number> {
    const over = new AbortController()
    let times = 0
    const reading = Array.from({ length: readers }, async () => {
      while (!over.signal.aborted) {
        await read()
        times++
      }
    })
    try {
      await work()
    } finally {
      over.abort()
      await Promise.all(reading)
    }
    return times
  }

  const name = NAMES[dialect]

  test(`I16 whoever has written reads his own count, with 32 readers beside him (${name})`, async () => {
    const { pool, db, source } = await withItems(1000)
    let [inserted, begun] = [1000, 1000]
    const read = async (): Promise<void> => {
      const least = inserted
      const page = await source.page((count) => ({ offset: count - 10, limit: 10 }))
      expect(page.count).toBeGreaterThanOrEqual(least)
      expect(page.count).toBeLessThanOrEqual(begun)
      expect(page.rows.map(({ id }) => id)).toEqual(lastNumbers(page.count, 10))
    }
    const times = await during(32, read, async () => {
      for (let round = 0; round < 100; round++) {
        begun++
        await db.insertInto('item').values({ id: begun, name: 'new' }).execute()
        inserted++
        // Now right after the write, now when others have begun to count.
        for (let turn = 0; turn < round % 4; turn++) await nextTurn()
        const own = await (round % 2 === 0 ? source.page(() => FIRST) : countOf(source))
        expect(own.count).toBe(inserted)
      }
    })
    expect(pool.firsts.length * 3).toBeLessThan(times + 100)
  })

  test(`count and page are of one snapshot while rows come and go (${name})`, async () => {
    const { database, source } = await withItems(1000)
    const counts = new Set<number>()
    let reads = 0
    const read = async (): Promise<void> => {
      let [window, asked] = [FIRST, 0]
      const page = await source.page((count) => {
        asked = count
        // Each reader another window, in the order of the numbers of a multiplicative generator.
        const place = (reads++ * 7919) % 1009
        return (window = { offset: place % count, limit: place % 10 < 3 ? count : 7 })
      })
      counts.add(page.count)
      expect(page.count).toBe(asked)
      expect(page.rows).toHaveLength(Math.min(window.limit, page.count - window.offset))
    }
    const times = await during(32, read, async () => {
      // However slow the machine is, readers see the table in many states.
      for (let round = 0; round < 150 || counts.size <= 20; round++) {
        const low = (round * 37) % 900
        await database.write(run(`delete from item where id > ${low} and id <= ${low + 20}`))
        await database.write(
          run(`insert into item values (${2000 + round}, 'a'), (${4000 + round}, 'b')`),
        )
      }
    })
    expect(times).toBeGreaterThan(100)
    expect(counts.size).toBeGreaterThan(20)
  })

  test(`a page that fails is the failure of one request (${name})`, async () => {
    const { pool, database, source } = await withItems(20)
    await source.count()
    const broken = database.sharedSnapshot(run(pool.firsts[0]!), (_, reader) =>
      reader.rows(run('select nothing from item')),
    )
    const others = Array.from({ length: 5 }, async () => source.page(() => FIRST))
    await expect(broken).rejects.toThrow('nothing')
    for (const page of await Promise.all(others)) expect(page.count).toBe(20)
    expect(new Set(pool.firsts).size).toBe(1)
    expect(pool.firsts.length).toBeLessThan(7)
  })

  test(`a count that fails is the failure of those who wait for it, and its connection goes on (${name})`, async () => {
    const { database, source } = await withItems(20)
    const count = () =>
      database.sharedSnapshot(run('select count(*) from nowhere'), ({ values }) => values.length)
    for (let round = 0; round < 30; round++) {
      const failing = [count(), count()]
      for (const one of failing) await expect(one).rejects.toThrow('has no table "nowhere"')
    }
    expect(await source.count()).toBe(20)
  })

  test(`values of a count are bound, and different ones are different counts (${name})`, async () => {
    const { database, db } = await withItems(20)
    const counts = [5, 7, 5].map(async (most) => {
      const query = db.selectFrom('item').select('id').where('id', '<=', most)
      return sqlSource({ database, query, key: 'id' }).page((count) => ({
        offset: count - 2,
        limit: 2,
      }))
    })
    expect(await Promise.all(counts)).toEqual([
      { count: 5, rows: [{ id: 4 }, { id: 5 }] },
      { count: 7, rows: [{ id: 6 }, { id: 7 }] },
      { count: 5, rows: [{ id: 4 }, { id: 5 }] },
    ])
  })

  test(`tables may change between two pages (${name})`, async () => {
    const { database, db } = await withItems(20)
    const source = sqlSource({ database, query: db.selectFrom('item').selectAll(), key: 'id' })
    // Often enough for the statement to be prepared on every connection that there is.
    for (let round = 0; round < 3; round++) await source.page(() => FIRST)
    await database.write(run('alter table item add column more integer'))
    const pages = await Promise.all([0, 1, 2].map(async () => source.page(() => FIRST)))
    for (const { rows } of pages) expect(rows[0]).toEqual({ id: 1, name: 'n0', more: null })
  })

  test(`a connection that somebody ends is no failure of those who read on it (${name})`, async () => {
    const { pool, database, source } = await withItems(20)
    const [ownId, kill] =
      dialect === 'postgres'
        ? ['pg_backend_pid()', (id: unknown) => run('select pg_terminate_backend($1)', id)]
        : ['connection_id()', (id: unknown) => run(`kill ${String(id)}`)]
    const killed: unknown[] = []
    await source.count()
    const killer = database.sharedSnapshot(run(pool.firsts[0]!), async (_, reader) => {
      const { values } = await reader.rows(run(`select ${ownId}`))
      const [[id] = []] = values
      if (killed.push(id) === 1) await database.write(kill(id))
      await reader.rows(run('select 1'))
      return id
    })
    const others = Array.from({ length: 5 }, async () => source.page(() => FIRST))
    expect(await killer).toBe(killed[1])
    for (const page of await Promise.all(others)) expect(page.count).toBe(20)
    expect(killed[0]).not.toBe(killed[1])
    expect(new Set(pool.firsts).size).toBe(1)
    expect(pool.firsts.length).toBeLessThan(7)
  })
})

const FIRST = { offset: 0, limit: 5 }

function lastNumbers(count: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => count - size + 1 + index)
}

async function countOf(source: { count(): number | Promise<number> }): Promise<{ count: number }> {
  return { count: await source.count() }
}
