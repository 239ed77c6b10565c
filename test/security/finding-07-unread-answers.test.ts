// Answers that nobody reads hold a bounded amount of memory for a bounded time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import type { Renderer } from '../../src/types.ts'
import { type NodeServerOptions, type RunningServer, serve } from '../../src/node.ts'
import { lineOf } from '../tools/cli/colophon.ts'
import { lines, open } from '../core/serving/sockets.ts'

const MiB = 2 ** 20

describe('60 answers of 4 MiB that nobody reads, where 32 MiB may wait', () => {
  test('hold about that, and who reads is served', async () => {
    const child = spawn(process.execPath, ['--expose-gc', LARGE, '4', String(32 * MiB)])
    const url = (await lineOf(child, /Listening on (\S+)\n/))[1]!
    const look = async (): Promise<{ handled: number; resident: number }> =>
      (await fetch(`${url}/memory/`)).json() as never
    const { resident: before } = await look()
    const deaf = Array.from({ length: 60 }, () => deafClient(url, '/large/'))
    await expect.poll(async () => (await look()).handled).toBe(60)
    const held = (await look()).resident - before
    // All of them would be 240 MiB.
    expect(held).toBeGreaterThan(16 * MiB)
    expect(held).toBeLessThan(120 * MiB)
    // They lose their place to the first who comes when they have stood still for a second.
    const answer = async (): Promise<readonly [number, number]> => {
      const response = await fetch(`${url}/large/`)
      return [response.status, (await response.text()).length]
    }
    await expect.poll(answer).toEqual([200, 4 * MiB + 2])
    for (const { socket } of deaf) socket.destroy()
    child.kill()
    await once(child, 'exit')
  })
})

describe('an answer that gets no further', () => {
  test.each(['/large/', '/stream/'])(
    '%s: ends with its connection, and the log says so',
    async (path) => {
      const service = await start({ writeTimeout: 150 })
      const { closed } = deafClient(service.url, path)
      await closed
      const endpoint = path.replaceAll('/', '')
      await expect.poll(() => service.log).toMatchObject([{ event: 'answer.unread', endpoint }])
    },
  )

  test('a stream is not read ahead of its client, and cancelled with it', async () => {
    const service = await start({ writeTimeout: 300 })
    const { closed } = deafClient(service.url, '/stream/')
    await closed
    await expect.poll(() => service.stream.cancelled).toBe(1)
    // What the platform buffers of a connection is some megabytes; without an end it would be gigabytes.
    expect(service.stream.pulled).toBeLessThan(32 * MiB)
  })
})

describe('an answer that is larger than all that may wait', () => {
  test('is sent while no other waits, and refused while one does', async () => {
    const service = await start({ maxBufferedBytes: MiB })
    const large = (): Promise<Response> => fetch(`${service.url}/large/`)
    const answer = await large()
    expect([answer.status, (await answer.text()).length]).toEqual([200, 12 * MiB + 2])
    const deaf = deafClient(service.url, '/large/')
    await expect.poll(async () => (await large()).status).toBe(503)
    deaf.socket.destroy()
    await expect.poll(async () => (await large()).status).toBe(200)
  })
})

describe('an answer that does', () => {
  test('is sent to the end, however slowly it is read', async () => {
    const service = await start({ writeTimeout: 1000 })
    const wire = deafClient(service.url, '/large/')
    let [size, rests] = [0, 0]
    while (size < 12 * MiB) {
      size += (wire.socket.read() as Buffer | null)?.length ?? 0
      // All rests together are twice as long as the answer may stand still.
      if (size / MiB <= rests) await wait(1)
      else await wait(170).then(() => (rests += 1))
    }
    expect(rests).toBeGreaterThanOrEqual(12)
    expect(service.log).toEqual([])
    wire.socket.destroy()
  })

  test('a stream that has nothing to send for a while is left alone', async () => {
    const service = await start({ writeTimeout: 60 })
    const response = await fetch(`${service.url}/quiet/`)
    expect(await response.text()).toBe('one two')
    expect(service.log).toEqual([])
  })
})

