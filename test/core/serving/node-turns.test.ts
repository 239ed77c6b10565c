import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { collect } from '../../../src/core/serving/bodies.ts'
import { Connections } from '../../../src/core/serving/exchange.ts'
import { defineApi } from '../../../src/index.ts'
import { type RunningServer, serve } from '../../../src/node.ts'
import { type Wire, lines, open } from './sockets.ts'

/** Longer than answers may take together in one turn of the event loop. */
const BUSY = 3

let began: string[] = []
const api = defineApi({ urls: { busy: '/busy/:name/', quick: '/quick/' } })
const app = api.serve([
  api.endpoint('quick').get(() => 'quick'),
  api.endpoint('busy').get(({ params }) => {
    began.push(params.name)
    const end = performance.now() + BUSY
    while (performance.now() < end);
    return params.name
  }),
])
let server: RunningServer

beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
beforeEach(() => {
  began = []
})
afterAll(async () => server.close())

const ask = (wire: Wire, name: string): void =>
  wire.write(lines(`GET /busy/${name}/ HTTP/1.1`, 'Host: localhost'))

test('clients that ask again and again do not keep new ones waiting', async () => {
  const clients = 24
  const first = async (client: number): Promise<Wire> => {
    const wire = await open(server.url)
    wire.socket.on('data', () => ask(wire, 'again'))
    ask(wire, `first-${client}`)
    await wire.until(new RegExp(`"first-${client}"`))
    return wire
  }
  const wires = await Promise.all(Array.from({ length: clients }, (_, client) => first(client)))
  for (const { socket } of wires) socket.destroy()
  // Node opens one connection a turn. Were all others answered in each of them, it would be 24 × 23 ÷ 2.
  const again = began.filter((name) => name === 'again').length

  expect(again).toBeLessThan(2 * clients)
})

test('requests that wait are answered in the order in which they came', async () => {
  const wires = await Promise.all(Array.from({ length: 8 }, () => open(server.url)))
  for (const [at, wire] of wires.entries()) ask(wire, `${at}`)
  await Promise.all(wires.map((wire, at) => wire.until(new RegExp(`"${at}"`))))
  expect(began.filter((name) => name !== 'again')).toEqual(wires.map((_, at) => `${at}`))
})

test('a client that goes while it waits is not answered', async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => open(server.url)))
  ask(first!, 'stays')
  for (const wire of others) {
    ask(wire, 'goes')
    wire.socket.resetAndDestroy()
  }
  await first!.until(/"stays"/)
  ask(first!, 'again')
  await first!.until(/"again"/)
  expect(began.filter((name) => name === 'goes').length).toBeLessThan(others.length)
})

test('answers of one turn go out together, at its end', async () => {
  const wires = await Promise.all(Array.from({ length: 4 }, () => open(server.url)))
  const ofEach = (event: string): string[] => wires.map(() => event)
  let events: string[] = []
  const noting = (event: string) => (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage }
    if (request.url === '/quick/') events.push(event)
  }
  const [begun, written] = [noting('begun'), noting('written')]
  subscribe('http.server.request.start', begun)
  subscribe('http.server.response.finish', written)
  let rounds = 0
  // On a busy machine they come in two turns, or the turn is over before the last.
  const round = async (): Promise<readonly string[]> => {
    events = []
    rounds++
    for (const wire of wires) wire.write(lines('GET /quick/ HTTP/1.1', 'Host: localhost'))
    const all = new RegExp(`(?:"quick"[^]*){${rounds}}`)
    await Promise.all(wires.map((wire) => wire.until(all)))
    return events
  }
  await expect.poll(round).toEqual([...ofEach('begun'), ...ofEach('written')])
  unsubscribe('http.server.request.start', begun)
  unsubscribe('http.server.response.finish', written)
  for (const { socket } of wires) socket.destroy()
})

test('an answer that fails does not keep those behind it from going out', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] })
  onTestFinished(() => void vi.useRealTimers())
  const { turn } = new Connections(createServer(), 0, async () => {})
  const sent: string[] = []
  turn.post(() => {
    throw new Error('as a logger may')
  })
  turn.post(() => sent.push('second'))
  turn.post(() => sent.push('third'))

  expect(() => vi.runOnlyPendingTimers()).toThrow('as a logger may')
  vi.runOnlyPendingTimers()
  expect(sent).toEqual(['second', 'third'])
})

test.each([
  [2 ** 20, false],
  [2 ** 20 + 1, true],
])('a body of %i bytes: others have a turn before it is parsed? %s', async (size, others) => {
  let hadTurn = false
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(size)
    setImmediate(() => (hadTurn = true))
  }
  await collect(chunks(), { length: null, limit: 2 * size })
  expect(hadTurn).toBe(others)
})
