// Real servers that break while requests count in them. `npm run bench -- throttle-faults` has the figures.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Breakable,
  FAULTS,
  type Fault,
  breakableDatabase,
  breakableRedis,
} from '../../../bench/throttle-faults/faults.ts'
import { type Load, type Sample, startLoad } from '../../../bench/throttle-faults/load.ts'
import type { CounterStore, StoreErrorPolicy } from '../../../src/core/ports/policies/throttling.ts'
import { AnonRateThrottle, defineApi, defineUrls } from '../../../src/index.ts'
import { serve } from '../../../src/node.ts'
import { openPostgres } from '../../../src/postgres.ts'
import { redisCounters } from '../../../src/redis.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const POLICIES = ['local', 'allow', 'deny'] as const

interface Loaded {
  readonly load: Load
  readonly events: readonly { readonly event: unknown; readonly at: number }[]
}

/** A service that counts in the store, with requests on their way. */
async function loaded(onStoreError: StoreErrorPolicy, counters: CounterStore): Promise<Loaded> {
  const events: { event: unknown; at: number }[] = []
  const note = ({ event }: Readonly<Record<string, unknown>>) =>
    void events.push({ event, at: performance.now() })
  const api = defineApi({
    urls: defineUrls({ it: '/' }),
    throttles: [new AnonRateThrottle({ rate: '100000/s', algorithm: 'gcra' })],
    logger: { error: note, info: note },
    onStoreError,
    counters,
  })
  const server = await serve(api.serve([api.endpoint('it').get(() => 'it')], quiet), { port: 0 })
  onTestFinished(() => server.close())
  const load = startLoad(server.url, 15)
  onTestFinished(() => load.stop())
  return { load, events }
}

/** Waits until each service has answered so many requests that were sent since. */
async function answered(services: readonly Loaded[], many: number): Promise<void> {
  const since = performance.now()
  const least = () => Math.min(...services.map(({ load }) => sent(load, since).length))
  await expect.poll(least).toBeGreaterThan(many)
}

const sent = ({ samples }: Load, from: number, to = Infinity): readonly Sample[] =>
  samples.filter(({ at }) => at > from && at < to)

async function breaks(
  store: Breakable,
  { begin, end }: Fault,
  open: (url: string) => CounterStore,
): Promise<void> {
  const counters = POLICIES.map(() => open(store.url))
  for (const each of counters) onTestFinished(async () => each.close?.())
  const services = await Promise.all(POLICIES.map((policy, i) => loaded(policy, counters[i]!)))
  await answered(services, 20)
  // A machine that does other work may have been late for a moment.
  const isAvailable = ({ events }: Loaded) => events.at(-1)?.event !== 'counters.unavailable'
  await expect.poll(() => services.every(isAvailable)).toBe(true)
  const begun = performance.now()
  await begin(store)
  const unavailable = ({ events }: Loaded) =>
    events.filter(({ event, at }) => event === 'counters.unavailable' && at > begun).length
  await expect.poll(() => Math.min(...services.map(unavailable))).toBeGreaterThan(0)
  await answered(services, 50)
  await end(store)
  const ended = performance.now()
  // Where the machine is late for a moment once more, it is back after that.
  const backAt = ({ events }: Loaded) =>
    events.findLast(({ event, at }) => event === 'counters.available' && at > ended)?.at
  const isBack = (service: Loaded) =>
    isAvailable(service) && sent(service.load, backAt(service) ?? Infinity).length > 20
  await expect.poll(() => services.every(isBack)).toBe(true)
  await Promise.all(services.map(({ load }) => load.stop()))

  for (const [i, service] of services.entries()) {
    const back = backAt(service)!
    const during = sent(service.load, begun, back).map(({ status }) => status)
    const refused = during.filter((status) => status !== 200)
    expect(new Set(refused)).toEqual(new Set(POLICIES[i] === 'deny' ? [503] : []))
    const after = sent(service.load, back).map(({ status }) => status)
    expect(new Set(after)).toEqual(new Set([200]))
    // In a log that repeats itself there would be one for each request.
    expect(unavailable(service)).toBeLessThan(during.length / 4)
  }
}

describe('Redis', () => {
  let store: Breakable
  beforeAll(async () => void (store = await breakableRedis()))
  afterAll(() => store.end())

  test.for(FAULTS)('$name under load', (fault) =>
    breaks(store, fault, (url) => redisCounters({ url })),
  )
})

describe('PostgreSQL', () => {
  let store: Breakable
  beforeAll(async () => {
    store = await breakableDatabase('postgres', async (url) => {
      const database = openPostgres({ url })
      await database.migrate()
      await database.close()
    })
  })
  afterAll(() => store.end())

  test.for(FAULTS)('$name under load', (fault) =>
    breaks(store, fault, (url) => {
      const database = openPostgres({ url })
      return Object.assign(database.counters, { close: () => database.close() })
    }),
  )
})
