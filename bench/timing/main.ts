// Can a stopwatch distinguish a known address from an unknown one? The bench sends pairs of both in random order over HTTP,
// tests the ranks of their differences, and finds the smallest delay that the test would detect. `npm run bench -- timing
// [pairs] [pairs of log-ins] [one of them]`
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../http/server-process.ts'
import { type Pair, SEEN, powerOf, quantile, signedRank, spreadOf } from './figures.ts'

const pairs = Number(process.argv[2] ?? 3000)
const logins = Number(process.argv[3] ?? 400)
/** The microseconds to add to known addresses, until the test detects them in 95 of 100 samples. */
const DELAYS = [2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]

const logIn = (who: string) => ({
  path: '/token/',
  body: { username: who, password: 'a wrong guess' },
})
const WAYS = {
  registration: (who: string, at: number) => ({
    path: '/register/',
    body: { username: `new ${at}`, email: `${who}@example.com` },
  }),
  'forgotten password': (who: string) => ({
    path: '/password/forgotten/',
    body: { email: `${who}@example.com` },
  }),
  'log-in': logIn,
  // The hash takes so long that it hides the rest, which this case measures.
  'log-in with a small hash': logIn,
} as const
type Way = keyof typeof WAYS

console.log(`load ${loadavg()[0]!.toFixed(1)}, microseconds, known minus unknown\n`)
for (const way of Object.keys(WAYS) as Way[]) {
  if (!way.startsWith(process.argv[4] ?? '')) continue
  const count = way === 'log-in' ? logins : pairs
  const { answers, next } = await measured(way, count, 0)
  const least = tell(way, answers)
  tell(`${way}, the next answer`, next)
  if (least === null) continue
  const injected = (await measured(way, count, least)).answers
  const { p, median } = signedRank(injected)
  console.log(
    `  with a delay of ${least} µs in the server: ${median.toFixed(0)} µs, p = ${p.toExponential(1)}: ${p < SEEN ? 'seen' : 'not seen'}\n`,
  )
}

/** Prints the result, and returns the smallest detectable delay. */
function tell(name: string, found: readonly Pair[]): number | null {
  const { p, median } = signedRank(found)
  const spread = [0.1, 0.5, 0.9].map((part) => {
    const [low, high] = spreadOf(found, part)
    return `${part * 100} %: ${low.toFixed(0)} to ${high.toFixed(0)}`
  })
  const middle = quantile(
    found.map(([known]) => known),
    0.5,
  )
  const least = DELAYS.find((delay) => powerOf(found, delay) >= 0.95) ?? null
  console.log(
    `${name}: ${found.length} pairs of ${middle.toFixed(0)} µs; median of differences ${median.toFixed(1)}, p = ${p.toFixed(3)}: ${p < SEEN ? 'A DIFFERENCE' : 'none seen'}
  quantiles of known minus those of unknown, 95 % of resamples: ${spread.join('; ')}
  seen with probability 0.95: ${least ?? 'more than all'} µs`,
  )
  return least
}

async function measured(way: Way, count: number, delay: number) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
  const server = await startServer(new URL('server.ts', import.meta.url), [
    join(folder, 'bench.sqlite'),
    String(count + 100),
    String(delay),
    way.endsWith('small hash') ? 'small' : '',
  ])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (at: number, isKnown: boolean) => timed(agent, server.port, way, at, isKnown)
  const [answers, next]: [Pair[], Pair[]] = [[], []]
  try {
    for (let at = 1; at <= count + 100; at++) {
      const order = Math.random() < 0.5 ? [true, false] : [false, true]
      const both = new Map<boolean, readonly [answer: number, next: number]>()
      for (const isKnown of order) both.set(isKnown, await ask(at, isKnown))
      const [known, unknown] = [both.get(true)!, both.get(false)!]
      // The first pairs warm up.
      if (at <= 100) continue
      answers.push([known[0], unknown[0]])
      next.push([known[1], unknown[1]])
    }
  } finally {
    agent.destroy()
    server.stop()
    rmSync(folder, { recursive: true })
  }
  return { answers, next }
}

/** The microseconds of the answer, and of another one that is requested immediately behind it. */
async function timed(agent: Agent, port: number, way: Way, at: number, isKnown: boolean) {
  const who = whoIs(at, isKnown)
  const { path, body } = WAYS[way](who, at * 2 + Number(isKnown))
  // Each client is new, because limits have tests of their own.
  const client = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': client,
    'x-known': isKnown ? '1' : '0',
  }
  const first = await send(agent, port, 'POST', path, headers, JSON.stringify(body))
  if (first.status !== (path === '/token/' ? 400 : 202)) throw new Error(`${path}: ${first.status}`)
  const second = await send(agent, port, 'GET', '/ping/', {}, '')
  return [first.took, second.took] as const
}

/** Unknown addresses sort between known ones, and behind all of them. */
function whoIs(at: number, isKnown: boolean): string {
  const number = String(at).padStart(6, '0')
  if (isKnown) return `user${number}a`
  return at % 2 === 0 ? `user${number}b` : `vser${number}a`
}

function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ readonly status: number; readonly took: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    request({ agent, port, method, path, headers, host: '127.0.0.1' }, (answer) => {
      const took = (performance.now() - began) * 1000
      answer.resume().on('end', () => resolve({ status: answer.statusCode!, took }))
    })
      .on('error', reject)
      .end(body)
  })
}
