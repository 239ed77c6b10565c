// `colophon serve --workers`: processes come and go, and no client notices.
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { execFileSync, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryDirectory } from '../../contract/temporary.ts'
import { MAIN, PACKAGE, bareEnvironment, colophon, lineOf, start } from './colophon.ts'

/** An application that tells its process, waits for a file, and stands still for good where it is asked to. */
const APP = `
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { defineApi } from 'colophon'
const api = defineApi({ urls: { pid: '/', slow: '/slow/', hang: '/hang/' } })
const { pid } = process
// As programs under other supervisors do.
process.send?.('ready')
process.send?.({ url: 'nowhere' })
export default api.serve([
  api.endpoint('pid').get(() => ({ pid })),
  api.endpoint('slow').get(async () => {
    writeFileSync('asked', '')
    while (!existsSync('go on')) await new Promise((resolve) => setTimeout(resolve, 10))
    return { pid }
  }),
  api.endpoint('hang').get(() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }),
])
`

function folderWith(app: string): string {
  const folder = temporaryDirectory()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'app.ts'), app)
  return folder
}

interface Service {
  readonly folder: string
  readonly server: ReturnType<typeof start>
  readonly url: string
  complaint(): string
  output(): string
}

async function served(args: readonly string[], app = APP): Promise<Service> {
  const folder = folderWith(app)
  const server = start(['serve', '--port', '0', ...args], { cwd: folder })
  onTestFinished(() => void server.kill('SIGKILL'))
  let [complaint, output] = ['', '']
  server.stderr.on('data', (chunk) => (complaint += String(chunk)))
  const [, url = ''] = await lineOf(server, /Listening on (\S+)\n/)
  server.stdout.on('data', (chunk) => (output += String(chunk)))
  return { folder, server, url, complaint: () => complaint, output: () => output }
}

/** On a connection of its own: it is the handing over of connections that may lose one. */
async function pidAt(url: string, path = '/'): Promise<number> {
  const answer = await fetch(url + path, { headers: { connection: 'close' } })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { pid: number }).pid
}

function pidOver(where: object): Promise<number> {
  return new Promise((resolved, rejected) => {
    const headers = { connection: 'close', host: 'localhost' }
    request({ ...where, path: '/', headers }, (answer) => {
      answer
        .setEncoding('utf8')
        .on('data', (text) => resolved((JSON.parse(text) as { pid: number }).pid))
    })
      .on('error', rejected)
      .end()
  })
}

async function pidsAt(url: string): Promise<readonly number[]> {
  const pids = await Promise.all(Array.from({ length: 16 }, () => pidAt(url)))
  return [...new Set(pids)].toSorted((one, other) => one - other)
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000, interval: 50 })

/** Asks without a pause until its result is called, which gives how many had an answer. */
function asking(url: string): () => Promise<number> {
  const over = new AbortController()
  let answers = 0
  const all = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await pidAt(url)
        answers++
      }
    }),
  )
  all.catch(() => {})
  return async () => {
    over.abort()
    await all
    return answers
  }
}

test('several processes answer at one address, and finish what is in flight when they stop', async () => {
  const { url, server, folder, complaint, output } = await served(['--workers', '2'])
  expect(await pidsAt(url)).toHaveLength(2)
  const slow = pidAt(url, '/slow/')
  await until(() => expect(existsSync(join(folder, 'asked'))).toBe(true))
  const ended = once(server, 'close')
  // As systemd does, each process of the group gets a signal; the supervisor sends its own besides.
  for (const pid of await pidsAt(url)) process.kill(pid, 'SIGTERM')
  server.kill('SIGTERM')
  await until(() => expect(output()).toContain('Stopping'))
  server.kill('SIGTERM')
  const asked = () => fetch(url).catch(() => null)
  await until(async () => expect(await asked()).toBe(null))
  writeFileSync(join(folder, 'go on'), '')
  expect(await slow).toBeGreaterThan(0)
  expect(await ended).toEqual([0, null])
  expect(complaint()).toBe('')
})

test('SIGHUP puts new processes in the place of all, and no request is lost', async () => {
  const { url, server, output, complaint } = await served(['--workers', '2'])
  const before = await pidsAt(url)
  const stop = asking(url)
  for (const times of [1, 2]) {
    server.kill('SIGHUP')
    await until(() => expect(output().split('All workers are new.')).toHaveLength(times + 1))
  }
  const after = await pidsAt(url)
  expect(await stop()).toBeGreaterThan(10)
  expect(after).toHaveLength(2)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
  expect(complaint()).toBe('')
})

