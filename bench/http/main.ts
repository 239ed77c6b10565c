// CPU time per request of the server process, Colophon ÷ hand-written, in interleaved rounds.
// `npm run bench -- http [rounds]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, report } from './rounds.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { ITEMS, PAGE_SIZE, createWorld } from './world.ts'

interface Case {
  readonly name: string
  /** The ratio that must not be passed. */
  readonly budget: number
  readonly requests: number
  request(i: number): string
  /** Path that the hand-written server is asked for instead. */
  readonly byHand?: string
}

const CONNECTIONS = 32
const rounds = Number(process.argv[2] ?? 15)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const file = join(folder, 'bench.sqlite')
const keys = await createWorld(file)
const pages = ITEMS / PAGE_SIZE

const cases: readonly Case[] = [
  {
    name: 'identify',
    budget: 0.9,
    requests: 12_000,
    request: (i) => get('/me/', `Authorization: Token ${keys[i % keys.length]}\r\n`),
  },
  {
    name: 'identify, against an unkeyed digest',
    budget: 1.15,
    requests: 12_000,
    request: (i) => get('/me/', `Authorization: Token ${keys[i % keys.length]}\r\n`),
    byHand: '/me/unkeyed/',
  },
  // 7919 and the number of pages share no factor: every page is asked for, none in order.
  {
    name: 'page',
    budget: 0.8,
    requests: 1500,
    request: (i) => get(`/items/?page=${((i * 7919) % pages) + 1}`),
  },
  { name: 'hello', budget: 1.15, requests: 15_000, request: () => get('/hello/') },
]

const ours = await startServer(new URL('with-colophon.ts', import.meta.url), [file])
const theirs = await startServer(new URL('by-hand.ts', import.meta.url), [file])
try {
  for (const one of cases) await checkSameAnswers(one)
  for (const one of cases) {
    report(one.name, one.budget, await compare({ ...contest(one), rounds }))
  }
} finally {
  ours.stop()
  theirs.stop()
  rmSync(folder, { recursive: true })
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n${headers}\r\n`
}

/** A comparison is fair only where both answer the same. */
async function checkSameAnswers(one: Case): Promise<void> {
  for (const i of [0, 1, 499]) {
    const own = await bodyOf(ours, one.request(i))
    const hand = await bodyOf(theirs, handRequest(one, i))
    if (own !== hand) throw new Error(`${one.name}: the answers differ:\n${own}\n${hand}`)
  }
}

function contest(one: Case) {
  return {
    ours: { server: ours, request: one.request },
    theirs: { server: theirs, request: (i: number) => handRequest(one, i) },
    connections: CONNECTIONS,
    requests: one.requests,
  }
}

/** The same request, for the hand-written server. */
function handRequest({ request, byHand }: Case, i: number): string {
  return byHand === undefined ? request(i) : request(i).replace(/ \S+ /, ` ${byHand} `)
}

async function bodyOf({ port }: ServerProcess, request: string): Promise<string> {
  const path = request.split(' ', 2)[1]
  const authorization = /^Authorization: (.*)$/m.exec(request)?.[1]
  const headers = authorization === undefined ? {} : { authorization }
  const response = await fetch(`http://localhost:${port}${path}`, { headers })
  return (await response.text()).replaceAll(String(port), 'PORT')
}
