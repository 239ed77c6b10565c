// A service in which everything breaks that an application can break. `node faulty.ts DOOR DATABASE`
import {
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  createServer,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Logger, configurationOf, defineApi, obtainToken, reply } from '../../../src/index.ts'
import { serve, toListener } from '../../../src/node.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import { openSqlite } from '../../../src/sqlite.ts'

/** What the log of a service that works would hold. The logger tells it, and then breaks. */
const logger: Logger = {
  error(record) {
    process.stdout.write(`${JSON.stringify(record)}\n`)
    throw new Error('the logger broke')
  },
  // An async logger, which the types forbid and plain JavaScript does not.
  info: (): unknown => Promise.reject(new Error('the logger broke later')),
}

const failing = (): Promise<never> => Promise.reject(new Error('floating'))
const failingLater = async (): Promise<never> => {
  await new Promise((resolve) => setTimeout(resolve, 5))
  throw new Error('floating')
}
const broken = (): never => {
  throw new Error('broke')
}

function streams(): Record<string, () => unknown> {
  const of = (source: UnderlyingDefaultSource) => () => new ReadableStream(source)
  const one = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(Buffer.from('one'))
  return {
    'broken-already': of({ start: (controller) => controller.error(new Error('broke')) }),
    'breaks-at-start': of({ start: broken }),
    'breaks-midway': of({ start: one, pull: broken }),
    'rejects-midway': of({ start: one, pull: failing }),
    'of-numbers': of({ pull: (controller) => controller.enqueue(7) }),
    'cancel-throws': of({ pull: one, cancel: broken }),
    'cancel-rejects': of({ pull: one, cancel: failingLater }),
    'cancel-never-resolves': of({ pull: one, cancel: () => new Promise(() => {}) }),
    'cancel-of-another-kind': () => Object.assign(of({ pull: one })(), { cancel: broken }),
    locked: () => {
      const stream = new ReadableStream({ pull: one })
      stream.getReader()
      return stream
    },
  }
}

const renderers: Readonly<Record<string, () => unknown>> = {
  ...streams(),
  throws: broken,
  async: async () => 'text',
  'async-rejects': failingLater,
  nothing: () => undefined,
  'an-object': () => ({}),
  'bytes-that-throw': () => Object.defineProperty(new Uint8Array(1), 'byteLength', { get: broken }),
}

const handlers: Readonly<Record<string, () => unknown>> = {
  'throws-nothing': () => {
    throw undefined
  },
  'throws-without-text': () => {
    throw Object.create(null)
  },
  'throws-a-trap': () => {
    throw Object.defineProperty(new Error('trap'), 'stack', { get: broken })
  },
  getter: () => ({
    get value() {
      return broken()
    },
  }),
  'getter-of-the-reply': () => Object.defineProperty(reply({}), 'headers', { get: broken }),
  'status-of-no-answer': () => Object.assign(Object.create(reply({})), { status: 9 }),
  'header-of-no-answer': () =>
    Object.assign(Object.create(reply({})), { headers: { a: 'b\r\nc: d' } }),
  floating: () => void failing(),
  'floating-later': () => void failingLater(),
  'floating-nothing': () => void Promise.reject(),
}

const database = openSqlite({ path: process.argv[3]! })
await database.migrate()
const accounts = defineAccounts({
  database,
  secretKey: 'a secret for this test, and it is long',
  logger,
})
accounts.events.on('login.failed', failingLater)
accounts.events.on('login.failed', broken)

const names = {
  ...renderers,
  ...handlers,
  'exception-handler': null,
  'async-exception-handler': null,
}
const api = defineApi({
  urls: { hello: '/hello/', login: '/login/', ...paths(Object.keys(names)) },
  accounts,
  logger,
  authentication: [],
})
// The addresses are made from the tables above, so the compiler does not know their names.
const endpoint = api.endpoint as (name: string, policy?: object) => ReturnType<typeof api.endpoint>
const rendering = Object.entries(renderers).map(([name, render]) => {
  const renderer = { mediaType: 'text/plain', format: 'txt', render }
  return endpoint(name, { renderers: [renderer] }).get(() => 'data')
})
const handling = Object.entries(handlers).map(([name, handler]) => endpoint(name).get(handler))
const app = api.serve(
  [
    ...rendering,
    ...handling,
    endpoint('exception-handler', { exceptionHandler: broken }).get(broken),
    endpoint('async-exception-handler', { exceptionHandler: failingLater }).get(broken),
    endpoint('hello').get(() => 'hello'),
    endpoint('login').post(obtainToken({ accounts })),
  ],
  { configuration: configurationOf({}) },
)

function paths(all: readonly string[]): Record<string, `/${string}`> {
  return Object.fromEntries(all.map((name) => [name, `/${name}/`]))
}

/** Only `serve` looks after the process; the others must not need it. */
async function listen(door: string | undefined): Promise<string> {
  if (door === 'serve') return (await serve(app, { port: 0 })).url
  const server = createServer(door === 'toListener' ? toListener(app) : throughFetch())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function throughFetch(): RequestListener {
  return (incoming, response) => void bridge(incoming, response)
}

async function bridge(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url } = incoming
  const body = method === 'POST' ? Buffer.concat(await incoming.toArray()) : null
  const init = { method, body, headers: { 'content-type': 'application/json' } }
  const answer = await app.fetch(new Request(`http://localhost${url}`, init))
  try {
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) {
      if (response.destroyed) break
      response.write(chunk)
      await new Promise(setImmediate)
    }
    response.end()
  } catch {
    response.destroy()
  }
}

process.stdout.write(`Listening on ${await listen(process.argv[2])}\n`)
