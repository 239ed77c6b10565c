// The documents of five services, read by those who read documents: the schema of OpenAPI 3.1, a linter, and a
// generator of types.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../../src/index.ts'
import { DATA, readEntries, readWorld } from '../../../conformance/data.ts'
import { configured, createService } from '../../../conformance/service.ts'
import { createWorld } from '../../../conformance/world.ts'
import { root } from '../../../scripts/run.ts'
import { type OpenApiDocument, openApiDocument, openApiDocuments } from '../../../src/openapi.ts'
import { installed } from '../../house/tarball.ts'
import { withEnvironment } from '../../setup/environment.ts'
import { HOME, issueTracker } from '../../setup/tracker.ts'

/** As much of `@redocly/openapi-core` and `openapi-typescript` as is used here. */
interface Linter {
  createConfig(config: object): Promise<object>
  lintFromString(given: object): Promise<readonly Complaint[]>
}
/** As much of `@stoplight/spectral-core` as is used here. */
interface Spectral {
  setRuleset(rules: object): void
  run(
    document: object,
  ): Promise<readonly { readonly code: string; readonly path: readonly string[] }[]>
}
interface Complaint {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer: string }[]
}
type Versioned = readonly [version: string | null, document: OpenApiDocument]
type Json = Readonly<Record<string, unknown>>
interface Types {
  default(document: unknown, options: object): Promise<unknown>
  astToString(ast: unknown): string
}

const folder = mkdtempSync(join(tmpdir(), 'colophon-documents-'))
let tools: {
  readonly linter: Linter
  readonly spectral: (more: object) => Spectral
  readonly types: Types
}

beforeAll(async () => {
  const home = await installed(join(root, 'test/addons/openapi/tools'))
  const require = createRequire(join(home, 'package.json'))
  const ofTools = (path: string) => import(pathToFileURL(join(home, 'node_modules', path)).href)
  const { Spectral: Made } = require('@stoplight/spectral-core') as { Spectral: new () => Spectral }
  const { oas } = require('@stoplight/spectral-rulesets') as { oas: object }
  const spectral = (more: object): Spectral => {
    const made = new Made()
    // Addresses end in a slash, as those of DRF do: docs/openapi.md has this line for teams.
    made.setRuleset({ extends: [oas], rules: { 'path-keys-no-trailing-slash': 'off', ...more } })
    return made
  }
  tools = {
    linter: (await ofTools('@redocly/openapi-core/lib/index.js')) as Linter,
    spectral,
    types: (await ofTools('openapi-typescript/dist/index.mjs')) as Types,
  }
})
afterAll(() => {
  for (const made of [folder, HOME]) rmSync(made, { recursive: true, force: true })
})

