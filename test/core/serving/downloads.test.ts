import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MultiPartParser,
  type Form,
  type UploadedFile,
  defineApi,
  download,
  toDirectory,
} from '../../../src/index.ts'
import { type RunningServer, serve } from '../../../src/node.ts'
import { quiet } from '../../behaviour/fixtures.ts'
import { aliveBytes } from '../../setup/alive.ts'
import { openFiles } from '../../setup/linux.ts'

const root = mkdtempSync(join(tmpdir(), 'downloads-'))
const large = join(root, 'large')
const SIZE = 64 * 2 ** 20
writeFileSync(large, Buffer.alloc(SIZE, 'x'))
/** Made by the test that cuts it short. */
const cut = join(root, 'cut')
const log: object[] = []
let dropped = 0
const api = defineApi({
  urls: {
    large: '/large/',
    cut: '/cut/',
    failing: '/failing/',
    unread: '/unread/',
    back: '/back/',
    object: '/object/:sent<int>/',
    dropped: '/dropped/',
  },
  logger: { error: (record) => void log.push(record) },
})
const app = api.serve(
  [
    api.endpoint('large').get((request) => download(request, large)),
    api.endpoint('cut').get((request) => download(request, cut)),
    api.endpoint('failing').get(async (request) => {
      await download(request, large)
      throw new Error('after all')
    }),
    api.endpoint('unread').get(async (request) => {
      await download(request, large)
      return 'something else'
    }),
    api.endpoint('object').get((request) =>
      download(request, {
        size: 10,
        open: () => new Blob(['x'.repeat(request.params.sent)]).stream(),
      }),
    ),
    api.endpoint('dropped').get(async (request) => {
      const open = () => new ReadableStream<Uint8Array>({ cancel: () => void (dropped += 1) })
      await download(request, { size: 10, open })
      return null
    }),
    api
      .endpoint('back', { parsers: [new MultiPartParser({ files: toDirectory(root) })] })
      .post(async (request) =>
        download(request, ((await request.body()) as Form).get('f') as UploadedFile),
      ),
  ],
  quiet,
)

let server: RunningServer
beforeAll(async () => {
  server = await serve(app, { port: 0 })
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 60_000) throw new Error('It never came.')
    await wait(5)
  }
}

const closed = (): Promise<void> => until(() => openFiles(root) === 0)

function ask(path: string, headers = {}, agent?: Agent): Promise<IncomingMessage> {
  const options = { headers: { host: 'localhost', ...headers }, agent }
  return new Promise((resolve, reject) => {
    get(`${server.url}${path}`, options, resolve).once('error', reject)
  })
}

const asked = (path: string, headers = {}, method = 'GET') =>
  app.fetch(new Request(`http://localhost${path}`, { method, headers }))

describe('a large file', () => {
  test('goes out as it is read, and is closed', async () => {
    const answer = await ask('/large/')
    let size = 0
    for await (const chunk of answer) size += (chunk as Buffer).length
    expect(size).toBe(SIZE)
    await closed()
  })

  test('waits for a client that does not read, and is closed when it goes away', async () => {
    const before = aliveBytes()
    const answer = await ask('/large/')
    answer.once('error', () => undefined)
    await wait(300)
    expect(openFiles(root)).toBe(1)
    expect(aliveBytes() - before).toBeLessThan(8 * 2 ** 20)
    answer.destroy()
    await closed()
  })

  test('is closed when a web client cancels', async () => {
    const { body } = await asked('/large/')
    const reader = body!.getReader()
    await reader.read()
    expect(openFiles(root)).toBe(1)
    await reader.cancel()
    await closed()
  })

  test('in which a client has a part already', async () => {
    const answer = await ask('/large/', { range: `bytes=${SIZE - 5}-` })
    expect(answer.statusCode).toBe(206)
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    expect(text).toBe('xxxxx')
    await closed()
  })

  test.each([
    ['HEAD', {}, 200],
    ['GET', { range: `bytes=${SIZE}-` }, 416],
    ['GET', { 'if-none-match': '*' }, 304],
  ])('%s %j is not open afterwards', async (method, headers, status) => {
    expect((await asked('/large/', headers, method)).status).toBe(status)
    await closed()
  })

  test.each([
    ['/failing/', 500],
    ['/unread/', 200],
  ])('%s that is not sent is not open afterwards', async (path, status) => {
    expect((await asked(path)).status).toBe(status)
    expect(openFiles(root)).toBe(0)
  })
})

test('an upload goes back although its file is removed', async () => {
  const form = new FormData()
  form.append('f', new File(['hello'], 'x'))
  const answer = await app.fetch(
    new Request('http://localhost/back/', { method: 'POST', body: form }),
  )
  expect(readdirSync(root)).toEqual(['large'])
  expect(await answer.text()).toBe('hello')
  await closed()
})

test('a file that is cut short breaks off, and does not look finished', async () => {
  log.length = 0
  writeFileSync(cut, Buffer.alloc(SIZE, 'x'))
  const answer = await ask('/cut/')
  truncateSync(cut, 2 ** 20)
  let failed: unknown = null
  try {
    for await (const chunk of answer) void chunk
  } catch (error) {
    failed = error
  }
  expect(failed).toMatchObject({ code: 'ECONNRESET' })
  await closed()
  await until(() => log.length > 0)
  expect(log).toMatchObject([
    { event: 'stream.failed', error: expect.stringContaining('cut short') as string },
  ])
  rmSync(cut)
})

describe('an object that has changed since its size was asked for', () => {
  test.each([4, 10, 16])('with %i bytes instead of 10', async (sent) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const got = async (path: string): Promise<string> => {
      let text = ''
      for await (const piece of await ask(path, {}, agent)) text += String(piece)
      return text
    }
    const object = got(`/object/${sent}/`)
    if (sent === 10) expect(await object).toBe('x'.repeat(10))
    else await expect(object).rejects.toMatchObject({ code: 'ECONNRESET' })
    // The next answer on the connection is whole, and nothing else.
    expect(await got('/unread/')).toBe('"something else"')
    agent.destroy()
  })
})

test('an object that is not sent after all is cancelled', async () => {
  await asked('/dropped/')
  expect(dropped).toBe(1)
})
