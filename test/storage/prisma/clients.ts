// Clients of Prisma as `prisma generate` makes them for schema.prisma: what it needs to know is in clients.json, and its packages are
// installed when a test first needs them. To make clients.json again, run `npx prisma generate` for each provider, and take `config` of
// generated/internal/class.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installed, own } from '../../house/tarball.ts'
import type { DialectName } from '../../setup/dialects.ts'

/** What the tests use of a client, whose types only a program has that generated it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyClient = any

interface Runtime {
  getPrismaClient(config: object): new (options: object) => AnyClient
}

const PROVIDERS = { sqlite: 'sqlite', postgres: 'postgresql', mysql: 'mysql' } as const
const PACKAGES = 'test/storage/prisma/packages'
const configs = read('test/storage/prisma/clients.json') as Readonly<
  Record<string, { readonly inlineSchema: string }>
>

export async function openPrisma(
  dialect: DialectName,
  url: string,
  options: object = {},
  edited: (schema: string) => string = (schema) => schema,
): Promise<AnyClient> {
  const modules = join(await installed(PACKAGES), 'node_modules')
  const provider = PROVIDERS[dialect]
  const load = (path: string): Promise<unknown> => import(join(modules, '@prisma', path))
  const compiler = `client/runtime/query_compiler_fast_bg.${provider}`
  const compilerWasm = {
    getRuntime: () => load(`${compiler}.mjs`),
    async getQueryCompilerWasmModule() {
      const { wasm } = (await load(`${compiler}.wasm-base64.mjs`)) as { readonly wasm: string }
      return new WebAssembly.Module(Buffer.from(wasm, 'base64'))
    },
    importName: './query_compiler_fast_bg.js',
  }
  const { getPrismaClient } = (await load('client/runtime/client.mjs')) as Runtime
  const config = configs[provider]!
  const inlineSchema = edited(config.inlineSchema)
  const Client = getPrismaClient({ ...config, inlineSchema, compilerWasm })
  return new Client({ adapter: await ADAPTERS[dialect](load, url), ...options })
}

type Load = (path: string) => Promise<unknown>
type Adapters = Readonly<Record<string, new (options: unknown) => unknown>>

const ADAPTERS: Readonly<Record<DialectName, (load: Load, url: string) => Promise<unknown>>> = {
  async sqlite(load, path) {
    const { PrismaLibSql } = (await load('adapter-libsql/dist/index-node.mjs')) as Adapters
    return new PrismaLibSql!({ url: `file:${path}` })
  },
  async postgres(load, url) {
    const { PrismaPg } = (await load('adapter-pg/dist/index.mjs')) as Adapters
    return new PrismaPg!({ connectionString: url, max: 4 })
  },
  async mysql(load, url) {
    const { PrismaMariaDb } = (await load('adapter-mariadb/dist/index.mjs')) as Adapters
    return new PrismaMariaDb!(url.replace(/^mysql:/, 'mariadb:'))
  },
}

/** The client of docs/prisma.md in `generated/prisma`, with its types, and the packages that it needs. */
export async function generatePrisma(folder: string): Promise<void> {
  const from = join(await installed(PACKAGES), 'node_modules')
  const { dependencies } = read(join(PACKAGES, 'package.json')) as { readonly dependencies: object }
  for (const name of Object.keys(dependencies)) own(name, join(folder, 'node_modules'), from)
  const files = read('test/storage/prisma/generated.json') as Readonly<Record<string, string>>
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'generated/prisma', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
