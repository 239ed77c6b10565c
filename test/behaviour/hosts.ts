// Servers of others in which an application is mounted, as docs/recipes/beside.md mounts it: further doors of the tables.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/run.ts'
import type { App } from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import { stepsOf } from '../house/docs.ts'
import { ownPeers } from '../house/tarball.ts'

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
  const folder = mkdtempSync(join(await (ground ??= prepared()), 'host-'))
  if (app !== null) applications.set(folder, { app, prefix, port: 0 })
  const own = `export const { app, prefix, port } = globalThis[Symbol.for('colophon.hosted')].get(${JSON.stringify(folder)})`
  const all: Record<string, string> = { ...examples(), 'app.ts': own, ...files }
  all[`${name}.ts`] = edit(all[`${name}.ts`]!)
  for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
  const file = pathToFileURL(join(folder, `${name}.ts`)).href
  const { server } = (await import(file)) as { server: Server }
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      applications.delete(folder)
    },
  }
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
