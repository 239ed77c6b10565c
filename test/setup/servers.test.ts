import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startNginx } from '../../scripts/servers/nginx.ts'
import { startRedis } from '../../scripts/servers/redis.ts'
import {
  freePort,
  onFreePort,
  prepare,
  runServer,
  temporaryFolder,
} from '../../scripts/servers/run-server.ts'

const SERVER = `const server = require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('here I am'))`

/** A program that starts an idle server, and is then killed. */
const STARTER = `
  import { freePort, runServer, temporaryFolder } from ${JSON.stringify(`${process.cwd()}/scripts/servers/run-server.ts`)}
  const [folder, port] = [temporaryFolder('test'), await freePort()]
  const args = ['-e', ${JSON.stringify(SERVER)}, String(port)]
  await runServer({ folder, command: process.execPath, args, user: null, ready: /here I am/ })
  console.log(JSON.stringify({ folder, port }))
  setInterval(() => {}, 1000)`

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy())
    socket.on('error', () => resolve(false)).on('connect', () => resolve(true))
  })
}

/** The answer of a server to lines, the last of which ends the connection. */
async function sayTo(port: number, lines: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.write(`${lines}\r\nQUIT\r\n`)
  let answer = ''
  for await (const text of socket) answer += text
  return answer.replace(/\+OK\r\n$/, '')
}

async function started(port: number, folder = temporaryFolder('test')) {
  const args = ['-e', SERVER, String(port)]
  return {
    folder,
    ...(await runServer({
      folder,
      command: process.execPath,
      args,
      user: null,
      ready: /here I am/,
    })),
  }
}

describe('a server of the tests', () => {
  test('runs until it is stopped, and leaves nothing behind', async () => {
    const port = await freePort()
    const { folder, stop } = await started(port)
    expect([await answers(port), existsSync(folder)]).toEqual([true, true])
    await stop()
    expect([await answers(port), existsSync(folder)]).toEqual([false, false])
    await stop()
  })

  test('is gone when whoever started it was killed', async () => {
    const starter = spawn(process.execPath, ['--input-type=module', '-e', STARTER], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string]
    const { folder, port } = JSON.parse(line) as { folder: string; port: number }
    expect(await answers(port)).toBe(true)
    starter.kill('SIGKILL')
    await expect.poll(() => answers(port)).toBe(false)
    await expect.poll(() => existsSync(folder)).toBe(false)
  })

  test('that cannot start says what it printed, and leaves nothing behind', async () => {
    const folder = temporaryFolder('test')
    const args = ['-e', `console.error('no such luck'); process.exit(3)`]
    const failing = { folder, command: process.execPath, args, user: null, ready: /never/ }
    await expect(runServer(failing)).rejects.toThrow('no such luck')
    expect(existsSync(folder)).toBe(false)
    await expect(
      prepare(temporaryFolder('test'), null, process.execPath, ['-e', `throw 'broken'`]),
    ).rejects.toThrow('broken')
  })

  test('takes another port where the first was taken before it could listen', async () => {
    const taken = await startRedis()
    const tried: number[] = []
    const running = await onFreePort((free) => {
      tried.push(tried.length === 0 ? taken.port : free)
      return startRedis({ port: tried.at(-1)! })
    })
    expect([tried.length, running.port]).toEqual([2, tried[1]])
    await Promise.all([running.stop(), taken.stop()])
  })

  test('may be an nginx', async () => {
    const nginx = await startNginx({
      config: ({ port, folder }) =>
        `server { listen 127.0.0.1:${port}; root ${folder}; location / { } }`,
      files: { 'hello.txt': 'Hello.' },
    })
    const response = await fetch(`${nginx.url}/hello.txt`)
    expect([response.status, await response.text()]).toEqual([200, 'Hello.'])
    await nginx.stop()
  })

  test('may be a Redis, which may come back at the same port', async () => {
    const first = await startRedis()
    expect(await sayTo(first.port, 'AUTH colophon not-secret\r\nSET a 1')).toBe('+OK\r\n+OK\r\n')
    await first.stop()
    const second = await startRedis({ port: first.port })
    expect(await sayTo(first.port, 'GET a')).toMatch(/^-NOAUTH/)
    expect(await sayTo(first.port, 'AUTH colophon not-secret\r\nGET a')).toBe('+OK\r\n$-1\r\n')
    await second.stop()
    expect([second.url, await answers(first.port)]).toEqual([first.url, false])
  })
})
