import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type {
  Counted,
  CounterStore,
  Hit,
  Limit,
} from '../../../src/core/ports/policies/throttling.ts'
import { NotFound, ServiceUnavailable } from '../../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { ConnectionLost } from '../../../src/storage/sql/sql-database.ts'
import { LogLimiter } from '../../../src/core/std/log-limiter.ts'
import { GuardedCounters } from '../../../src/policies/throttling/guarded-counters.ts'
import { MemoryCounters } from '../../../src/policies/throttling/memory-counters.ts'

const limit: Limit = { key: 'a', limit: 2, seconds: 60, cost: 1, algorithm: 'log' }
const held: Limit = { ...limit, key: 'held', held: true }

/** A store that does as it is asked to, and counts in memory where it answers. */
class FakeStore implements CounterStore {
  state: 'there' | 'silent' | 'slow' | { readonly failure: unknown } = 'there'
  readonly counters = new MemoryCounters()
  readonly hits: Hit[] = []
  readonly withdrawn: (readonly [keys: readonly string[], at: number])[] = []

  async hit(hit: Hit): Promise<Counted> {
    this.hits.push(hit)
    await this.#respond()
    return this.counters.hit(hit)
  }

  async withdraw(limits: readonly Limit[], at: number): Promise<void> {
    await this.#respond()
    this.withdrawn.push([limits.map(({ key }) => key), at])
    this.counters.withdraw(limits, at)
  }

  clear(): void {
    this.counters.clear()
  }

  /** Hits of requests, without those that only find out whether it is there. */
  get asked(): number {
    return this.hits.filter(({ limits }) => limits[0]!.key !== 'throttle_probe').length
  }

  async #respond(): Promise<void> {
    if (typeof this.state === 'object') throw this.state.failure
    if (this.state === 'silent') await new Promise(() => undefined)
    if (this.state === 'slow') await new Promise((resolve) => setTimeout(resolve, 1300))
  }
}

const refused = { failure: new DatabaseUnavailable('Nothing listens there.') }

function guarded(store: CounterStore = new FakeStore()) {
  const lines: Readonly<Record<string, unknown>>[] = []
  const seldom = new LogLimiter(1000)
  const counters = new GuardedCounters({
    store,
    now: null,
    logger: { error: (line) => void lines.push(line), info: (line) => void lines.push(line) },
    logSeldom(kind, record) {
      const count = seldom.count(kind)
      if (count !== null) lines.push({ ...record, count })
    },
  })
  return { counters, lines, store: store as FakeStore }
}

type Policy = 'allow' | 'deny' | 'local'

/** What becomes of one request, and after how many milliseconds. */
async function outcome(counters: GuardedCounters, onStoreError: Policy, limits = [limit]) {
  const since = performance.now()
  const asked = async (): Promise<Counted | null> => counters.hit(limits, { onStoreError })
  const settled = asked().then(
    (counted) => counted && (counted.local ? 'counted here' : 'counted there'),
    (error: unknown) => error,
  )
  const state = { over: false }
  const pending = settled.then((what) => {
    state.over = true
    return { what, took: performance.now() - since }
  })
  for (let i = 0; !state.over && i < 5000; i++) await vi.advanceTimersByTimeAsync(1)
  return pending
}

async function fail(counters: GuardedCounters, times = 3): Promise<void> {
  for (let i = 0; i < times; i++) await outcome(counters, 'allow')
}

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance', 'Date'],
    }),
)
afterEach(() => void vi.useRealTimers())

