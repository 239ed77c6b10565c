import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Limit, Standing } from '../../../src/core/ports/policies/throttling.ts'
import { ConfigurationError, MemoryCounters } from '../../../src/index.ts'
import { limitOf } from '../../contract/counter-exactness.ts'
import { expectLinear } from '../../setup/linear.ts'

const START = 1_000_000_000_000

function storeOf(capacity: number) {
  const store = new MemoryCounters({ capacity })
  const hit = (at: number, ...limits: readonly Limit[]): readonly Standing[] =>
    store.hit({ limits, at: START + at, counting: true }).standings
  const passes = (at: number, ...limits: readonly Limit[]): boolean =>
    hit(at, ...limits).every(({ allowed }) => allowed)
  return { store, hit, passes }
}

const keyed = (key: string | number, limit: number, seconds = 60, more: Partial<Limit> = {}) =>
  limitOf(limit, seconds, { key: String(key), ...more })

/** What a key weighs, beside the moments of its log. */
const KEY = 50

describe('a client who has to wait is not forgotten early', () => {
  const few = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    forward: fc.constantFrom(0, 0, 1, 400, 1000, 3000, 20_000),
    strangers: fc.nat({ max: 12 }),
  })
  const kinds = fc.record({
    limit: fc.integer({ min: 1, max: 6 }),
    cost: fc.integer({ min: 1, max: 6 }),
    seconds: fc.constantFrom(1, 10, 60),
    algorithm: fc.constantFrom('log', 'gcra'),
  })

  test('however many strangers come, and whatever a request costs', () => {
    fc.assert(
      fc.property(
        fc.array(kinds, { minLength: 5, maxLength: 5 }),
        fc.array(few, { maxLength: 60 }),
        (limits, steps) => {
          // Room for all five and two strangers.
          const { hit, store } = storeOf(8 * (KEY + 6))
          const blocked = new Map<string, number>()
          let [at, stranger] = [0, 0]
          for (const { key, forward, strangers } of steps) {
            at += forward
            for (let i = 0; i < strangers; i++) hit(at, keyed(`stranger ${stranger++}`, 1000, 3600))
            const kind = limits['abcde'.indexOf(key)]!
            const cost = Math.min(kind.cost, kind.limit)
            const limit = limitOf(kind.limit, kind.seconds, { ...kind, key, cost })
            const [standing] = hit(at, limit)
            const until = blocked.get(key) ?? 0
            if (at < until) expect(standing).toMatchObject({ allowed: false, wait: until - at })
            if (at === until && until > 0) expect(standing!.allowed).toBe(true)
            const looked = store.hit({ limits: [limit], at: START + at, counting: false })
            blocked.set(key, at + looked.standings[0]!.wait!)
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test('a dear request that was refused, although a cheap one would pass', () => {
    const { passes } = storeOf(10 * KEY)
    const limit = keyed('a', 5)
    for (let i = 0; i < 3; i++) passes(0, limit)
    expect(passes(1, { ...limit, cost: 3 })).toBe(false)
    for (let i = 0; i < 100; i++) passes(2, keyed(`stranger ${i}`, 1000))
    expect(passes(59_999, { ...limit, cost: 3 })).toBe(false)
    expect(passes(60_000, { ...limit, cost: 3 })).toBe(true)
  })

  test('until there is enough room for what it costs, not until there is any', () => {
    const { passes } = storeOf(10 * KEY)
    const limit = keyed('a', 6, 60, { cost: 3, algorithm: 'gcra' })
    expect([passes(0, limit), passes(0, limit)]).toEqual([true, true])
    for (let i = 0; i < 100; i++) passes(20_000, keyed(`stranger ${i}`, 1000))
    expect([passes(29_999, limit), passes(30_000, limit)]).toEqual([false, true])
  })

  test('where a cheap request passes after it, the dear one waits on', () => {
    const { passes } = storeOf(10 * KEY)
    const limit = keyed('a', 5)
    for (let i = 0; i < 3; i++) passes(0, limit)
    expect(passes(1, { ...limit, cost: 3 })).toBe(false)
    expect(passes(2, limit)).toBe(true)
    for (let i = 0; i < 100; i++) passes(2, keyed(`stranger ${i}`, 1000))
    expect(passes(3, { ...limit, cost: 3 })).toBe(false)
  })
})

describe('where most of the room is taken by clients who wait', () => {
  const crowded = () => {
    const made = storeOf(100 * KEY)
    // Each is full with one request.
    for (let i = 0; i < 80; i++) made.passes(0, keyed(`waits ${i}`, 1, 3600))
    return made
  }

  test('new ones share a counter: however many there are, and in whatever order they come', () => {
    const { passes } = crowded()
    const strangers = Array.from({ length: 400 }, (_, i) => passes(1, keyed(`new ${i % 7}`, 5)))
    expect(strangers.filter(Boolean)).toHaveLength(5)
    expect(passes(60_001, keyed('another', 5))).toBe(true)
  })

  test('all who wait go on waiting', () => {
    const { passes } = crowded()
    for (let i = 0; i < 400; i++) passes(1, keyed(`new ${i}`, 5))
    const waiting = Array.from({ length: 70 }, (_, i) => passes(2, keyed(`waits ${i}`, 1, 3600)))
    expect(waiting).not.toContain(true)
  })

  test('those who are known keep counters of their own', () => {
    const { passes } = storeOf(100 * KEY)
    const known = keyed('known', 2)
    passes(0, known)
    for (let i = 0; i < 80; i++) passes(0, keyed(`waits ${i}`, 1, 3600))
    for (let i = 0; i < 9; i++) passes(1, keyed('new', 2))
    expect([passes(2, known), passes(2, known)]).toEqual([true, false])
  })

  test('it ends when they need not wait any more', () => {
    const { passes, store } = crowded()
    for (let i = 0; i < 5; i++) passes(1, keyed('new', 5))
    expect(passes(2, keyed('other', 5))).toBe(false)
    passes(3_600_000, keyed('new', 5))
    expect(store.size).toBeLessThan(50)
    const strangers = Array.from({ length: 50 }, (_, i) => passes(3_600_001, keyed(`s${i}`, 5)))
    expect(strangers).not.toContain(false)
  })

  test('the limits of one request have shared counters of their own', () => {
    const { hit } = crowded()
    const [one, two] = hit(1, keyed('new a', 5), keyed('new b', 5))
    expect([one!.remaining, two!.remaining]).toEqual([4, 4])
    const again = hit(1, keyed('new a', 5), keyed('new b', 5))
    expect(again.map(({ remaining }) => remaining)).toEqual([3, 3])
  })

  test('with gcra a client need not wait as soon as a little has drained', () => {
    const { passes } = storeOf(100 * KEY)
    for (let i = 0; i < 6 * 80; i++)
      passes(0, keyed(`waits ${i % 80}`, 6, 60, { algorithm: 'gcra' }))
    expect([passes(9999, keyed('a', 1)), passes(9999, keyed('b', 1))]).toEqual([true, false])
    for (let i = 0; i < 9; i++) passes(10_000, keyed(`new ${i}`, 100))
    const strangers = Array.from({ length: 30 }, (_, i) => passes(10_000, keyed(`s${i}`, 1)))
    expect(strangers).not.toContain(false)
  })

  test('a clock that is set back does not make it last', () => {
    const { passes } = storeOf(100 * KEY)
    for (const at of [86_400_000, 0])
      for (let i = 0; i < 70; i++) passes(at, keyed(`waits ${i}`, 1, 60))
    for (let i = 0; i < 9; i++) passes(60_000, keyed(`new ${i}`, 100))
    expect([passes(60_000, keyed('a', 1)), passes(60_000, keyed('b', 1))]).toEqual([true, true])
  })

  test('what is taken back is taken from the shared counter', () => {
    const { store, passes } = crowded()
    const held = keyed('new', 2, 60, { held: true })
    for (let i = 0; i < 20; i++) {
      expect(passes(i, { ...held, key: `new ${i}` })).toBe(true)
      store.withdraw([{ ...held, key: `new ${i}` }], START + i)
    }
  })
})

describe('memory is bounded', () => {
  test('by the capacity, whatever the length of the logs', () => {
    const { hit, store } = storeOf(50_000)
    for (let i = 0; i < 20_000; i++) {
      hit(i, keyed(`key ${i}`, 3 + (i % 900), 3600, { cost: 1 + (i % 3) }))
      expect(store.size * KEY).toBeLessThanOrEqual(50_000)
    }
    expect(store.size).toBeGreaterThan(900)
  })

  test('never by forgetting who is just being counted', () => {
    const { passes } = storeOf(4 * KEY)
    passes(0, keyed('waits', 1))
    passes(0, keyed('too', 1))
    const passed = Array.from({ length: 150 }, () => passes(0, keyed('grows', 100)))
    expect(passed.filter(Boolean)).toHaveLength(100)
  })

  test('what is over makes room without a timer, whatever its window', () => {
    const { hit, store } = storeOf(1_000_000)
    for (let i = 0; i < 9000; i++) hit(0, keyed(`key ${i}`, 1 + (i % 2), [1, 60, 3600][i % 3]))
    expect(store.size).toBe(9000)
    for (let i = 0; i < 9000; i++) hit(60_000, keyed(`later ${i}`, 5))
    expect(store.size).toBe(12_000)
    for (let i = 0; i < 12_000; i++) hit(3_600_000, keyed(`last ${i}`, 5))
    expect(store.size).toBe(12_000)
  })

  test('what is taken back is forgotten', () => {
    const { hit, store } = storeOf(100_000)
    const held = keyed('held', 1, 60, { held: true })
    hit(0, held)
    store.withdraw([held], START)
    expect(store.size).toBe(0)
    expect(hit(1, held)).toMatchObject([{ allowed: true }])
  })

  test('a clock that steps on and back forgets no client who waits, and keeps none waiting', () => {
    const { passes } = storeOf(10 * KEY)
    const limit = keyed('a', 1)
    passes(7_200_000, limit)
    expect(passes(0, limit)).toBe(false)
    for (let i = 0; i < 100; i++) passes(1, keyed(`stranger ${i}`, 9))
    expect([passes(59_999, limit), passes(60_000, limit)]).toEqual([false, true])
    expect([passes(7_200_000, limit), passes(7_200_001, limit)]).toEqual([true, false])
  })

  test('200,000 keys, of which each takes half a kilobyte, fit into a process that has 48 MB', () => {
    const script = `
      import { MemoryCounters } from './src/policies/throttling/memory-counters.ts'
      const store = new MemoryCounters({ capacity: 1_000_000 })
      const limit = { limit: 5, seconds: 3600, cost: 1, algorithm: 'log' }
      for (let i = 0; i < 200_000; i++)
        store.hit({ limits: [{ ...limit, key: 'throttle_anon_ip:' + i + '_3600' }], at: i, counting: true })
      console.log(store.size)`
    const options = ['--max-old-space-size=48', '--input-type=module', '-e', script]
    const { stdout, status } = spawnSync(process.execPath, options, { encoding: 'utf8' })
    expect([status, Number(stdout)]).toEqual([0, Math.floor(1_000_000 / (KEY + 1))])
  })

  test('a hit costs the same however many keys there are', async () => {
    const stores = new Map([1000, 32_000].map((keys) => [keys, crowded(keys)]))
    let next = 0
    await expectLinear(
      (keys) => {
        const hit = stores.get(keys)!
        for (let i = 0; i < 5000; i++) hit(keys * 2, keyed(`new ${next++}`, 5, 36_000))
      },
      { size: 1000, larger: 32, most: 6 },
    )
  })

  /** The hit of a store in which so many keys have been counted. */
  function crowded(keys: number) {
    const { hit } = storeOf(keys * (KEY + 1))
    for (let i = 0; i < keys * 1.5; i++) hit(i, keyed(i, 5, 36_000))
    return hit
  }
})

test.each([0, -1, 1.5, NaN, '9', null])('a capacity of %j is refused', (capacity) => {
  expect(() => new MemoryCounters({ capacity: capacity as number })).toThrow(ConfigurationError)
})
