// Newcomer 2: an application emits its declarations with the settings of `tsc --init`, from the published package. The programs
// are in test/types/emitted.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../scripts/run.ts'
import { makeProject } from './tarball.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'colophon-emitted-'))

/** The active settings of `tsc --init` of 5.8, and those for emitting declarations. */
const INIT_5_8 = {
  target: 'es2016',
  module: 'commonjs',
  esModuleInterop: true,
  forceConsistentCasingInFileNames: true,
  strict: true,
  skipLibCheck: true,
  declaration: true,
}
/** The settings of `tsc --init` of 5.9, 6 and 7. */
const INIT = {
  module: 'nodenext',
  target: 'esnext',
  types: [],
  sourceMap: true,
  declaration: true,
  declarationMap: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  jsx: 'react-jsx',
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  skipLibCheck: true,
}
const versions = [
  { name: 'typescript-5.8', settings: INIT_5_8 },
  { name: 'typescript-5.9', settings: INIT },
  { name: 'typescript-6', settings: INIT },
  { name: 'typescript', settings: INIT },
]

beforeAll(async () => {
  await makeProject(folder)
  cpSync(join(root, 'test/types/emitted'), join(folder, 'src'), { recursive: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The compiler's complaints; empty if it emits. */
async function emit(version: string, settings: object, files: readonly string[]): Promise<string> {
  const outDir = join(folder, `out-${version}-${files.length}`)
  const compilerOptions = {
    ...settings,
    rewriteRelativeImportExtensions: true,
    rootDir: 'src',
    outDir,
  }
  const project = join(folder, `tsconfig.${version}.${files.length}.json`)
  writeFileSync(project, JSON.stringify({ compilerOptions, include: files }))
  const compiler = join(root, 'node_modules', version, 'bin', 'tsc')
  const run = execute(process.execPath, [compiler, '-p', project, '--pretty', 'false'])
  return run.then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

// The work takes two seconds, and more on a busy machine.
describe('declarations of an application are emitted', () => {
  test.for(versions)('by $name with module $settings.module', async ({ name, settings }) => {
    expect(await emit(name, settings, ['src/*.ts'])).toBe('')
  })

  test('of a module that imports the database alone', async () => {
    expect(await emit('typescript', INIT, ['src/database.ts', 'src/database.ts'])).toBe('')
  })

  test('and name nothing that the package keeps to itself', () => {
    const emitted = readFileSync(join(folder, 'out-typescript-1/api.d.ts'), 'utf8')
    const named = [...emitted.matchAll(/import\("(colophon[^"]*)"\)/g)].map(([, from]) => from)
    expect(new Set(named)).toEqual(new Set(['colophon', 'colophon/inferred', 'colophon/types']))
  })

  test('while the compiler of this repository stays the newest of those installed', async () => {
    const { stdout } = await execute(join(root, 'node_modules/.bin/tsc'), ['--version'])
    expect(stdout).toMatch(/^Version 7\./)
  })
})
