// `colophon serve --watch`: another program takes the place of the last one, and no client notices.
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../setup/until.ts'
import { PACKAGE, lineOf, start } from './colophon.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-watch-'))
let server: ReturnType<typeof start>
let url = ''
let [output, complaint] = ['', '']

/** An application that answers with a word of another file, and waits for a file where that is asked for. */
const APP = `
import { existsSync, writeFileSync } from 'node:fs'
import { defineApi } from 'colophon'
import { word } from './word.ts'
const api = defineApi({ urls: { word: '/', slow: '/slow/' } })
export default api.serve([
  api.endpoint('word').get(() => ({ word })),
  api.endpoint('slow').get(async () => {
    writeFileSync('asked', '')
    while (!existsSync('go on')) await new Promise((resolve) => setTimeout(resolve, 10))
    return { word }
  }),
])
`
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
const say = (word: string): void => write('word.ts', `export const word: string = '${word}'\n`)
const count = (text: string) => output.split(text).length - 1
const shows = (text: string, times = 1) => until(() => expect(count(text)).toBe(times))
const wordAt = async (path = '/', at = url): Promise<string> =>
  ((await (await fetch(at + path)).json()) as { word: string }).word
/** A connection that rested may end while it is used again: a client repeats its request then, once (RFC 9112, 9.3.1). */
const wordAgain = async (): Promise<string> =>
  wordAt().catch(({ cause }: { cause?: { code?: string } }) => {
    expect(cause?.code).toBe('UND_ERR_SOCKET')
    return wordAt()
  })
/** The last program may get a connection until it has heard that it stops. */
const becomes = (word: string) => until(async () => expect(await wordAt()).toBe(word))

const watching = (env = {}) =>
  start(['serve', '--watch', '--port', '0', '--grace-period', '300'], { cwd: folder, env })

/** Starts it at a port of its own, and gives its address. */
async function watch(): Promise<readonly [server: typeof server, url: string]> {
  const started = watching()
  const [, address = ''] = await lineOf(started, /Listening on (http:\S+\d)/)
  return [started, address]
}

/** The answer to a request that is in flight until `let go`. */
async function slowly(at = url): Promise<{ readonly word: Promise<string>; letGo(): void }> {
  const files = ['asked', 'go on'].map((name) => join(folder, name)) as [string, string]
  for (const file of files) rmSync(file, { force: true })
  const word = wordAt('/slow/', at)
  await until(() => expect(existsSync(files[0])).toBe(true))
  return { word, letGo: () => writeFileSync(files[1], '') }
}

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
  write('package.json', '{ "type": "module" }')
  write('app.ts', APP)
  say('first')
  ;[server, url] = await watch()
  server.stdout.on('data', (chunk) => (output += String(chunk)))
  server.stderr.on('data', (chunk) => (complaint += String(chunk)))
})
// What was printed before is of another test.
beforeEach(() => void ([output, complaint] = ['', '']))
afterAll(async () => {
  const closed = once(server, 'close')
  server.kill('SIGTERM')
  await closed
  rmSync(folder, { recursive: true })
})

test('a change starts another program at the same address; what is in flight is finished', async () => {
  const before = await wordAt()
  const slow = await slowly()
  say('changed')
  await shows('Started again.')
  await becomes('changed')
  slow.letGo()
  expect(await slow.word).toBe(before)
  expect(count('Listening on')).toBe(0)
  expect(complaint).toBe('')
})

test('no request is refused meanwhile', async () => {
  let asked = 0
  const before = await wordAt()
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) {
      expect([before, 'two', 'three']).toContain(await wordAgain())
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
})

