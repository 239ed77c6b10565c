// Nobody starves others: what one connection has asked for at once is not answered in one go.
import { expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { serve } from '../../src/node.ts'
import { lines, open } from '../core/serving/sockets.ts'

const PIPELINED = 60

/** An application whose answers take some milliseconds of the event loop, and one that tells how many there were. */
async function start() {
  let answered = 0
  const api = defineApi({ urls: { work: '/work/', count: '/count/' }, authentication: [] })
  const app = api.serve(
    [
      api.endpoint('work').get(() => {
        const end = performance.now() + 5
        while (performance.now() < end);
        answered++
        return 'done'
      }),
      api.endpoint('count').get(() => answered),
    ],
    { configuration: configurationOf() },
  )
  return serve(app, { port: 0 })
}

test(`of ${PIPELINED} requests at once on one connection, few are answered before one of somebody else`, async () => {
  const server = await start()
  const [one, other] = [await open(server.url), await open(server.url)]
  // Both connections are known to the server by now.
  for (const wire of [one, other]) {
    wire.write(lines('GET /count/ HTTP/1.1', 'Host: localhost'))
    await wire.until(/\r\n\r\n0$/)
  }
  one.write(lines('GET /work/ HTTP/1.1', 'Host: localhost').repeat(PIPELINED))
  await one.until(/"done"/)
  other.write(lines('GET /count/ HTTP/1.1', 'Host: localhost'))
  const text = await other.until(/\r\n\r\n[1-9]\d*$/)
  expect(Number(/\d+$/.exec(text)![0])).toBeLessThan(PIPELINED / 2)
  for (const { socket } of [one, other]) socket.destroy()
  await server.close()
})
