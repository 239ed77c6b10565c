// What holds for counters whatever comes, and however much of it at once.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Counted, CounterStore, Hit, Limit } from '../../src/core/ports/policies/throttling.ts'

const HOUR = 3600

export function limitOf(limit: number, seconds: number, more: Partial<Limit> = {}): Limit {
  return { key: 'a', limit, seconds, cost: 1, algorithm: 'log', ...more }
}

/** Many requests at once, by the clock of the store: the numbers of those that passed. */
async function passing(store: CounterStore, requests: readonly (readonly Limit[])[]) {
  const hits = requests.map(async (limits) => store.hit({ limits, at: null, counting: true }))
  const counted = await Promise.all(hits)
  return [...counted.keys()].filter((i) => counted[i]!.standings.every(({ allowed }) => allowed))
}

async function counts(store: CounterStore, limits: readonly Limit[]): Promise<readonly number[]> {
  const { standings } = await store.hit({ limits, at: null, counting: false })
  return standings.map(({ remaining }, i) => limits[i]!.limit - remaining)
}

export function testExactness(storeOf: () => CounterStore): void {
  describe.each(['log', 'gcra'] as const)('of many at once, by %s,', (algorithm) => {
    const few = limitOf(5, HOUR, { key: 'few', algorithm })
    const many = limitOf(100, HOUR, { key: 'many', algorithm })

    test.each([
      ['5', [few], 5],
      ['100', [many], 100],
      ['the lower of two', [many, few], 5],
    ])('as many pass as the limit: %s of 1,000', async (_title, limits, expected) => {
      const store = storeOf()
      const passed = await passing(store, Array(1000).fill(limits))
      expect(passed).toHaveLength(expected)
      expect(await counts(store, limits)).toEqual(limits.map(() => expected))
    })

    test('each gets what it costs, or nothing', async () => {
      const store = storeOf()
      const costs = Array.from({ length: 300 }, (_, i) => (i % 7) + 1)
      const passed = await passing(
        store,
        costs.map((cost) => [{ ...many, cost }]),
      )
      const taken = passed.reduce((sum, i) => sum + costs[i]!, 0)
      // The last ones cost one each, so nothing is left over.
      expect(taken).toBe(100)
      expect(await counts(store, [many])).toEqual([100])
    })

    test('sets of limits that overlap wait for each other without a knot', async () => {
      const store = storeOf()
      const limits = [...'abcdefgh'].map((key, i) => limitOf(10 + i, HOUR, { key, algorithm }))
      const requests = Array.from({ length: 400 }, (_, i) =>
        // Three of eight, in every order.
        [i % 8, (i * 3 + 1) % 8, (i * 5 + 3) % 8]
          .filter((place, at, all) => all.indexOf(place) === at)
          .map((place) => limits[place]!),
      )
      const passed = await passing(store, requests)
      const expected = limits.map(
        ({ key }) => passed.filter((i) => requests[i]!.some((one) => one.key === key)).length,
      )
      expect(await counts(store, limits)).toEqual(expected)
      // Each that was refused names a limit that is full.
      const full = new Set(limits.filter(({ limit }, i) => expected[i] === limit))
      const refused = requests.filter((_, i) => !passed.includes(i))
      expect(refused.every((some) => some.some((one) => full.has(one)))).toBe(true)
    })
  })

  test('what is taken back at once makes room for as many', async () => {
    const store = storeOf()
    const held = limitOf(10, HOUR, { held: true })
    const hit = async () => store.hit({ limits: [held], at: null, counting: true })
    const first = await Promise.all(Array.from({ length: 20 }, hit))
    const allowed = first.filter(({ standings }) => standings[0]!.allowed)
    expect(allowed).toHaveLength(10)
    await Promise.all(allowed.slice(3).map(async ({ at }) => store.withdraw([held], at)))
    expect(await counts(store, [held])).toEqual([3])
    expect(
      await passing(
        store,
        Array.from({ length: 20 }, () => [held]),
      ),
    ).toHaveLength(7)
  })

  test('one question that is asked ten times is ten requests', async () => {
    const hit: Hit = { limits: [limitOf(5, HOUR)], at: null, counting: true }
    const counted = await Promise.all(Array.from({ length: 10 }, async () => storeOf().hit(hit)))
    expect(counted.filter(({ standings }) => standings[0]!.allowed)).toHaveLength(5)
  })

  test('keys are compared by their bytes', async () => {
    const store = storeOf()
    const long = 'x'.repeat(249)
    const words =
      `a A á a\u0301 ａ ä ae æ ss ß ẞ ı i I İ a_ a% a\\ a' a'' a" a\` a,b a;b a$1 a? {a} {} [] null NULL
      0 00 1e0 1 ٣ 3 😀 😁 \uFFFD`.split(/\s+/)
    const spaced = ['a ', ' a', 'a  ', 'a\u00A0', `${long} `]
    const lengthy = ['é'.repeat(250), '😀'.repeat(125), `${long}y`, `${long}Y`, long]
    const keys = [...words, ...spaced, ...lengthy]
    const limits = keys.map((key) => limitOf(1000, HOUR, { key }))
    for (const [i, limit] of limits.entries())
      await store.hit({ limits: [{ ...limit, cost: i }], at: null, counting: true })
    expect(await counts(store, limits)).toEqual(keys.map((_, i) => i))
    await passing(
      store,
      limits.map((limit) => [limit]),
    )
    expect(await counts(store, limits)).toEqual(keys.map((_, i) => i + 1))
  })

  test('a log as long as it may be', async () => {
    const store = storeOf()
    const limit = limitOf(10_000, HOUR)
    const hit = async (at: number, cost: number) => {
      const { standings } = await store.hit({
        limits: [{ ...limit, cost }],
        at: at * 1000,
        counting: true,
      })
      return standings[0]!
    }
    expect(await hit(0, 9_999)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await hit(10, 1)).toMatchObject({ allowed: true, remaining: 0, reset: 3_590_000 })
    expect(await hit(20, 9_999)).toMatchObject({ allowed: false, wait: 3_580_000 })
    expect(await hit(20, 10_000)).toMatchObject({ allowed: false, wait: 3_590_000 })
    expect(await hit(HOUR, 9_999)).toMatchObject({ allowed: true, remaining: 0, reset: 10_000 })
    // Set back, and all of it with it.
    expect(await hit(5, 1)).toMatchObject({
      allowed: false,
      wait: (10 - (HOUR - 5) + HOUR - 5) * 1000,
    })
  })

  test('a bucket whose limit is lowered is full, and owes no more than a window', async () => {
    const store = storeOf()
    const bucket = (limit: number, cost: number) => limitOf(limit, 60, { algorithm: 'gcra', cost })
    const ask = async (limit: Limit, second: number) => {
      const at = (HOUR * 10_000 + second) * 1000
      return (await store.hit({ limits: [limit], at, counting: true })).standings[0]!
    }
    expect(await ask(bucket(100, 100), 0)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await ask(bucket(10, 1), 0)).toMatchObject({ allowed: false, wait: 6000, reset: 6000 })
    expect(await ask(bucket(10, 10), 0)).toMatchObject({ allowed: false, wait: 60_000 })
    expect(await ask(bucket(10, 1), 6)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await ask(bucket(10, 0), 66)).toMatchObject({ remaining: 10, reset: 0 })
  })

  describe('whatever comes', () => {
    // A store may forget what is over, and a clock that is set back would show which has: so time goes on across
    // windows, or back within them.
    const onwards = [0, 0, 1, 333, 999, 1000, 1001, 5000, 20_000, 60_000]
    const around = [0, 0, 1, 20, 300, -1, -40, -7000, -HOUR * 1000]

    test.each([
      ['log', 'time goes on', onwards],
      ['log', 'a clock is set back', around],
      ['gcra', 'time goes on', onwards],
      ['gcra', 'a clock is set back', around],
    ] as const)('is decided as everywhere: %s, %s', async (algorithm, _title, steps) => {
      const store = storeOf()
      const windows: readonly number[] = steps === onwards ? [1, 10, 60] : [10, 30, 60]
      await fc.assert(
        fc.asyncProperty(sequences(steps), async (sequence) => {
          // Too few follow for a store to look for what is over: it would find what a clock that is set back needs again.
          await store.clear()
          const model = new Model()
          const moments = [HOUR * 10_000_000]
          for (const { some, forward, act, back } of sequence) {
            const at = moments.at(-1)! + forward
            const then = moments.at(-1 - back) ?? at
            moments.push(at)
            const limits = some.map(({ place, ...one }): Limit => {
              return { ...one, key: `key ${place}`, seconds: windows[place]!, algorithm }
            })
            const hit = { limits, at, counting: act === 'hit' }
            if (act !== 'withdraw') expect(await store.hit(hit)).toEqual(model.hit(hit))
            else {
              model.withdraw(limits, then)
              await store.withdraw(limits, then)
            }
          }
        }),
        { numRuns: 60 },
      )
    })

    test('no window of real time holds more than the limit, however often a clock is set back', async () => {
      const store = storeOf()
      const limit = limitOf(3, 10)
      const move = fc.record({
        real: fc.integer({ min: 0, max: 4000 }),
        back: fc.constantFrom(0, 0, 0, 1, 2500, 10_000, HOUR * 1000),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
          await store.clear()
          let [real, clock] = [0, HOUR * 10_000_000]
          const passed: number[] = []
          for (const step of moves) {
            real += step.real
            clock += step.real - step.back
            const { standings } = await store.hit({ limits: [limit], at: clock, counting: true })
            const { allowed, wait } = standings[0]!
            expect(wait).toBeLessThanOrEqual(10_000)
            if (allowed) passed.push(real)
          }
          const crowded = passed.filter(
            (moment, i) => (passed[i + 3] ?? Infinity) < moment + 10_000,
          )
          expect(crowded).toEqual([])
        }),
        { numRuns: 60 },
      )
    })
  })
}

