import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CounterStore, Limit, Standing } from '../../src/core/ports/policies/throttling.ts'
import { limitOf, testExactness } from './counter-exactness.ts'

/** Makes a store without counters; the suite closes it. */
export type OpenStore = () => CounterStore | Promise<CounterStore>

/** Any moment; the clock of the tests counts seconds from here. */
const START = Date.UTC(2026, 3, 1, 12)
const HOUR = 3600

const refused = (seconds: number | null, remaining = 0, reset: number = seconds ?? 0) => ({
  allowed: false,
  remaining,
  wait: seconds === null ? null : seconds * 1000,
  reset: reset * 1000,
})
const passed = (remaining: number, reset: number): Standing => ({
  allowed: true,
  remaining,
  wait: 0,
  reset: reset * 1000,
})

/** What every store of counters has to do, wherever it keeps them. */
export function testCounterStore(name: string, open: OpenStore): void {
  describe(`${name} counts`, () => {
    let store: CounterStore

    beforeAll(async () => {
      store = await open()
    })
    beforeEach(() => store.clear())
    afterAll(() => store.close?.())

    async function hit(second: number, ...limits: readonly Limit[]): Promise<readonly Standing[]> {
      const at = START + Math.round(second * 1000)
      const counted = await store.hit({ limits, at, counting: true })
      expect(counted.at).toBe(at)
      return counted.standings
    }

    /** The waits of refused requests; `true` for those that passed. */
    async function story(limits: readonly Limit[], ...seconds: readonly number[]) {
      const found: unknown[] = []
      for (const second of seconds) {
        const standings = await hit(second, ...limits)
        const waits = standings.map(({ allowed, wait }) => (allowed ? true : wait! / 1000))
        found.push(waits.length === 1 ? waits[0] : waits)
      }
      return found
    }

    async function left(second: number, ...limits: readonly Limit[]): Promise<readonly number[]> {
      const at = START + second * 1000
      const { standings } = await store.hit({ limits, at, counting: false })
      return standings.map(({ remaining }) => remaining)
    }

    test('T6 two in a minute: what is older than the window has left it', async () => {
      expect(await story([limitOf(2, 60)], 0, 10, 20, 59, 60, 61, 70)).toEqual([
        true,
        true,
        40,
        1,
        true,
        9,
        true,
      ])
    })

    test('T4 a moment leaves the window after exactly as long as the window', async () => {
      expect(await story([limitOf(1, 60)], 0, 59.999, 60)).toEqual([true, 0.001, true])
    })

    test('T5 what is left, and when more is', async () => {
      const limit = limitOf(3, 60)
      expect(await hit(0, limit)).toEqual([passed(2, 60)])
      expect(await hit(10, limit)).toEqual([passed(1, 50)])
      expect(await hit(20, limit)).toEqual([passed(0, 40)])
      expect(await hit(30, limit)).toEqual([refused(30)])
      expect(await hit(65, limit)).toEqual([passed(0, 5)])
    })

    test('T5 a limit that was lowered waits until enough of the old moments have left', async () => {
      for (const second of [0, 1, 2, 3, 4]) await hit(second, limitOf(5, 60))
      expect(await hit(5, limitOf(2, 60))).toEqual([refused(58, 0, 55)])
      expect(await hit(63, limitOf(2, 60))).toEqual([passed(0, 1)])
    })

    test('T7 as I7 has it: what one limit refuses is counted by none', async () => {
      const limits = [limitOf(2, 60, { key: 'minute' }), limitOf(5, HOUR, { key: 'hour' })]
      expect(await story(limits, 0, 1, 2, 3, 61, 62, 63, 121, 122)).toEqual([
        [true, true],
        [true, true],
        [58, true],
        [57, true],
        [true, true],
        [true, true],
        [58, true],
        [true, true],
        [true, 3478],
      ])
      expect(await left(122, ...limits)).toEqual([1, 0])
    })

    test('T7 a limit that allows shows what is left without the request that another refused', async () => {
      const limits = [limitOf(1, 60, { key: 'minute' }), limitOf(5, HOUR, { key: 'hour' })]
      await hit(0, ...limits)
      expect(await hit(1, ...limits)).toEqual([refused(59), passed(4, HOUR - 1)])
    })

    test.each(['log', 'gcra'] as const)(
      'T9 nothing passes a limit of 0 (%s)',
      async (algorithm) => {
        const limit = limitOf(0, 60, { algorithm })
        expect(await hit(0, limit)).toEqual([refused(60, 0, 0)])
        expect(await hit(60, limit)).toEqual([refused(60, 0, 0)])
        expect(await hit(61, { ...limit, cost: 0 })).toEqual([passed(0, 0)])
      },
    )

    test('a request takes as much as it costs, or nothing', async () => {
      const limit = limitOf(5, 60)
      expect(await hit(0, { ...limit, cost: 3 })).toEqual([passed(2, 60)])
      expect(await hit(10, { ...limit, cost: 3 })).toEqual([refused(50, 2, 50)])
      expect(await hit(20, { ...limit, cost: 2 })).toEqual([passed(0, 40)])
      expect(await hit(30, { ...limit, cost: 4 })).toEqual([refused(50, 0, 30)])
      expect(await hit(30, { ...limit, cost: 6 })).toEqual([refused(null, 0, 30)])
      expect(await hit(30, { ...limit, cost: 0 })).toEqual([passed(0, 30)])
    })

    test('what only looks counts nothing', async () => {
      const limit = limitOf(2, 60)
      expect(await left(0, limit)).toEqual([2])
      await hit(0, limit)
      const looking = { limits: [limit], at: START, counting: false }
      for (let look = 0; look < 3; look++)
        expect((await store.hit(looking)).standings).toEqual([passed(1, 60)])
    })

    test('without limits there is nothing to count', async () => {
      expect(await hit(0)).toEqual([])
    })

    test('the clock of the store is about ours, and whole', async () => {
      const before = Date.now()
      const { at } = await store.hit({ limits: [limitOf(2, 60)], at: null, counting: true })
      // Each clock may round by as much.
      expect(at).toBeGreaterThanOrEqual(before - 1000)
      expect(at).toBeLessThanOrEqual(Date.now() + 1000)
      expect(Number.isInteger(at)).toBe(true)
    })

    describe('gcra', () => {
      const limit = limitOf(6, 60, { algorithm: 'gcra' })

      test('the limit at once, and then as fast as it drains', async () => {
        const many = await story([limit], 0, 0, 0, 0, 0, 0, 0, 9.999, 10, 10, 20, 21)
        expect(many).toEqual([...Array(6).fill(true), 10, 0.001, true, 10, true, 9])
      })

      test('what is left, and when more is', async () => {
        expect(await hit(0, limit)).toEqual([passed(5, 10)])
        expect(await hit(4, limit)).toEqual([passed(4, 6)])
        expect(await hit(10, { ...limit, cost: 4 })).toEqual([passed(1, 10)])
        expect(await hit(10, { ...limit, cost: 4 })).toEqual([refused(30, 1, 10)])
        expect(await hit(10, { ...limit, cost: 7 })).toEqual([refused(null, 1, 10)])
        expect(await hit(60, { ...limit, cost: 0 })).toEqual([passed(6, 0)])
      })

      test('milliseconds are rounded up, never down', async () => {
        const third = limitOf(3, 1, { algorithm: 'gcra' })
        await hit(0, { ...third, cost: 3 })
        expect(await story([third], 0.333, 0.334)).toEqual([0.001, true])
      })

      test('has states of its own beside those of a log', async () => {
        await hit(0, { ...limit, cost: 5 })
        expect(await left(0, { ...limit, key: 'b', algorithm: 'log' }, limit)).toEqual([6, 1])
      })
    })

    describe('a clock', () => {
      test.each(['log', 'gcra'] as const)(
        'that is set back an hour lets wait no longer than a window (%s)',
        async (algorithm) => {
          const limit = limitOf(2, 60, { algorithm, cost: 2 })
          await hit(HOUR, limit)
          expect(await hit(0, limit)).toMatchObject([{ allowed: false, wait: 60_000 }])
          expect(await story([limit], 30, 59.999, 60)).toEqual([30, 0.001, true])
        },
      )

      test('that is set back keeps the distances between moments', async () => {
        const limit = limitOf(2, 60)
        await hit(HOUR, limit)
        await hit(HOUR + 20, limit)
        expect(await story([limit], 0, 39.999, 40, 59.999, 60)).toEqual([
          40,
          0.001,
          true,
          0.001,
          true,
        ])
      })

      test('that is set back moves what others of its limits refuse, too', async () => {
        const limits = [limitOf(1, 60, { key: 'full' }), limitOf(2, 60, { key: 'free' })]
        await hit(HOUR, ...limits)
        expect(await hit(0, ...limits)).toEqual([refused(60), passed(1, 60)])
        expect(await left(59, limits[1]!)).toEqual([1])
        expect(await left(60, limits[1]!)).toEqual([2])
      })

      test('that is set forward forgets what is older than a window by it', async () => {
        expect(await story([limitOf(1, 60)], 0, HOUR, HOUR + 59)).toEqual([true, true, 1])
      })
    })

    describe('takes back', () => {
      const held = limitOf(2, 60, { held: true })

      test('what was counted at a moment, once', async () => {
        await hit(0, held)
        await hit(1, held)
        await store.withdraw([held], START + 1000)
        expect(await left(2, held)).toEqual([1])
        await store.withdraw([held], START + 1000)
        expect(await left(2, held)).toEqual([1])
        await store.withdraw([held], START)
        expect(await left(2, held)).toEqual([2])
      })

      test('as much as it cost, of all its limits', async () => {
        const limits = [
          limitOf(9, 60, { cost: 2 }),
          limitOf(9, 60, { key: 'b', cost: 3 }),
          limitOf(9, 60, { key: 'c', cost: 4, algorithm: 'gcra' }),
        ]
        await hit(0, ...limits)
        await hit(0, ...limits)
        await store.withdraw(limits, START)
        expect(await left(0, ...limits)).toEqual([7, 6, 5])
      })

      test('nothing where nothing is left of it', async () => {
        await store.withdraw([held, limitOf(3, 60, { key: 'b', algorithm: 'gcra' })], START)
        await hit(0, held)
        await hit(61, held)
        await store.withdraw([held], START)
        expect(await left(61, held)).toEqual([1])
      })
    })

    test('everything is forgotten when it is cleared', async () => {
      const limits = [limitOf(1, 60), limitOf(1, 60, { key: 'b', algorithm: 'gcra' })]
      await hit(0, ...limits)
      await store.clear()
      expect(await left(0, ...limits)).toEqual([1, 1])
    })

    testExactness(() => store)
  })
}
