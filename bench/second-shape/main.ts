// Pages and deep cursor pages of a service with fourteen columns: by hand, by hand with every trick, and Colophon.
// Interleaved rounds in random order; every answer of each is compared with the rows first.
// `npm run bench -- second-shape [sqlite | pg | all] [--rounds 5] [--seconds 3] [--keep]`
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { postgresCpu } from '../pages-postgres/postgres-cpu.ts'
import { type Figure, type Round, figuresOf } from '../runs/figures.ts'
import { keep } from '../runs/kept.ts'
import { databaseName, figuresTable } from '../runs/words.ts'
import { ask } from '../runs/wrk.ts'
import {
  type Dialect,
  ENTRIES,
  PAGE_SIZE,
  TICKETS,
  fillPostgres,
  fillSqlite,
  itemOf,
  rowAt,
} from './world.ts'

const CONNECTIONS = 32
/** The host of all requests, so that answers do not depend on the port. */
const HOST = 'bench.test'
/** The number of pages before the deep ones, and the number of deep ones that are requested in turns. */
const [DEPTH, DEEP] = [2000, 40]
const PEERS = { raw: 'raw.ts', best: 'raw.ts', colophon: 'ours.ts' } as const

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    keep: { type: 'boolean', default: false },
  },
})
const [database = 'all'] = positionals
const [rounds, seconds] = [Number(options.rounds), Number(options.seconds)]

const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const figures: Figure[] = []
const software: string[] = []
const leftOut: string[] = []
try {
  if (database !== 'pg') await onSqlite()
  if (database !== 'sqlite') await onPostgres()
} finally {
  rmSync(folder, { recursive: true })
}
console.log(`\n${figuresTable(figures)}`)
const command = ['npm run bench -- second-shape', ...process.argv.slice(2)].join(' ')
if (options.keep) keep('second-shape', command, { figures, leftOut }, software)

async function onSqlite(): Promise<void> {
  const path = join(folder, 'second.sqlite')
  fillSqlite(path)
  await measure('sqlite', path, () => 0)
}

async function onPostgres(): Promise<void> {
  const { url, stop } = await startPostgres()
  try {
    await fillPostgres(url)
    await measure('pg', url, await postgresCpu(url))
  } finally {
    await stop()
  }
}

type Peers = ReadonlyMap<string, ServerProcess>

async function measure(
  dialect: Dialect,
  address: string,
  databaseCpu: () => number,
): Promise<void> {
  const peers = new Map<string, ServerProcess>()
  try {
    for (const [name, file] of Object.entries(PEERS)) {
      const module = new URL(file, import.meta.url)
      peers.set(name, await startServer(module, [dialect, address, name]))
    }
    const files = await checked(dialect, peers)
    for (const work of ['page', 'cursordeep'])
      figures.push(...(await compare(dialect, work, peers, files, databaseCpu)))
  } finally {
    for (const server of peers.values()) server.stop()
  }
}

/** The requests in a file for each work and peer; a peer with wrong answers is not measured. */
async function checked(
  dialect: Dialect,
  peers: Map<string, ServerProcess>,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const [name, server] of peers) {
    try {
      await checkPages(name, server)
      files.set(`page ${name}`, written(name, 'page', pagePaths()))
      files.set(`cursordeep ${name}`, written(name, 'cursordeep', await deepPaths(name, server)))
    } catch (error) {
      leaveOut(dialect, name, error)
      server.stop()
      peers.delete(name)
    }
  }
  return files
}

function leaveOut(dialect: Dialect, name: string, error: unknown): void {
  leftOut.push(`${name} on ${databaseName(dialect)}`)
  console.error(`${name} is left out. ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

async function compare(
  dialect: Dialect,
  work: string,
  peers: Peers,
  files: ReadonlyMap<string, string>,
  databaseCpu: () => number,
): Promise<Figure[]> {
  const found: Record<string, Round[]> = {}
  for (let round = -1; round < rounds; round++) {
    for (const [name, server] of shuffled([...peers])) {
      const file = files.get(`${work} ${name}`)!
      const asking = { file, connections: CONNECTIONS, databaseCpu }
      const figure = await ask(server, { ...asking, seconds: round < 0 ? 1 : seconds })
      if (round >= 0) (found[name] ??= []).push(figure)
    }
  }
  return figuresOf(dialect, work, found)
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value)
}

function written(name: string, work: string, paths: readonly string[]): string {
  const file = join(folder, `${work}-${name}.txt`)
  writeFileSync(file, paths.map((path) => `${path}\t\n`).join(''))
  return file
}

/** 7919 and the number of pages have no common factor, so every page is requested, and not in order. */
function pagePaths(): string[] {
  const pages = TICKETS / PAGE_SIZE
  return Array.from({ length: pages }, (_, i) => `/tickets/?page=${((i * 7919) % pages) + 1}`)
}

interface Answer {
  readonly count?: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly { readonly id: number }[]
}

/** @throws Error a page does not match the rows */
async function checkPages(name: string, server: ServerProcess): Promise<void> {
  for (const page of [1, 2, 500, 501, 1000]) {
    const ids = Array.from({ length: PAGE_SIZE }, (_, i) => (page - 1) * PAGE_SIZE + i + 1)
    const self = `http://${HOST}/tickets/`
    same(`${name}, page ${page}`, await answerOf(server, `/tickets/?page=${page}`), {
      count: TICKETS,
      next: page < TICKETS / PAGE_SIZE ? `${self}?page=${page + 1}` : null,
      previous: page === 1 ? null : page === 2 ? self : `${self}?page=${page - 1}`,
      results: ids.map(shownOf),
    })
  }
}

/** The paths of deep pages, each taken from the page before; every row is checked, in both directions. */
async function deepPaths(name: string, server: ServerProcess): Promise<string[]> {
  const paths: string[] = []
  let path = '/entries/'
  for (let page = 0; page < DEPTH + DEEP; page++) {
    if (page >= DEPTH) paths.push(path)
    const { next, previous, results } = await answerOf(server, path)
    const ids = newestFirst(page)
    if (page < 3 || page >= DEPTH) same(`${name}, cursor page ${page}`, results, ids.map(shownOf))
    else
      same(
        `${name}, cursor page ${page}`,
        results.map(({ id }) => id),
        ids,
      )
    if (page === DEPTH) {
      const before = await answerOf(server, pathIn(previous!))
      same(`${name}, back from ${page}`, before.results, newestFirst(page - 1).map(shownOf))
    }
    path = pathIn(next!)
  }
  return paths
}

/** Rows of one moment are in the order of their keys, so the newest have the largest keys. */
function newestFirst(page: number): number[] {
  return Array.from({ length: PAGE_SIZE }, (_, i) => ENTRIES - page * PAGE_SIZE - i)
}

function shownOf(id: number): object {
  return itemOf(rowAt(id), HOST)
}

function pathIn(link: string): string {
  const { pathname, search } = new URL(link)
  return pathname + search
}

function same(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  if (one === other) return
  const at = [...one].findIndex((character, index) => character !== other[index])
  throw new Error(
    `${what} differs:\n${one.slice(Math.max(0, at - 80), at + 80)}\n${other.slice(Math.max(0, at - 80), at + 80)}`,
  )
}

async function answerOf({ port }: ServerProcess, path: string): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers: { host: HOST } }, resolve)
      .on('error', reject)
      .end()
  })
  const body = await text(response)
  if (response.statusCode !== 200)
    throw new Error(`${path} was answered ${response.statusCode}: ${body}`)
  return JSON.parse(body) as Answer
}
