import { describe, expect, test } from 'vitest'
import type { Leases } from '../../src/core/ports/database.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { temporarySqlite } from '../contract/temporary.ts'
import { SERVERS, emptyDatabase } from '../setup/databases.ts'
import { until } from '../setup/until.ts'

const HOUR = 3_600_000

describe.each(['sqlite', ...SERVERS] as const)('leases on %s', (name) => {
  async function migrated(): Promise<SqlDatabase> {
    const database: SqlDatabase = name === 'sqlite' ? temporarySqlite() : await emptyDatabase(name)
    await database.migrate()
    return database
  }
  const leases = async (): Promise<Leases> => (await migrated()).leases!

  test('one has it until it gives it back; then it is due when it said', async () => {
    const { take, renew, release } = bound(await leases())
    expect(await take('mails', 'one', HOUR)).toBe(null)
    expect(await take('mails', 'two', HOUR)).toBeGreaterThan(HOUR / 2)
    expect(await renew('mails', 'two', HOUR)).toBe(false)
    expect(await renew('mails', 'one', 2 * HOUR)).toBe(true)
    expect(await take('mails', 'two', HOUR)).toBeGreaterThan(HOUR)
    await release('mails', 'two', 0)
    expect(await take('mails', 'two', HOUR)).toBeGreaterThan(HOUR)
    await release('mails', 'one', HOUR)
    const wait = (await take('mails', 'one', HOUR))!
    expect(wait).toBeGreaterThan(HOUR / 2)
    expect(wait).toBeLessThanOrEqual(HOUR)
    expect(await renew('mails', 'one', HOUR)).toBe(false)
  })

  test('each name is one of its own, and due anew at once where that was said', async () => {
    const { take, release } = bound(await leases())
    expect(await take('a', 'one', HOUR)).toBe(null)
    expect(await take('b', 'two', HOUR)).toBe(null)
    await release('a', 'one', 0)
    expect(await take('a', 'two', HOUR)).toBe(null)
  })

  test('what is due later than its interval allows is due, unless someone has it', async () => {
    const { take, release } = bound(await leases())
    expect(await take('mails', 'one', HOUR)).toBe(null)
    expect(await take('mails', 'two', HOUR, 1)).toBeGreaterThan(HOUR / 2)
    await release('mails', 'one', 3 * HOUR)
    expect(await take('mails', 'two', HOUR, 3 * HOUR)).toBeGreaterThan(2 * HOUR)
    expect(await take('mails', 'two', HOUR, 2 * HOUR)).toBe(null)
  })

  test('what its holder did not renew is over, and he is told so', async () => {
    const { take, renew } = bound(await leases())
    expect(await take('mails', 'one', 1)).toBe(null)
    await until(async () => expect(await take('mails', 'two', HOUR)).toBe(null))
    expect(await renew('mails', 'one', HOUR)).toBe(false)
  })

  test('what the dead hold is over when the clock is set back further than anyone could hold it', async () => {
    const database = await migrated()
    const { take } = bound(database.leases!)
    expect(await take('mails', 'dead', HOUR)).toBe(null)
    const setBack = (by: number) =>
      database.write({
        sql: `update colophon_lease set held_until = held_until + ${by}`,
        parameters: [],
      })
    await setBack(8 * HOUR)
    expect(await take('mails', 'two', HOUR)).toBeGreaterThan(8 * HOUR)
    await setBack(16 * HOUR)
    expect(await take('mails', 'two', HOUR)).toBe(null)
  })

  test.each(['that no one has had', 'that was given back'])(
    'of many at once, one gets a lease %s',
    async (which) => {
      const { take, release } = bound(await leases())
      if (which === 'that was given back') {
        await take('mails', 'first', HOUR)
        await release('mails', 'first', 0)
      }
      const holders = Array.from({ length: 20 }, (_, at) => `holder ${at}`)
      const waits = await Promise.all(holders.map((holder) => take('mails', holder, HOUR)))
      expect(waits.filter((wait) => wait === null)).toHaveLength(1)
    },
  )
})

function bound(leases: Leases) {
  return {
    take: (name: string, holder: string, held: number, longest = 10 * HOUR) =>
      leases.take(name, holder, held, longest),
    renew: leases.renew.bind(leases),
    release: leases.release.bind(leases),
  }
}
