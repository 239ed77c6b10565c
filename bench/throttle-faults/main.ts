// The answers to requests while the store of counters breaks and recovers, by policy. Fails if a request takes longer than the
// store may, or gets another status than 200 and 503.
// `npm run bench -- throttle-faults [redis|postgres|mysql] [restarted|silent|slow]`
import { AnonRateThrottle, configurationOf, defineApi, defineUrls } from 'colophon'
import type { StoreErrorPolicy } from 'colophon/types'
import { openMysql } from 'colophon/mysql'
import { serve } from 'colophon/node'
import { openPostgres } from 'colophon/postgres'
import { redisCounters } from 'colophon/redis'
import { type Breakable, FAULTS, type Fault, breakableDatabase, breakableRedis } from './faults.ts'
import { type Figures, figuresOf, startLoad } from './load.ts'

/** The milliseconds between two requests, and those without the store. */
const [EVERY, AWAY] = [5, 3000]
/** The milliseconds that a store may take, and the reserve for a busy machine. */
const [PATIENCE, MARGIN] = [1000, 400]
/** The milliseconds until the store must be in use again. */
const RECOVERY = 20_000

const stores = {
  redis: {
    start: breakableRedis,
    open: (url: string) => redisCounters({ url }),
  },
  postgres: {
    start: () => breakableDatabase('postgres', async (url) => migrated(openPostgres({ url }))),
    open: (url: string) => closing(openPostgres({ url })),
  },
  mysql: {
    start: () => breakableDatabase('mysql', async (url) => migrated(openMysql({ url }))),
    open: (url: string) => closing(openMysql({ url })),
  },
}

type Database = ReturnType<typeof openPostgres>

async function migrated(database: Database): Promise<void> {
  await database.migrate()
  await database.close()
}

function closing(database: Database) {
  return Object.assign(database.counters, { close: () => database.close() })
}

const [kinds, faults] = [Object.keys(stores), FAULTS.map(({ name }) => name)].map((all, i) => {
  const named = process.argv[i + 2]
  return named === undefined ? all : [named]
}) as [(keyof typeof stores)[], string[]]

for (const kind of kinds) {
  const store = await stores[kind].start()
  try {
    for (const fault of FAULTS.filter(({ name }) => faults.includes(name)))
      for (const policy of ['local', 'allow', 'deny'] as const)
        await tell(kind, store, fault, policy)
  } finally {
    await store.end()
  }
}

async function tell(
  kind: keyof typeof stores,
  store: Breakable,
  fault: Fault,
  policy: StoreErrorPolicy,
): Promise<void> {
  const { figures, recovered } = await measure(kind, store, fault, policy)
  const { statuses, p50, p99, max } = figures
  const isWrong =
    max > PATIENCE + MARGIN ||
    Object.keys(statuses).some((status) => !['200', '503'].includes(status))
  if (isWrong || recovered === null) process.exitCode = 1
  const times = [p50, p99, max].map((time) => `${time.toFixed(1)} ms`).join(' / ')
  const back = recovered === null ? 'never' : `${(recovered / 1000).toFixed(2)} s`
  console.log(
    `${kind} ${fault.name}, ${policy}: ${JSON.stringify(statuses)}, p50/p99/max ${times}, back after ${back}${isWrong ? '  WRONG' : ''}`,
  )
}

/** Measures from the beginning of the fault until the store is in use again. */
async function measure(
  kind: keyof typeof stores,
  { url, ...store }: Breakable,
  fault: Fault,
  onStoreError: StoreErrorPolicy,
): Promise<{ readonly figures: Figures; readonly recovered: number | null }> {
  const counters = stores[kind].open(url)
  const back: number[] = []
  const logger = {
    error: () => undefined,
    info: ({ event }: Readonly<Record<string, unknown>>) => {
      if (event === 'counters.available') back.push(performance.now())
    },
  }
  const throttles = [new AnonRateThrottle({ rate: '100000/s', algorithm: 'gcra' })]
  const api = defineApi({
    urls: defineUrls({ it: '/' }),
    throttles,
    onStoreError,
    counters,
    logger,
  })
  const app = api.serve([api.endpoint('it').get(() => 'it')], { configuration: configurationOf() })
  const server = await serve(app, { port: 0 })
  const load = startLoad(server.url, EVERY)
  await pause(1000)
  const begun = performance.now()
  await fault.begin({ url, ...store })
  await pause(AWAY)
  await fault.end({ url, ...store })
  const ended = performance.now()
  const returned = () => back.find((moment) => moment > ended) ?? null
  while (returned() === null && performance.now() < ended + RECOVERY) await pause(10)
  await pause(500)
  await load.stop()
  await server.close()
  await counters.close()
  const moment = returned()
  return {
    figures: figuresOf(load.samples, begun, moment ?? Infinity),
    recovered: moment && moment - ended,
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
