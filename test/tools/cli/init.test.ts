import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProjectChoice, projectFiles } from '../../../src/tools/cli/init.ts'
import { temporaryDirectory } from '../../contract/temporary.ts'
import { PACKAGE, beside, colophon, lineOf, start } from './colophon.ts'
import { inProcess } from './in-process.ts'

/** In the repository, where the compiler finds the types of Node. */
const ground = resolve('.docs-check')
mkdirSync(ground, { recursive: true })

/** What a first project begins with. */
const SAFE = [
  "credentialFailures: '10/10m'",
  'maxPageSize: 100',
  'rateLimitHeaders: true',
  'strictBody: true',
  'strictQuery: true',
]

describe('colophon init', () => {
  const folder = join(ground, `init-${process.pid}`)
  let printed = ''

  beforeAll(async () => {
    const { status, output } = await colophon(['init', `init-${process.pid}`], { cwd: ground })
    expect(status).toBe(0)
    printed = output
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(PACKAGE, join(folder, 'node_modules/colophon'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('names what it wrote, and what to do next', () => {
    for (const word of ['app.ts', 'tables.ts', '.github/workflows/check.yml', 'npm install'])
      expect(printed).toContain(word)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: `init-${process.pid}`,
      type: 'module',
      scripts: { start: 'colophon serve', test: 'node --test' },
      dependencies: { colophon: '^0.1.0' },
    })
  })

  test('leaves no mark of a template in any file', async () => {
    const beginnings: readonly [ProjectChoice, boolean][] = [
      [{}, true],
      [{ template: 'minimal' }, false],
      [{ template: 'beside-express' }, true],
      [{ database: 'postgres' }, false],
      [{ template: 'beside-express', database: 'postgres' }, false],
    ]
    for (const [beginning, onSqlite] of beginnings) {
      const files = projectFiles('/nowhere/My Notes!', beginning)
      expect(JSON.parse(files['package.json']!)).toMatchObject({ name: 'my-notes' })
      expect(files['README.md']).toMatch(/^# my-notes\n/)
      expect(files['Dockerfile']!.includes('sqlite')).toBe(onSqlite)
      for (const safe of SAFE) expect(files['app.ts']).toContain(safe)
      for (const text of Object.values(files)) expect(text).not.toMatch(/<if |<end>|\{\{/)
    }
  })

  test('keeps the secret of PostgreSQL out of git, and makes it anew each time', () => {
    const secrets = [1, 2].map(() => {
      const files = projectFiles('/nowhere/notes', { template: 'resource', database: 'postgres' })
      expect(files['.gitignore']).toMatch(/^\.env$/m)
      expect(files['.dockerignore']).toMatch(/^\.env$/m)
      return /^SECRET_KEY=(.{64})$/m.exec(files['.env']!)![1]
    })
    expect(secrets[0]).not.toBe(secrets[1])
  })

  test('a template that keeps nothing takes no database', async () => {
    const args = ['init', 'none', '--template', 'minimal', '--database', 'sqlite']
    const { status, complaint } = await inProcess(args, { cwd: ground })
    expect(status).toBe(2)
    expect(complaint).toContain('The template minimal keeps nothing, so it takes no --database.')
    expect(existsSync(join(ground, 'none'))).toBe(false)
  })

  test('serve refuses before migrate, and answers after it', async () => {
    const early = await colophon(['serve', '--port', '0'], { cwd: folder })
    expect(early).toMatchObject({ status: 1, output: '' })
    expect(early.complaint).toContain('0001_notes). Run: colophon migrate')
    const before = await colophon(['migrate', '--status'], { cwd: folder })
    expect(before).toMatchObject({ status: 1 })
    expect(before.output).toMatch(/^0001_notes\tapplication\tpending\t-$/m)
    const { output } = await colophon(['migrate'], { cwd: folder })
    expect(output).toMatch(/^Done: 0001_users\n[^]*^Done: 0001_notes\n$/m)
    const after = await colophon(['migrate', '--status'], { cwd: folder })
    expect(after).toMatchObject({ status: 0 })
    expect(after.output).toMatch(/^0001_notes\tapplication\tapplied\t20\d\d-/m)
    const server = start(['serve', '--port', '0'], { cwd: folder })
    const [, url] = await lineOf(server, /Listening on (\S+)\n/)
    expect(await (await fetch(`${url}/notes/`)).json()).toMatchObject({ count: 0 })
    for (const query of ['dnoe=1', 'page_size=101'])
      expect((await fetch(`${url}/notes/?${query}`)).status).toBe(400)
    const guessed: number[] = []
    for (let at = 0; at < 11; at++) {
      const body = new URLSearchParams({ username: 'ada', password: `${at}` })
      guessed.push((await fetch(`${url}/token/`, { method: 'POST', body })).status)
    }
    expect(guessed).toEqual([...Array<number>(10).fill(400), 429])
    server.kill('SIGTERM')
    await once(server, 'close')
  })

  test('is named where there is no application, and help says where one is looked for', async () => {
    const cwd = temporaryDirectory()
    expect((await colophon(['serve'], { cwd })).complaint).toMatch(
      /No application found.*looked for app\.ts.*colophon init/,
    )
    expect((await colophon(['--help'], { cwd })).output.replaceAll(/\s+/g, ' ')).toContain(
      'default: "app" in colophon.json, else app.ts, src/app.ts, dist/app.js',
    )
  })

  test('overwrites nothing', async () => {
    const { status, complaint } = await inProcess(['init', folder], { cwd: ground })
    expect(status).toBe(1)
    expect(complaint).toContain('app.ts')
    const other = temporaryDirectory()
    writeFileSync(join(other, 'tables.ts'), 'mine')
    expect((await inProcess(['init'], { cwd: other })).complaint).toContain('There is tables.ts in')
    expect(existsSync(join(other, 'app.ts'))).toBe(false)
  })

  test.each(['{ "name": ', '["x"]', 'null'])('a package.json of %j is left alone', async (text) => {
    const other = temporaryDirectory()
    writeFileSync(join(other, 'package.json'), text)
    const { status, complaint } = await inProcess(['init'], { cwd: other })
    expect(status).toBe(1)
    expect(complaint).toMatch(/^colophon: .*package\.json is not the package\.json of a project\./)
    expect(readdirSync(other)).toEqual(['package.json'])
  })

  // Node's own way to make folders never ends in /proc: a process of its own can be killed.
  test.each(['notes', '/proc/notes'])('%s takes no files: one line', async (named) => {
    const other = temporaryDirectory()
    writeFileSync(join(other, 'notes'), '')
    const { status, complaint } = await colophon(['init', named], { cwd: other })
    expect(status).toBe(1)
    expect(complaint).toMatch(/^colophon: Cannot write .*notes\/package\.json: E.*\n$/)
  })

  test('what npm wrote stays, but for modules that could not be loaded', async () => {
    const other = temporaryDirectory()
    const scripts = { test: 'echo "Error: no test specified" && exit 1', start: 'mine' }
    const npm = { name: 'x', type: 'commonjs', scripts, dependencies: { colophon: '1' } }
    writeFileSync(join(other, 'package.json'), JSON.stringify(npm))
    const { status, output } = await inProcess(['init'], { cwd: other })
    expect(status).toBe(0)
    expect(JSON.parse(readFileSync(join(other, 'package.json'), 'utf8'))).toMatchObject({
      name: 'x',
      type: 'module',
      scripts: { test: 'node --test', start: 'mine', migrate: 'colophon migrate' },
      dependencies: { colophon: '1' },
      devDependencies: { typescript: expect.stringMatching(/^\^/) },
    })
    expect(output).toContain('npm install')
  })
})

describe('colophon migrate', () => {
  test('of an application without a database: says where to give one', async () => {
    const bare = temporaryDirectory()
    writeFileSync(
      join(bare, 'app.ts'),
      `import { defineApi } from 'colophon'
       const api = defineApi({ urls: { home: '/' } })
       export default api.serve([api.endpoint('home').get(() => 'here')])`,
    )
    const { status, complaint } = await colophon(['migrate'], { cwd: beside(bare) })
    expect(status).toBe(1)
    expect(complaint).toContain('defineApi({ database })')
  })
})
