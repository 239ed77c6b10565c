// CPU time of the server process for a page of 100 rows with three relations, two of them to many. Compares Colophon ÷ a server
// by hand, which sends four prepared statements and joins the rows, in interleaved rounds, on SQLite.
// `npm run bench -- embed [rounds]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compare, report } from '../http/rounds.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { PAGE_SIZE, VISITS, createWorld } from './world.ts'

const BUDGET = 1.3
const rounds = Number(process.argv[2] ?? 15)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const file = join(folder, 'bench.sqlite')
await createWorld(file)
const pages = VISITS / PAGE_SIZE
const ours = await startServer(new URL('with-colophon.ts', import.meta.url), [file])
const theirs = await startServer(new URL('by-hand.ts', import.meta.url), [file])
try {
  for (const i of [0, 1, 87]) await checkSameAnswers(i)
  for (const [name, of] of [
    ['pages at any depth', pages],
    ['first pages', 5],
  ] as const) {
    const request = (i: number) => textOf(pathOf(i, of))
    const ratio = await compare({
      ours: { server: ours, request },
      theirs: { server: theirs, request },
      connections: 32,
      requests: 1000,
      rounds,
    })
    report(`100 rows, three relations, ${name}`, BUDGET, ratio)
  }
} finally {
  for (const server of [ours, theirs]) server.stop()
  rmSync(folder, { recursive: true })
}

// 7919 and the number of pages have no common factor, so every page is requested, and not in order.
function pathOf(i: number, of: number): string {
  return `/visits/?page=${((i * 7919) % of) + 1}`
}

function textOf(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n`
}

/** Checks that both give the same answers, without which a comparison is unfair. */
async function checkSameAnswers(i: number): Promise<void> {
  const [own, hand] = await Promise.all([bodyOf(ours, i), bodyOf(theirs, i)])
  if (own !== hand) throw new Error(`The answers differ:\n${own}\n${hand}`)
}

async function bodyOf({ port }: ServerProcess, i: number): Promise<string> {
  const response = await fetch(`http://localhost:${port}${pathOf(i, pages)}`)
  return (await response.text()).replaceAll(String(port), 'PORT')
}
