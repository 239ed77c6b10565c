// A service in a process of its own. Each line on standard input is a store, by its address, or a load, whose requests all
// come at once; each hit of the store is a line on standard output.
import { createInterface } from 'node:readline'
import { type App, UserRateThrottle, configurationOf, defineApi } from '../../../src/index.ts'
import type { Counted, CounterStore, Hit } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { openDatabase } from '../../../src/sql.ts'
import { patiently } from '../../setup/patiently.ts'

export interface Load {
  readonly rates: readonly string[]
  /** Where the clock of the service stands; `null`: by the clock of the store. */
  readonly clock: number | null
  readonly requests: number
}

/** Prints what became of each hit, before the request goes on. */
class Printing implements CounterStore {
  readonly #store: CounterStore
  readonly #asked: Promise<Counted>[] = []

  constructor(store: CounterStore) {
    this.#store = store
  }

  async hit(hit: Hit): Promise<Counted> {
    const asked = Promise.resolve(this.#store.hit(hit))
    this.#asked.push(asked)
    const counted = await asked
    const allowed = counted.standings.every((standing) => standing.allowed)
    // A store that was slow is probed, too: that is no request.
    const isRequest = hit.limits.every(({ key }) => key.startsWith('throttle_user_'))
    if (isRequest) process.stdout.write(`${JSON.stringify({ at: counted.at, allowed })}\n`)
    return counted
  }

  /** Also those for which their requests did not wait. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#asked)
  }

  async withdraw(...args: Parameters<CounterStore['withdraw']>): Promise<void> {
    return this.#store.withdraw(...args)
  }

  async clear(): Promise<void> {
    return this.#store.clear()
  }
}

async function storeAt(url: string): Promise<CounterStore> {
  if (!url.startsWith('redis')) {
    const database = openDatabase({ configuration: configurationOf({ DATABASE_URL: url }) })
    return Object.assign(database.counters, { close: () => database.close() })
  }
  const { redisCounters } = await import('../../../src/redis.ts')
  return redisCounters({ url })
}

function serviceOf({ rates, clock }: Load, counters: CounterStore): App {
  const api = defineApi({
    urls: { limited: '/limited/' },
    counters,
    throttles: [new UserRateThrottle({ rate: rates })],
    onStoreError: 'deny',
    ...(clock !== null && { now: () => clock }),
    logger: { error: (record) => console.error(JSON.stringify(record)) },
  })
  const limited = api.endpoint('limited').get(() => 'ok')
  return api.serve([limited], { configuration: configurationOf() })
}

/** The first look opens connections, which may take longer than a request waits for a store. */
async function openedAt(url: string): Promise<CounterStore> {
  const opened = await storeAt(url)
  const first = {
    key: `first_${process.pid}`,
    limit: 1,
    seconds: 1,
    cost: 1,
    algorithm: 'log',
  } as const
  await patiently(() => opened.hit({ limits: [first], at: null, counting: true }))
  process.stdout.write('"ready"\n')
  return opened
}

let store: CounterStore | undefined
for await (const line of createInterface({ input: process.stdin })) {
  const load = JSON.parse(line) as Load | string
  if (typeof load === 'string') {
    await store?.close?.()
    store = await openedAt(load)
    continue
  }
  const printing = new Printing(store!)
  const { get } = client(serviceOf(load, printing))
  const answers = await Promise.all(Array.from({ length: load.requests }, () => get('/limited/')))
  await printing.settled()
  const statuses = Object.groupBy(answers, ({ status }) => String(status))
  const counts = Object.entries(statuses).map(([status, some]) => [status, some!.length])
  process.stdout.write(`${JSON.stringify({ statuses: Object.fromEntries(counts) })}\n`)
}
process.exit()
