import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { onTestFinished, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../../src/index.ts'
import { serve, toListener } from '../../../src/node.ts'
import { lines, open } from './sockets.ts'

/** An endpoint that waits until it is told to look whether its client is still there. */
function watching() {
  const begun = Promise.withResolvers<void>()
  const look = Promise.withResolvers<void>()
  const seen: boolean[] = []
  const api = defineApi({ urls: { watch: '/watch/' }, logger: { error: () => undefined } })
  const watch = api.endpoint('watch').get(async (request) => {
    seen.push(request.gone)
    begun.resolve()
    await look.promise
    seen.push(request.gone)
    return 'done'
  })
  const app = api.serve([watch], { configuration: configurationOf() })
  return { app, begun: begun.promise, look: () => look.resolve(), seen }
}

const LEAVING = [
  ['closes', (wire: Wire) => wire.socket.end()],
  ['resets', (wire: Wire) => wire.socket.resetAndDestroy()],
] as const

type Wire = Awaited<ReturnType<typeof open>>

test.each(LEAVING)('a request knows that its client %s the connection', async (_, leave) => {
  const { app, begun, look, seen } = watching()
  const server = createServer(toListener(app)).listen(0)
  onTestFinished(() => void server.close())
  const connected = once(server, 'connection') as Promise<[Socket]>
  const wire = await open(`http://localhost:${(server.address() as AddressInfo).port}`)
  const [socket] = await connected
  wire.write(lines('GET /watch/ HTTP/1.1', 'Host: localhost'))
  await begun
  const closed = new Promise((resolve) => socket.once('close', resolve))
  leave(wire)
  await closed
  look()
  await expect.poll(() => seen).toEqual([false, true])
})

test('a web-standard request is gone once it is aborted', async () => {
  const { app, begun, look, seen } = watching()
  const controller = new AbortController()
  const answer = app.fetch(new Request('http://localhost/watch/', { signal: controller.signal }))
  await begun
  controller.abort()
  look()
  await answer
  expect(seen).toEqual([false, true])
})

/** An endpoint that waits until its signal says that the client has gone, and one that is done at once. */
function broken() {
  const begun = Promise.withResolvers<void>()
  const signals: AbortSignal[] = []
  const log: object[] = []
  const api = defineApi({
    urls: { wait: '/wait/', done: '/done/' },
    logger: { error: (record) => void log.push(record) },
  })
  const wait = api.endpoint('wait').get(async ({ signal }) => {
    signals.push(signal)
    begun.resolve()
    await setTimeout(60_000, null, { signal })
  })
  const done = api.endpoint('done').get((request) => {
    expect(request.signal).toBe(request.signal)
    signals.push(request.signal)
    return 'done'
  })
  const app = api.serve([wait, done], { configuration: configurationOf() })
  return { app, begun: begun.promise, signals, log }
}

test.each(LEAVING)(
  'its signal breaks off what a handler does for a client that %s',
  async (_, leave) => {
    const { app, begun, signals, log } = broken()
    const server = await serve(app, { port: 0 })
    onTestFinished(() => server.close())
    const wire = await open(server.url)
    wire.write(lines('GET /wait/ HTTP/1.1', 'Host: localhost'))
    await begun
    leave(wire)
    await expect.poll(() => signals[0]!.aborted).toBe(true)
    expect(signals[0]!.reason).toMatchObject({ name: 'AbortError' })
    // The handler is done by then, and nothing of it is an error.
    await server.close()
    expect(log).toEqual([])
  },
)

test('each of many requests at once is broken off, without a warning', async () => {
  const { app, begun, signals } = broken()
  const warnings: unknown[] = []
  const warn = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const server = createServer(toListener(app)).listen(0)
  onTestFinished(() => void server.close())
  const wire = await open(`http://localhost:${(server.address() as AddressInfo).port}`)
  wire.write(lines('GET /wait/ HTTP/1.1', 'Host: localhost').repeat(30))
  await begun
  await expect.poll(() => signals.length).toBe(30)
  wire.socket.resetAndDestroy()
  await expect.poll(() => signals.every(({ aborted }) => aborted)).toBe(true)
  expect(warnings).toEqual([])
})

test('what ended as it should is never broken off', async () => {
  const { app, signals } = broken()
  const server = createServer(toListener(app)).listen(0)
  onTestFinished(() => void server.close())
  const connected = once(server, 'connection') as Promise<[Socket]>
  const url = `http://localhost:${(server.address() as AddressInfo).port}/done/`
  expect(await (await fetch(url)).text()).toBe('"done"')
  const [socket] = await connected
  const listening = socket.listenerCount('close')
  await (await fetch(url)).text()
  expect(socket.listenerCount('close')).toBe(listening)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  server.closeAllConnections()
  await closed
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
})

test('the signal of a web-standard request is its own', async () => {
  const { app, begun, log } = broken()
  const controller = new AbortController()
  const answer = app.fetch(new Request('http://localhost/wait/', { signal: controller.signal }))
  await begun
  controller.abort()
  expect((await answer).status).toBe(500)
  expect(log).toEqual([])
})
