// CPU time per identified request of a server process that is observed ÷ one that is not, in interleaved rounds.
// `npm run bench -- observing [rounds] [rows that have this in their name]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendLoad } from '../http/load.ts'
import { type Ratio, compare, quartiles, report } from '../http/rounds.ts'
import { startServer } from '../http/server-process.ts'
import { createWorld } from '../http/world.ts'

/** What may be added to a request by all of it. */
const BUDGET = 1.08
/** Two processes of the same service differ by up to a tenth, by how its code happened to be compiled: each case has several pairs. */
const PAIRS = 5
const CASES = [
  ['off'],
  ['plain'],
  ['log'],
  ['metrics'],
  ['log', 'metrics'],
  ['traces, no SDK'],
  ['log', 'metrics', 'traces, no SDK'],
  ['log of a tenth', 'metrics', 'traces, no SDK'],
  ['metrics, with an SDK'],
  ['traces, not sampled'],
  ['traces, all sampled'],
]

const [, , rounds = '31', part = ''] = process.argv
const cases = CASES.map((names) => [names, names.join(' + ')] as const)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const file = join(folder, 'bench.sqlite')
const keys = await createWorld(file)
const server = new URL('server.ts', import.meta.url)
const request = (i: number): string =>
  `GET /me/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${keys[i % keys.length]}\r\n\r\n`

try {
  for (const [names, row] of cases.filter(([, name]) => name.includes(part))) {
    const pairs: Ratio[] = []
    for (let pair = 0; pair < PAIRS; pair++) pairs.push(await compared(names))
    const ratios = pairs.flatMap((each) => each.ratios)
    report(row, BUDGET, { ...pairs[0]!, ...quartiles(ratios), ratios })
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** Of two fresh processes, which are asked in turns by the same generator. */
async function compared(names: readonly string[]): Promise<Ratio> {
  const on = await startServer(server, [file, ...names])
  const off = await startServer(server, [file, 'off'])
  const connections = 32
  try {
    // What is compiled while others are measured would be measured as well; short rounds meet the same load of the machine.
    for (const { port } of [off, on])
      await sendLoad({ port, connections, requests: 30_000, request })
    const contest = { connections, requests: 4_000, rounds: Math.ceil(Number(rounds) / PAIRS) }
    return await compare({
      ours: { server: on, request },
      theirs: { server: off, request },
      ...contest,
    })
  } finally {
    on.stop()
    off.stop()
  }
}