describe('a store that is away', () => {
  test.for([
    ['allow', null],
    ['local', 'counted here'],
  ] as const)('by %s requests go on', async ([policy, what]) => {
    const { counters, store } = guarded()
    store.state = refused
    expect(await outcome(counters, policy)).toEqual({ what, took: 0 })
  })

  test('by deny they are refused for a second, with 503', async () => {
    const { counters, store } = guarded()
    store.state = refused
    const { what } = await outcome(counters, 'deny')
    expect(what).toBeInstanceOf(ServiceUnavailable)
    expect(what).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  })

  test('without a word about it, requests are counted in this process, exactly', async () => {
    const { counters, store } = guarded()
    store.state = refused
    const counted = await Promise.all([1, 2, 3].map(async () => counters.hit([limit])))
    const allowed = counted.map((each) => each?.standings[0]!.allowed)
    expect(allowed).toEqual([true, true, false])
  })

  test.for([
    [80_000_000, 'refused'],
    [86_400_000, 'allowed'],
  ] as const)('what this process counted %d ms ago: %s', async ([later, what]) => {
    const { counters, store } = guarded()
    const daily = { ...limit, limit: 4, seconds: 86_400 }
    for (let i = 0; i < 4; i++) {
      store.state = refused
      await fail(counters)
      await outcome(counters, 'local', [daily])
      store.state = 'there'
      await vi.advanceTimersByTimeAsync(1500)
    }
    await vi.advanceTimersByTimeAsync(later)
    store.state = refused
    const counted = await counters.hit([daily])
    expect(counted?.standings[0]!.allowed).toBe(what === 'allowed')
  })

  test.for(['allow', 'deny', 'local'] as const)(
    'by %s none waits much longer than a second for one that is silent',
    async (policy) => {
      const { counters, store } = guarded()
      store.state = 'silent'
      const { took } = await outcome(counters, policy)
      expect(took).toBeGreaterThanOrEqual(999)
      expect(took).toBeLessThanOrEqual(1061)
    },
  )

  test('one that throws at once is away as well', async () => {
    const throwing = {
      hit() {
        throw refused.failure
      },
      withdraw() {},
      clear() {},
    }
    const { counters } = guarded(throwing)
    expect(await outcome(counters, 'local')).toEqual({ what: 'counted here', took: 0 })
    await fail(counters)
    expect(await outcome(counters, 'allow')).toEqual({ what: null, took: 0 })
  })
})

describe('what means that a store is away', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect' })
  test.for<readonly [string, unknown, boolean]>([
    ['what our own stores throw', refused.failure, true],
    ['a lost connection', new ConnectionLost('redis://cache', new Error('ended')), true],
    ['a refused connection', coded('ECONNREFUSED'), true],
    ['several of them', new AggregateError([coded('ECONNREFUSED')]), true],
    ['an error of a client that we do not know', new Error('Connection is closed.'), true],
    ['a driver that is missing', new ConfigurationError('npm install @redis/client'), true],
    ['a text', 'no servers', true],
    ['a failed fetch', new TypeError('fetch failed', { cause: coded('ECONNRESET') }), true],
    ['a mistake in the program', new TypeError('x is not a function'), false],
    ['a name that is unknown', new ReferenceError('x is not defined'), false],
    ['a number out of range', new RangeError('Invalid array length'), false],
    ['an answer that the store has chosen', new NotFound(), false],
  ])('%s: %s', async ([, failure, isAway]) => {
    const { counters, store, lines } = guarded()
    store.state = { failure }
    for (let i = 0; i < 5; i++) {
      const { what } = await outcome(counters, 'local', [{ ...limit, limit: 100 }])
      expect(what).toBe(isAway ? 'counted here' : failure)
    }
    expect(store.asked).toBe(isAway ? 3 : 5)
    expect(lines.length > 0).toBe(isAway)
  })
})