/** What has passed under one key, as plainly as it can be kept: it shares nothing with the code that it judges. */
interface Past {
  /** Moments of what was counted, oldest first; or the last moment of a bucket, and its level. */
  latest: number
  move(by: number): void
  /** How much of a limit is taken at a moment, in parts of which a request is `seconds * 1000`. */
  taken(limit: Limit, at: number): number
  count(limit: Limit, at: number): void
  takeBack(limit: Limit, at: number): void
}

class PastMoments implements Past {
  #moments: number[] = []

  get latest(): number {
    return this.#moments.at(-1) ?? -Infinity
  }

  move(by: number): void {
    this.#moments = this.#moments.map((moment) => moment - by)
  }

  taken({ seconds }: Limit, at: number): number {
    return this.#moments.filter((moment) => moment > at - seconds * 1000).length * seconds * 1000
  }

  count({ seconds, cost }: Limit, at: number): void {
    const rest = this.#moments.filter((moment) => moment > at - seconds * 1000)
    this.#moments = [...rest, ...Array<number>(cost).fill(at)]
  }

  takeBack({ cost }: Limit, at: number): void {
    for (let unit = 0; unit < cost; unit++) {
      const found = this.#moments.indexOf(at)
      if (found >= 0) this.#moments.splice(found, 1)
    }
  }
}

