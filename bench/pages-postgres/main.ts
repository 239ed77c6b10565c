// CPU time for a page of server process and PostgreSQL together, Colophon ÷ hand-written, in interleaved rounds: against `raw`,
// plain good code, and `best`, with one round trip and text by hand. Colophon counts once for all waiting requests, and reads
// from the nearer end.
// `npm run bench -- pages-postgres [rounds]`
import { compare, report } from '../http/rounds.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { postgresCpu } from './postgres-cpu.ts'
import { CONNECTIONS, ITEMS, PAGE_SIZE, createWorld } from './world.ts'

const rounds = Number(process.argv[2] ?? 15)
const pages = ITEMS / PAGE_SIZE
const postgres = await startPostgres()
await createWorld(postgres.url)
const databaseCpu = await postgresCpu(postgres.url)
const ours = await startServer(new URL('with-colophon.ts', import.meta.url), [postgres.url])
const byHand = new URL('by-hand.ts', import.meta.url)
const opponents = {
  raw: await startServer(byHand, [postgres.url, 'raw']),
  best: await startServer(byHand, [postgres.url, 'best']),
}
const BUDGETS = { raw: 0.5, best: 0.5 }
try {
  for (const [kind, theirs] of Object.entries(opponents)) {
    await checkSameAnswers(theirs)
    const ratio = await compare({
      ours: { server: together(ours), request: page },
      theirs: { server: together(theirs), request: page },
      connections: CONNECTIONS,
      requests: 500,
      rounds,
    })
    report(
      `page, server and PostgreSQL, against ${kind}`,
      BUDGETS[kind as keyof typeof BUDGETS],
      ratio,
    )
  }
} finally {
  ours.stop()
  for (const server of Object.values(opponents)) server.stop()
  await postgres.stop()
}

/** A server with its database, which no other program uses meanwhile. */
function together(server: ServerProcess): ServerProcess {
  return { ...server, cpu: async () => (await server.cpu()) + databaseCpu() }
}

// 7919 and the number of pages have no common factor, so every page is requested, and not in order.
function page(i: number): string {
  return `GET /items/?page=${numberOf(i)} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n`
}

function numberOf(i: number): number {
  return ((i * 7919) % pages) + 1
}

/** Checks that both give the same answers, without which a comparison is unfair. */
async function checkSameAnswers(theirs: ServerProcess): Promise<void> {
  for (const i of [0, 1, 499, pages - 1]) {
    const [own, hand] = await Promise.all([bodyOf(ours, i), bodyOf(theirs, i)])
    if (own !== hand) throw new Error(`The answers differ:\n${own}\n${hand}`)
  }
}

async function bodyOf({ port }: ServerProcess, i: number): Promise<string> {
  const response = await fetch(`http://localhost:${port}/items/?page=${numberOf(i)}`)
  return (await response.text()).replaceAll(String(port), 'PORT')
}
