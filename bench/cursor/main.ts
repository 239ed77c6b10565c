// CPU time of the server process for a page behind 200,000 rows, Colophon ÷ hand-written, in interleaved rounds, on SQLite and
// PostgreSQL. Both begin at a cursor; the pages are reached by `next`.
// `npm run bench -- cursor [rounds] [sqlite | postgres]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contestant, compare, report } from '../http/rounds.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { CONNECTIONS, type Dialect, PAGE_SIZE, createWorld } from './world.ts'

/** The number of pages before the measured ones. */
const DEPTH = 200_000 / PAGE_SIZE
/** The pages that are requested in turns. */
const PAGES = 100
const BUDGETS = { raw: 1, best: 1.3 }

const [, , times = '15', only = null] = process.argv
const rounds = Number(times)
if (only !== 'postgres') await onSqlite()
if (only !== 'sqlite') await onPostgres()

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
  try {
    await measure('sqlite', folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(): Promise<void> {
  const { url, stop } = await startPostgres()
  try {
    await measure('postgres', url)
  } finally {
    await stop()
  }
}

async function measure(dialect: Dialect, place: string): Promise<void> {
  const address = await createWorld(dialect, place)
  const [ours, raw, best] = await Promise.all([
    startServer(new URL('with-colophon.ts', import.meta.url), [dialect, address]),
    startServer(new URL('by-hand.ts', import.meta.url), [dialect, address, 'raw']),
    startServer(new URL('by-hand.ts', import.meta.url), [dialect, address, 'best']),
  ])
  try {
    const own = await deepPages(ours)
    for (const [kind, theirs] of Object.entries({ raw, best })) {
      const hand = await deepPages(theirs)
      await checkSameAnswers(own, hand)
      const ratio = await compare({
        ours: contestant(ours, own),
        theirs: contestant(theirs, hand),
        connections: CONNECTIONS,
        requests: 3000,
        rounds,
      })
      report(
        `cursor page, ${dialect}, against ${kind}`,
        BUDGETS[kind as keyof typeof BUDGETS],
        ratio,
      )
    }
  } finally {
    for (const server of [ours, raw, best]) server.stop()
  }
}

/** The addresses of the deep pages, each taken from the page before. */
async function deepPages({ port }: ServerProcess): Promise<readonly string[]> {
  const pages: string[] = []
  let address: string | null = `http://127.0.0.1:${port}/entries/`
  for (let page = 0; page < DEPTH + PAGES; page++) {
    if (address === null) throw new Error(`The list ends with page ${page}.`)
    if (page >= DEPTH) pages.push(address)
    const { next }: Answer = await answerOf(address)
    address = next
  }
  return pages
}

interface Answer {
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly unknown[]
}

async function answerOf(address: string): Promise<Answer> {
  const response = await fetch(address)
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`${address} was answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Checks that both give the same answers and links, without which a comparison is unfair. */
async function checkSameAnswers(own: readonly string[], hand: readonly string[]): Promise<void> {
  for (const page of [0, 1, PAGES - 1]) {
    const [a, b] = await Promise.all([answerOf(own[page]!), answerOf(hand[page]!)])
    const [before, first] = await Promise.all([answerOf(a.previous!), answerOf(b.previous!)])
    for (const [left, right] of [
      [a.results, b.results],
      [before.results, first.results],
    ]) {
      if (JSON.stringify(left) !== JSON.stringify(right)) throw new Error('The answers differ.')
    }
  }
}

function contestant(server: ServerProcess, pages: readonly string[]): Contestant {
  const texts = pages.map((page) => {
    const { host, pathname, search } = new URL(page)
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nAccept: */*\r\n\r\n`
  })
  return { server, request: (i) => texts[i % texts.length]! }
}
