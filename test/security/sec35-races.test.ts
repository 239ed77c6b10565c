// SEC35: requests that come at once do not get past a limit together. With several processes and all stores:
// test/contract/counter-exactness.ts, test/proofs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MemoryCounters, UserRateThrottle } from '../../src/index.ts'
import type { CounterStore } from '../../src/types.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { throttled } from './throttled.ts'

async function sqliteCounters(): Promise<CounterStore> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-race-'))
  const database = openSqlite({ path: join(folder, 'a.sqlite') })
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  return database.counters
}

const atOnce = Array.from({ length: 200 }, () => ({}))

describe.each<[string, () => CounterStore | Promise<CounterStore>]>([
  ['memory', () => new MemoryCounters()],
  ['SQLite', sqliteCounters],
])('200 at once, counted in %s', (_name, open) => {
  test('as many pass as the limit', async () => {
    const { passing } = await throttled({}, {}, await open())
    expect(await passing(atOnce)).toBe(5)
  })

  test('also where rate and cost have to be looked up first', async () => {
    let turns = 0
    const slow = async <T>(value: T): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, (turns++ * 7) % 5))
      return value
    }
    const throttle = new UserRateThrottle({ rate: () => slow('6/h'), cost: () => slow(2) })
    const { passing } = await throttled({ throttles: [throttle] }, {}, await open())
    expect(await passing(atOnce)).toBe(3)
  })

  test('of two limits the lower, and the other counts no more than passed', async () => {
    const counters = await open()
    const throttles = [
      new UserRateThrottle({ scope: 'burst', rate: '5/h' }),
      new UserRateThrottle({ scope: 'sustained', rate: '7/d' }),
    ]
    const { passing } = await throttled({ throttles }, {}, counters)
    expect(await passing(atOnce)).toBe(5)
    const other = await throttled({ throttles: throttles.slice(1) }, {}, counters)
    expect(await other.passing(atOnce)).toBe(2)
  })
})
