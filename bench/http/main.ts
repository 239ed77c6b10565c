// CPU time per request of the server process, Colophon ÷ hand-written, in interleaved rounds: against `raw`, plain
// good code, and against `best`, with every trick that keeps the work the same.
// `npm run bench -- http [rounds]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, report } from './rounds.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { ITEMS, PAGE_SIZE, createWorld } from './world.ts'

interface Case {
  readonly name: string
  /** The highest permitted ratios. */
  readonly budgets: Readonly<Record<Kind, number>>
  readonly requests: number
  request(i: number): string
}

type Kind = 'raw' | 'best'

const CONNECTIONS = 32
const rounds = Number(process.argv[2] ?? 15)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const file = join(folder, 'bench.sqlite')
const keys = await createWorld(file)
const pages = ITEMS / PAGE_SIZE

const cases: readonly Case[] = [
  {
    name: 'identify',
    budgets: { raw: 0.9, best: 1.25 },
    requests: 12_000,
    request: (i) => get('/me/', `Authorization: Token ${keys[i % keys.length]}\r\n`),
  },
  // 7919 and the number of pages have no common factor, so every page is requested, and not in order.
  {
    name: 'page',
    budgets: { raw: 0.8, best: 1.25 },
    requests: 1500,
    request: (i) => get(`/items/?page=${((i * 7919) % pages) + 1}`),
  },
  {
    name: 'hello',
    budgets: { raw: 1.15, best: 1.15 },
    requests: 15_000,
    request: () => get('/hello/'),
  },
]

const ours = await startServer(new URL('with-colophon.ts', import.meta.url), [file])
const byHand = new URL('by-hand.ts', import.meta.url)
const raw = await startServer(byHand, [file, 'raw'])
const best = await startServer(byHand, [file, 'best'])
const opponents: readonly (readonly [Kind, ServerProcess])[] = [
  ['raw', raw],
  ['best', best],
]
try {
  for (const one of cases) for (const [, theirs] of opponents) await checkSameAnswers(one, theirs)
  for (const one of cases) {
    for (const [kind, theirs] of opponents) {
      const ratio = await compare({ ...contest(one, theirs), rounds })
      report(`${one.name}, against ${kind}`, one.budgets[kind], ratio)
    }
  }
} finally {
  for (const server of [ours, raw, best]) server.stop()
  rmSync(folder, { recursive: true })
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n${headers}\r\n`
}

/** Checks that both give the same answers, without which a comparison is unfair. */
async function checkSameAnswers(one: Case, theirs: ServerProcess): Promise<void> {
  for (const i of [0, 1, 499]) {
    const own = await bodyOf(ours, one.request(i))
    const hand = await bodyOf(theirs, one.request(i))
    if (own !== hand) throw new Error(`${one.name}: the answers differ:\n${own}\n${hand}`)
  }
}

function contest(one: Case, theirs: ServerProcess) {
  return {
    ours: { server: ours, request: one.request },
    theirs: { server: theirs, request: one.request },
    connections: CONNECTIONS,
    requests: one.requests,
  }
}

async function bodyOf({ port }: ServerProcess, request: string): Promise<string> {
  const path = request.split(' ', 2)[1]
  const authorization = /^Authorization: (.*)$/m.exec(request)?.[1]
  const headers = authorization === undefined ? {} : { authorization }
  const response = await fetch(`http://localhost:${port}${path}`, { headers })
  return (await response.text()).replaceAll(String(port), 'PORT')
}
