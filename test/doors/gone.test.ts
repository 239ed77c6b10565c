import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
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
