// The faults, each with real processes under load.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/postgres.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { type OwnWrites, readsOfOwnWrites } from '../../test/proofs/own-writes.ts'
import { startPgbouncer } from '../servers/pgbouncer.ts'
import { type PostgresServer, startPostgres, startStandby } from '../servers/postgres.ts'
import { startRedis, startRedisCluster, startReplica, startSentinels } from '../servers/redis.ts'
import type { Running } from '../servers/run-server.ts'
import { type Seen, load } from './load.ts'
import { Service, type ServiceOptions, migrate } from './service.ts'

/** What came of a fault. */
export interface Result {
  readonly requests: number
  /** Without an answer. */
  readonly unanswered: number
  readonly unavailable: number
  /** Notes that were answered with 201 and are not there, and those that are there twice. */
  readonly lost: number
  readonly repeated: number
  /** Milliseconds. */
  readonly p99: number
  /** From the fault to the last request that failed; 0: none did. */
  readonly recovery: number
  readonly note: string
}

/** Something that happens to a service, and what may come of it. */
export interface Fault {
  readonly name: string
  play(later: Later): Promise<Result>
  /** No request may fail. @default some may */
  readonly losesNothing?: boolean
}

/** Something to stop at the end, last first. */
type Later = (running: Pick<Running, 'stop'>) => void

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Milliseconds of load before a fault, and without a failure behind it. */
const [BEFORE, QUIET] = [1500, 2000]

interface Scene {
  readonly service: Service
  readonly database: SqlDatabase
  readonly fault: (seen: Seen) => unknown
  /** What is asked. @default notes are written */
  readonly path?: string
  readonly heedsReadiness?: boolean
}

async function under({ service, database, fault, ...how }: Scene): Promise<Result> {
  const running = load(service.url, how)
  await sleep(BEFORE)
  const at = performance.now()
  const note = await fault(running.seen)
  const { seen } = running
  const end = performance.now() + 30_000
  while (performance.now() < end && performance.now() - Math.max(at, seen.failedAt ?? 0) < QUIET)
    await sleep(50)
  return resultOf(await running.stop(), at, database, typeof note === 'string' ? note : '')
}

async function resultOf(
  seen: Seen,
  at: number,
  database: SqlDatabase,
  note: string,
): Promise<Result> {
  const notes = database.kysely<{ note: { n: number } }>()
  const rows = await notes.selectFrom('note').select('n').execute()
  const kept = new Map<number, number>()
  for (const { n } of rows) kept.set(n, (kept.get(n) ?? 0) + 1)
  const times = seen.times.toSorted((one, other) => one - other)
  return {
    requests: seen.asked - seen.refused,
    unanswered: seen.unanswered,
    unavailable: seen.unavailable,
    lost: seen.acknowledged.filter((n) => !kept.has(n)).length,
    repeated: [...kept.values()].filter((count) => count > 1).length,
    p99: Math.round(times[Math.floor(times.length * 0.99)] ?? 0),
    recovery: seen.failedAt === null ? 0 : Math.round(seen.failedAt - at),
    note: seen.refused === 0 ? note : `${seen.refused} more were refused: nothing listened`,
  }
}

type Options = Omit<ServiceOptions, 'env'> & { readonly env?: ServiceOptions['env'] }

/** On a file of SQLite. */
async function onSqlite(later: Later, options: Options = {}, folder = newFolder(later)) {
  const path = join(folder, 'app.sqlite')
  const env = {
    DATABASE_URL: `sqlite:${path}`,
    COLOPHON_THROTTLE_STORE: 'database',
    ...options.env,
  }
  await migrate(env)
  const service = await Service.start({ ...options, env })
  later(service)
  const database = openSqlite(path)
  later({ stop: async () => database.close() })
  return { service, database }
}

function newFolder(later: Later): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-faults-'))
  later({ stop: async () => rmSync(folder, { recursive: true, force: true }) })
  return folder
}

/** What is acknowledged is in the log of the server. */
const DURABLE = ['synchronous_commit=on']

/** On PostgreSQL. `address`: what the service is given, and `kept`: where the notes are in the end. */
async function onPostgres(later: Later, address: string, kept = address, env = {}) {
  const all = { DATABASE_URL: address, COLOPHON_THROTTLE_STORE: 'database', ...env }
  await migrate(all)
  const service = await Service.start({ env: all })
  later(service)
  const database = openPostgres({ url: kept, connections: 1 })
  later({ stop: () => database.close() })
  return { service, database }
}

