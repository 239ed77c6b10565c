import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTcpProxy } from '../../scripts/servers/tcp-proxy.ts'
import { temporaryDirectory } from '../contract/temporary.ts'
import { sharedRedis } from '../setup/redis.ts'
import { colophon, lineOf, start } from './colophon.ts'

test('a Redis is connected while the service counts: by no other command, and no longer than the server runs', async () => {
  const url = await sharedRedis()
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  const env = {
    DATABASE_URL: `sqlite:${join(temporaryDirectory(), 'service.sqlite')}`,
    SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s',
    COLOPHON_THROTTLE_STORE: proxy.via(url),
    COLOPHON_DEFAULT_THROTTLE_CLASSES: '["AnonRateThrottle"]',
    COLOPHON_DEFAULT_THROTTLE_RATES: '{"anon": "1000/s"}',
  }
  for (const command of ['migrate', 'routes'])
    expect(await colophon([command], { env })).toMatchObject({ status: 0 })
  const server = start(['serve', '--port', '0'], { env })
  const [, address] = await lineOf(server, /Listening on (\S+)\n/)
  expect(proxy.opened).toBe(0)
  expect((await fetch(`${address}/slow/`)).status).toBe(200)
  expect(proxy.open).toBe(1)
  const since = performance.now()
  server.kill('SIGTERM')
  const [status] = (await once(server, 'close')) as [number]
  expect(status).toBe(0)
  // Requests under way would have ten seconds; a client of Redis that nobody closes has for ever.
  expect(performance.now() - since).toBeLessThan(9500)
})
