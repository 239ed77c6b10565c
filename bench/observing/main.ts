// CPU time per identified request of a server process that is observed ÷ one that is not, in interleaved rounds.
// `npm run bench -- observing [rounds]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendLoad } from '../http/load.ts'
import { compare, report } from '../http/rounds.ts'
import { startServer } from '../http/server-process.ts'
import { createWorld } from '../http/world.ts'

/** What may be added to a request by all of it. */
const BUDGET = 1.08
const CASES = [
  ['off'],
  ['plain'],
  ['log'],
  ['metrics'],
  ['log', 'metrics'],
  ['traces, no SDK'],
  ['log', 'metrics', 'traces, no SDK'],
  ['metrics, with an SDK'],
  ['traces, not sampled'],
  ['traces, all sampled'],
]

const rounds = Number(process.argv[2] ?? 31)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const file = join(folder, 'bench.sqlite')
const keys = await createWorld(file)
const server = new URL('server.ts', import.meta.url)
const request = (i: number): string =>
  `GET /me/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${keys[i % keys.length]}\r\n\r\n`

const off = await startServer(server, [file, 'off'])
try {
  for (const names of CASES) {
    const on = await startServer(server, [file, ...names])
    // What is compiled while others are measured would be measured as well; short rounds meet the same load of the machine.
    const connections = 32
    for (const { port } of [off, on])
      await sendLoad({ port, connections, requests: 30_000, request })
    const contest = { connections, requests: 4_000, rounds }
    const ratio = await compare({
      ours: { server: on, request },
      theirs: { server: off, request },
      ...contest,
    })
    report(names.join(' + '), BUDGET, ratio)
    on.stop()
  }
} finally {
  off.stop()
  rmSync(folder, { recursive: true })
}