async function started<T extends Running>(later: Later, starting: Promise<T>): Promise<T> {
  const server = await starting
  later(server)
  return server
}

async function ask(url: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const database = openPostgres({ url, connections: 1 })
  try {
    return (await database.rows({ sql, parameters: [] })).values
  } finally {
    await database.close()
  }
}

/** The process of a server. */
function killed({ data }: PostgresServer): void {
  process.kill(
    Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    'SIGQUIT',
  )
}

const hostOf = (url: string): string => new URL(url).host

export const FAULTS: readonly Fault[] = [
  {
    name: 'SIGTERM behind a balancer that asks `/readyz` (`--drain-period 2`)',
    losesNothing: true,
    async play(later) {
      const { service, database } = await onSqlite(later, { args: ['--drain-period', '2'] })
      const fault = () => service.stop()
      return under({ service, database, fault, heedsReadiness: true })
    },
  },
  {
    name: 'SIGTERM without a balancer, while clients go on connecting',
    losesNothing: true,
    async play(later) {
      const { service, database } = await onSqlite(later)
      return under({ service, database, fault: () => service.stop() })
    },
  },
  {
    name: 'SIGTERM of a service of one process, while clients go on connecting',
    losesNothing: true,
    async play(later) {
      const { service, database } = await onSqlite(later, { workers: 0 })
      return under({ service, database, fault: () => service.stop() })
    },
  },
  {
    name: 'SIGHUP',
    losesNothing: true,
    async play(later) {
      const { service, database } = await onSqlite(later)
      const fault = async () => {
        const before = service.workers
        service.signal('SIGHUP')
        while (service.workers.some((pid) => before.includes(pid))) await sleep(50)
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'a worker of four is killed (`kill -9`)',
    async play(later) {
      const { service, database } = await onSqlite(later)
      return under({ service, database, fault: () => process.kill(service.workers[0]!, 'SIGKILL') })
    },
  },
  {
    name: 'a worker of four hangs (`SIGSTOP`, `--worker-timeout 3`)',
    async play(later) {
      const { service, database } = await onSqlite(later, { args: ['--worker-timeout', '3'] })
      return under({
        service,
        database,
        async fault() {
          process.kill(service.workers[0]!, 'SIGSTOP')
          await sleep(5000)
        },
      })
    },
  },
  {
    name: 'the disk of SQLite is full, and has space again',
    async play(later) {
      const folder = newFolder(later)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'none', folder])
      later({ stop: async () => void execFileSync('umount', ['-l', folder]) })
      const { service, database } = await onSqlite(later, {}, folder)
      return under({
        service,
        database,
        async fault() {
          const filler = join(folder, 'filler')
          for (let size = 8 * 2 ** 20; size >= 4096; size /= 2) fill(filler, size)
          await sleep(2000)
          rmSync(filler)
        },
      })
    },
  },
  {
    name: 'the clock of the service is put an hour ahead, and back',
    async play(later) {
      const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
      if (library === undefined) throw new Error('untried: libfaketime is not installed')
      const file = join(newFolder(later), 'clock')
      writeFileSync(file, '+0')
      const { service, database } = await onSqlite(later, {
        env: {
          LD_PRELOAD: library,
          FAKETIME_TIMESTAMP_FILE: file,
          FAKETIME_NO_CACHE: '1',
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
        },
      })
      return under({
        service,
        database,
        async fault() {
          writeFileSync(file, '+3600')
          await sleep(1500)
          writeFileSync(file, '-3600')
          await sleep(1500)
        },
      })
    },
  },
  {
    name: 'PostgreSQL crashes, and starts again',
    async play(later) {
      const server = await started(later, startPostgres(DURABLE))
      const { service, database } = await onPostgres(later, server.url)
      const fault = async () => {
        // The postmaster restarts by itself when one of its processes is killed, as after a crash.
        const [[pid]] = (await ask(
          server.url,
          `select pid from pg_stat_activity where backend_type = 'walwriter'`,
        )) as [[number]]
        process.kill(pid, 'SIGKILL')
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'PgBouncer starts again',
    async play(later) {
      const server = await started(later, startPostgres(DURABLE))
      const first = await startPgbouncer({ url: server.url, settings: ['default_pool_size=20'] })
      const address = `${first.via(server.url)}?pooler=transaction`
      const { service, database } = await onPostgres(later, address, server.url)
      const fault = async () => {
        await first.stop()
        await started(later, startPgbouncer({ url: server.url, port: first.port }))
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'the primary of PostgreSQL is gone, and its synchronous standby is promoted by hand',
    async play(later) {
      const primary = await started(
        later,
        startPostgres([...DURABLE, 'synchronous_standby_names=*']),
      )
      const standby = await started(later, startStandby(primary.url, DURABLE))
      const address = primary.url.replace(
        hostOf(primary.url),
        `${hostOf(primary.url)},${hostOf(standby.url)}`,
      )
      const { service, database } = await onPostgres(later, address, standby.url)
      const fault = async () => {
        killed(primary)
        await sleep(1000)
        await ask(standby.url, 'select pg_promote()')
        return 'promoted after 1 s'
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'a replica is 10 s behind, and then gone',
    async play(later) {
      const primary = await started(later, startPostgres(DURABLE))
      const standby = await startStandby(primary.url)
      const { service, database } = await onPostgres(later, primary.url, primary.url, {
        COLOPHON_DATABASE_REPLICAS: standby.url,
      })
      return under({
        service,
        database,
        path: '/notes/',
        async fault() {
          await ask(standby.url, 'select pg_wal_replay_pause()')
          await sleep(10_000)
          await standby.stop()
        },
      })
    },
  },
  {
    name: 'the primary of Redis is gone, and three sentinels choose another',
    async play(later) {
      const primary = await startRedis()
      await started(later, startReplica(primary))
      const sentinels = await started(later, startSentinels(primary, 3))
      const env = { COLOPHON_THROTTLE_STORE: sentinels.url, LIMIT: '10000' }
      const { service, database } = await onSqlite(later, { env })
      await sleep(2000)
      const fault = () => primary.stop()
      return under({ service, database, fault, path: '/limited/' })
    },
  },
  {
    name: 'the slot of the counters moves in a cluster of Redis',
    async play(later) {
      const cluster = await started(later, startRedisCluster())
      const env = { COLOPHON_THROTTLE_STORE: cluster.url, LIMIT: '10000' }
      const { service, database } = await onSqlite(later, { env })
      const fault = () => cluster.moveSlotOf('{colophon}:')
      return under({ service, database, fault, path: '/limited/' })
    },
  },
]

/** Writes as much as there is room for. */
function fill(file: string, size: number): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
  } catch {
    // Full for pieces of this size.
  }
}

/** How many of 3,000 requests a rate of 1,000 allows on two services of four workers each. */
export async function quotaOn(
  store: 'PostgreSQL' | 'Redis' | 'SQLite, one machine',
  later: Later,
): Promise<number> {
  const folder = newFolder(later)
  const redis = store === 'Redis' ? await started(later, startRedis()) : null
  const postgres = store === 'PostgreSQL' ? await started(later, startPostgres(DURABLE)) : null
  const env = {
    DATABASE_URL: postgres?.url ?? `sqlite:${join(folder, 'app.sqlite')}`,
    COLOPHON_THROTTLE_STORE: redis?.url ?? 'database',
  }
  await migrate(env)
  const machines = store === 'SQLite, one machine' ? 1 : 2
  const services = await Promise.all(Array.from({ length: machines }, () => Service.start({ env })))
  for (const service of services) later(service)
  const urls = services.map(({ url }) => url)
  const { allowed } = await load(urls, { path: '/limited/', most: 3000, pause: 0 }).done
  return allowed
}

/** Random steps on a primary and a replica that follows late. */
export async function ownWritesIn(
  steps: Parameters<typeof readsOfOwnWrites>[1],
  later: Later,
): Promise<OwnWrites> {
  const primary = await started(later, startPostgres())
  const standby = await started(later, startStandby(primary.url, ['recovery_min_apply_delay=5ms']))
  const options = { url: primary.url, replicas: [standby.url], replicaWait: 5000 }
  return readsOfOwnWrites(options, steps)
}

/** Only root can mount, and only Linux tells of processes in this way. */
export function canPlay(): boolean {
  return process.getuid?.() === 0 && existsSync('/proc/self/task')
}
