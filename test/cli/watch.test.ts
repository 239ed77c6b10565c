// `colophon serve --watch`: another program takes the place of the last one, and no client notices.
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { start } from './colophon.ts'

let folder = ''
let server: ReturnType<typeof start>
let [output, complaint] = ['', '']

/** An application that answers with a word of another file, and is slow where that is asked for. */
const APP = `
import { writeFileSync } from 'node:fs'
import { defineApi } from 'colophon'
import { word } from './word.ts'
const api = defineApi({ urls: { word: '/', slow: '/slow/' } })
export default api.serve([
  api.endpoint('word').get(() => ({ word })),
  api.endpoint('slow').get(async () => {
    writeFileSync('asked', '')
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return { word }
  }),
])
`
const say = (word: string): void =>
  writeFileSync(join(folder, 'word.ts'), `export const word: string = '${word}'\n`)
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 15_000, interval: 30 })
const count = (text: string) => output.split(text).length - 1
const shows = (text: string, times = 1) => until(() => expect(count(text)).toBe(times))
const wordAt = async (path = '/'): Promise<string> => {
  const [url] = /http:\S+\d/.exec(output)!
  return ((await (await fetch(url + path)).json()) as { word: string }).word
}
/** The last program may get a connection until it has heard that it stops. */
const becomes = (word: string) => until(async () => expect(await wordAt()).toBe(word))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-watch-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(resolve('.'), join(folder, 'node_modules/colophon'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'app.ts'), APP)
  say('one')
  ;[output, complaint] = ['', '']
  server = start(['serve', '--watch', '--port', '0'], { cwd: folder })
  server.stdout.on('data', (chunk) => (output += String(chunk)))
  server.stderr.on('data', (chunk) => (complaint += String(chunk)))
  await shows('Listening on')
})
afterEach(async () => {
  if (server.exitCode === null) {
    server.kill('SIGTERM')
    await once(server, 'close')
  }
  rmSync(folder, { recursive: true })
})

test('a change starts another program at the same address; what is in flight is finished', async () => {
  expect(await wordAt()).toBe('one')
  const slow = wordAt('/slow/')
  await until(() => expect(existsSync(join(folder, 'asked'))).toBe(true))
  say('two')
  await shows('Started again.')
  await becomes('two')
  expect(await slow).toBe('one')
  expect(count('Listening on')).toBe(1)
  expect(complaint).toBe('')
}, 30_000)

test('no request is refused meanwhile', async () => {
  let asked = 0
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      expect(['one', 'two', 'three']).toContain(await wordAt())
      asked++
    }
  })()
  say('two')
  await shows('Started again.')
  say('three')
  await shows('Started again.', 2)
  over.abort()
  await asking
  expect(asked).toBeGreaterThan(5)
  await until(async () => expect(await wordAt()).toBe('three'))
}, 30_000)

test('every new connection has its answer, however often programs change', async () => {
  const [url] = /http:\S+\d/.exec(output)!
  const over = new AbortController()
  const statuses = new Set<number>()
  const asking = Array.from({ length: 8 }, async () => {
    // Each on a connection of its own: it is the handing over of connections that may lose one.
    while (!over.signal.aborted)
      statuses.add(
        (await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(8000) }))
          .status,
      )
  })
  for (let times = 1; times <= 8; times++) {
    say(`word ${times}`)
    // Half of them change before they have begun to serve.
    if (times % 2 === 0) await shows('Started again.', times / 2)
    else await sleep(300 + times * 40)
  }
  over.abort()
  await Promise.all(asking)
  expect([...statuses]).toEqual([200])
}, 60_000)

test('a program that does not start leaves the last one serving, until it is mended', async () => {
  writeFileSync(join(folder, 'word.ts'), `import { word } from './other.ts'\nexport { word }\n`)
  await until(() => expect(complaint).toContain('The one before goes on serving.'))
  expect(await wordAt()).toBe('one')
  // What was missing is seen, although no program has loaded it.
  writeFileSync(join(folder, 'other.ts'), `export const word = 'mended'\n`)
  await shows('Started again.')
  await becomes('mended')
}, 30_000)

test('other files change nothing; the configuration does', async () => {
  writeFileSync(join(folder, 'notes.txt'), '')
  writeFileSync(join(folder, 'beside.ts'), '')
  await sleep(500)
  expect(count('Changed:')).toBe(0)
  writeFileSync(join(folder, 'colophon.json'), '{ "PAGE_SIZE": 5 }')
  await shows('Changed: colophon.json')
  await shows('Started again.')
}, 30_000)

test('SIGTERM ends both, with what is in flight', async () => {
  const slow = wordAt('/slow/')
  await until(() => expect(existsSync(join(folder, 'asked'))).toBe(true))
  server.kill('SIGTERM')
  expect(await slow).toBe('one')
  const [status] = (await once(server, 'close')) as [number]
  expect({ status, complaint }).toEqual({ status: 0, complaint: '' })
  await expect(wordAt()).rejects.toThrow('fetch failed')
}, 30_000)

test('a template of the application is changed, and one is added', async () => {
  const templates = join(folder, 'pages')
  mkdirSync(templates)
  const look = APP.replace('defineApi({', "defineApi({ browsable: { templates: 'pages' },")
  writeFileSync(join(folder, 'app.ts'), look)
  await shows('Started again.')
  writeFileSync(join(templates, 'login.eta'), 'one')
  await shows('Changed: login.eta')
  await shows('Started again.', 2)
  writeFileSync(join(templates, 'login.eta'), 'two')
  await shows('Started again.', 3)
  writeFileSync(join(templates, 'notes.txt'), 'for people')
  say('next')
  await becomes('next')
  expect(output).not.toContain('notes.txt')
}, 30_000)
