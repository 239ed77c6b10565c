// The recipes of docs/contributing/, followed to the letter in a copy of the repository: files are made and lines are
// added as the pages show, the compiler and the floors find nothing, and the tests that were added pass.
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './floors.ts'

const execute = promisify(execFile)
const pages = globSync('docs/contributing/*.md').toSorted()
const steps = pages.flatMap((page) => stepsOf(readFileSync(page, 'utf8')))
const added = steps.filter(({ path }) => /^test\/.*\.test\.ts$/.test(path))
let copy = ''

/** A file to make, lines to add behind the one before them, or commands to run. */
interface Step {
  readonly kind: 'typescript' | 'diff' | 'sh'
  readonly path: string
  readonly text: string
}

beforeAll(() => {
  mkdirSync('.docs-check', { recursive: true })
  copy = mkdtempSync(resolve('.docs-check/recipes-'))
  for (const name of ['src', 'test', 'package.json', 'tsconfig.base.json', 'tsconfig.src.json']) {
    cpSync(name, join(copy, name), { recursive: true })
  }
  writeFileSync(
    join(copy, 'vitest.config.ts'),
    `export default { test: { pool: 'threads', include: ${JSON.stringify(added.map(({ path }) => path))} } }\n`,
  )
  for (const step of steps) follow(step)
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('each recipe adds a part and its test', () => {
  expect(pages.filter((page) => !page.endsWith('index.md')).length).toBeGreaterThanOrEqual(6)
  expect(added.length).toBe(pages.length - 1)
})

test('the parts compile, and import what their rooms may', async () => {
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = await execute(process.execPath, [tsc, '-p', 'tsconfig.src.json'], {
    cwd: copy,
  }).catch((error: unknown) => error as { stdout: string })
  expect(stdout).toBe('')
  const parts = steps.filter(({ path, kind }) => kind === 'typescript' && path.startsWith('src/'))
  expect(violations(Object.fromEntries(parts.map(({ path, text }) => [path, text])))).toEqual([])
}, 60_000)

test('the tests of the recipes pass', async () => {
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const run = execute(process.execPath, [
    vitest,
    'run',
    '--root',
    copy,
    '--reporter=json',
    '--outputFile=results.json',
  ])
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
    added.map(({ path }) => path).toSorted(),
  )
}, 60_000)

function stepsOf(page: string): Step[] {
  const fences = page.matchAll(/^```(typescript|diff|sh) (\S+)\n([^]*?)^```$/gm)
  return [...fences].map(([, kind, path = '', text = '']) => ({
    kind: kind as Step['kind'],
    path,
    text,
  }))
}

function follow({ kind, path, text }: Step): void {
  if (kind === 'sh') return void execFileSync('sh', ['-ec', text], { cwd: copy })
  const file = join(copy, path)
  if (kind === 'typescript') {
    mkdirSync(dirname(file), { recursive: true })
    return writeFileSync(file, text)
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  const known = text.split('\n').filter((line) => line.startsWith(' '))
  const place = lines.findIndex((line) => line.startsWith(known.at(-1)!.slice(1)))
  if (place < 0) throw new Error(`${path} has no line that begins with "${known.at(-1)}".`)
  const more = text.split('\n').filter((line) => line.startsWith('+'))
  lines.splice(place + 1, 0, ...more.map((line) => line.slice(1)))
  writeFileSync(file, lines.join('\n'))
}
