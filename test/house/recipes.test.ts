// The recipes of docs/contributing/, followed literally in one copy of the repository: the compiler, the wings, the measures
// and the registry of growth have no complaints, and the added tests pass. `npm run recipes` follows each in its own clone.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow, readRecipes } from '../../scripts/recipes.ts'

const execute = promisify(execFile)
const recipes = readRecipes()
const added = recipes.flatMap(({ tests }) => tests)
let copy = ''

beforeAll(() => {
  mkdirSync('.docs-check', { recursive: true })
  copy = mkdtempSync(resolve('.docs-check/recipes-'))
  for (const name of ['src', 'test', 'package.json', 'tsconfig.base.json', 'tsconfig.src.json']) {
    cpSync(name, join(copy, name), { recursive: true })
  }
  writeFileSync(
    join(copy, 'vitest.config.ts'),
    `export default { test: ${JSON.stringify({ ...AS_HERE, include: [...added, GROWTH] })} }\n`,
  )
  const steps = recipes.flatMap((recipe) => recipe.steps)
  // The reference comes from the declarations of the whole repository, so it is left out.
  for (const step of steps) if (!step.text.startsWith('npm ')) follow(step, copy)
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const GROWTH = 'test/security/growth.test.ts'

/** The configuration of this repository: Node reads the sources, and time-outs end tests that hang. */
const AS_HERE = {
  pool: 'threads',
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  testTimeout: 300_000,
  hookTimeout: 300_000,
}

test('each recipe adds a part and its test', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(6)
  expect(added.length).toBe(recipes.length)
})

test('the parts compile, import what their wings may, and keep the measures', async () => {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = await execute(
    process.execPath,
    [tsc, '-p', 'tsconfig.src.json', '--checkers', '1'],
    {
      cwd: copy,
    },
  ).catch((error: unknown) => error as { stdout: string })
  expect(stdout).toBe('')
  const checks = ['wings', 'measures'].map(async (name) => {
    const check = execute(process.execPath, [`test/house/${name}.ts`], { cwd: copy })
    return check.catch((error: unknown) => error as { stderr: string })
  })
  expect((await Promise.all(checks)).map(({ stderr }) => stderr)).toEqual(['', ''])
})

test('the tests of the recipes pass, and the registry of growth knows every part', async () => {
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const names = ['--reporter=json', '--outputFile=results.json']
  const wanted = ['--testNamePattern', '^(?!Work is bounded)']
  const run = execute(process.execPath, [vitest, 'run', '--root', copy, ...names, ...wanted])
  const { stdout, stderr } = await run.catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  )
  const results = readFileSync(join(copy, 'results.json'), 'utf8')
  const { testResults } = JSON.parse(results) as {
    testResults: readonly { readonly name: string; readonly status: string }[]
  }
  expect(
    testResults.filter(({ status }) => status !== 'passed'),
    `${stdout}${stderr}`,
  ).toEqual([])
  expect(testResults.map(({ name }) => name.slice(copy.length + 1)).toSorted()).toEqual(
    [...added, GROWTH].toSorted(),
  )
})