describe.each([
  ['the gazetteer', gazetteer],
  ['the issue tracker', tracker],
  ['the clinic', clinic],
  ['the conformance service', conformance],
  ['the service of the independent bench', bench],
])('%s', (name, start) => {
  const isLarge = name === 'the conformance service'
  let documents: readonly Versioned[]

  beforeAll(async () => {
    const app = await start()
    const origin = 'https://api.gazetteer.org'
    const none = openApiDocument(app, { version: null, origin })
    const whole: readonly Versioned[] = [...openApiDocuments(app, { origin }), [null, none]]
    expect(whole.length).toBeGreaterThan(2)
    documents = isLarge ? news(whole) : whole
  })

  test('has documents by the schema of OpenAPI 3.1', async () => {
    const validator = new Validator()
    for (const [, document] of documents) {
      const { valid, errors } = await validator.validate({ ...document })
      expect([valid, errors]).toEqual([true, undefined])
    }
  })

  test('has an example for nearly every object, and the schema admits it', () => {
    let [objects, examples] = [0, 0]
    for (const [, document] of documents) {
      const ajv = new Ajv2020({ strict: false, logger: false })
      formats.default(ajv)
      ajv.addSchema(document, 'document')
      const { schemas = {} } = document.components as { schemas?: Readonly<Record<string, Json>> }
      for (const [key, schema] of Object.entries(schemas)) {
        // Files have none: nothing in JSON is one.
        if (schema['type'] !== 'object' || JSON.stringify(schema).includes('"binary"')) continue
        objects++
        const [example] = (schema['examples'] ?? []) as readonly unknown[]
        if (example === undefined) continue
        examples++
        const admits = ajv.getSchema(`document#/components/schemas/${key}`)!
        expect([key, example, admits(example), admits.errors]).toEqual([key, example, true, null])
      }
    }
    expect(examples).toBeGreaterThan(0.95 * objects)
  })

  test('has documents in which Redocly finds nothing', async () => {
    const rules = { 'no-path-trailing-slash': 'off', ...(isLarge && LARGE.redocly) }
    const config = await tools.linter.createConfig({ extends: ['recommended'], rules })
    for (const [version, document] of documents) {
      const given = { source: JSON.stringify(document), absoluteRef: `${version}.json`, config }
      const found = await tools.linter.lintFromString(given)
      expect(found.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([])
    }
  })

  test('has documents in which Spectral finds nothing', async () => {
    const spectral = tools.spectral(isLarge ? LARGE.spectral : {})
    for (const [, document] of isLarge ? news(documents, 4) : documents) {
      const found = await spectral.run(document)
      expect(found.map(({ code, path }) => [code, path.join('/')])).toEqual([])
    }
  })

  test('has documents of which a generator makes types', async () => {
    for (const [version, document] of isLarge ? news(documents, 4) : documents) {
      const ast = await tools.types.default(structuredClone(document), { silent: true })
      const text = tools.types.astToString(ast)
      expect(text).toMatch(/^export (?:interface|type) paths /m)
      writeFileSync(join(folder, `${name.replaceAll(' ', '-')}-${version}.ts`), text)
    }
  })
})

test('types of all documents compile', async () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(2 * 5)
  const options = [
    '--singleThreaded',
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--ignoreConfig',
  ]
  const { stdout } = await promisify(execFile)('tsc', [...options, ...files], {
    cwd: folder,
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
  }).catch((error: { readonly stdout: string }) => error)
  expect(stdout).toBe('')
})

/**
 * The conformance service has most paths in all versions, which are read once; so components stay behind that nothing
 * uses. Some of its versions are in hosts of example.com, as its data say.
 */
const LARGE = {
  redocly: { 'no-unused-components': 'off', 'no-server-example.com': 'off' },
  spectral: { 'oas3-unused-component': 'off' },
}

/**
 * The documents without what those before them have alike: the conformance service has most of its paths in all versions.
 * Of what is left every path, or one of so many, every schema, and the schemas that these refer to.
 */
function news(documents: readonly Versioned[], oneOf = 1): readonly Versioned[] {
  const seen = new Set<string>()
  const isNew = (entry: readonly unknown[]): boolean =>
    seen.size < seen.add(JSON.stringify(entry)).size
  return documents.map(([version, document]) => {
    const added = Object.entries(document.paths).filter(isNew)
    const paths = Object.fromEntries(added.filter((_, index) => index % oneOf === 0))
    const { schemas = {}, ...others } = document.components as { schemas?: Json }
    const fresh = Object.fromEntries(Object.entries(schemas).filter(isNew))
    const needed = namesIn([paths, others, fresh], schemas, new Set(Object.keys(fresh)))
    const kept = Object.fromEntries([...needed].map((key) => [key, schemas[key]]))
    return [version, { ...document, paths, components: { ...others, schemas: kept } }]
  })
}

/** The schemas that something refers to, by way of others too. */
function namesIn(value: unknown, schemas: Json, found: Set<string>): ReadonlySet<string> {
  for (const [, key = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(key)) continue
    found.add(key)
    namesIn(schemas[key], schemas, found)
  }
  return found
}

function at(name: string): string {
  return `sqlite:${join(folder, `${name}.sqlite`)}`
}

async function imported(path: string, url: string): Promise<App> {
  const load = async () =>
    (await import(pathToFileURL(join(root, path)).href)) as { readonly default: App }
  const env = { DATABASE_URL: url, UPLOADS: join(folder, 'uploads') }
  return (await withEnvironment(env, load)).default
}

function gazetteer(): Promise<App> {
  return imported('examples/gazetteer/app.ts', at('gazetteer'))
}

async function tracker(): Promise<App> {
  return (await issueTracker()).default
}

function clinic(): Promise<App> {
  return imported('examples/clinic/app.ts', at('clinic'))
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