test('a new program that does not start leaves the workers as they are', async () => {
  const { url, server, folder, complaint } = await served(['--workers', '2'])
  const before = await pidsAt(url)
  writeFileSync(join(folder, 'app.ts'), 'throw new Error("broken")')
  server.kill('SIGHUP')
  await until(() => expect(complaint()).toContain('The new worker does not start.'))
  expect(await pidsAt(url)).toEqual(before)
  writeFileSync(join(folder, 'app.ts'), APP)
  server.kill('SIGHUP')
  await until(async () => expect(await pidsAt(url)).not.toContain(before[0]))
})

test('another worker takes the place of one that was killed, and of one that stands still', async () => {
  const { url, complaint } = await served(['--workers', '2', '--worker-timeout', '3'])
  const [killed = 0, other] = await pidsAt(url)
  // It is handed a connection that it will never take.
  process.kill(killed, 'SIGSTOP')
  const asked = pidsAt(url)
  await pidAt(url)
  process.kill(killed, 'SIGKILL')
  await until(() => expect(complaint()).toContain(`Worker ${killed} has ended: SIGKILL.`))
  expect(await asked).toContain(other)
  await until(async () => expect(await pidsAt(url)).toHaveLength(2))
  expect(await pidsAt(url)).not.toContain(killed)
  await expect(fetch(`${url}/hang/`)).rejects.toThrow('fetch failed')
  const [, hung] = /Worker (\d+) has been silent for 3 s/.exec(complaint()) ?? []
  await until(async () => expect(await pidsAt(url)).toHaveLength(2))
  expect(await pidsAt(url)).not.toContain(Number(hung))
})

test('a worker that fails again and again is started more and more seldom, and the others answer', async () => {
  const fails = `if (existsSync('started')) throw new Error('no more'); writeFileSync('started', '')\nconst api`
  const { url, complaint, folder } = await served(['--workers', '2'], APP)
  writeFileSync(join(folder, 'app.ts'), APP.replace('const api', fails))
  const [killed = 0, other] = await pidsAt(url)
  writeFileSync(join(folder, 'started'), '')
  process.kill(killed, 'SIGKILL')
  // Each failure prints the error of the program.
  await until(() => expect(complaint().split('Error: no more').length).toBeGreaterThan(2))
  expect(await pidsAt(url)).toEqual([other])
  rmSync(join(folder, 'started'))
  await until(async () => expect(await pidsAt(url)).toHaveLength(2))
})

test('SIGTERM ends the service while it puts new workers in the place of others', async () => {
  const { server, output } = await served(['--workers', '2'])
  const ended = once(server, 'close')
  server.kill('SIGHUP')
  await until(() => expect(output()).toContain('Starting each worker again.'))
  // It waits for the first.
  server.kill('SIGHUP')
  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a worker that hangs does not keep the others from ending by themselves', async () => {
  const says = `process.on('exit', () => writeFileSync('ended', ''))\nconst api`
  const args = ['--workers', '2', '--grace-period', '1']
  const { url, server, folder } = await served(args, APP.replace('const api', says))
  fetch(`${url}/hang/`).catch(() => {})
  // One stays on its way to the worker that hangs; the other one answers all else.
  const open = new Set<number>()
  let sent = 0
  await until(() => {
    const one = sent++
    open.add(one)
    pidAt(url).then(
      () => open.delete(one),
      () => {},
    )
    // Nearly all that were sent behind it have their answers.
    const [oldest = sent] = open
    expect(sent - oldest).toBeGreaterThan(10)
    expect(open.size).toBeLessThan(4)
  })
  const ended = once(server, 'close')
  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(existsSync(join(folder, 'ended'))).toBe(true)
})

test('a worker that had no file descriptor left takes connections again', async () => {
  const { url, server } = await served(['--workers', '1'])
  const [pid] = await pidsAt(url)
  const before = readdirSync(`/proc/${server.pid}/fd`).length
  const open = readdirSync(`/proc/${pid}/fd`).length
  execFileSync('prlimit', ['--pid', `${pid}`, `--nofile=${open + 5}`])
  const { hostname, port } = new URL(url)
  const silent = Array.from({ length: 40 }, () => connect(Number(port), hostname))
  await Promise.all(silent.map((socket) => once(socket, 'connect')))
  const openNow = (of = pid) => readdirSync(`/proc/${of}/fd`).length
  await until(() => expect(openNow()).toBeGreaterThanOrEqual(open + 5))
  // The supervisor has taken the others, of which the next one is on its way.
  await until(() => expect(openNow(server.pid)).toBeGreaterThanOrEqual(before + 30))
  const answer = pidAt(url)
  for (const socket of silent) socket.destroy()
  expect(await answer).toBe(pid)
})

