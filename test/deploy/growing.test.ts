import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startHaproxy } from '../../scripts/servers/haproxy.ts'
import { type PostgresServer, startPostgres } from '../../scripts/servers/postgres.ts'
import { type Running, freePort } from '../../scripts/servers/run-server.ts'
import { type Step, stepsOf } from '../house/docs.ts'
import { Shell } from '../house/session.ts'
import { makeProject } from '../house/tarball.ts'

const PAGE = readFileSync('docs/operations/growing.md', 'utf8')
/** Steps of the first machine, in order, and what the second one types. */
const STEPS = stepsOf(PAGE)
const TRUSTING = STEPS.at(-1)!
const [, SECOND] = /```sh machine-two\n([^]*?)```/.exec(PAGE)!

const folder = mkdtempSync(join(tmpdir(), 'colophon-growing-'))
let database: PostgresServer
let proxy: Running & { readonly url: string }
let one: Shell
let two: Shell
let complaints: readonly string[]
/** Of Ada, who counts against no rate. */
let headers: Record<string, string>
beforeAll(async () => {
  await makeProject(join(folder, 'one'))
  database = await startPostgres()
  const places = {
    'postgres://app:secret@db.internal:5432/notes': database.url,
    '10.0.0.5': '127.0.0.1',
  }
  const ports = [await freePort(), await freePort()] as const
  const machine = (name: string, port: number) =>
    // The project has installed what the page asks for.
    new Shell(join(folder, name), port, async () => {}, places)
  one = machine('one', ports[0])
  const first = await one.follow(STEPS.slice(0, -1))
  expect(first).toEqual([])
  cpSync(join(folder, 'one'), join(folder, 'two'), {
    recursive: true,
    filter: (path) => !/serve\.|sqlite/.test(path),
  })
  two = machine('two', ports[1])
  for (const key of ['DATABASE_URL', 'SECRET_KEY'])
    await two.output(`export ${key}='${await one.output(`echo $${key}`)}'`)
  // A program that npx has started has npx between itself and signals.
  const second = await two.follow([sh(`npx colophon --version\n${SECOND}`)])
  proxy = await startHaproxy((port) => configuration(port, ports))
  complaints = [...first, ...second]
})
afterAll(async () => {
  await Promise.all([one?.end(), two?.end()])
  await proxy?.stop()
  await database?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('each command of the page does what the page shows', () => {
  expect(complaints).toEqual([])
})

test('a token of one machine works on the other, and what one has written the other shows', async () => {
  const key = await one.output(
    'colophon token create ada --json | grep -o \'"key": *"[^"]*"\' | cut -d\\" -f4',
  )
  headers = { authorization: `Token ${key}`, 'content-type': 'application/json' }
  const [sent, shown] = [one, two]
  const body = JSON.stringify({ text: 'Buy tea.' })
  const created = await fetch(`${await at(sent)}/notes/`, { method: 'POST', headers, body })
  expect(created.status).toBe(201)
  const { results } = (await (await fetch(`${await at(shown)}/notes/`, { headers })).json()) as {
    results: { text: string }[]
  }
  expect(results.map(({ text }) => text)).toEqual(['Buy tea.'])
})

test('both machines begin anew, one after the other, and the proxy loses no request', async () => {
  const load = asking(() => fetch(`${proxy.url}/notes/`, { headers }))
  for (const machine of [one, two]) {
    await machine.follow([TRUSTING])
    const log = await machine.output(
      'kill -HUP $server; for i in $(seq 600); do grep -q "All workers are new" serve.log && break; sleep 0.1; done; cat serve.log',
    )
    expect(log).toContain('All workers are new')
  }
  expect(new Set(await load.end())).toEqual(new Set([200]))
})

test('a rate is that of all four workers together, of each client behind the proxy', async () => {
  const asked = Array.from({ length: 150 }, async () => (await fetch(`${proxy.url}/notes/`)).status)
  const statuses = await Promise.all(asked)
  // The page asked for the list twice on each kind of machine, from the same address, in another minute or in this one.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(60)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(57)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
})

test('a machine that is taken away loses no request', async () => {
  const load = asking(() => fetch(`${proxy.url}/notes/`, { headers }))
  await two.output('kill -TERM $server; wait $server')
  expect(new Set(await load.end())).toEqual(new Set([200]))
})

test('a write that a machine may have done is not sent to the other one, and a read is', async () => {
  const seen: string[] = []
  const failing = async (): Promise<number> => {
    const server = createServer((request, response) => {
      if (request.url === '/readyz') return void response.end()
      seen.push(request.method!)
      // The first one of each kind ends without an answer.
      if (seen.filter((method) => method === request.method).length > 1) response.end()
      else request.socket.destroy()
    })
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const ports = [await failing(), await failing()] as const
  const other = await startHaproxy((port) => configuration(port, ports))
  onTestFinished(() => other.stop())
  const statusOf = async (method: string) => (await fetch(other.url, { method })).status
  expect([await statusOf('GET'), await statusOf('POST')]).toEqual([200, 502])
  expect(seen).toEqual(['GET', 'GET', 'POST'])
})

const at = async (machine: Shell): Promise<string> =>
  `http://127.0.0.1:${await machine.output('echo $PORT')}`

function sh(text: string): Step {
  return { line: 0, path: null, text }
}

/** Asks again and again, four at a time, until it is told to end: the statuses, 0 where there was no answer. */
function asking(ask: () => Promise<Response>): { end(): Promise<readonly number[]> } {
  const statuses: number[] = []
  const stop = new AbortController()
  const asker = async (): Promise<void> => {
    while (!stop.signal.aborted)
      statuses.push(
        await ask().then(
          ({ status }) => status,
          () => 0,
        ),
      )
  }
  const all = Promise.all(Array.from({ length: 4 }, asker))
  return {
    async end() {
      stop.abort()
      await all
      expect(statuses.length).toBeGreaterThan(10)
      return statuses
    },
  }
}

/** The example of the repository, on ports of this machine and without a certificate. */
function configuration(port: number, [first, second]: readonly [number, number]): string {
  const example = readFileSync('deploy/haproxy.cfg', 'utf8')
  const own = example
    .replace(/bind :443.*/, `bind 127.0.0.1:${port}`)
    .replace('10.0.0.1:8000', `127.0.0.1:${first}`)
    .replace('10.0.0.2:8000', `127.0.0.1:${second}`)
  expect(own).not.toContain('10.0.0')
  return own
}