test('every new connection has its answer, however often programs change', async () => {
  const over = new AbortController()
  const statuses = new Set<number>()
  const asking = Array.from({ length: 8 }, async () => {
    // Each on a connection of its own: it is the handing over of connections that may lose one.
    while (!over.signal.aborted)
      statuses.add(
        (
          await fetch(url, {
            headers: { connection: 'close' },
            signal: AbortSignal.timeout(300_000),
          })
        ).status,
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
})

test('a program that does not start leaves the last one serving, until it is mended', async () => {
  const before = await wordAt()
  write('word.ts', `import { word } from './other.ts'\nexport { word }\n`)
  await until(() => expect(complaint).toContain('The one before goes on serving.'))
  expect(await wordAt()).toBe(before)
  // What was missing is seen, although no program has loaded it.
  write('other.ts', `export const word = 'mended'\n`)
  await shows('Started again.')
  await becomes('mended')
})

test('a migration that is to be done is waited for, and no file has to change', async () => {
  const tables = `
import { column, createTable, defineMigrations, migration } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { defineApi } from 'colophon'
const migrations = defineMigrations([migration('0001_note', [createTable('note', { id: column.id() })])])
const database = openSqlite({ path: 'app.sqlite', migrations })
const api = defineApi({ urls: { word: '/', slow: '/slow/' }, database })
export default api.serve([api.endpoint('word').get(() => ({ word: 'migrated' })), api.endpoint('slow').get(() => 1)])
`
  const before = await wordAt()
  write('app.ts', tables)
  await until(() => expect(complaint).toContain('Run: colophon migrate\nWaiting for it.'))
  expect(await wordAt()).toBe(before)
  const migrating = start(['migrate'], { cwd: folder })
  expect(await once(migrating, 'close')).toEqual([0, null])
  await becomes('migrated')
  expect(complaint.match(/Run: colophon migrate/g)).toHaveLength(1)
  write('app.ts', APP)
  await shows('Started again.', 2)
  await becomes(before)
})

test('other files change nothing; the configuration does', async () => {
  write('notes.txt', '')
  write('beside.ts', '')
  // What changes at once counts as one.
  await sleep(300)
  write('colophon.json', '{ "PAGE_SIZE": 5 }')
  await shows('Started again.')
  expect(output.match(/Changed: .*/g)).toEqual(['Changed: colophon.json'])
})

test('a folder that was removed and comes back is watched', async () => {
  const deep = join(folder, 'lib/deep')
  const sayDeep = (word: string) => {
    mkdirSync(deep, { recursive: true })
    write('lib/deep/word.ts', `export const word: string = '${word}'\n`)
  }
  sayDeep('deep')
  write('word.ts', `export { word } from './lib/deep/word.ts'\n`)
  await becomes('deep')
  rmSync(join(folder, 'lib'), { recursive: true })
  await until(() => expect(complaint).toContain('Waiting for a change.'))
  sayDeep('back')
  await becomes('back')
  sayDeep('again')
  await becomes('again')
  say('next')
  await becomes('next')
})

test('a configuration whose folder is missing is named, and waited for', async () => {
  const configured = join(folder, 'etc/api/colophon.json')
  const other = watching({ COLOPHON_CONFIG: configured })
  let complained = ''
  other.stderr.on('data', (chunk) => (complained += String(chunk)))
  await until(() => expect(complained).toContain('Waiting for a change.'))
  expect(complained).toContain(`COLOPHON_CONFIG names ${configured}, which does not exist.`)
  mkdirSync(join(folder, 'etc/api'), { recursive: true })
  writeFileSync(configured, '{}')
  await lineOf(other, /Listening on http:\S+\d/)
  const closed = once(other, 'close')
  other.kill('SIGTERM')
  await closed
})

test('a module that a starting program writes, loads and removes is no change', async () => {
  const passing = `
import { createRequire } from 'node:module'
import { rmSync } from 'node:fs'
writeFileSync('passing.cjs', '')
createRequire(import.meta.url)('./passing.cjs')
rmSync('passing.cjs')
`
  write('app.ts', APP + passing)
  await shows('Started again.')
  // A change because of it would be reported now.
  await sleep(300)
  expect(output).not.toContain('passing.cjs')
  write('app.ts', APP)
  await shows('Started again.', 2)
})

test('SIGTERM ends both, with what is in flight', async () => {
  const [other, at] = await watch()
  let complained = ''
  other.stderr.on('data', (chunk) => (complained += String(chunk)))
  const slow = await slowly(at)
  other.kill('SIGTERM')
  const closed = once(other, 'close')
  slow.letGo()
  expect(await slow.word).toBe(await wordAt())
  const [status] = (await closed) as [number]
  expect({ status, complained }).toEqual({ status: 0, complained: '' })
  await expect(wordAt('/', at)).rejects.toThrow('fetch failed')
})

test('a template of the application is changed, and one is added', async () => {
  mkdirSync(join(folder, 'pages'))
  const look = APP.replace('defineApi({', "defineApi({ browsable: { templates: 'pages' },")
  write('app.ts', look)
  await shows('Started again.')
  write('pages/login.eta', 'one')
  await shows('Changed: login.eta')
  await shows('Started again.', 2)
  write('pages/login.eta', 'two')
  await shows('Started again.', 3)
  write('pages/notes.txt', 'for people')
  say('next')
  await shows('Started again.', 4)
  await becomes('next')
  expect(output).not.toContain('notes.txt')
  write('app.ts', APP)
  await shows('Started again.', 5)
})
