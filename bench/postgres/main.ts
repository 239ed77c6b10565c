// CPU time for an identified request of the server process on PostgreSQL, Colophon ÷ hand-written, in interleaved rounds.
// Colophon sends one query for all waiting look-ups, like `best`; `raw` sends each alone.
// `npm run bench -- postgres [rounds]`
import { compare, report } from '../http/rounds.ts'
import { type ServerProcess, startServer } from '../http/server-process.ts'
import { startPostgres } from '../../scripts/servers/postgres.ts'
import { CONNECTIONS, createWorld } from './world.ts'

const rounds = Number(process.argv[2] ?? 15)
const postgres = await startPostgres()
const keys = await createWorld(postgres.url)
const ours = await startServer(new URL('with-colophon.ts', import.meta.url), [postgres.url])
const byHand = new URL('by-hand.ts', import.meta.url)
const opponents = {
  raw: await startServer(byHand, [postgres.url, 'raw']),
  best: await startServer(byHand, [postgres.url, 'best']),
}
const BUDGETS = { raw: 0.6, best: 1.5 }
try {
  for (const [kind, theirs] of Object.entries(opponents)) {
    await checkSameAnswers(theirs)
    const load = { connections: CONNECTIONS, requests: 12_000, rounds }
    const ratio = await compare({
      ours: { server: ours, request: identify },
      theirs: { server: theirs, request: identify },
      ...load,
    })
    report(`identify, against ${kind}`, BUDGETS[kind as keyof typeof BUDGETS], ratio)
  }
} finally {
  ours.stop()
  for (const server of Object.values(opponents)) server.stop()
  await postgres.stop()
}

function identify(i: number): string {
  const headers = `Host: localhost\r\nAccept: */*\r\nAuthorization: Token ${keys[i % keys.length]}\r\n`
  return `GET /me/ HTTP/1.1\r\n${headers}\r\n`
}

/** Checks that both give the same answers, without which a comparison is unfair. */
async function checkSameAnswers(theirs: ServerProcess): Promise<void> {
  for (const i of [0, 1, 499]) {
    const [own, hand] = await Promise.all([answerOf(ours, i), answerOf(theirs, i)])
    if (own !== hand) throw new Error(`The answers differ:\n${own}\n${hand}`)
  }
}

async function answerOf({ port }: ServerProcess, i: number): Promise<string> {
  const headers = { authorization: `Token ${keys[i]}` }
  return (await fetch(`http://127.0.0.1:${port}/me/`, { headers })).text()
}
