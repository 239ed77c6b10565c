// CPU time for an identified request of a server process with observers ÷ without them, in interleaved rounds.
// `npm run bench -- observing [rounds] [rows that have this in their name]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendLoad } from '../http/load.ts'
import { type Ratio, compare, quartiles, report } from '../http/rounds.ts'
import { startServer } from '../http/server-process.ts'
import { createWorld } from '../http/world.ts'
import { createWorld as createPostgresWorld } from '../postgres/world.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'

/** The highest permitted ratio with all observers. */
const BUDGET = 1.08
/** Processes of the same service differ by up to a tenth through the compiler's choices, so each case has several pairs. */
const PAIRS = 5
const ALL = ['log', 'metrics', 'traces, no SDK']
const CASES = [
  ['off'],
  ['plain'],
  ['log'],
  ['metrics'],
  ['log', 'metrics'],
  ['traces, no SDK'],
  ALL,
  ['log of a tenth', 'metrics', 'traces, no SDK'],
  ['metrics, with an SDK'],
  ['traces, not sampled'],
  ['traces, all sampled'],
]

/** A service, and a request for it. */
interface Asked {
  readonly address: string
  readonly target: string
  readonly keys: readonly string[]
}

const [, , rounds = '31', part = ''] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const server = new URL('server.ts', import.meta.url)
const file = join(folder, 'bench.sqlite')
const postgres = await startPostgres()

try {
  const keys = await createWorld(file)
  const me = { address: file, target: '/me/', keys }
  const onPostgres = { ...me, address: postgres.url, keys: await createPostgresWorld(postgres.url) }
  const rows = [
    ...CASES.map((names) => [names, me, names.join(' + ')] as const),
    [ALL, { ...me, target: '/items/?page=7' }, 'all, a page of ten rows'] as const,
    [ALL, onPostgres, 'all, on PostgreSQL'] as const,
  ]
  for (const [names, asked, row] of rows.filter(([, , name]) => name.includes(part))) {
    const pairs: Ratio[] = []
    for (let pair = 0; pair < PAIRS; pair++) pairs.push(await compared(names, asked))
    const ratios = pairs.flatMap((each) => each.ratios)
    report(row, BUDGET, { ...pairs[0]!, ...quartiles(ratios), ratios })
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true })
}

/** Compares two fresh processes, with requests in turns from the same generator. */
async function compared(
  names: readonly string[],
  { address, target, keys }: Asked,
): Promise<Ratio> {
  const on = await startServer(server, [address, ...names])
  const off = await startServer(server, [address, 'off'])
  const request = (i: number): string =>
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${keys[i % keys.length]}\r\n\r\n`
  const connections = 32
  try {
    // Compiling during a measurement would count too; short rounds meet the same load of the machine.
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
