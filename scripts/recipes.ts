// `npm run recipes [-- NAME …]`: follows each recipe of docs/contributing/ word for word in a fresh clone. Then it runs `npm
// run check`, the test that the recipe adds, and the tests of all parts.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { root, summary } from './run.ts'

/** A file to make, lines to insert after a line, or commands to run. */
export interface Step {
  readonly kind: 'typescript' | 'diff' | 'sh'
  readonly path: string
  readonly text: string
}

/** A page with its steps. */
export interface Recipe {
  readonly name: string
  readonly steps: readonly Step[]
  /** The files of tests that it adds. */
  readonly tests: readonly string[]
}

/** The recipes of the documentation. */
export function readRecipes(): readonly Recipe[] {
  const pages = globSync('docs/contributing/*.md', { cwd: root }).toSorted()
  return pages
    .map((page) => ({
      name: basename(page, '.md'),
      steps: stepsOf(readFileSync(join(root, page), 'utf8')),
    }))
    .filter(({ name }) => name !== 'index')
    .map((recipe) => ({ ...recipe, tests: recipe.steps.map(({ path }) => path).filter(isTest) }))
}

function isTest(path: string): boolean {
  return /^test\/.*\.test\.ts$/.test(path)
}

function stepsOf(page: string): Step[] {
  const fences = page.matchAll(/^```(typescript|diff|sh) (\S+)\n([^]*?)^```$/gm)
  return [...fences].map(([, kind, path = '', text = '']) => ({
    kind: kind as Step['kind'],
    path,
    text,
  }))
}

/** Takes a step in a copy of the repository. */
export function follow({ kind, path, text }: Step, copy: string): void {
  if (kind === 'sh') return void execFileSync('sh', ['-ec', text], { cwd: copy })
  const file = join(copy, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, kind === 'typescript' ? text : added(readFileSync(file, 'utf8'), path, text))
}

/** The text of a file with the `+` lines of a diff after the line above them. */
function added(before: string, path: string, diff: string): string {
  const lines = before.split('\n')
  const known = diff.split('\n').filter((line) => line.startsWith(' '))
  const place = lines.findIndex((line) => line.startsWith(known.at(-1)!.slice(1)))
  if (place < 0) throw new Error(`${path} has no line that begins with "${known.at(-1)}".`)
  const more = diff.split('\n').filter((line) => line.startsWith('+'))
  lines.splice(place + 1, 0, ...more.map((line) => line.slice(1)))
  return lines.join('\n')
}

/** Tests of every part of the package. */
const EVERY_PART = [
  'test/house/exports.test.ts',
  'test/house/messages.test.ts',
  'test/house/rules.test.ts',
  'test/security/growth.test.ts',
]

/** Does a recipe end green in a clone of the commit? */
function isGreen({ name, steps, tests }: Recipe): boolean {
  const clone = mkdtempSync(join(tmpdir(), `colophon-recipe-${name}-`))
  try {
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone])
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
    for (const step of steps) follow(step, clone)
    return [
      ['run', 'check'],
      ['exec', '--', 'vitest', 'run', ...tests, ...EVERY_PART],
    ].every((command) => {
      const { status } = spawnSync('npm', ['--silent', ...command], {
        cwd: clone,
        stdio: 'inherit',
      })
      return status === 0
    })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return false
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const wanted = process.argv.slice(2)
  const recipes = readRecipes().filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  const ended = recipes.map((recipe) => ({ name: recipe.name, green: isGreen(recipe) }))
  for (const { name, green } of ended) console.log(`${green ? '✓' : '✗'} ${name}`)
  const failed = ended.filter(({ green }) => !green).length
  process.exitCode = failed === 0 && ended.length > 0 ? 0 : 1
  console.log(summary({ passed: ended.length - failed, failed }))
}
