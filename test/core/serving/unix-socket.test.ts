import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { CannotListen, serve, toListener } from '../../../src/node.ts'
import { ask, exchange, toTold, trustingApp } from './trust.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-socket-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const app = trustingApp({
  TRUSTED_PROXIES: ['unix'],
  REMOTE_USER_SOURCE: { header: 'X-Remote-User', proxies: ['unix'] },
})
let count = 0
const path = (): string => join(folder, `${(count += 1)}.sock`)
const told = [
  'X-Forwarded-For: 203.0.113.7',
  'X-Forwarded-Proto: https',
  'X-Remote-User: ada',
] as const

describe('a unix socket', () => {
  test('serves, and its peers are "unix" to the trusted proxies', async () => {
    const { status, facts } = await ask(app, told, `unix:${path()}`)
    expect([status, facts.address, facts.user, facts.link]).toEqual([
      200,
      '203.0.113.7',
      'ada',
      'https://localhost/facts/',
    ])
  })

  test('who tells nothing has no address', async () => {
    const { facts } = await ask(app, [], `unix:${path()}`)
    expect([facts.address, facts.user]).toEqual([null, null])
  })

  test('is trusted no more than said', async () => {
    const { facts } = await ask(
      trustingApp({ TRUSTED_PROXIES: ['0.0.0.0/0'] }),
      told,
      `unix:${path()}`,
    )
    expect([facts.address, facts.user, facts.link]).toEqual([null, null, 'http://localhost/facts/'])
  })

  test('the key HOST names it, the url too, and it goes when the server does', async () => {
    const at = path()
    const { service } = app
    const server = await serve({ ...app, service: { ...service, host: `unix:${at}` } })
    expect([server.url, existsSync(at)]).toEqual([`unix:${at}`, true])
    await server.close()
    expect(existsSync(at)).toBe(false)
  })

  test('only the owner and the group may connect', async () => {
    const at = path()
    const server = await serve(app, { host: `unix:${at}` })
    const { mode } = statSync(at)
    await server.close()
    expect(mode & 0o777).toBe(0o660)
  })

  test('one that a killed server left behind is replaced', async () => {
    const at = path()
    await leaveBehind(at)
    expect(existsSync(at)).toBe(true)
    const { status } = await ask(app, [], `unix:${at}`)
    expect(status).toBe(200)
  })

  test('one that is in use is not', async () => {
    const at = path()
    const server = await serve(app, { host: `unix:${at}` })
    const second = serve(app, { host: `unix:${at}` })
    await expect(second).rejects.toThrow(CannotListen)
    await expect(second).rejects.toThrow(
      `Cannot listen on unix:${at}: the path is taken. Stop the other program, or set HOST to another path.`,
    )
    const { status } = toTold(await exchange(server.url, []))
    await server.close()
    expect(status).toBe(200)
  })

  test('a file that is no socket is never touched', async () => {
    const at = path()
    writeFileSync(at, 'precious')
    await expect(serve(app, { host: `unix:${at}` })).rejects.toThrow(/the path is taken/)
    expect([readFileSync(at, 'utf8'), statSync(at).mode & 0o777]).toEqual(['precious', 0o644])
  })

  test('a folder that is not there', async () => {
    const at = `unix:${folder}/nowhere/a.sock`
    await expect(serve(app, { host: at })).rejects.toThrow(/the folder does not exist/)
  })

  test('a listener in another server is told that it is one', async () => {
    const at = path()
    const facts = async (unixSocket: boolean): Promise<unknown[]> => {
      const server = createServer(toListener(app, { unixSocket }))
      await new Promise<void>((resolve) => server.listen(at, resolve))
      const { facts: seen } = toTold(await exchange(`unix:${at}`, told))
      await new Promise((resolve) => server.close(resolve))
      return [seen.address, seen.user]
    }
    expect(await facts(true)).toEqual(['203.0.113.7', 'ada'])
    expect(await facts(false)).toEqual([null, null])
  })
})

/** A server that is killed has no time to take its socket away. */
async function leaveBehind(at: string): Promise<void> {
  const program = `require('node:net').createServer().listen(${JSON.stringify(at)}, () => console.log('up'))`
  const child: ChildProcess = spawn(process.execPath, ['-e', program])
  await once(child.stdout!, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}
