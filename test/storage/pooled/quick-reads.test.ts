import pg, { type PoolConfig } from 'pg'
import { expect, test } from 'vitest'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import type { PostgresPool } from '../../../src/storage/postgres/pool.ts'
import { emptyDatabaseUrl } from '../../setup/databases.ts'

/** A database whose connections are counted when they are taken. */
async function watched(options: PoolConfig) {
  const pool = new pg.Pool({ connectionString: await emptyDatabaseUrl('postgres'), ...options })
  const taken: object[] = []
  const watching: PostgresPool = {
    end: () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
    async connect() {
      const client = await pool.connect()
      taken.push(client)
      return client
    },
  }
  const database = openPostgres({ pool: watching })
  const read = async (sql: string, ...parameters: unknown[]) => {
    return (await database.rows({ sql, parameters })).values[0]![0]
  }
  /** So many reads at the same moment: what each found, and how many connections they took. */
  const together = async (sql: string, values: readonly unknown[]) => {
    const before = taken.length
    const reads = await Promise.allSettled(values.map((value) => read(sql, value)))
    const found = reads.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))
    return { found, connections: taken.length - before }
  }
  /** Reads until so many connections are enough: how long it takes is a matter of the machine. */
  const learnt = async (sql: string, values: readonly unknown[], connections: number) => {
    await expect.poll(async () => (await together(sql, values)).connections).toBe(connections)
  }
  const idle = (): boolean => pool.idleCount === pool.totalCount
  return { together, learnt, idle, close: () => database.close() }
}

const pipelined: PoolConfig = { max: 10, pipeline: true }
const QUICK = 'select $1::int + 0 as one'
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8]

test('quick reads of one text that wait at the same moment share a connection, four at most', async () => {
  const { together, learnt, close, idle } = await watched(pipelined)
  const first = await together(QUICK, NUMBERS)
  expect(first).toEqual({ found: NUMBERS, connections: 8 })
  await learnt(QUICK, NUMBERS, 2)
  await learnt(QUICK, NUMBERS.slice(3), 2)
  expect((await together(QUICK, NUMBERS)).found).toEqual(NUMBERS)
  expect(idle()).toBe(true)
  await close()
})

test('a read that fails is no failure of those beside it', async () => {
  const { together, learnt, close, idle } = await watched(pipelined)
  const divided = 'select 12 / $1::int as part'
  await learnt(divided, [3, 0, 4, 0], 1)
  expect((await together(divided, [3, 0, 4, 0])).found).toEqual([4, 'failed', 3, 'failed'])
  expect(idle()).toBe(true)
  await close()
})

test('slow ones have a connection each, also where they have become slow', async () => {
  const { together, learnt, close } = await watched(pipelined)
  const slow = 'select $1::int as one from pg_sleep($1::int * 0.01)'
  for (let i = 0; i < 3; i++) await together(slow, [2])
  expect((await together(slow, [1, 1, 1, 1])).connections).toBe(4)
  const sometimes = 'select $1::int as one from pg_sleep($1::int * 0.02)'
  await learnt(sometimes, [0, 0, 0, 0], 1)
  for (let i = 0; i < 20; i++) await together(sometimes, [1])
  expect((await together(sometimes, [0, 0, 0, 0])).connections).toBe(4)
  await close()
})

test('where statements wait for the answers to those in front of them, each has its own', async () => {
  const { together, close } = await watched({ max: 10 })
  for (let i = 0; i < 3; i++) await together(QUICK, [0])
  expect((await together(QUICK, NUMBERS)).connections).toBe(8)
  await close()
})