test('all that has connected before SIGTERM is answered, however long that takes', async () => {
  const busy = `() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); return { pid } }`
  const args = ['--workers', '1', '--grace-period', '600']
  const { url, server } = await served(args, APP.replace('() => ({ pid })', busy))
  const agent = new Agent({ maxSockets: Infinity })
  const statuses = Array.from({ length: 500 }, () => statusOver(agent, url))
  await Promise.race(statuses)
  server.kill('SIGTERM')
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
})

test('a program that does not start ends the command, with what is wrong', async () => {
  const cwd = folderWith('throw new Error("broken")')
  const ended = await colophon(['serve', '--workers', '2', '--port', '0'], { cwd })
  expect(ended.status).toBe(1)
  expect(ended.complaint.match(/Error: broken/g)).toHaveLength(1)
  expect(ended.complaint).toContain('colophon: no worker has started.')
})

test('a worker that does not come to listen is given up, and a later one takes the place', async () => {
  const args = ['--workers', '1', '--start-timeout', '5']
  const { url, server, folder, complaint, output } = await served(args)
  const before = await pidsAt(url)
  writeFileSync(join(folder, 'app.ts'), `await new Promise((end) => setTimeout(end, 3e6))`)
  server.kill('SIGHUP')
  await until(() =>
    expect(complaint()).toMatch(/Worker \d+ does not listen after 5 s, and is killed/),
  )
  await until(() =>
    expect(complaint()).toContain('The new worker does not start. The others go on.'),
  )
  expect(await pidsAt(url)).toEqual(before)
  writeFileSync(join(folder, 'app.ts'), APP)
  server.kill('SIGHUP')
  await until(() => expect(output()).toContain('All workers are new.'))
  expect(await pidsAt(url)).not.toEqual(before)
})

const SEEN = `
import { existsSync } from 'node:fs'
import { defineApi, defineUrls } from 'colophon'
import { defineMetrics, healthEndpoints, healthUrls } from 'colophon/operations'
const also = () => {
  if (existsSync('broken') && process.env.WORKER_OF_COLOPHON !== '1') throw new Error('The queue is away.')
  return '# TYPE mine_total counter\\nmine_total 1\\n'
}
const metrics = defineMetrics({ also })
const others = defineMetrics({ also: () => '# TYPE other_total counter\\nother_total 1\\n' })
const api = defineApi({
  urls: defineUrls({ ...healthUrls, metrics: '/metrics', others: '/others', pid: '/', slow: '/slow/' }),
  observe: metrics.observe,
})
export default api.serve([
  ...healthEndpoints(api),
  api.endpoint('metrics', { observe: null }).get(metrics.page()),
  api.endpoint('others', { observe: null }).get(others.page()),
  api.endpoint('pid').get(() => ({ pid: process.pid })),
  api.endpoint('slow').get(async () => {
    while (!existsSync('go on')) await new Promise((resolve) => setTimeout(resolve, 10))
    return { pid: process.pid }
  }),
])
`

