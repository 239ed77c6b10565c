// PgBouncer in transaction mode: what every database has to do, by way of it, and what is wrong where the address says nothing of it.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Pgbouncer, startPgbouncer } from '../../../scripts/servers/pgbouncer.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { openPostgres } from '../../../src/storage/postgres/open.ts'
import { testServerStores } from '../../contract/server-stores.ts'
import { emptyDatabaseUrl, goBy, migratedDatabase, serverOf } from '../../setup/databases.ts'
import { until } from '../../setup/until.ts'

let pooler: Pgbouncer
const byWay = (url: string): string => `${pooler.via(url)}?pooler=transaction`

beforeAll(async () => {
  pooler = await startPgbouncer({ url: (await serverOf('postgres')).url })
  // Files after this one have the same thread.
  return goBy(byWay)
})
afterAll(() => pooler.stop())

testServerStores('postgres')

const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })

describe('PgBouncer in transaction mode', () => {
  test('counts exactly, and holds one lease at a time', async () => {
    const database = await migratedDatabase('postgres')
    const limit = { key: 'a', limit: 20, seconds: 60, cost: 1, algorithm: 'log' } as const
    const hit = { limits: [limit], at: null, counting: true }
    const hits = await Promise.all(
      Array.from({ length: 60 }, async () => database.counters.hit(hit)),
    )
    expect(hits.filter(({ standings: [standing] }) => standing!.allowed)).toHaveLength(20)
    const takes = Array.from({ length: 8 }, (_, n) =>
      database.leases!.take('nightly', `${n}`, 9999, 9999),
    )
    const taken = (await Promise.all(takes)).filter((wait) => wait === null)
    expect(taken.length).toBeLessThanOrEqual(1)
    expect(await database.leases!.take('nightly', 'late', 9999, 9999)).not.toBeNull()
  })

  test('finds no settings of ours on the connections that others have next', async () => {
    const url = await emptyDatabaseUrl('postgres')
    const database = openPostgres(byWay(url))
    onTestFinished(() => database.close())
    await database.migrate()
    const settings = run(`select current_setting('lock_timeout') as lock,
      current_setting('statement_timeout') as statement`)
    for (let i = 0; i < 6; i++)
      expect(await database.read(settings)).toEqual([{ lock: '0', statement: '0' }])
  })

  test('is named where the address does not say so', async () => {
    const url = await emptyDatabaseUrl('postgres')
    const database = openPostgres(pooler.via(url))
    onTestFinished(() => database.close())
    const failure: unknown = await until(async () => {
      const reads = Array.from({ length: 8 }, () => database.rows(run('select $1::int', 1)))
      const failed = (await Promise.allSettled(reads)).find(({ status }) => status === 'rejected')
      expect(failed).toBeDefined()
      return (failed as PromiseRejectedResult).reason
    })
    expect(failure).toBeInstanceOf(DatabaseUnavailable)
    expect(String(failure)).toContain('Say so in the address: ?pooler=transaction.')
    expect(() => openPostgres(`${url}?pooler=statement`)).toThrow(
      'pooler=statement. It may be transaction or session.',
    )
  })

  test('that starts again fails what is under way, and nothing else', async () => {
    const { url } = await serverOf('postgres')
    const own = await startPgbouncer({ url })
    const database = openPostgres({ url: `${own.via(url)}?pooler=transaction` })
    onTestFinished(() => database.close())
    expect(await database.read(run('select 1 as one'))).toEqual([{ one: 1 }])
    await own.stop()
    await expect(database.read(run('select 1 as one'))).rejects.toThrow(DatabaseUnavailable)
    const again = await startPgbouncer({ url, port: own.port })
    onTestFinished(() => again.stop())
    expect(await database.read(run('select 1 as one'))).toEqual([{ one: 1 }])
  })
})
