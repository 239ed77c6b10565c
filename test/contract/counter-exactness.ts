// What holds for counters whatever comes, and however much of it at once.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Counted, CounterStore, Hit, Limit } from '../../src/contract/throttling.ts'
import { type Kept, decide, takeBack } from '../../src/throttling/counting.ts'

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

/** What `decide` makes of it. */
class Model {
  readonly #kept = new Map<string, Kept>()

  hit(hit: Hit & { readonly at: number }): Counted {
    return decide(
      hit,
      hit.limits.map((limit) => this.#keptOf(limit)),
      hit.at,
    ).counted
  }

  withdraw(limits: readonly Limit[], at: number): void {
    for (const limit of limits) takeBack(limit, this.#keptOf(limit), at)
  }

  #keptOf({ key }: Limit): Kept {
    const kept = this.#kept.get(key) ?? []
    this.#kept.set(key, kept)
    return kept
  }
}

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
