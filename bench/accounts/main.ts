// The delay of the event loop under parallel log-ins, and its effect on requests with a token.
// `npm run bench -- accounts [logins]`
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Delays } from './server.ts'

const logins = Number(process.argv[2] ?? 500)
const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-'))
const child = fork(new URL('server.ts', import.meta.url), [join(folder, 'bench.sqlite')], {
  execArgv: [],
})
/** A wrong password, which costs a whole hash. */
const WRONG = JSON.stringify({ username: 'alice', password: 'wrong' })
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

try {
  const [{ port, key }] = (await once(child, 'message')) as [{ port: number; key: string }]
  const me = () => ask(port, 'GET', '/me/', { authorization: `Token ${key}` })
  const login = () => ask(port, 'POST', '/token/', { 'content-type': 'application/json' }, WRONG)
  for (let round = 0; round < 200; round++) await me()

  await delays(child)
  report('idle, token requests one after the other', await during(me, 2000), await delays(child))
  const start = performance.now()
  const attempts = Promise.all(Array.from({ length: logins }, login))
  const meanwhile = await during(me, attempts)
  report(`${logins} logins at once, token requests meanwhile`, meanwhile, await delays(child))
  const answers = await attempts
  const seconds = (performance.now() - start) / 1000
  console.log(`  ${logins} logins in ${seconds.toFixed(1)} s: ${counted(answers)}`)
} finally {
  agent.destroy()
  child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
}

/** The number of answers of each status. */
function counted(answers: readonly Answer[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
}

interface Answer {
  readonly status: number
  readonly milliseconds: number
}

/** Sends one request after the other, for some milliseconds or until some work is done. */
async function during(
  one: () => Promise<Answer>,
  end: number | Promise<unknown>,
): Promise<number[]> {
  const state = { done: false }
  const finish = (): void => void (state.done = true)
  if (typeof end === 'number') setTimeout(finish, end)
  else void end.then(finish, finish)
  const times: number[] = []
  while (!state.done) {
    const { status, milliseconds } = await one()
    if (status !== 200) throw new Error(`A token request was answered ${status}.`)
    times.push(milliseconds)
  }
  return times
}

function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<Answer> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    request({ agent, port, method, path, headers, host: '127.0.0.1' }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, milliseconds: performance.now() - start }),
      )
    })
      .on('error', reject)
      .end(body)
  })
}

async function delays(server: ChildProcess): Promise<Delays> {
  server.send('delays')
  const [found] = (await once(server, 'message')) as [Delays]
  return found
}

function report(title: string, times: readonly number[], { p50, p99, max }: Delays): void {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number): string => sorted[Math.floor(sorted.length * part)]!.toFixed(1)
  console.log(title)
  console.log(
    `  event loop, turns of a 5 ms timer: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms`,
  )
  console.log(`  ${times.length} token requests: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}
