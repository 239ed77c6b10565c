// The works of a service with tenants: reading, writing, and refusing. The installed Colophon beside a server by hand, in turns
// in one run; both must answer alike, which is checked first.
// `npm run bench -- works [rounds] [--database sqlite | pg | all] [--works list,create] [--seconds 3] [--rows 400000]
//  [--mixed 1000000] [--keep]`
// `flood`: 10 users while 64 connections send unknown tokens as fast as they are answered. `mixed`: so many requests of all
// works, and the memory after them. Each server has a database of its own, so that it sees only its own writes.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'pg'
import { install } from '../../scripts/install.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { postgresCpu } from '../pages-postgres/postgres-cpu.ts'
import { type Figure, type Round, figuresOf } from '../runs/figures.ts'
import { keep } from '../runs/kept.ts'
import { figuresTable } from '../runs/words.ts'
import { type Asking, ask, memoryOf } from '../runs/wrk.ts'
import { compilePrograms } from '../start/programs.ts'
import { fill } from './data.ts'
import { type Flood, type Memory, floodTable, memoryTable } from './figure.ts'
import { type Work, checkAlike, linesOf, walked, worksOf } from './requests.ts'
import type { Dialect } from './world.ts'

const CONNECTIONS = 32
const [HONEST, FLOODING] = [10, 64]
/** The requests of the warm-up, and the most seconds that it may take. */
const [WARM, LONGEST_WARM] = [6000, 12]
/** The shares of the works in a hundred requests of `mixed`. */
const MIXED: Readonly<Record<string, number>> = {
  list: 20,
  detail: 25,
  walk: 10,
  search: 5,
  create: 10,
  patch: 10,
  identify: 5,
  'unknown-token': 5,
  'other-tenant': 5,
  'invalid-body': 5,
}
/** The shares for the honest users of the flood. */
const HONEST_WORKS = { list: 1, detail: 1 }
const PEERS = ['raw', 'colophon'] as const
type Peer = (typeof PEERS)[number]
const SCRIPT = join(import.meta.dirname, 'replay.lua')

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string', default: 'all' },
    works: { type: 'string', default: 'all' },
    seconds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '400000' },
    mixed: { type: 'string', default: '1000000' },
    keep: { type: 'boolean', default: false },
  },
})
const rounds = Number(positionals[0] ?? 5)
const [seconds, rows, mixed] = [options.seconds, options.rows, options.mixed].map(Number) as [
  number,
  number,
  number,
]
const wanted = (work: string): boolean =>
  options.works === 'all' || options.works.split(',').includes(work)

const folder = mkdtempSync(join(tmpdir(), 'colophon-works-'))
const figures: Figure[] = []
const floods: Flood[] = []
const memories: Memory[] = []
/** All rounds are kept, for readers who doubt a median. */
const rounded: object[] = []
try {
  await install(folder)
  const programs = await compilePrograms(folder, {
    colophon: join(import.meta.dirname, 'ours.ts'),
    raw: join(import.meta.dirname, 'by-hand.ts'),
  })
  if (options.database !== 'pg') await onSqlite(programs)
  if (options.database !== 'sqlite') await onPostgres(programs)
} finally {
  rmSync(folder, { recursive: true })
}
const command = ['npm run bench -- works', ...process.argv.slice(2)].join(' ')
if (options.keep) keep('works', command, { figures, floods, memories, rounds: rounded })

type Programs = Readonly<Record<string, string>>

async function onSqlite(programs: Programs): Promise<void> {
  const [first, second] = PEERS.map((peer) => join(folder, `${peer}.sqlite`))
  const keys = await fill('sqlite', first!, rows)
  copyFileSync(first!, second!)
  await measure('sqlite', programs, { raw: first!, colophon: second! }, keys, () => 0)
}

async function onPostgres(programs: Programs): Promise<void> {
  const { url, stop } = await startPostgres()
  try {
    const addressOf = (name: string): string => url.replace(/postgres$/, name)
    await asOwner(url, 'create database raw')
    const keys = await fill('pg', addressOf('raw'), rows)
    await asOwner(url, 'create database colophon template raw')
    for (const peer of PEERS) await asOwner(addressOf(peer), 'vacuum (analyze)')
    const addresses = { raw: addressOf('raw'), colophon: addressOf('colophon') }
    await measure('pg', programs, addresses, keys, await postgresCpu(url))
  } finally {
    await stop()
  }
}

async function asOwner(url: string, sql: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 })
  await pool.query(sql)
  await pool.end()
}

type Servers = Readonly<Record<Peer, ServerProcess>>
type Works = Readonly<Record<string, Work>>

