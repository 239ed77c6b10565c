// `colophon top`: what a service does now, from two looks at its metrics.
import { setTimeout as pause } from 'node:timers/promises'
import { CommandFailed, type Terminal, printTable } from '../terminal.ts'

/** The subjects, the interval, and the form of the display. */
export interface TopOptions {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** Seconds between two looks. */
  readonly interval: number
  readonly once: boolean
  readonly json: boolean
}

/** Shows what a service does, again and again, or once. @throws CommandFailed its metrics cannot be read */
export async function top(options: TopOptions, terminal: Terminal): Promise<void> {
  const stopping = new AbortController()
  process.once('SIGINT', () => stopping.abort())
  let before = await look(options)
  do {
    await pause(options.interval * 1000, null, { signal: stopping.signal }).catch(() => {})
    if (stopping.signal.aborted) return
    const now = await look(options)
    const activity = activityBetween(before, now)
    if (options.json) terminal.print(JSON.stringify(activity))
    else await show(activity, options, terminal)
    before = now
  } while (!options.once)
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** All samples, as of a moment in milliseconds. */
export interface Look {
  readonly at: number
  readonly samples: readonly Sample[]
}

async function look({ address, headers, interval }: TopOptions): Promise<Look> {
  const signal = AbortSignal.timeout(Math.max(interval, 10) * 1000)
  const answer = await fetch(address, { headers, signal }).catch((error: Error) => {
    const { message } = (error.cause ?? error) as Error
    throw new CommandFailed(
      `${address} does not answer: ${message}. Start the service, or ${OTHER}`,
    )
  })
  const text = await answer.text()
  const { ok, status } = answer
  const fix = status === 401 || status === 403 ? 'send what it asks for with --header, or ' : ''
  if (!ok) throw new CommandFailed(`${address} answers with ${status}: ${fix}${OTHER}`)
  const samples = samplesIn(text)
  if (samples.some(({ name }) => name === `${REQUESTS}_count` || name === UNDERWAY))
    return { at: performance.now(), samples }
  throw new CommandFailed(`${address} shows no metrics of Colophon: ${OTHER}`)
}

const OTHER =
  'name the page of metrics that defineMetrics makes, such as http://127.0.0.1:8000/metrics.'

const REQUESTS = 'colophon_request_duration_seconds'
const STATEMENTS = 'colophon_statement_duration_seconds'
const UNDERWAY = 'colophon_requests_underway'
const SAMPLE = /^([\w:]+)(?:\{(.*)\})? (\S+)/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Reads the text format of Prometheus. */
export function samplesIn(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value = ''] = SAMPLE.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', each = '']) => [key, plain(each)])
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

function plain(text: string): string {
  return text.replace(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each))
}

interface Timed {
  readonly perSecond: number
  /** Seconds; `null`: there was none. */
  readonly p50: number | null
  readonly p95: number | null
}

/** The events between two looks, and the state at the second. */
export interface Activity {
  readonly routes: readonly (Timed & {
    readonly route: string
    readonly failedPerSecond: number
    readonly refusedPerSecond: number
  })[]
  readonly statements: readonly (Timed & { system: string; failedPerSecond: number })[]
  readonly pools: readonly { database: string; busy: number; waiting: number; limit: number }[]
  readonly underway: number
  readonly workers: number
  /** The use of the busiest process, from 0 to 1. */
  readonly eventLoop: number
  /** Seconds, of the slowest process. */
  readonly eventLoopDelay: number
  readonly memory: number
}

/** The events between two looks. A process that began anew meanwhile counts from its beginning. */
export function activityBetween(before: Look, now: Look): Activity {
  const seconds = (now.at - before.at) / 1000
  const last = new Map(before.samples.map((each) => [keyOf(each), each.value]))
  const growth = now.samples.map((each) => {
    const earlier = last.get(keyOf(each)) ?? 0
    return { ...each, value: each.value < earlier ? each.value : each.value - earlier }
  })
  const rate = (name: string, labels: Sample['labels']): number =>
    sum(matching(growth, name, labels)) / seconds
  const timed = (name: string, labels: Sample['labels']): Timed => {
    const buckets = matching(growth, `${name}_bucket`, labels)
    const [p50, p95] = [quantile(0.5, buckets), quantile(0.95, buckets)]
    return { perSecond: rate(`${name}_count`, labels), p50, p95 }
  }
  const processes = matching(growth, 'nodejs_eventloop_active_seconds_total')
  const delays = matching(now.samples, 'nodejs_eventloop_delay_seconds', { quantile: '0.99' })
  const connections = 'colophon_database_connections'
  return {
    routes: valuesOf('route', matching(now.samples, `${REQUESTS}_count`))
      .map((route) => ({
        route,
        ...timed(REQUESTS, { route }),
        failedPerSecond: rate(`${REQUESTS}_count`, { route, status: '5xx' }),
        refusedPerSecond: rate(`${REQUESTS}_count`, { route, status: '4xx' }),
      }))
      .toSorted((one, other) => other.perSecond - one.perSecond),
    statements: valuesOf('system', matching(now.samples, `${STATEMENTS}_count`)).map((system) => ({
      system,
      ...timed(STATEMENTS, { system }),
      failedPerSecond: rate('colophon_statements_failed_total', { system }),
    })),
    pools: valuesOf('database', matching(now.samples, connections)).map((database) => ({
      database,
      busy: sum(matching(now.samples, connections, { database, state: 'busy' })),
      waiting: sum(matching(now.samples, connections, { database, state: 'waiting' })),
      limit: sum(matching(now.samples, `${connections}_limit`, { database })),
    })),
    underway: sum(matching(now.samples, UNDERWAY)),
    workers: processes.length,
    eventLoop: Math.max(0, ...processes.map(({ value }) => value / seconds)),
    eventLoopDelay: Math.max(0, ...delays.map(({ value }) => value)),
    memory: sum(matching(now.samples, 'process_resident_memory_bytes')),
  }
}

