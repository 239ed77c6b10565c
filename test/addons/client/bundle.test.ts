// What a page takes with it that asks by `colophon/client` as it is published, by three bundlers, and in a browser.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../../scripts/servers/chromium.ts'
import { installed, packages, unpack } from '../../house/tarball.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-page-'))
const client = join(folder, 'node_modules/colophon/client.js')
let bundlers: NodeJS.Require

beforeAll(async () => {
  const [{ colophon }, list] = await Promise.all([
    packages(),
    installed(resolve('test/addons/client/bundlers')),
  ])
  bundlers = createRequire(join(list, 'package.json'))
  await unpack(colophon, folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What a program has that imports the client, by a bundler, and what of it is for no browser. */
interface Bundled {
  readonly code: string
  readonly warnings: readonly string[]
}
type Bundler = (file: string) => Promise<Bundled>

interface Esbuild {
  build(options: object): Promise<{
    readonly outputFiles: readonly { readonly text: string }[]
    readonly warnings: readonly { readonly text: string }[]
  }>
}
interface Vite {
  build(options: object): Promise<unknown>
}

const byRolldown: Bundler = async (input) => {
  const warnings: string[] = []
  const onLog = (_: string, { message }: { message: string }) => void warnings.push(message)
  const build = await rolldown({ input, platform: 'browser', onLog })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return { code: output.map((each) => ('code' in each ? each.code : '')).join('\n'), warnings }
}

const byEsbuild: Bundler = async (file) => {
  const { build } = bundlers('esbuild') as Esbuild
  const chosen = { bundle: true, minify: true, format: 'esm', platform: 'browser', write: false }
  const { outputFiles, warnings } = await build({
    ...chosen,
    entryPoints: [file],
    logLevel: 'silent',
  })
  return {
    code: outputFiles.map(({ text }) => text).join('\n'),
    warnings: warnings.map(({ text }) => text),
  }
}

test.each([
  ['rolldown', byRolldown],
  ['esbuild', byEsbuild],
] as const)('%s makes one file of it without anything of Node', async (_, bundler) => {
  const { code, warnings } = await bundler(client)
  expect(warnings).toEqual([])
  expect(code).not.toMatch(/\bimport\b|\brequire\b|\bnode:/)
  expect(code).not.toMatch(/\b(?:process|Buffer|__dirname)\b/)
})

test('it is as large as its page says', async () => {
  const page = /adds (\d+\.\d) kB\s+\(compressed\)/.exec(readFileSync('docs/client.md', 'utf8'))
  const { code } = await byRolldown(client)
  const { byteLength } = brotliCompressSync(code)
  expect(Math.ceil(byteLength / 100) / 10).toBe(Number(page?.[1]))
})

const PROGRAM = `
import { createClient } from 'colophon/client'
const routes = { 'note-list': '/notes/', away: '/away/' }
const headers = { 'x-api-key': 'KEY' }
const client = createClient({ baseUrl: location.origin, routes, version: null, headers })
const titles = []
for await (const { title } of client.rows('note-list')) titles.push(title)
const refused = await client.get('away').catch((error) => error)
document.title = titles.join(', ') + '; ' + refused
`

test('Vite makes a page of it that runs in Chromium', async () => {
  writeFileSync(join(folder, 'main.js'), PROGRAM)
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><title>waiting</title><script type="module" src="/main.js"></script>',
  )
  mkdirSync(join(folder, 'built'))
  const { build } = (await import(bundlers.resolve('vite'))) as Vite
  const modules: string[] = []
  const seen = { name: 'seen', moduleParsed: ({ id }: { id: string }) => void modules.push(id) }
  const built = { outDir: 'built', target: 'esnext' }
  const quiet = { configFile: false, logLevel: 'silent' }
  await build({ ...quiet, root: folder, build: built, plugins: [seen] })
  expect(modules.filter((id) => id.includes('node_modules'))).toEqual([realpathSync(client)])
  // What a browser does not have gets an empty module of this name.
  expect(modules.filter((id) => /node:|browser-external/.test(id))).toEqual([])
  const { title, strays, away } = await shown()
  expect(title).toMatch(
    /^one, two, three; ApiError: GET away 302: It is redirected to a place that/,
  )
  expect(strays).toEqual([])
  // To learn that there is a redirect, and where it leads; never again.
  expect(away).toBe(2)
})

/** What the page shows at last, and what was asked at another origin. Its list has moved; another has left the origin. */
async function shown() {
  const strays: string[] = []
  let away = 0
  const server = createServer(({ url = '/', headers: { host = '' } }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (host.startsWith('localhost')) strays.push(url)
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (pathname === '/notes/') response.writeHead(302, { location: `/moved${url}` }).end()
    else if (pathname === '/away/') {
      away++
      response.writeHead(302, { location: `http://localhost:${portOf(server)}/strays/` }).end()
    } else if (pathname === '/moved/notes/')
      response.setHeader('content-type', 'application/json').end(pageOf(searchParams.get('page')))
    else response.end(fileAt(pathname, response))
  }).listen(0, '127.0.0.1')
  const browser = await startChromium()
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${portOf(server)}/`)
  await page.waitForFunction(`document.title !== 'waiting'`)
  const title = await page.title()
  await browser.close()
  server.close()
  return { title, strays, away }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function fileAt(pathname: string, response: ServerResponse): string {
  const file = pathname === '/' ? '/index.html' : pathname
  response.setHeader('content-type', file.endsWith('.js') ? 'text/javascript' : 'text/html')
  return readFileSync(join(folder, 'built', file), 'utf8')
}

function pageOf(page: string | null): string {
  const rows = page === null ? ['one', 'two'] : ['three']
  const results = rows.map((title, id) => ({ id, title }))
  return JSON.stringify({ next: page === null ? '/notes/?page=2' : null, results })
}
