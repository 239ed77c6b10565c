// What stops a program before its first line is told in a sentence that says what to do.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { colophon } from './colophon.ts'

const ground = mkdtempSync(join(tmpdir(), 'colophon-load-'))
afterAll(() => rmSync(ground, { recursive: true }))

/** A folder with these files; each has a name of its own. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(ground, 'app-'))
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const MODULE = '{ "type": "module" }'
const COMMON_JS = '{ "type": "commonjs" }'

describe('an application that cannot be loaded', () => {
  test.each([
    ['under CommonJS, an import', COMMON_JS, `import 'node:fs'`, 'npm pkg set type=module'],
    ['under CommonJS, an export', COMMON_JS, `export default 1`, 'npm pkg set type=module'],
    ['under CommonJS, await', COMMON_JS, `const a: number = await 1`, 'npm pkg set type=module'],
    ['an enum', MODULE, 'enum A { B }\nexport default A', 'constant object in place of an enum'],
    ['a file without its ending', MODULE, `import './other'`, 'with its ending: other.ts.'],
    ['a file with that of the build', MODULE, `import './other.js'`, 'with its ending: other.ts.'],
    [
      'a package',
      MODULE,
      `import 'no-such-package-of-ours'`,
      'npm install no-such-package-of-ours',
    ],
    ['one of a scope', MODULE, `import '@no-such/one/x'`, 'Run: npm install @no-such/one'],
    ['a type as a value', MODULE, `import { T } from './other.ts'`, 'import it with "import type"'],
    ['no default export', MODULE, 'export const a = 1', 'export default api.serve([…])'],
  ])('%s: one line that says what to do, exit 1', async (_, manifest, app, fix) => {
    const cwd = folderWith({
      'package.json': manifest,
      'app.ts': app,
      'other.ts': 'export interface T {}',
    })
    const { status, output, complaint } = await colophon(['routes'], { cwd })
    expect({ status, output }).toEqual({ status: 1, output: '' })
    const said = complaint
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('colophon: '))
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(fix)
    expect(complaint).not.toContain('    at ')
  })

  test.each([
    ['.', 'There is no application at'],
    ['package.json', 'needs an import attribute'],
    ['notes.md', 'Unknown file extension'],
    ['waits.ts', 'an await at the top of a module has no end'],
    ['reads.ts', "ENOENT: no such file or directory, open 'nothing'"],
  ])('--app %s: one line, exit 1', async (app, said) => {
    const cwd = folderWith({
      'package.json': MODULE,
      'notes.md': '',
      'waits.ts': 'await new Promise(() => {})',
      'reads.ts': `import { readFileSync } from 'node:fs'; readFileSync('nothing')`,
    })
    const { status, complaint } = await colophon(['--app', app, 'routes'], { cwd })
    expect(status).toBe(1)
    expect(complaint).toMatch(/^colophon: .+\n$/m)
    expect(complaint).toContain(said)
    expect(complaint).not.toContain('    at ')
  })

  test.each([
    ['a module of its own', 'file:', `throw new SyntaxError('await is only valid here')`],
    ['a syntax error', 'app.ts:1', 'export default ;'],
  ])('%s: the error as it is, with its place', async (_, said, app) => {
    const cwd = folderWith({ 'package.json': MODULE, 'app.ts': app })
    const { status, complaint } = await colophon(['routes'], { cwd })
    expect(status).toBe(1)
    expect(complaint).toContain(said)
    expect(complaint).not.toContain('colophon: ')
  })
})

describe('a Node that is too old', () => {
  const asIf = (versions: object): string => {
    const code = `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} })`
    return `data:text/javascript,${encodeURIComponent(code)}`
  }
  const run = (versions: object) =>
    colophon(['--help'], { env: { NODE_OPTIONS: `--import ${asIf(versions)}` } })

  test('is named, with the one that is needed: that of the manifest', async () => {
    const { engines } = JSON.parse(readFileSync(resolve('package.json'), 'utf8')) as {
      engines: { node: string }
    }
    const { status, output, complaint } = await run({ node: '24.14.9' })
    expect({ status, output }).toEqual({ status: 1, output: '' })
    expect(complaint.trim()).toMatch(/^colophon: This is Node 24\.14\.9\. .* 24\.15 or newer: \S+$/)
    expect(engines.node).toBe('>=24.15')
    expect((await run({ node: '22.20.0' })).status).toBe(1)
  })

  test.each([[{ node: '24.15.0' }], [{ node: '25.0.0' }], [{ node: '22.6.0', bun: '1.4.0' }]])(
    '%j is new enough',
    async (versions) => expect((await run(versions)).output).toMatch(/^Usage: colophon/),
  )
})
