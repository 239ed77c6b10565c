// Servers of others in which an application is mounted, as docs/recipes/beside.md mounts it: further doors of the tables.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type RequestListener, type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from '../../scripts/run.ts'
import type { App } from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import { stepsOf } from '../house/docs.ts'
import { installed, ownPeers } from '../house/tarball.ts'

export const PAGE: string = join(root, 'docs/recipes/beside.md')
/** What the page's file `app.ts` is here: the application of a test. */
const applications = new Map<
  string,
  { readonly app: App; readonly prefix: string; readonly port: 0 }
>()
Object.assign(globalThis, { [Symbol.for('colophon.hosted')]: applications })

let ground: Promise<string> | null = null

/** How an example differs from the page; by default, it has the application of a test below no prefix. */
export interface Mounting {
  readonly prefix?: string
  /** The lines of `app.ts`. */
  readonly files?: Readonly<Record<string, string>>
  /** Writes the example anew. */
  readonly edit?: (text: string) => string
}

/** Starts an example of the page, the file `NAME.ts`. */
export async function host(
  name: string,
  app: App | null,
  { prefix = '', files = {}, edit = (text) => text }: Mounting = {},
): Promise<Hosted> {
  if (name === 'next') return nextHost(app!)
  const folder = mkdtempSync(join(await (ground ??= prepared()), 'host-'))
  if (app !== null) applications.set(folder, { app, prefix, port: 0 })
  const own = `export const { app, prefix, port } = globalThis[Symbol.for('colophon.hosted')].get(${JSON.stringify(folder)})`
  const all: Record<string, string> = { ...examples(), 'app.ts': own, ...files }
  all[`${name}.ts`] = edit(all[`${name}.ts`]!)
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
  const file = pathToFileURL(join(folder, `${name}.ts`)).href
  const { server } = (await import(file)) as { server: Server }
  return hosted(server, folder)
}

async function hosted(server: Server, key: string): Promise<Hosted> {
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      applications.delete(key)
    },
  }
}

let next: Promise<RequestListener> | null = null

/** Next.js has one built server in a thread of tests: a header that no client sends says which application is asked. */
async function nextHost(app: App): Promise<Hosted> {
  const handle = await (next ??= builtNext())
  const key = randomUUID()
  applications.set(key, { app, prefix: '', port: 0 })
  const server = createServer((request, response) => {
    request.headers['x-application'] = key
    handle(request, response)
  })
  return hosted(server.listen(0, '127.0.0.1'), key)
}

async function builtNext(): Promise<RequestListener> {
  const kept = await installed(join(root, 'test/hosts'))
  const folder = mkdtempSync(join(tmpdir(), 'colophon-next-'))
  symlinkSync(join(kept, 'node_modules'), join(folder, 'node_modules'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { 'route.ts': route = '', 'next.config.ts': config = '' } = examples()
  const all = {
    'app/[[...path]]/route.ts': route.replace('./app.ts', '../../app.ts'),
    // It follows links within its root alone.
    'next.config.ts': config.replace(
      '{',
      "{ turbopack: { root: '/' }, typescript: { ignoreBuildErrors: true },",
    ),
    'package.json': '{ "type": "module" }',
    'app.ts': `const applications = (globalThis as any)[Symbol.for('colophon.hosted')]
export const app = {
  fetch: (request: Request) => applications.get(request.headers.get('x-application')).app.fetch(request),
}\n`,
  }
  mkdirSync(join(folder, 'app/[[...path]]'), { recursive: true })
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
  const home = join(kept, 'node_modules/next')
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  await promisify(execFile)(process.execPath, [join(home, 'dist/bin/next'), 'build'], {
    cwd: folder,
    env,
  })
  const { default: make } = (await import(join(home, 'dist/server/next.js'))) as { default: Make }
  const web = make({ dev: false, dir: folder })
  await web.prepare()
  return web.getRequestHandler()
}

/** What is called of Next.js. */
type Make = (options: { dev: boolean; dir: string }) => {
  prepare(): Promise<void>
  getRequestHandler(): RequestListener
}

type Hosted = Pick<RunningServer, 'url' | 'close'>

/** The files of the page, by their names. */
export function examples(): Record<string, string> {
  const steps = stepsOf(readFileSync(PAGE, 'utf8'))
  return Object.fromEntries(
    steps.flatMap(({ path, text }) => (path === null ? [] : [[path, text]])),
  )
}

async function prepared(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-hosts-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const modules = join(folder, 'node_modules')
  mkdirSync(modules)
  symlinkSync(root, join(modules, 'colophon'))
  await ownPeers(modules)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}