describe('a connection holds one answer', () => {
  const get = (path: string): string => lines(`GET ${path} HTTP/1.1`, 'Host: localhost')

  test('five pipelined requests for a large one: the second is begun when the first is read', async () => {
    const service = await start({})
    const wire = deafClient(service.url, '/large/')
    wire.socket.write(get('/large/').repeat(4))
    const handled = async () => (await fetch(`${service.url}/handled/`)).json()
    await expect.poll(handled).toBe(1)
    // What came before these is known by now.
    expect([await handled(), await handled()]).toEqual([1, 1])
    wire.socket.resume()
    await expect.poll(handled).toBe(5)
    wire.socket.destroy()
  })

  test('what waits behind it is never run where the client goes away', async () => {
    const service = await start({})
    const wire = await open(service.url)
    wire.write(get('/slow/') + get('/count/').repeat(20))
    await service.begun
    wire.socket.destroy()
    await once(wire.socket, 'close')
    await (await fetch(`${service.url}/handled/`)).text()
    service.release()
    await (await fetch(`${service.url}/slow/`)).text()
    expect(await (await fetch(`${service.url}/handled/`)).json()).toBe(0)
  })

  test('a hundred may wait; a connection with more is closed', async () => {
    const service = await start({})
    const [within, beyond] = await Promise.all([open(service.url), open(service.url)])
    within.write(get('/slow/') + get('/count/').repeat(100))
    beyond.write(get('/slow/') + get('/count/').repeat(101))
    expect(await beyond.closed()).toBe('')
    service.release()
    await expect.poll(() => within.text().match(/"count"/g)).toHaveLength(100)
    within.socket.destroy()
  })
})

const LARGE = new URL('services/large.ts', import.meta.url).pathname

/** Asks, and reads nothing. */
function deafClient(url: string, path: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write(lines(`GET ${path} HTTP/1.1`, 'Host: localhost'))
  // Paused, it does not notice an end by itself: it tries to write now and then.
  const beat = setInterval(() => socket.write('\r\n'), 20)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  void closed.then(() => clearInterval(beat))
  return { socket, closed }
}

const running: RunningServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function start(options: NodeServerOptions) {
  const log: object[] = []
  const stream = { pulled: 0, cancelled: 0 }
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let handled = 0
  const api = defineApi({
    urls: {
      large: '/large/',
      stream: '/stream/',
      quiet: '/quiet/',
      slow: '/slow/',
      count: '/count/',
      handled: '/handled/',
    },
    authentication: [],
    logger: { error: (record) => void log.push(record) },
  })
  const streaming = (source: UnderlyingDefaultSource<Uint8Array>): { renderers: [Renderer] } => ({
    renderers: [
      { mediaType: 'text/plain', format: 'txt', render: () => new ReadableStream(source) },
    ],
  })
  const counted = (data: unknown) => () => {
    handled += 1
    return data
  }
  const app = api.serve(
    [
      api.endpoint('large').get(counted('x'.repeat(12 * MiB))),
      api
        .endpoint(
          'stream',
          streaming({
            pull(controller) {
              stream.pulled += 65_536
              controller.enqueue(Buffer.alloc(65_536))
            },
            cancel() {
              stream.cancelled += 1
            },
          }),
        )
        .get(() => 'data'),
      api
        .endpoint(
          'quiet',
          streaming({
            async start(controller) {
              controller.enqueue(Buffer.from('one '))
              await wait(300)
              controller.enqueue(Buffer.from('two'))
              controller.close()
            },
          }),
        )
        .get(() => 'data'),
      api.endpoint('slow').get(async () => {
        begun.resolve()
        await release.promise
        return 'slow'
      }),
      api.endpoint('count').get(counted('count')),
      api.endpoint('handled').get(() => handled),
    ],
    { configuration: configurationOf({}) },
  )
  const server = await serve(app, { port: 0, gracePeriod: 100, ...options })
  running.push(server)
  return { url: server.url, log, stream, begun: begun.promise, release: release.resolve }
}