function keyOf({ name, labels }: Sample): string {
  return name + JSON.stringify(labels)
}

function matching(all: readonly Sample[], name: string, labels: Sample['labels'] = {}): Sample[] {
  const wanted = Object.entries(labels)
  return all.filter((each) => each.name === name && wanted.every(([k, v]) => each.labels[k] === v))
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, { value }) => total + value, 0)
}

function valuesOf(label: string, samples: readonly Sample[]): readonly string[] {
  return [...new Set(samples.map(({ labels }) => labels[label] ?? ''))]
}

/** A quantile as Prometheus finds it: within a bucket, durations are taken to be spread evenly. */
function quantile(share: number, buckets: readonly Sample[]): number | null {
  const counts = new Map<number, number>()
  for (const { labels, value } of buckets) {
    const bound = Number(labels['le']?.replace('+Inf', 'Infinity'))
    counts.set(bound, (counts.get(bound) ?? 0) + value)
  }
  const rising = [...counts].toSorted(([one], [other]) => one - other)
  const wanted = share * (rising.at(-1)?.[1] ?? 0)
  if (wanted === 0) return null
  const at = rising.findIndex(([, count]) => count >= wanted)
  const [[bound = 0, count = 0] = [], [from = 0, below = 0] = []] = [rising[at], rising[at - 1]]
  return bound === Infinity ? from : from + ((bound - from) * (wanted - below)) / (count - below)
}

/** At a terminal, each table takes the place of the one before. */
async function show(activity: Activity, { once }: TopOptions, terminal: Terminal): Promise<void> {
  const lines: string[] = []
  const page = { ...terminal, print: (line: string) => void lines.push(line) }
  const { routes, statements, pools, ...whole } = activity
  const total = routes.reduce((all, { perSecond }) => all + perSecond, 0)
  page.print(
    `${whole.workers} process${whole.workers === 1 ? '' : 'es'}, ${total.toFixed(1)} requests/s, ${whole.underway} under way, event loop ${(whole.eventLoop * 100).toFixed(0)} % (delay ${milliseconds(whole.eventLoopDelay)}), ${(whole.memory / 2 ** 20).toFixed(0)} MiB`,
  )
  const heading = ['ROUTE', 'REQUESTS/S', '4XX/S', '5XX/S', 'MEDIAN', '95 %']
  const rows = routes.map(({ route, refusedPerSecond, failedPerSecond, ...each }) => [
    route === '' ? '(no address)' : route,
    ...[each.perSecond, refusedPerSecond, failedPerSecond].map(short),
    ...[each.p50, each.p95].map(milliseconds),
  ])
  await printTable(page, [heading, ...rows])
  const asked = statements.map(({ system, perSecond, failedPerSecond, p50, p95 }) => [
    system,
    ...[perSecond, failedPerSecond].map(short),
    ...[p50, p95].map(milliseconds),
  ])
  if (asked.length > 0)
    await printTable(page, [['DATABASE', 'STATEMENTS/S', 'FAILED/S', 'MEDIAN', '95 %'], ...asked])
  const open = pools.map((each) => [
    each.database,
    ...[each.busy, each.waiting, each.limit].map(String),
  ])
  if (open.length > 0) await printTable(page, [['POOL', 'BUSY', 'WAITING', 'LIMIT'], ...open])
  const clear = terminal.columns === null || once ? '' : '\u001b[2J\u001b[H'
  terminal.print(clear + lines.join('\n'))
}

function short(perSecond: number): string {
  return perSecond === 0 ? '-' : perSecond.toFixed(1)
}

function milliseconds(seconds: number | null): string {
  return seconds === null ? '-' : `${(seconds * 1000).toFixed(1)} ms`
}
