// Real servers that break while requests count in them. `npm run bench -- throttle-faults` has the figures.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Breakable,
  FAULTS,
  type Fault,
  breakableDatabase,
  breakableRedis,
} from '../../bench/throttle-faults/faults.ts'
import { type Load, figuresOf, startLoad } from '../../bench/throttle-faults/load.ts'
import type { CounterStore, StoreErrorPolicy } from '../../src/contract/throttling.ts'
import { AnonRateThrottle, defineApi, defineUrls } from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { openPostgres } from '../../src/postgres.ts'
import { redisCounters } from '../../src/redis.ts'
import { quiet } from '../behaviour/fixtures.ts'

const POLICIES = ['local', 'allow', 'deny'] as const
/** Milliseconds that the store may take, and what noticing it may add. */
const [PATIENCE, MARGIN] = [1000, 400]
/** Milliseconds after its return, at most, until each service counts in the store again. */
const RECOVERY = 6000

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

/** A service that counts nowhere: how long its requests take is the doing of the machine. */
async function unfailing(): Promise<Load> {
  const api = defineApi({ urls: defineUrls({ it: '/' }) })
  const server = await serve(api.serve([api.endpoint('it').get(() => 'it')], quiet), { port: 0 })
  onTestFinished(() => server.close())
  const load = startLoad(server.url, 15)
  onTestFinished(() => load.stop())
  return load
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, milliseconds))

async function breaks(
  store: Breakable,
  { begin, end }: Fault,
  open: (url: string) => CounterStore,
): Promise<void> {
  const counters = POLICIES.map(() => open(store.url))
  for (const each of counters) onTestFinished(async () => each.close?.())
  const services = await Promise.all(POLICIES.map((policy, i) => loaded(policy, counters[i]!)))
  const beside = await unfailing()
  await pause(500)
  for (const { events } of services) expect(events).toEqual([])
  const begun = performance.now()
  await begin(store)
  await pause(2000)
  await end(store)
  const ended = performance.now()
  const backAt = ({ events }: Loaded) =>
    events.find(({ event, at }) => event === 'counters.available' && at > ended)?.at
  await expect.poll(() => services.every(backAt), { timeout: RECOVERY }).toBe(true)
  const back = services.map((service) => backAt(service)!)
  await pause(300)
  await Promise.all([beside.stop(), ...services.map(({ load }) => load.stop())])

  for (const [i, { load, events }] of services.entries()) {
    const during = figuresOf(load.samples, begun, back[i]!)
    const after = figuresOf(load.samples, back[i]! + 20, Infinity)
    const { max: machine } = figuresOf(beside.samples, begun, back[i]!)
    expect(during.max).toBeLessThan(PATIENCE + MARGIN + machine)
    expect(Object.keys(after.statuses)).toEqual(['200'])
    const refused = during.statuses[503] ?? 0
    expect(
      Object.keys(during.statuses).filter((status) => !['200', '503'].includes(status)),
    ).toEqual([])
    expect(refused > 50).toBe(POLICIES[i] === 'deny')
    expect(refused === 0).toBe(POLICIES[i] !== 'deny')
    const lines = events.filter(({ event }) => event === 'counters.unavailable')
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThanOrEqual((back[i]! - begun) / 1000 + 2)
  }
}

describe('Redis', () => {
  let store: Breakable
  beforeAll(async () => void (store = await breakableRedis()))
  afterAll(() => store.end())

  test.for(FAULTS)('$name under load', { timeout: 20_000 }, (fault) =>
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
  }, 60_000)
  afterAll(() => store.end())

  test.for(FAULTS)('$name under load', { timeout: 30_000 }, (fault) =>
    breaks(store, fault, (url) => {
      const database = openPostgres({ url })
      return Object.assign(database.counters, { close: () => database.close() })
    }),
  )
})
