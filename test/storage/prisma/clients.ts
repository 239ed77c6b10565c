// Clients of Prisma as `prisma generate` makes them for schema.prisma: what it needs to know is in clients.json, and its packages are
// installed when a test first needs them. To make clients.json again, run `npx prisma generate` for each provider, and take `config` of
// generated/internal/class.ts.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
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
  connections = 4,
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
  // As Node takes it for "@prisma/client/runtime/client". Beside it, client.mjs would begin the same compiler a second time, which breaks both.
  const { getPrismaClient } = (await load('client/runtime/client.js')) as Runtime
  const config = configs[provider]!
  const inlineSchema = edited(config.inlineSchema)
  const Client = getPrismaClient({ ...config, inlineSchema, compilerWasm })
  return new Client({ adapter: await ADAPTERS[dialect](load, url, connections), ...options })
}

type Load = (path: string) => Promise<unknown>
type Adapters = Readonly<Record<string, new (options: unknown) => unknown>>

const ADAPTERS: Readonly<
  Record<DialectName, (load: Load, url: string, connections: number) => Promise<unknown>>
> = {
  /** Without connections, one that was told nothing. */
  async sqlite(load, path, connections) {
    const { PrismaLibSql } = (await load('adapter-libsql/dist/index-node.mjs')) as Adapters
    const more = connections === 0 ? {} : { timeout: 5000, intMode: 'bigint' }
    return new PrismaLibSql!({ url: `file:${path}`, ...more })
  },
  async postgres(load, url, max) {
    const { PrismaPg } = (await load('adapter-pg/dist/index.mjs')) as Adapters
    return new PrismaPg!({ connectionString: url, max })
  },
  async mysql(load, url, connections) {
    const { PrismaMariaDb } = (await load('adapter-mariadb/dist/index.mjs')) as Adapters
    const limit = `${url.includes('?') ? '&' : '?'}connectionLimit=${connections}`
    return new PrismaMariaDb!(`${url.replace(/^mysql:/, 'mariadb:')}${limit}`)
  },
}

interface Generator {
  getDMMF(given: object): Promise<unknown>
  getConfig(given: object): Promise<{
    readonly generators: readonly [{ readonly output: { readonly value: string } }]
    readonly datasources: readonly [{ readonly activeProvider: string }]
  }>
  generateClient(given: object): Promise<void>
}

/** Does what `npm install` and `prisma generate` do for a schema, without the command line of Prisma; that of docs/prisma.md by itself. */
export async function generatePrisma(
  folder: string,
  schema: string = schemaOfPage(),
): Promise<void> {
  const from = join(await installed(PACKAGES), 'node_modules')
  const { dependencies } = read(join(PACKAGES, 'package.json')) as { readonly dependencies: object }
  for (const name of Object.keys(dependencies)) own(name, join(folder, 'node_modules'), from)
  const load = createRequire(join(from, 'none.js'))
  const prisma: Generator = {
    ...(load('@prisma/internals') as Generator),
    ...(load('@prisma/client-generator-ts') as Pick<Generator, 'generateClient'>),
  }
  const datamodel = [['schema.prisma', schema]]
  const { generators, datasources } = await prisma.getConfig({ datamodel })
  await prisma.generateClient({
    dmmf: await prisma.getDMMF({ datamodel }),
    datamodel: schema,
    schemaPath: join(folder, 'schema.prisma'),
    outputDir: join(folder, generators[0].output.value),
    generator: generators[0],
    datasources,
    activeProvider: datasources[0].activeProvider,
    ...GENERATED,
  })
}

/** As the command line has it for a module of Node. */
const GENERATED = {
  runtimeBase: '@prisma/client/runtime',
  target: 'nodejs',
  moduleFormat: 'esm',
  generatedFileExtension: 'ts',
  importFileExtension: 'ts',
  clientVersion: '7.10.0',
  engineVersion: '',
  compilerBuild: 'fast',
  tsNoCheckPreamble: true,
  typedSql: [],
  binaryPaths: {},
}

export function schemaOfPage(): string {
  return /```prisma\n([^]*?)```/.exec(readFileSync('docs/prisma.md', 'utf8'))![1]!
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