test('one scrape shows the metrics of all workers, and those that start anew do not stop the service', async () => {
  const args = ['--workers', '2', '--drain-period', '3600', '--grace-period', '3600']
  const { url, server, folder, output, complaint } = await served(args, SEEN)
  const scrape = async (path = '/metrics') => (await fetch(url + path)).text()
  const before = await pidsAt(url)
  expect(before).toHaveLength(2)
  for (let i = 0; i < 4; i++) await pidAt(url)
  const [text, others] = await Promise.all([scrape(), scrape('/others')])
  expect(others.match(/^(?:mine|other)_total.*$/gm)).toEqual(
    ['1', '2'].map((each) => `other_total{worker="${each}"} 1`),
  )
  const counts = [...text.matchAll(/^colophon_request_duration_seconds_count\{(.*)\} (\d+)$/gm)]
  expect(counts.map(([, labels]) => labels)).toEqual(
    ['1', '2'].map((each) => `worker="${each}",route="pid",method="GET",version="",status="2xx"`),
  )
  expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(20)
  expect(text.match(/^mine_total\{worker="\d"\} 1$/gm)).toHaveLength(2)
  expect(text.match(/^process_start_time_seconds/gm)).toHaveLength(2)
  expect(text).toContain('colophon_workers 2\n')
  // A worker whose metrics fail is missing, and goes on.
  writeFileSync(join(folder, 'broken'), '')
  await until(async () =>
    expect((await scrape()).match(/^mine_total\{worker="1"\} 1$/gm)).toHaveLength(1),
  )
  expect(await scrape()).not.toContain('mine_total{worker="2"}')
  expect(await pidsAt(url)).toEqual(before)
  rmSync(join(folder, 'broken'))
  expect(complaint()).not.toContain('The queue is away.')
  const types = text.match(/^# TYPE .*$/gm)!
  expect(new Set(types).size).toBe(types.length)

  // Both old workers have one request under way, on connections that stay open.
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const open = Array.from({ length: 8 }, () => statusOver(agent, `${url}/slow/`))
  await until(async () => expect(await scrape()).toMatch(/underway\{worker="1"\} [1-9]/))
  await until(async () => expect(await scrape()).toMatch(/underway\{worker="2"\} [1-9]/))
  server.kill('SIGHUP')
  const asked: Promise<number>[] = []
  const over = setInterval(() => {
    // An idle connection may end in the moment in which it is asked again.
    const headers = { connection: 'close' }
    asked.push(fetch(`${url}/readyz`, { headers }).then(({ status }) => status))
  }, 20)
  onTestFinished(() => clearInterval(over))
  await until(() => expect(asked.length).toBeGreaterThan(20))
  writeFileSync(join(folder, 'go on'), '')
  expect(await Promise.all(open)).toEqual(open.map(() => 200))
  // With its drain period, the first one alone would take an hour.
  await until(() => expect(output()).toContain('All workers are new.'))
  agent.destroy()
  clearInterval(over)
  expect((await Promise.all(asked)).filter((status) => status !== 200)).toEqual([])
  expect((await pidsAt(url)).filter((pid) => before.includes(pid))).toEqual([])
})

function statusOver(agent: Agent, url: string): Promise<number | undefined> {
  return new Promise((resolved, rejected) => {
    request(url, { agent }, (answer) => {
      answer.resume().on('end', () => resolved(answer.statusCode))
    })
      .on('error', rejected)
      .end()
  })
}

test('the supervisor ends by its own signal while a worker still starts', async () => {
  const cwd = folderWith(`console.log('begins'); await new Promise((end) => setTimeout(end, 3e6))`)
  const server = start(['serve', '--workers', '2', '--port', '0'], { cwd })
  await lineOf(server, /begins/)
  server.kill('SIGTERM')
  expect(await once(server, 'close')).toEqual([0, null])
})

test('a few start at the same time, so that a supervisor of hundreds hears a signal', async () => {
  const most = Math.max(8, availableParallelism())
  const cwd = folderWith(`import { existsSync, writeFileSync } from 'node:fs'
if (existsSync('first')) { console.log('begins'); await new Promise((end) => setTimeout(end, 3e6)) }
writeFileSync('first', '')
${APP.slice(APP.indexOf('import { defineApi'))}`)
  const server = start(['serve', '--workers', `${most + 5}`, '--port', '0'], { cwd })
  onTestFinished(() => void server.kill('SIGKILL'))
  await lineOf(server, /begins/)
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
  expect(children.trim().split(' ')).toHaveLength(1 + most)
  server.kill('SIGTERM')
  expect(await once(server, 'close')).toEqual([0, null])
})

describe('where it listens', () => {
  test('at a unix socket that only the owner and the group may use', async () => {
    const path = join(temporaryDirectory(), 'api.sock')
    const { url, server } = await served(['--workers', '2', '--host', `unix:${path}`])
    expect(url).toBe(`unix:${path}`)
    expect(statSync(path).mode & 0o777).toBe(0o660)
    const asked = request({ socketPath: path, path: '/' }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(200)
    server.kill('SIGTERM')
    await once(server, 'close')
    expect(existsSync(path)).toBe(false)
  })

  test.each([
    ['one process', [], { port: 0, host: '127.0.0.1' }],
    ['two workers', ['--workers', '2'], { port: 0, host: '127.0.0.1' }],
    ['one process, of a path', [], null],
    ['two workers, of a path', ['--workers', '2'], null],
  ])('at the socket that systemd has opened: %s', async (_, args, where) => {
    const path = join(temporaryDirectory(), 'handed.sock')
    const socket = createServer().listen(where ?? { path: `${path}.first` })
    await once(socket, 'listening')
    const bound = socket.address()
    // Node removes the path that it listened on when it stops to.
    if (where === null) renameSync(`${path}.first`, path)
    // oxlint-disable-next-line no-underscore-dangle -- of Node: nothing else tells the number
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle
    const states = join(temporaryDirectory(), 'states')
    const tools = temporaryDirectory()
    writeFileSync(join(tools, 'systemd-notify'), `#!/bin/sh\necho "$1" >> ${states}\n`)
    chmodSync(join(tools, 'systemd-notify'), 0o755)
    const env = bareEnvironment()
    const line = `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" ${MAIN} serve ${args.join(' ')}`
    const server = spawn('sh', ['-c', line, process.execPath], {
      cwd: folderWith(APP),
      env: { ...env, PATH: `${tools}:${env['PATH']}`, NOTIFY_SOCKET: '/nowhere' },
      stdio: ['pipe', 'pipe', 'pipe', fd],
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    const [, url] = await lineOf(server as never, /Listening on (\S+)\n/)
    // This process holds it too, and accepts nothing: closed here, it goes on there.
    socket.close()
    expect(url).toBe(typeof bound === 'string' ? 'unix:fd:3' : `http://127.0.0.1:${bound!.port}`)
    const pid = await pidOver(typeof bound === 'string' ? { socketPath: path } : bound!)
    expect(pid).toBeGreaterThan(0)
    server.kill('SIGTERM')
    expect(await once(server, 'close')).toEqual([0, null])
    expect(readFileSync(states, 'utf8')).toBe('READY=1\nSTOPPING=1\n')
  })

  test('a socket that was handed over outlives its workers', async () => {
    const socket = createServer().listen(0, '127.0.0.1')
    await once(socket, 'listening')
    const bound = socket.address() as { readonly port: number }
    // oxlint-disable-next-line no-underscore-dangle -- of Node: nothing else tells the number
    const { fd } = (socket as unknown as { _handle: { fd: number } })._handle
    const args = ['serve', '--host', 'fd:3', '--workers', '1']
    const server = spawn(process.execPath, [MAIN, ...args], {
      cwd: folderWith(APP),
      env: bareEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe', fd],
    })
    onTestFinished(() => void server.kill('SIGKILL'))
    await lineOf(server as never, /Listening on (\S+)\n/)
    socket.close()
    const pid = await pidOver(bound)
    process.kill(pid, 'SIGKILL')
    await until(async () => expect(await pidOver(bound)).not.toBe(pid))
    server.kill('SIGTERM')
    expect(await once(server, 'close')).toEqual([0, null])
  })

  test('a port that is taken ends a program with tasks, too', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    const cwd = folderWith(
      APP.replace(
        'const api = defineApi({',
        `const ticking = { start() { this.timer = setInterval(() => {}, 1000) }, async stop() { clearInterval(this.timer) } }
const api = defineApi({ tasks: ticking, `,
      ),
    )
    const { status, complaint } = await colophon(['serve', '--port', `${port}`], { cwd })
    expect({ status, complaint }).toEqual({
      status: 1,
      complaint: expect.stringContaining('the port is in use'),
    })
  })

  test('a number that was not handed over is refused', async () => {
    const cwd = folderWith(APP)
    expect(await colophon(['serve', '--host', 'fd:99'], { cwd })).toMatchObject({
      status: 1,
      complaint:
        'colophon: Cannot listen on fd:99: this program was handed no listening socket with that number.\n',
    })
  })
})

test.each([
  [['--workers', '0'], 'It is a whole number from 1 to 1024.'],
  [['--workers', 'many'], 'It is a whole number from 1 to 1024.'],
  [['--worker-timeout', '0'], 'It is a whole number from 1 to 86400.'],
  [
    ['--watch', '--workers', '2'],
    "option '--watch' cannot be used with option '--workers <number>'",
  ],
])('%j is refused', async (args, complaint) => {
  const ended = await colophon(['serve', ...args], { cwd: folderWith(APP) })
  expect(ended).toMatchObject({ status: 2, complaint: expect.stringContaining(complaint) })
})

const THROTTLED = APP.replace('defineApi }', 'AnonRateThrottle, defineApi }').replace(
  "api.endpoint('pid')",
  "api.endpoint('pid', { throttles: [new AnonRateThrottle({ rate: '5/m' })] })",
)

test('rates that each worker would count for itself are refused, unless that was chosen', async () => {
  const cwd = folderWith(THROTTLED)
  const refused = await colophon(['serve', '--workers', '2', '--port', '0'], { cwd })
  expect(refused.status).toBe(1)
  expect(refused.complaint).toContain(
    'WORKERS is not 1, and each worker would count requests to pid for itself. Set THROTTLE_STORE (COLOPHON_THROTTLE_STORE in the environment) to "database"',
  )
  const env = { COLOPHON_THROTTLE_STORE: 'memory', COLOPHON_WORKERS: '2' }
  const server = start(['serve', '--port', '0'], { cwd, env })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [, url = ''] = await lineOf(server, /Listening on (\S+)\n/)
  expect((await fetch(url)).status).toBe(200)
  server.kill('SIGTERM')
  expect(await once(server, 'close')).toEqual([0, null])
})
