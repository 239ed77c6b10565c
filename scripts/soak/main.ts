// `npm run soak [-- MINUTES]`: serves with one process at half of its largest load, for 30 minutes after a warm-up of 10.
// Memory may grow by at most 1 MB a minute, and the open resources at the end must equal those at the start. Exit code 1: a
// limit was exceeded.
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Service, migrate } from '../faults/service.ts'
import { summary } from '../run.ts'

interface State {
  /** In bytes, without garbage. */
  readonly alive: number
  readonly rss: number
  /** The engine's space for new objects, used and unused. */
  readonly young: number
  readonly resources: readonly string[]
}

const APP = join(import.meta.dirname, 'app.ts')
const CLIENTS = 16
const SECOND = 1000
/** In megabytes a minute. */
const BUDGET = 1

const minutes = Number(process.argv[2] ?? 30)
/**
 * The engine doubles its space for new objects if enough of them survive, up to a limit, and keeps it: tens of megabytes in the
 * first minutes for any program. The space is printed, so that later growth shows.
 */
const warmUp = minutes / 3
const folder = mkdtempSync(join(tmpdir(), 'colophon-soak-'))
const env = {
  DATABASE_URL: `sqlite:${join(folder, 'app.sqlite')}`,
  COLOPHON_THROTTLE_STORE: 'database',
}
await migrate(env, APP)
const service = await Service.start({ env, workers: 0, app: APP })
const statuses: Record<string, number> = {}
let [passed, failed] = [0, 0]
try {
  await soak()
} finally {
  await service.stop()
  rmSync(folder, { recursive: true })
}
console.log(summary({ passed, failed }))
process.exit(failed === 0 ? 0 : 1)

async function soak(): Promise<void> {
  const { key } = (await asked(null, 'POST', '/keys/')) as { key: string }
  await loaded(key, 5 * SECOND, 0)
  const most = (await loaded(key, 10 * SECOND, 0)) / 10
  // The interval of a client for half of the largest load.
  const interval = (CLIENTS * SECOND) / (most / 2)
  const before = await settled()
  const states: (State & { readonly minute: number })[] = []
  const start = performance.now()
  const over = new AbortController()
  const watching = watch()
  const count = await loaded(key, (warmUp + minutes) * 60 * SECOND, interval)
  over.abort()
  await watching
  const after = await settled()
  console.log(
    `${count} requests in ${warmUp + minutes} minutes, of ${most.toFixed(0)} a second at most: ${JSON.stringify(statuses)}`,
  )
  const later = states.filter(({ minute }) => minute >= warmUp)
  for (const name of ['alive', 'rss', 'young'] as const) {
    const [whole, slope] = [states, later].map((each) => slopeIn(each, name).toFixed(3))
    const sizes = states.filter((_, at) => at % 8 === 0).map((each) => megabytes(each[name]))
    console.log(`${name}, every ${(warmUp + minutes) / 20} minutes: ${sizes.join(', ')} MB`)
    const text = `${name}: ${slope} MB a minute behind a warm-up of ${warmUp} (${later.length} looks), with it ${whole}`
    judge(text, Number(slope) < BUDGET)
  }
  judge(`open before ${before}, after ${after}`, before === after)
  judge('no answer was 5xx or missing', !Object.keys(statuses).some((each) => !/^[234]/.test(each)))

  async function watch(): Promise<void> {
    while (!over.signal.aborted) {
      states.push({ ...(await stateNow()), minute: (performance.now() - start) / 60 / SECOND })
      const { alive, rss, young, minute } = states.at(-1)!
      const sizes = [alive, rss, young].map(megabytes)
      if (states.length % 8 === 1)
        console.log(
          `minute ${minute.toFixed(1)}: ${sizes.join(', ')} MB; load ${loadavg()[0]!.toFixed(0)}`,
        )
      await pause(((warmUp + minutes) * 60 * SECOND) / 160, null, { signal: over.signal }).catch(
        () => {},
      )
    }
  }
}

/** Each client sends a request per `interval`, one after the other; gives their number. */
async function loaded(key: string, time: number, interval: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const end = performance.now() + time
  let count = 0
  async function client(): Promise<void> {
    for (
      let next = performance.now();
      next < end;
      next = Math.max(next + interval, performance.now())
    ) {
      if (next > performance.now()) await pause(next - performance.now())
      await one(agent, key, count++)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  agent.destroy()
  return count
}

/** One request of the usual kinds: reads, writes, wrong keys, wrong bodies, wrong addresses, clients that come and go. */
async function one(agent: Agent, key: string, at: number): Promise<void> {
  const kind = at % 10
  if (kind < 4) await asked(agent, 'GET', '/notes/', key)
  else if (kind < 6) await asked(agent, 'POST', '/notes/', key, JSON.stringify({ n: at }))
  else if (kind === 6) await asked(agent, 'GET', `/notes/${at % 2000}/`, key)
  else if (kind === 7) await asked(agent, 'GET', '/notes/', `no-key-${at}`)
  else if (kind === 8) await asked(agent, 'POST', `/notes/?${at}`, key, '{"n"')
  else await asked(null, 'GET', `/nowhere/${at}/`, key)
}

function asked(
  agent: Agent | null,
  method: string,
  path: string,
  key?: string,
  body = '',
): Promise<unknown> {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...(key !== undefined && { Authorization: `Token ${key}` }),
  }
  return new Promise((resolve) => {
    const done = (status: string, answer: unknown): void => {
      statuses[status] = (statuses[status] ?? 0) + 1
      resolve(answer)
    }
    const options = { method, headers, agent: agent ?? new Agent() }
    const asking = request(service.url + path, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece) => (text += String(piece)))
      answer.on('end', () => {
        const isThere = answer.statusCode === 200 && text !== ''
        done(`${answer.statusCode}`, isThere ? JSON.parse(text) : null)
      })
    })
    asking.on('error', (error) => done(String(error), null)).end(body)
  })
}

async function stateNow(): Promise<State> {
  return (await asked(null, 'GET', '/state/')) as State
}

/** The open resources by kind, after the last request. Connections close, and timers end, within seconds. */
async function settled(): Promise<string> {
  await pause(5 * SECOND)
  const counts = new Map<string, number>()
  for (const name of (await stateNow()).resources) counts.set(name, (counts.get(name) ?? 0) + 1)
  const all = [...counts].map(([name, count]) => `${count} ${name}`)
  return all.toSorted((each, next) => each.localeCompare(next)).join(', ')
}

function megabytes(bytes: number): number {
  return Number((bytes / 2 ** 20).toFixed(3))
}

/** The growth in megabytes a minute. */
function slopeIn(
  states: readonly (State & { readonly minute: number })[],
  name: 'alive' | 'rss' | 'young',
): number {
  return megabytes(slopeOf(states.map((each) => [each.minute, each[name]])))
}

/** The slope of the line with the least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number =>
    points.reduce((sum, each) => sum + each[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const part = points.reduce((sum, each) => sum + (each[0] - x) * (each[1] - y), 0)
  return part / points.reduce((sum, each) => sum + (each[0] - x) ** 2, 0)
}

function judge(what: string, well: boolean): void {
  if (well) passed++
  else failed++
  console.log(`${well ? '✓' : '×'} ${what}`)
}
