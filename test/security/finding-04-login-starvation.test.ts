// One connection with 520 logins kept everybody else from logging in for 17 seconds, even after it had closed.
import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HashQueue, type HashQueueOptions } from '../../src/accounts/passwords/hash-queue.ts'
import type { Requester } from '../../src/core/ports/credentials.ts'
import { configurationOf, defineApi, obtainToken } from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { openAccounts } from '../accounts/fixtures.ts'

const LOGINS = 520
/** A few milliseconds a hash. */
const COST = { memory: 4096, passes: 1, parallelism: 1 }

/** Counts what is really hashed, and what is still under way. */
class WatchedQueue extends HashQueue {
  hashed = 0
  open = 0
  /** How many of others came first, for each that was hashed. */
  readonly others = new Map<string | undefined, number[]>()
  #first = Promise.withResolvers<void>()

  get first(): Promise<void> {
    return this.#first.promise
  }

  forget(): void {
    this.hashed = 0
    this.#first = Promise.withResolvers<void>()
  }

  override async run<T>(work: () => Promise<T>, client?: Requester): Promise<T> {
    const [before, address] = [this.hashed, client?.environ['REMOTE_ADDR']]
    const counted = (): Promise<T> => {
      this.others.set(address, [...(this.others.get(address) ?? []), this.hashed - before])
      this.hashed++
      this.#first.resolve()
      return work()
    }
    this.open++
    try {
      return await super.run(counted, client)
    } finally {
      this.open--
    }
  }
}

async function service(options: HashQueueOptions) {
  const queue = new WatchedQueue(options)
  const accounts = await openAccounts({
    hashQueue: queue,
    passwordCost: COST,
    rememberPasswords: 0,
  })
  await accounts.users.create({ username: 'alice', password: 'wonderland' })
  const api = defineApi({ urls: { token: '/token/' }, logger: { error: () => undefined } })
  const app = api.serve([api.endpoint('token').post(obtainToken({ accounts }))], {
    configuration: configurationOf(),
  })
  const server = await serve(app, { port: 0, host: '0.0.0.0' })
  onTestFinished(() => server.close())
  queue.forget()
  return { queue, port: Number(new URL(server.url).port) }
}

const bodyOf = (password: string): string => JSON.stringify({ username: 'alice', password })

/** Logs in from an address; its connection is its own. */
function login(port: number, localAddress: string, password: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { 'content-type': 'application/json' }
  const options = {
    port,
    localAddress,
    headers,
    host: '127.0.0.1',
    method: 'POST',
    path: '/token/',
  }
  request({ ...options, agent: false }, (answer) => {
    answer.resume()
    answer.once('end', () => resolve(answer.statusCode!))
  })
    .once('error', reject)
    .end(bodyOf(password))
  return promise
}

/** 520 logins over some connections, those of each in one write. */
function flood(port: number, connections: number) {
  const body = bodyOf('wrong')
  const one = [
    'POST /token/ HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
  let received = ''
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' })
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
    socket.on('error', () => undefined)
    socket.write(one.repeat(LOGINS / connections))
    return socket
  })
  const close = (): void => sockets.forEach((socket) => void socket.destroy())
  onTestFinished(close)
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  const isOver = (): boolean =>
    statuses().length === LOGINS || sockets.every(({ destroyed }) => destroyed)
  return { close, statuses, isOver }
}

const FLOODS = [1, 130].flatMap((connections) =>
  [1, 3].map((running) => ({ connections, running })),
)

test.each(FLOODS)('while one client floods, the login of another is next: %j', async (kind) => {
  const { connections, running } = kind
  const { queue, port } = await service({ running })
  const { statuses, isOver } = flood(port, connections)
  await queue.first
  for (let round = 0; round < 5; round++) {
    const before = queue.hashed
    expect(await login(port, '127.0.0.2', 'wonderland')).toBe(200)
    // Also what was hashed while the request and its answer travelled; without turns all of them.
    expect(queue.hashed - before).toBeLessThan(LOGINS / 2)
  }
  // One of the flood at most had its turn before; where more than one runs, a place was free.
  expect(queue.others.get('127.0.0.2')).toHaveLength(5)
  expect(Math.max(...queue.others.get('127.0.0.2')!)).toBeLessThanOrEqual(1)
  await expect.poll(isOver).toBe(true)
  // A connection that asks so much in advance is closed; of many at once no more than 50 wait.
  if (connections > 1) expect(new Set(statuses())).toEqual(new Set(['400', '503']))
})

test.each(FLOODS)('what a client has left behind is not hashed: %j', async (kind) => {
  const { connections, running } = kind
  const { queue, port } = await service({ running })
  const { close } = flood(port, connections)
  await queue.first
  close()
  expect(await login(port, '127.0.0.2', 'wonderland')).toBe(200)
  await expect.poll(() => queue.open).toBe(0)
  expect(queue.hashed).toBeLessThan(LOGINS / 2)
})

test('a classroom behind one address logs in at the same moment', async () => {
  const { port } = await service({ running: 1 })
  const pupils = Array.from({ length: 40 }, () => login(port, '127.0.0.1', 'wonderland'))
  expect(new Set(await Promise.all(pupils))).toEqual(new Set([200]))
})