async function measure(
  dialect: Dialect,
  programs: Programs,
  addresses: Readonly<Record<Peer, string>>,
  keys: readonly string[],
  databaseCpu: () => number,
): Promise<void> {
  const started: ServerProcess[] = []
  try {
    for (const peer of PEERS)
      started.push(await startServer(pathToFileURL(programs[peer]!), [dialect, addresses[peer]]))
    const servers: Servers = { raw: started[0]!, colophon: started[1]! }
    const walks = new Map<ServerProcess, Works>()
    for (const server of started) walks.set(server, worksOf(keys, rows, await walked(server, keys)))
    await checkAlike(servers.raw, servers.colophon, (server) => walks.get(server)!)
    const works = { raw: walks.get(servers.raw)!, colophon: walks.get(servers.colophon)! }
    for (const work of Object.keys(works.raw).filter(wanted)) {
      const all = await compare(work)
      const found = figuresOf(dialect, `orders: ${work}`, all)
      figures.push(...found)
      rounded.push(
        ...PEERS.map((peer) => ({ database: dialect, work, peer, ...seriesOf(all[peer]) })),
      )
      console.log(`\n${figuresTable(found)}`)
    }
    if (wanted('flood')) floods.push(...(await compareFloods()))
    if (floods.length > 0) console.log(`\n${floodTable(floods)}`)
    if (wanted('mixed')) memories.push(...(await compareMemory()))
    if (memories.length > 0) console.log(`\n${memoryTable(memories)}`)

    /** Runs rounds that do not count, then A B B A …; both servers get the same requests. */
    async function compare(work: string): Promise<Record<Peer, Round[]>> {
      const files = filesOf(work, (peer) => works[peer][work]!)
      const answers = works.raw[work]!.refused ? 'refusal' : 'success'
      const all: Record<Peer, Round[]> = { raw: [], colophon: [] }
      const asking = (peer: Peer): Asking => ({
        file: files[peer],
        script: SCRIPT,
        answers,
        databaseCpu,
        connections: CONNECTIONS,
        seconds,
      })
      for (const peer of PEERS) await warm(servers[peer], asking(peer))
      for (let round = 0; round < rounds; round++)
        for (const peer of turn(round)) all[peer].push(await ask(servers[peer], asking(peer)))
      return all
    }

    async function compareFloods(): Promise<Flood[]> {
      const honest = filesOf('honest', (peer) => mixOf(works[peer], HONEST_WORKS))
      const unknown = filesOf('unknown', (peer) => works[peer]['unknown-token']!)
      const found: Flood[] = []
      for (let round = 0; round < rounds; round++) {
        for (const peer of turn(round)) {
          const asking = { script: SCRIPT, databaseCpu, seconds }
          const users = { ...asking, file: honest[peer], connections: HONEST }
          const flooding: Asking = {
            ...asking,
            file: unknown[peer],
            connections: FLOODING,
            answers: 'refusal',
          }
          const alone = await ask(servers[peer], users)
          const [beside, flood] = await Promise.all([
            ask(servers[peer], users),
            ask(servers[peer], flooding),
          ])
          found.push({
            database: dialect,
            peer,
            round,
            alone: alone.p99,
            flooded: beside.p99,
            honest: beside.rps,
            refused: flood.rps,
          })
        }
      }
      return found
    }

    async function compareMemory(): Promise<Memory[]> {
      const files = filesOf('mixed', (peer) => mixOf(works[peer], MIXED))
      const sent: Record<Peer, number> = { raw: 0, colophon: 0 }
      for (let at = 0; Math.min(...Object.values(sent)) < mixed; at++) {
        for (const peer of turn(at).filter((each) => sent[each] < mixed)) {
          const { rps } = await ask(servers[peer], {
            file: files[peer],
            script: SCRIPT,
            answers: 'either',
            databaseCpu,
            connections: CONNECTIONS,
            seconds: 10,
          })
          sent[peer] += rps * 10
        }
      }
      return PEERS.map((peer) => {
        const { rss, pss } = memoryOf(servers[peer].id)
        return { database: dialect, peer, requests: Math.round(sent[peer]), rss, pss }
      })
    }
  } finally {
    for (const server of started) server.stop()
  }
}

/** Lists of each member's values in all rounds. */
function seriesOf(all: readonly Round[]): Readonly<Record<string, readonly number[]>> {
  const members = ['cpu', 'db', 'rps', 'p50', 'p99', 'pss', 'errors'] as const
  return Object.fromEntries(
    members.map((member) => [member, all.map((round) => Number(round[member].toPrecision(4)))]),
  )
}

/** Warms a server up: a busy machine answers little in a second, and rarely run code is not compiled. */
async function warm(server: ServerProcess, asking: Asking): Promise<void> {
  let answered = 0
  for (let spent = 0; answered < WARM && spent < LONGEST_WARM; spent++)
    answered += (await ask(server, { ...asking, seconds: 1 })).rps
}

function turn(round: number): readonly Peer[] {
  return round % 2 === 0 ? PEERS : PEERS.toReversed()
}

function filesOf(name: string, workOf: (peer: Peer) => Work): Record<Peer, string> {
  const file = (peer: Peer): string => {
    const path = join(folder, `${name}-${peer}.txt`)
    writeFileSync(path, linesOf(workOf(peer).requests))
    return path
  }
  return { raw: file('raw'), colophon: file('colophon') }
}

/** Mixes requests of several works, without runs of one work. */
function mixOf(works: Works, shares: Readonly<Record<string, number>>): Work {
  const turns = Object.entries(shares).flatMap(([name, share]) =>
    Array.from({ length: share }, () => name),
  )
  const at: Record<string, number> = {}
  const requests = Array.from({ length: 20_000 }, (_, n) => {
    const name = turns[(n * 37) % turns.length]!
    const { requests: own } = works[name]!
    at[name] = (at[name] ?? -1) + 1
    return own[at[name] % own.length]!
  })
  return { refused: false, requests }
}
