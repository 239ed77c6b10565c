import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTcpProxy } from '../../../scripts/servers/tcp-proxy.ts'
import { temporaryDirectory } from '../../contract/temporary.ts'
import { sharedRedis } from '../../setup/redis.ts'
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
  onTestFinished(() => void server.kill('SIGKILL'))
  const [, address] = await lineOf(server, /Listening on (\S+)\n/)
  expect(proxy.opened).toBe(0)
  // No connection of HTTP is left that stopping could wait for, and the grace period plays no part.
  const headers = { connection: 'close' }
  expect((await fetch(`${address}/slow/`, { headers })).status).toBe(200)
  expect(proxy.open).toBe(1)
  server.kill('SIGTERM')
  // A connection that stays open for good would keep the process from ending.
  expect(await once(server, 'close')).toEqual([0, null])
  await expect.poll(() => proxy.open).toBe(0)
})
