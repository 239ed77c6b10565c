// What `npm run soak` watches for half an hour, in one second: requests leave nothing behind.
import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { serve } from '../../../src/node.ts'
import { type Sent, sendTo } from '../../behaviour/doors.ts'
import { aliveBytes } from '../../setup/alive.ts'
import { doorsApp } from './app.ts'

const json = { 'content-type': 'application/json' }
const REQUESTS: readonly Sent[] = [
  { method: 'GET', path: '/hello/' },
  { method: 'POST', path: '/echo/', headers: json, body: '{"n":7}' },
  { method: 'POST', path: '/echo/', headers: json, body: '{"n"' },
  { method: 'GET', path: '/stream/' },
  { method: 'GET', path: '/nowhere/' },
]
/** Rounds of all, and bytes that each request may leave: a request that is kept has more than twice as many. */
const [ROUND, MOST] = [60, 300]

/** Kinds of what is open, but for the timers of this test's own runner. */
function open(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Timeout' && kind !== 'Immediate')
    .toSorted()
}

test('requests of all kinds, and their connections, leave neither memory nor anything open', async () => {
  const server = await serve(doorsApp(), { port: 0 })
  onTestFinished(() => server.close())
  const port = Number(new URL(server.url).port)
  async function round(): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    for (let i = 0; i < ROUND; i++)
      await Promise.all(
        REQUESTS.map((each, at) => sendTo(port, each, at % 2 === 0 ? agent : undefined)),
      )
    agent.destroy()
    return aliveBytes()
  }
  await round()
  const before = open()
  const alive = [await round(), await round(), await round()]
  // Some of the first round may have been about to close.
  await expect.poll(() => open().length).toBeLessThanOrEqual(before.length)
  // Code that is compiled later takes some once, what leaks is in each.
  const growth = alive.slice(1).map((bytes, at) => bytes - alive[at]!)
  expect(Math.min(...growth)).toBeLessThan(ROUND * REQUESTS.length * MOST)
})