class Bucket implements Past {
  latest = -Infinity
  #level = 0

  move(by: number): void {
    this.latest -= by
  }

  /** What drains in a millisecond is the limit; a bucket holds no more than it. */
  taken({ limit, seconds }: Limit, at: number): number {
    if (this.#level === 0) return 0
    const full = Math.min(this.#level, limit * seconds * 1000)
    return Math.max(0, full - (at - this.latest) * limit)
  }

  count(limit: Limit, at: number): void {
    this.#level = this.taken(limit, at) + limit.cost * limit.seconds * 1000
    this.latest = this.#level === 0 ? -Infinity : at
  }

  takeBack({ cost, seconds }: Limit): void {
    this.#level = Math.max(0, this.#level - cost * seconds * 1000)
    if (this.#level === 0) this.latest = -Infinity
  }
}

/** The fewest milliseconds after which it holds, where it goes on holding then: found by halving. */
function soonest(most: number, holds: (after: number) => boolean): number {
  let [from, to] = [0, most]
  while (from < to) {
    const half = Math.floor((from + to) / 2)
    if (holds(half)) to = half
    else from = half + 1
  }
  return to
}

class Model {
  readonly #pasts = new Map<string, Past>()

  hit({ limits, at, counting }: Hit & { readonly at: number }): Counted {
    const waits = limits.map((limit) => this.#wait(limit, at))
    const passes = counting && waits.every((wait) => wait === 0)
    const standings = limits.map((limit, i) => {
      const past = this.#pastOf(limit)
      // A clock that was set back takes along what it has counted.
      const ahead = Math.max(0, past.latest - at)
      if (ahead > 0) past.count({ ...limit, cost: 0 }, past.latest)
      past.move(ahead)
      if (passes) past.count(limit, at)
      const remaining = (after: number): number =>
        Math.max(0, Math.floor(limit.limit - past.taken(limit, at + after) / windowOf(limit)))
      const left = remaining(0)
      const reset = this.#reset(limit, at, (after) => remaining(after) > left)
      return { allowed: waits[i] === 0, wait: waits[i]!, remaining: left, reset }
    })
    return { at, standings }
  }

  withdraw(limits: readonly Limit[], at: number): void {
    for (const limit of limits) this.#pastOf(limit).takeBack(limit, at)
  }

  #wait(limit: Limit, at: number): number | null {
    const past = this.#pastOf(limit)
    const [now, window] = [Math.max(at, past.latest), windowOf(limit)]
    if (limit.cost === 0) return 0
    if (limit.cost > limit.limit) return limit.limit === 0 ? window : null
    const room = (limit.limit - limit.cost) * window
    return soonest(window, (after) => past.taken(limit, now + after) <= room)
  }

  /** Of a log that holds more than a limit that was lowered: when the first one leaves. */
  #reset(limit: Limit, at: number, isMore: (after: number) => boolean): number {
    const past = this.#pastOf(limit)
    const taken = past.taken(limit, at)
    if (taken === 0 || (limit.algorithm === 'gcra' && limit.limit === 0)) return 0
    if (limit.algorithm === 'gcra') return soonest(windowOf(limit), isMore)
    return soonest(windowOf(limit), (after) => past.taken(limit, at + after) < taken)
  }

  #pastOf({ key, algorithm }: Limit): Past {
    const past = this.#pasts.get(key) ?? (algorithm === 'log' ? new PastMoments() : new Bucket())
    this.#pasts.set(key, past)
    return past
  }
}

const windowOf = ({ seconds }: Limit): number => seconds * 1000

function sequences(steps: readonly number[]) {
  const one = fc.record({
    place: fc.nat({ max: 2 }),
    limit: fc.constantFrom(0, 1, 2, 3, 7),
    cost: fc.constantFrom(0, 1, 1, 1, 2, 3, 8),
  })
  return fc.array(
    fc.record({
      some: fc.uniqueArray(one, { selector: ({ place }) => place, maxLength: 3 }),
      forward: fc.constantFrom(...steps),
      act: fc.constantFrom('hit', 'hit', 'hit', 'hit', 'look', 'withdraw'),
      back: fc.nat({ max: 4 }),
    }),
    { maxLength: 25 },
  )
}
