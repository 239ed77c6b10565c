import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CannotListen, type RunningServer, serve } from '../../../src/node.ts'
import { doorsApp } from './app.ts'

const app = doorsApp()
let server: RunningServer
const port = (): number => Number(new URL(server.url).port)

beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(async () => server.close())

describe('starting', () => {
  test('a port in use is refused in one clear line', async () => {
    const attempt = serve(app, { port: port() })
    await expect(attempt).rejects.toThrow(CannotListen)
    await expect(attempt).rejects.toThrow(
      new RegExp(
        `^Cannot listen on 127\\.0\\.0\\.1:${port()}: the port is in use\\.[^\\n]*PORT[^\\n]*$`,
      ),
    )
  })

  test('so is an address that this machine does not have', async () => {
    await expect(serve(app, { port: 0, host: '192.0.2.1' })).rejects.toThrow(/192\.0\.2\.1.*HOST/)
  })

  test('port 0 takes a free one and the address says which', async () => {
    const other = await serve(app, { port: 0 })
    expect(other.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(other.url).not.toBe(server.url)
    await other.close()
  })

  test('what is used until the end of a block is closed there', async () => {
    let url = ''
    {
      await using other = await serve(app, { port: 0 })
      url = other.url
      expect((await fetch(url)).status).toBeGreaterThan(0)
    }
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('the configuration says host and port where the options do not', async () => {
    const { service } = app
    const said = { ...app, service: { ...service, host: 'localhost', port: 0 } }
    const other = await serve(said)
    expect(other.url).toMatch(/^http:\/\/localhost:\d+$/)
    await other.close()
  })
})
