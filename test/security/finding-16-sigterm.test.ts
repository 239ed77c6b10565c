// After SIGTERM no request that was accepted is cut off, and no connection is reset.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as ask } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { beside, lineOf, start } from '../tools/cli/colophon.ts'
import { lines, open } from '../core/serving/sockets.ts'

const BUSY = 12
const ANSWERED = 'answered, and told to close'
/** How a client may end that opens a connection of its own accord: a connection that was not accepted lost nothing. */
const NOT_ACCEPTED = 'not accepted'
/** A connection that has been idle for half a second may end. A client that stood still so long lost nothing, either. */
const LATE = 'late'
const isLate = (before: number): boolean => performance.now() - before > 250

/** A client that asks again as soon as it is answered, until it is told that the connection closes. */
interface Client {
  answered: number
  /** How it ended, as a sentence. */
  readonly end: Promise<string>
}

const clients: Readonly<Record<string, (url: string) => Client>> = {
  'a raw socket': rawClient,
  'an agent of node:http': agentClient,
  fetch: fetchClient,
}

describe(`a process that is told to stop by ${BUSY} busy connections`, () => {
  test.each(Object.keys(clients))('%s: every request is answered', async (kind) => {
    const service = startService()
    const url = `${await urlOf(service)}/busy/`
    const busy = Array.from({ length: BUSY }, () => clients[kind]!(url))
    await expect.poll(() => Math.min(...busy.map(({ answered }) => answered))).toBeGreaterThan(9)
    service.kill('SIGTERM')
    const ends = await Promise.all(busy.map(({ end }) => end))
    const inTime = ends.filter((end) => end !== NOT_ACCEPTED && end !== LATE)
    expect(inTime).toEqual(inTime.map(() => ANSWERED))
    expect(inTime).toContain(ANSWERED)
    // Only the pool of `fetch` opens a second connection, where the first is not idle yet.
    expect(ends.filter((end) => end !== NOT_ACCEPTED).length).toBeGreaterThanOrEqual(
      kind === 'fetch' ? BUSY / 2 : BUSY,
    )
    expect(await once(service, 'exit')).toEqual([0, null])
  })

  test('an error that nothing caught stops it like that, with a line in the log and status 1', async () => {
    const service = startService()
    const url = await urlOf(service)
    let complaint = ''
    service.stderr.on('data', (chunk) => (complaint += String(chunk)))
    const slow = fetch(`${url}/slow/`)
    expect((await fetch(`${url}/thrown/`)).status).toBe(200)
    expect(await (await slow).json()).toEqual({ slow: true })
    expect(await once(service, 'close')).toEqual([1, null])
    expect(complaint).toMatch(/"event":"process.failed","error":"Error: thrown from a timer/)
  })
})

describe('a server that closes', () => {
  const hello = lines('GET /hello/ HTTP/1.1', 'Host: localhost')

  test('answers what comes just after, on a connection that was idle just before', async () => {
    const { server } = await begin()
    const wire = await open(server.url)
    wire.write(hello)
    await wire.until(/"hello"/)
    const closed = server.close()
    wire.write(hello)
    expect(await wire.closed()).toMatch(/"hello"[^]*\r\nconnection: close[^]*"hello"/i)
    await closed
  })

  test.each([
    ['before it stands still, too', (close: () => void) => close()],
    ['while it stands still, too', () => {}],
  ])('answers what comes %s: its timers are late then, and come first', async (_, before) => {
    const { server } = await begin()
    const wire = await open(server.url)
    wire.write(hello)
    await wire.until(/"hello"/)
    before(() => void server.close())
    wire.write(hello)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    const closed = server.close()
    expect(await wire.closed()).toMatch(/"hello"[^]*\r\nconnection: close[^]*"hello"/i)
    await closed
  })

  test('and on connections that have not asked before, or only half', async () => {
    const { server } = await begin()
    const [fresh, half] = await Promise.all([open(server.url), open(server.url)])
    half.write(hello.slice(0, 20))
    // What was sent before has arrived when a later request is answered.
    await (await fetch(`${server.url}/hello/`)).text()
    const closed = server.close()
    fresh.write(hello)
    half.write(hello.slice(20))
    for (const text of await Promise.all([fresh.closed(), half.closed()])) {
      expect(text).toMatch(/\r\nconnection: close[^]*"hello"$/i)
    }
    await closed
  })

  test('answers all that was pipelined: the last answer ends the connection', async () => {
    const { server, begun, release } = await begin()
    const wire = await open(server.url)
    wire.write(lines('GET /slow/ HTTP/1.1', 'Host: localhost') + hello + hello)
    await begun
    const closed = server.close()
    release()
    const text = await wire.closed()
    expect(text.match(/"(slow|hello)"/g)).toEqual(['"slow"', '"hello"', '"hello"'])
    expect(text.match(/\r\nconnection: close/gi)).toHaveLength(1)
    expect(text).toMatch(/\r\nconnection: close[^"]*"hello"$/i)
    await closed
  })

  test('what comes after the end of a connection is not run, and resets nothing', async () => {
    const { server, begun, release, handled } = await begin()
    const wire = await open(server.url)
    wire.write(lines('GET /slow/ HTTP/1.1', 'Host: localhost'))
    await begun
    const closed = server.close()
    const errors: unknown[] = []
    wire.socket.on('error', (error) => errors.push(error)).allowHalfOpen = true
    // The end of our side comes with it: a server that had not read both would answer with a reset.
    wire.socket.once('end', () => wire.socket.end(hello))
    release()
    expect(await wire.closed()).toMatch(/"slow"$/)
    expect([errors, handled()]).toEqual([[], 0])
    await closed
  })
})

/** A server with an answer that waits to be released. */
async function begin() {
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let handled = 0
  const api = defineApi({ urls: { hello: '/hello/', slow: '/slow/' }, authentication: [] })
  const slow = api.endpoint('slow').get(async () => {
    begun.resolve()
    await release.promise
    return 'slow'
  })
  const hello = api.endpoint('hello').get(() => {
    handled += 1
    return 'hello'
  })
  const server: RunningServer = await serve(
    api.serve([slow, hello], { configuration: configurationOf({}) }),
    { port: 0 },
  )
  return { server, begun: begun.promise, release: release.resolve, handled: () => handled }
}

function startService() {
  const app = join(beside('test/security/services'), 'busy.ts')
  return start(['--app', app, 'serve', '--port', '0'])
}

async function urlOf(service: ReturnType<typeof start>): Promise<string> {
  return (await lineOf(service, /Listening on (\S+)\n/))[1]!
}

function rawClient(url: string): Client {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let [text, last, late, sentAt] = ['', false, false, performance.now()]
  const send = () => {
    late = isLate(sentAt)
    sentAt = performance.now()
    socket.write(lines(`GET ${pathname} HTTP/1.1`, 'Host: localhost'))
  }
  const end = new Promise<string>((done) => {
    socket.on('error', (error) => done(late ? LATE : `broken: ${error.message}`))
    socket.on('end', () => {
      done(last && text === '' ? ANSWERED : late ? LATE : `ended early: ${text}`)
    })
  })
  const client = { answered: 0, end }
  socket.setEncoding('latin1').on('connect', send)
  socket.on('data', (chunk: string) => {
    text += chunk
    if (!/"x+"\}$/.test(text)) return
    last = /\r\nconnection: close/i.test(text)
    text = ''
    client.answered += 1
    if (!last) send()
  })
  return client
}

function agentClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return repeated(async () => {
    const sent = ask(url, { agent }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await response.toArray()
    return response.headers.connection === 'close'
  })
}

function fetchClient(url: string): Client {
  return repeated(async () => {
    const response = await fetch(url)
    await response.text()
    return response.headers.get('connection') === 'close'
  })
}

function repeated(isLast: () => Promise<boolean>): Client {
  const client = { answered: 0 }
  let [late, sentAt] = [false, performance.now()]
  const goOn = async (): Promise<string> => {
    for (; ; client.answered += 1) {
      late = isLate(sentAt)
      sentAt = performance.now()
      if (await isLast()) return ANSWERED
    }
  }
  const broken = ({ message, cause }: Error): string => {
    const text = cause instanceof Error ? cause.message : message
    if (text.startsWith('connect ECONNREFUSED')) return NOT_ACCEPTED
    return late ? LATE : `broken: ${text}`
  }
  return Object.assign(client, { end: goOn().catch(broken) })
}
