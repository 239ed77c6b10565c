// Whatever breaks in an application, the process stays, and the log says where it was.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../setup/until.ts'

const SERVICE = new URL('services/faulty.ts', import.meta.url).pathname

/** How an answer ends: its status, or that the connection broke off before it was whole. */
type Outcome = number | 'broken off'

/** By name: the outcomes of GET and HEAD, and whether the log tells of it. `null`: it never ends. */
const faults: Readonly<
  Record<string, readonly [get: Outcome | null, head: Outcome, logged?: 'head only' | 'no']>
> = {
  'broken-already': ['broken off', 200],
  'breaks-at-start': [500, 500],
  'breaks-midway': ['broken off', 200, 'no'],
  'rejects-midway': ['broken off', 200, 'no'],
  'of-numbers': ['broken off', 200, 'no'],
  'cancel-throws': [null, 200, 'head only'],
  'cancel-rejects': [null, 200, 'head only'],
  'cancel-never-resolves': [null, 200, 'no'],
  'cancel-of-another-kind': [null, 200, 'head only'],
  locked: [500, 500],
  throws: [500, 500],
  async: [500, 500],
  'async-rejects': [500, 500],
  nothing: [500, 500],
  'an-object': [500, 500],
  'bytes-that-throw': [500, 500],
  'throws-nothing': [500, 500],
  'throws-without-text': [500, 500],
  'throws-a-trap': [500, 500],
  getter: [500, 500],
  'getter-of-the-reply': [500, 500],
  'status-of-no-answer': [500, 500],
  'header-of-no-answer': [500, 500],
  'exception-handler': [500, 500],
  'async-exception-handler': [500, 500],
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-faulty-'))
afterAll(() => rmSync(folder, { recursive: true }))

const doors = ['serve', 'toListener', 'app.fetch'] as const
type Door = (typeof doors)[number]
const services = {} as Record<Door, Service>
beforeAll(async () => {
  await Promise.all(doors.map(async (door) => (services[door] = await start(door))))
})
afterAll(() => Promise.all(Object.values(services).map((service) => service.stop())))

describe.each(doors)('%s', (door) => {
  let service: Service
  beforeAll(() => {
    service = services[door]
  })

  test.each(Object.entries(faults))('%s: the process stays', async (name, [get, head, logged]) => {
    const address = `${service.url}/${name}/`
    expect(await outcome(address, 'HEAD')).toBe(head)
    if (get === null) await leave(address)
    else expect(await outcome(address, 'GET')).toBe(get)
    await service.stillAnswers()
    if (logged === 'no') return
    const event = expect.stringMatching(/^(request|stream)\.failed$/)
    await expect.poll(() => service.linesOf(name)[0]).toMatchObject({ event })
  })

  test('a wrong password, of which a logger and two listeners make nothing good', async () => {
    const response = await fetch(`${service.url}/login/`, {
      method: 'POST',
      body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(400)
    const failed = () => service.output().match(/"login.failed.listener_failed"/g)
    await expect.poll(failed).toHaveLength(2)
    await service.stillAnswers()
  })
})

test.each(['floating', 'floating-later', 'floating-nothing'])(
  '%s: a rejection that nobody handles is logged with its endpoint',
  async (name) => {
    const service = services.serve
    expect(await outcome(`${service.url}/${name}/`, 'GET')).toBe(200)
    await expect.poll(() => service.linesOf(name)).toMatchObject([{ event: 'rejection.unhandled' }])
    await service.stillAnswers()
  },
)

interface Service {
  readonly url: string
  /** What it has logged. */
  output(): string
  linesOf(endpoint: string): object[]
  stillAnswers(): Promise<void>
  stop(): Promise<void>
}

async function start(door: Door): Promise<Service> {
  const child = spawn(process.execPath, [SERVICE, door, join(folder, `${door}.sqlite`)])
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  // A broken logger tells of itself on standard error. That nobody reads it must not matter either.
  child.stderr.destroy()
  const url = await until(() => /Listening on (\S+)/.exec(output)![1]!)
  return {
    url,
    output: () => output,
    linesOf: (endpoint) =>
      output
        .split('\n')
        .filter((line) => line.includes(`"endpoint":"${endpoint}"`))
        .map((line) => JSON.parse(line) as object),
    async stillAnswers() {
      expect(await outcome(`${url}/hello/`, 'GET')).toBe(200)
      expect(child.exitCode).toBe(null)
    },
    async stop() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

function outcome(url: string, method: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = ask(url, { method, agent: false }, (response) => {
      response.resume().on('close', () => {
        resolve(response.complete ? response.statusCode! : 'broken off')
      })
    })
    sent.on('error', () => resolve('broken off')).end()
  })
}

/** Goes away in the middle of an answer. */
async function leave(url: string): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const left = fetch(url, { signal }).then((response) => response.text())
  setTimeout(() => controller.abort(), 20)
  await expect(left).rejects.toThrow('aborted')
}
