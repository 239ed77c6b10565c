// What is done after an answer: the answer does not wait for it, and a server that stops does.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  type ApiRequest,
  type Logger,
  NotFound,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import { serve, toListener } from '../../../src/node.ts'

type Line = Readonly<Record<string, unknown>>

function appWith(handle: (request: ApiRequest) => unknown) {
  const lines: Line[] = []
  const logger: Logger = { error: (line) => void lines.push(line) }
  const api = defineApi({ urls: { only: '/' }, logger })
  const app = api.serve([api.endpoint('only').get(handle)], { configuration: configurationOf() })
  return { app, lines }
}

const ask = (app: { readonly fetch: (request: Request) => Promise<Response> }) =>
  app.fetch(new Request('http://localhost/'))

test('it begins when the answer was written, one after the other', async () => {
  const order: string[] = []
  const { app } = appWith((request) => {
    request.afterAnswer(async () => {
      order.push('first begins')
      await Promise.resolve()
      order.push('first ends')
    })
    request.afterAnswer(() => order.push('second'))
    request.onEnd(() => order.push('end'))
    return 1
  })
  const answer = toListener(app)
  const server = createServer((incoming, response) => {
    const end = response.end.bind(response)
    response.end = ((...given: Parameters<typeof end>) => {
      order.push('written')
      return end(...given)
    }) as typeof end
    answer(incoming, response)
  }).listen(0)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  expect(await (await fetch(url)).json()).toBe(1)
  await app.close()
  expect(order).toEqual(['end', 'written', 'first begins', 'first ends', 'second'])
})

test('the answer does not wait for it, and closing the server does', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const order: string[] = []
  const { app } = appWith((request) => {
    request.afterAnswer(() => promise.then(() => order.push('done')))
    return 1
  })
  const server = await serve(app, { port: 0 })
  expect((await fetch(server.url)).status).toBe(200)
  const closed = server.close().then(() => order.push('closed'))
  order.push('answered')
  resolve()
  await closed
  expect(order).toEqual(['answered', 'done', 'closed'])
})

test('what it throws is logged with its request; the others are done', async () => {
  const done: string[] = []
  const { app, lines } = appWith((request) => {
    request.afterAnswer(() => {
      throw new Error('No mail server.')
    })
    request.afterAnswer(() => Promise.reject(new Error('No queue.')))
    request.afterAnswer(() => done.push('third'))
    throw new NotFound()
  })
  const { status, headers } = await ask(app)
  await app.close()
  const about = { event: 'task.failed', id: headers.get('x-request-id'), endpoint: 'only' }
  expect(status).toBe(404)
  expect(lines).toMatchObject(
    ['No mail server.', 'No queue.'].map((text) => ({
      ...about,
      error: expect.stringContaining(text),
    })),
  )
  expect(done).toEqual(['third'])
})

test('it may be asked for when the answer has left, also by what is done after it', async () => {
  const done: string[] = []
  const { app } = appWith((request) => {
    request.afterAnswer(() => request.afterAnswer(() => done.push('later')))
    return 1
  })
  await ask(app)
  await app.close()
  expect(done).toEqual(['later'])
})

test.each([
  [undefined, 10_000],
  [2_000, 2_000],
])('closing with %s waits for %d ms, and logs what it leaves', async (patience, waits) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app, lines } = appWith((request) => {
    request.afterAnswer(() => new Promise(() => {}))
    return 1
  })
  await ask(app)
  let closed = false
  const closing = app.close(patience).then(() => (closed = true))
  await vi.advanceTimersByTimeAsync(waits - 1)
  expect(closed).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  await closing
  const error = expect.stringContaining(`longer than ${waits} ms`)
  expect(lines).toMatchObject([{ event: 'task.unfinished', endpoint: 'only', error }])
})

test.each([
  ['has what is left of the grace period', 1e9, 1e9 - 1e6],
  ['has a second at least', 0, 1_000],
])('what a server that stops waits for %s', async (_title, gracePeriod, least) => {
  const given: (number | undefined)[] = []
  const { app } = appWith(() => 1)
  const close = async (patience?: number) => void given.push(patience)
  const server = await serve({ ...app, close }, { port: 0, gracePeriod })
  await server.close()
  expect(given).toEqual([expect.any(Number)])
  expect(given[0]).toBeGreaterThanOrEqual(least)
  expect(given[0]).toBeLessThanOrEqual(Math.max(gracePeriod, least))
})
