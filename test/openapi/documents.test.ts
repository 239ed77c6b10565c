// The documents of three services, read by those who read documents: the schema of OpenAPI 3.1, a linter, and a
// generator of types.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/index.ts'
import { DATA, readEntries, readWorld } from '../../conformance/data.ts'
import { configured, createService } from '../../conformance/service.ts'
import { createWorld } from '../../conformance/world.ts'
import { root } from '../../scripts/run.ts'
import { type OpenApiDocument, openApiDocument, openApiDocuments } from '../../src/openapi.ts'
import { installed } from '../house/tarball.ts'
import { withEnvironment } from '../setup/environment.ts'

/** As much of `@redocly/openapi-core` and `openapi-typescript` as is used here. */
interface Linter {
  createConfig(config: object): Promise<object>
  lintFromString(given: object): Promise<readonly Complaint[]>
}
interface Complaint {
  readonly severity: string
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer: string }[]
}
type Json = Readonly<Record<string, unknown>>
interface Types {
  default(document: unknown, options: object): Promise<unknown>
  astToString(ast: unknown): string
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-documents-'))
let tools: { readonly linter: Linter; readonly types: Types }

beforeAll(async () => {
  const home = await installed(join(root, 'test/openapi/tools'))
  const require = createRequire(join(home, 'package.json'))
  const { href } = pathToFileURL(join(home, 'node_modules/openapi-typescript/dist/index.mjs'))
  tools = { linter: require('@redocly/openapi-core') as Linter, types: await import(href) }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['the gazetteer', gazetteer],
  ['the conformance service', conformance],
  ['the service of the independent bench', bench],
])('%s', (name, start) => {
  let documents: ReadonlyMap<string | null, OpenApiDocument>

  beforeAll(async () => {
    const app = await start()
    const none = openApiDocument(app, { version: null })
    documents = new Map([...openApiDocuments(app), [null, none]])
  }, 60_000)

  test('has documents by the schema of OpenAPI 3.1', async () => {
    expect(documents.size).toBeGreaterThan(2)
    for (const document of documents.values()) {
      const { valid, errors } = await new Validator().validate({ ...document })
      expect([valid, errors]).toEqual([true, undefined])
    }
  }, 60_000)

  test('has an example for nearly every object, and the schema admits it', () => {
    let [objects, examples] = [0, 0]
    for (const document of documents.values()) {
      const ajv = new Ajv2020({ strict: false, logger: false })
      formats.default(ajv)
      ajv.addSchema(document, 'document')
      const { schemas = {} } = document.components as { schemas?: Readonly<Record<string, Json>> }
      for (const [key, schema] of Object.entries(schemas)) {
        if (schema['type'] !== 'object') continue
        objects++
        const [example] = (schema['examples'] ?? []) as readonly unknown[]
        if (example === undefined) continue
        examples++
        const admits = ajv.getSchema(`document#/components/schemas/${key}`)!
        expect([key, example, admits(example), admits.errors]).toEqual([key, example, true, null])
      }
    }
    expect(examples).toBeGreaterThan(0.95 * objects)
  }, 60_000)

  test('has documents in which a linter finds no error', async () => {
    const rules = { 'no-path-trailing-slash': 'off' }
    const config = await tools.linter.createConfig({ extends: ['recommended'], rules })
    for (const [version, document] of documents) {
      const given = { source: JSON.stringify(document), absoluteRef: `${version}.json`, config }
      const found = await tools.linter.lintFromString(given)
      const errors = found.filter(({ severity }) => severity === 'error')
      expect(errors.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([])
    }
  }, 120_000)

  test('has documents of which a generator makes types that compile', async () => {
    const files = []
    for (const [version, document] of withNewPaths(documents)) {
      const file = join(folder, `${name.replaceAll(' ', '-')}-${version}.ts`)
      const ast = await tools.types.default(structuredClone(document), { silent: true })
      writeFileSync(file, tools.types.astToString(ast))
      files.push(file)
    }
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--ignoreConfig']
    const { stdout } = await promisify(execFile)('tsc', [...options, ...files], {
      env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
    }).catch((error: { readonly stdout: string }) => error)
    expect(stdout).toBe('')
  }, 180_000)
})

/** The documents without what those before them have alike: the conformance service has most of its paths in all versions. */
function withNewPaths(documents: ReadonlyMap<string | null, OpenApiDocument>) {
  const seen = new Set<string>()
  return [...documents].map(([version, document]): [string | null, OpenApiDocument] => {
    const added = Object.entries(document.paths).filter((path) => !seen.has(JSON.stringify(path)))
    for (const path of added) seen.add(JSON.stringify(path))
    return [version, { ...document, paths: Object.fromEntries(added) }]
  })
}

function at(name: string): string {
  return `sqlite:${join(folder, `${name}.sqlite`)}`
}

async function imported(path: string, url: string): Promise<App> {
  const load = async () =>
    (await import(pathToFileURL(join(root, path)).href)) as { readonly default: App }
  return (await withEnvironment({ DATABASE_URL: url }, load)).default
}

function gazetteer(): Promise<App> {
  return imported('examples/gazetteer/app.ts', at('gazetteer'))
}

/** Its file serves what it makes; within this package, where `colophon` is the package itself, it is read without that. */
async function bench(): Promise<App> {
  const text = readFileSync(join(root, 'bench/independent/peers/colophon/server.mjs'), 'utf8')
  const made = mkdtempSync(join(root, 'examples/.bench-test-'))
  const file = join(made, 'app.mjs')
  writeFileSync(file, text.replace(/^await serve\(app,.*$/m, 'export default app'))
  try {
    return await imported(relative(root, file), at('bench'))
  } finally {
    rmSync(made, { recursive: true })
  }
}

async function conformance(): Promise<App> {
  const configuration = configured({ DATABASE_URL: at('conformance') })
  const world = await createWorld(configuration, readWorld(DATA))
  return createService({ entries: readEntries(DATA), world, configuration })
}
