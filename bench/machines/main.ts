// The benefit of more machines, on a model: each machine, and the database, is a group of processes with a part of a core
// (cgroups v1; Linux and root). Writes docs/operations/scale.md: `npm run bench -- machines [rounds] [seconds]`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Service, migrate } from '../../scripts/faults/service.ts'
import { root, run } from '../../scripts/run.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { Group } from './group.ts'
import { wrk } from './wrk.ts'
import { type Measured, pageOf } from './page.ts'

const [rounds = '3', seconds = '4'] = process.argv.slice(2)
const APP = join(import.meta.dirname, 'app.ts')

/** In parts of a core. */
const MACHINE = 0.1
const DATABASE = 0.3
const COUNTS = [1, 2, 3, 4, 6, 8]
const MOST = Math.max(...COUNTS)

interface Work {
  readonly name: string
  readonly path: string
  readonly body?: string
  readonly store: 'memory' | 'database'
}

const WORKS: readonly Work[] = [
  { name: 'a page of 20 rows', path: '/notes/', store: 'memory' },
  { name: 'the same page, its rate counted in the database', path: '/notes/', store: 'database' },
  { name: 'a row is written', path: '/notes/', body: '{"text":"Buy tea."}', store: 'memory' },
]

const measured = new Map<string, Measured[]>()
const folder = mkdtempSync(join(tmpdir(), 'colophon-machines-'))
try {
  for (const store of ['memory', 'database'] as const) await withStore(store)
} finally {
  rmSync(folder, { recursive: true })
}
const all = WORKS.map(({ name }) => ({ work: name, points: measured.get(name)! }))
const { page, picture } = pageOf(all, {
  machine: MACHINE,
  database: DATABASE,
  rounds: Number(rounds),
  seconds: Number(seconds),
})
writeFileSync(join(root, 'docs/operations/scale.md'), page)
writeFileSync(join(root, 'docs/operations/scale.svg'), picture)
await run('oxfmt docs/operations/scale.md')

/** Starts the services and the database with one store for the counters of throttles. */
async function withStore(store: Work['store']): Promise<void> {
  const postgres = await startPostgres(['synchronous_commit=on', 'max_connections=200'])
  const services: Service[] = []
  const database = new Group('database')
  const machines = Array.from({ length: MOST }, (_, at) => new Group(`machine-${at + 1}`))
  try {
    database.add(
      Number(readFileSync(join(postgres.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]),
    )
    const counts = store === 'database' ? 'yes' : 'no'
    const env = { DATABASE_URL: postgres.url, COLOPHON_THROTTLE_STORE: store, COUNTS: counts }
    await migrate(env, APP)
    for (const machine of machines) {
      const service = await Service.start({ env, workers: 0, app: APP })
      services.push(service)
      machine.add(service.pid)
    }
    const urls = services.map(({ url }) => url)
    const answer = await fetch(`${urls[0]}/keys/`, { method: 'POST' })
    const { key } = (await answer.json()) as { key: string }
    const own = WORKS.filter((work) => work.store === store)
    for (const work of own) for (const url of urls) await load([url], key, work, 3)
    for (const machine of machines) machine.limit(MACHINE)
    database.limit(DATABASE)
    for (let round = 0; round < Number(rounds); round++)
      for (const work of own)
        for (const n of COUNTS) {
          await load(urls.slice(0, n), key, work, 1)
          const before = [database.used, ...machines.map(({ used }) => used)]
          const rps = await load(urls.slice(0, n), key, work, Number(seconds))
          const [db, ...each] = [database.used, ...machines.map(({ used }) => used)].map(
            (used, at) => used - before[at]!,
          )
          const requests = rps * Number(seconds)
          const app = each.slice(0, n).reduce((sum, used) => sum + used, 0)
          const point = { n, rps, app: app / requests, db: db! / requests }
          measured.set(work.name, [...(measured.get(work.name) ?? []), point])
          console.log(work.name, n, rps.toFixed(0), point.app.toFixed(0), point.db.toFixed(0))
        }
  } finally {
    for (const service of services) await service.stop()
    await postgres.stop()
    for (const group of [database, ...machines]) group.remove()
  }
}

/** The requests a second of all machines together. */
async function load(
  urls: readonly string[],
  key: string,
  work: Work,
  time: number,
): Promise<number> {
  const each = await Promise.all(
    urls.map((url) => wrk({ url: url + work.path, body: work.body, key, seconds: time, folder })),
  )
  return each.reduce((sum, rps) => sum + rps, 0)
}