describe('the store is left alone', () => {
  test('after three failures in a row, requests no longer wait', async () => {
    const { counters, store } = guarded()
    store.state = 'silent'
    await fail(counters)
    expect(await outcome(counters, 'allow')).toEqual({ what: null, took: 0 })
    expect(store.asked).toBe(3)
  })

  test('and those that wait for it already are answered without it', async () => {
    const { counters, store } = guarded()
    store.state = 'silent'
    const asked = []
    for (let i = 0; i < 10; i++) {
      asked.push(Promise.resolve(counters.hit([{ ...limit, limit: 100 }])))
      await vi.advanceTimersByTimeAsync(100)
    }
    let answered = 0
    for (const each of asked) void Promise.resolve(each).then(() => answered++)
    // The third of them is late after 1200 ms, and a tick.
    await vi.advanceTimersByTimeAsync(199)
    expect(answered).toBe(2)
    await vi.advanceTimersByTimeAsync(62)
    expect(answered).toBe(10)
    const counted = await Promise.all(asked)
    expect(counted.every((each) => each?.local)).toBe(true)
  })

  test('not while it answers now and then', async () => {
    const { counters, store } = guarded()
    for (let i = 0; i < 10; i++) {
      store.state = refused
      await fail(counters, 2)
      store.state = 'there'
      expect(await outcome(counters, 'allow')).toMatchObject({ what: 'counted there' })
    }
    expect(store.asked).toBe(30)
  })

  test('meanwhile it is asked by itself, after pauses that grow up to a second', async () => {
    const { counters, store } = guarded()
    store.state = refused
    await fail(counters)
    const [since, before] = [performance.now(), store.hits.length]
    const moments: number[] = []
    for (let i = 0; i < 5000; i++) {
      const asked = store.hits.length
      await vi.advanceTimersByTimeAsync(1)
      if (store.hits.length > asked) moments.push(Math.round((performance.now() - since) / 10) * 10)
    }
    expect(store.hits.length - before).toBe(moments.length)
    expect(moments).toEqual([100, 300, 700, 1500, 2500, 3500, 4500])
  })

  test('no request waits for that, and there is one question at a time', async () => {
    const { counters, store } = guarded()
    store.state = 'silent'
    await Promise.all(Array.from({ length: 10 }, () => outcome(counters, 'allow')))
    for (let i = 0; i < 700; i++) {
      expect(await outcome(counters, 'allow')).toEqual({ what: null, took: 0 })
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(store.asked).toBe(10)
    // After 100, then a second each until it is given up, and 200, 400, 800, 1000 …
    expect(store.hits.length - store.asked).toBe(5)
  })

  test.for([refused, 'silent'] as const)(
    'back within 2.1 seconds of its return, without any request (%o)',
    async (state) => {
      const { counters, store } = guarded()
      store.state = state
      await fail(counters)
      await vi.advanceTimersByTimeAsync(60_000)
      store.state = 'there'
      await vi.advanceTimersByTimeAsync(2055)
      expect(await outcome(counters, 'deny')).toMatchObject({ what: 'counted there' })
    },
  )

  test('one that goes again at once is left alone for longer', async () => {
    const { counters, store } = guarded()
    const away: number[] = []
    for (let i = 0; i < 5; i++) {
      store.state = refused
      await fail(counters)
      const since = performance.now()
      store.state = 'there'
      while ((await outcome(counters, 'allow')).what === null) await vi.advanceTimersByTimeAsync(1)
      away.push(Math.round((performance.now() - since) / 10) * 10)
    }
    expect(away).toEqual([100, 200, 400, 800, 1000])
    await vi.advanceTimersByTimeAsync(10_001)
    store.state = refused
    await fail(counters)
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(100)
    expect(await outcome(counters, 'allow')).toMatchObject({ what: 'counted there' })
  })

  test('what was asked before its return does not send it away again', async () => {
    const { counters, store } = guarded()
    store.state = 'silent'
    const late = [1, 2, 3].map(() => outcome(counters, 'allow'))
    store.state = refused
    await fail(counters)
    store.state = 'there'
    await Promise.all(late)
    await vi.advanceTimersByTimeAsync(1200)
    expect(await outcome(counters, 'allow')).toMatchObject({ what: 'counted there' })
  })
})

describe('an answer that comes too late', () => {
  test('does no harm: what it has counted stays counted', async () => {
    const { counters, store } = guarded()
    store.state = 'slow'
    expect(await outcome(counters, 'allow')).toMatchObject({ what: null })
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(1000)
    const counted = await counters.hit([limit], { counting: false })
    expect(counted?.standings[0]!.remaining).toBe(1)
  })

  test('a request that was held by it is let go', async () => {
    const { counters, store } = guarded()
    store.state = 'slow'
    expect(await outcome(counters, 'allow', [limit, held])).toMatchObject({ what: null })
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(1000)
    expect(store.withdrawn).toEqual([[['held'], expect.any(Number)]])
    const counted = await counters.hit([held], { counting: false })
    expect(counted?.standings[0]!.remaining).toBe(2)
  })
})

describe('taking back', () => {
  test('goes to where it was counted', async () => {
    const { counters, store } = guarded()
    const there = (await counters.hit([held]))!
    store.state = refused
    const here = (await counters.hit([held]))!
    expect(here.local).toBe(true)
    await counters.withdraw([held], here)
    const left = await counters.hit([held], { counting: false })
    expect(left?.standings[0]!.remaining).toBe(2)
    store.state = 'there'
    await counters.withdraw([held], there)
    expect(store.withdrawn).toEqual([[['held'], there.at]])
  })

  test('is made up for when the store is back', async () => {
    const { counters, store } = guarded()
    const first = (await counters.hit([held]))!
    const second = (await counters.hit([held]))!
    store.state = refused
    await counters.withdraw([held], first)
    await fail(counters, 2)
    await counters.withdraw([held], second)
    expect(store.withdrawn).toEqual([])
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(100)
    expect(store.withdrawn).toEqual([first, second].map(({ at }) => [['held'], at]))
  })

  test('never rejects, and waits no longer than a request', async () => {
    const { counters, store, lines } = guarded()
    const counted = (await counters.hit([held]))!
    for (const failure of [new Error('away'), new TypeError('a mistake')]) {
      store.state = { failure }
      await counters.withdraw([held], counted)
    }
    store.state = 'silent'
    let over = false
    void Promise.resolve(counters.withdraw([held], counted)).then(() => (over = true))
    await vi.advanceTimersByTimeAsync(1061)
    expect(over).toBe(true)
    expect(lines[0]).toMatchObject({ event: 'counters.unavailable' })
  })
})

describe('the log', () => {
  test('has a line a second with a count, and one when the store is back', async () => {
    const { counters, store, lines } = guarded()
    store.state = refused
    for (let i = 0; i < 30; i++) {
      await outcome(counters, 'allow')
      await vi.advanceTimersByTimeAsync(100)
    }
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(1001)
    const event = 'counters.unavailable'
    const err = expect.any(Error) as Error
    const line = { event, onStoreError: 'allow', error: 'Nothing listens there.', err }
    expect(lines).toEqual([
      { ...line, count: 1 },
      { ...line, count: 10 },
      { ...line, count: 10 },
      { event: 'counters.available', seconds: 3.5, requests: 30 },
    ])
  })

  test('counts the requests of each outage alone', async () => {
    const { counters, store, lines } = guarded()
    for (let i = 0; i < 2; i++) {
      store.state = refused
      await fail(counters)
      store.state = 'there'
      await vi.advanceTimersByTimeAsync(20_000)
    }
    const back = lines.filter(({ event }) => event === 'counters.available')
    expect(back).toMatchObject([{ requests: 3 }, { requests: 3 }])
  })

  test('says of a silent store for how long it was asked', async () => {
    const { counters, store, lines } = guarded()
    store.state = 'silent'
    await fail(counters, 1)
    expect(lines[0]).toMatchObject({ error: 'The store of counters gave no answer in 1 s.' })
  })
})

describe('what it costs where nothing is wrong', () => {
  test('a store that answers at once is answered at once, without a timer', () => {
    const { counters } = guarded(new MemoryCounters())
    expect(counters.hit([limit])).toMatchObject({ standings: [{ allowed: true }] })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('one that is closed asks no more, and works when it is asked again', async () => {
    const { counters, store } = guarded()
    store.state = refused
    await fail(counters)
    await counters.close()
    const asked = store.hits.length
    await vi.advanceTimersByTimeAsync(5000)
    expect(store.hits).toHaveLength(asked)
    store.state = 'there'
    expect(await outcome(counters, 'allow')).toMatchObject({ what: 'counted there' })
  })

  test('a question that is under way when it is closed is the last one', async () => {
    const { counters, store, lines } = guarded()
    store.state = 'silent'
    await fail(counters)
    await vi.advanceTimersByTimeAsync(200)
    await counters.close()
    const [asked, logged] = [store.hits.length, lines.length]
    store.state = 'there'
    await vi.advanceTimersByTimeAsync(5000)
    expect([store.hits.length, lines.length]).toEqual([asked, logged])
  })

  test('closing waits for what is being taken back', async () => {
    const { counters, store } = guarded()
    const counted = (await counters.hit([held]))!
    store.state = 'slow'
    void counters.withdraw([held], counted)
    let closed = false
    void counters.close().then(() => (closed = true))
    await vi.advanceTimersByTimeAsync(998)
    expect(closed).toBe(false)
    await vi.advanceTimersByTimeAsync(61)
    expect(closed).toBe(true)
  })
})
