// The service of the tutorial, made from its pages alone and the packed tarball: its size, its declarations, and what a
// stranger gets who tries everything. The same over other stores: an example has the files that differ.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stepsBefore } from '../house/docs.ts'
import { makeProject } from '../house/tarball.ts'
import { emptyDatabaseUrl } from '../setup/databases.ts'
import type { DialectName } from '../setup/dialects.ts'
import { generatePrisma } from '../storage/prisma/clients.ts'
import { bareEnvironment } from '../tools/cli/colophon.ts'
import { type Attempt, attempts } from './strangers-attempts.ts'

const execute = promisify(execFile)
const pages = stepsBefore('docs/tutorial/9', (file) => readFileSync(file, 'utf8'))
const files = new Map(pages.flatMap(({ path, text }) => (path === null ? [] : [[path, text]])))
const env = bareEnvironment()

/** Of the whole service, with its tests. */
const MOST_LINES = 330

const DESKS: readonly {
  readonly over: string
  /** Files in the place of those of the tutorial, or beside them. */
  readonly own: string | null
  /** Without the one that its page runs them on. */
  readonly databases: readonly DialectName[]
}[] = [
  { over: 'sqlTable', own: null, databases: ['postgres', 'mysql'] },
  { over: 'Drizzle', own: 'examples/desk-drizzle', databases: ['sqlite'] },
  { over: 'Prisma', own: 'examples/desk-prisma', databases: ['sqlite'] },
]

describe.each(DESKS)('the desk over $over', ({ own, databases }) => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-desk-'))
  let server: ChildProcess
  let origin = ''

  beforeAll(async () => {
    await makeProject(folder)
    for (const [path, text] of files) writeFileSync(join(folder, path), text)
    if (own !== null)
      cpSync(own, folder, { recursive: true, filter: (path) => !path.endsWith('tsconfig.json') })
    const schema = join(folder, 'schema.prisma')
    if (existsSync(schema)) {
      await generatePrisma(folder, readFileSync(schema, 'utf8'))
      // What `prisma migrate deploy` does.
      const made = readFileSync(join(folder, 'prisma/migrations/0001_desk/migration.sql'), 'utf8')
      for (const name of ['test', 'colophon']) {
        using file = new DatabaseSync(join(folder, `${name}.sqlite.desk`))
        file.exec(made)
      }
    }
    // A stranger who tries a hundred things would soon be told to wait.
    rmSync(join(folder, 'colophon.json'))
  })

  afterAll(async () => {
    server?.kill('SIGKILL')
    if (server?.exitCode === null) await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })

  test(`it has at most ${MOST_LINES} lines`, () => {
    const lines = globSync('*.ts', { cwd: folder }).map((path) =>
      readFileSync(join(folder, path), 'utf8'),
    )
    expect(lines.join('').split('\n').length - 1).toBeLessThanOrEqual(MOST_LINES)
  })

  test('it compiles with emitted declarations, in little memory', async () => {
    const given = JSON.parse(files.get('tsconfig.json')!) as { compilerOptions: object }
    const { compilerOptions } = given
    const emitting = {
      noEmit: false,
      emitDeclarationOnly: true,
      declaration: true,
      outDir: 'types',
    }
    const settings = { ...compilerOptions, ...emitting }
    writeFileSync(
      join(folder, 'emit.json'),
      JSON.stringify({ ...given, compilerOptions: settings }),
    )
    const args = [resolve('node_modules/typescript/bin/tsc'), '-p', 'emit.json', '--diagnostics']
    // As a reader has it, on the first store; each of several checkers reads the package anew.
    const checkers = own === null ? [] : ['--checkers', '1']
    const options = [...args, ...checkers, '--pretty', 'false']
    const run = execute(process.execPath, options, { cwd: folder, env })
    const { stdout } = await run.catch((error: unknown) => error as { stdout: string })
    expect(stdout).not.toContain('error TS')
    expect(existsSync(join(folder, 'types', 'tickets.d.ts'))).toBe(true)
    const [, kilobytes] = /Memory used:\s*(\d+)K/.exec(stdout) ?? []
    expect(Number(kilobytes)).toBeGreaterThan(0)
    expect(Number(kilobytes)).toBeLessThan(250_000)
  })

  // "No line of the desk changes".
  test.each(databases)('its tests pass on %s as they are', async (dialect) => {
    const path = `sqlite:${join(folder, 'test.sqlite')}`
    const url = dialect === 'sqlite' ? path : await emptyDatabaseUrl(dialect)
    const more = { DATABASE_URL: url, SECRET_KEY: 'only for this test' }
    const { stdout } = await execute(process.execPath, ['--test'], {
      cwd: folder,
      env: { ...env, ...more, UPLOADS: join(folder, `uploads-${dialect}`) },
    })
    expect(stdout).toMatch(/pass 4\n[^]*fail 0\n/)
  })

  describe('Bob, who belongs to Globex,', () => {
    const keys = { ada: '', bob: '' }
    let before: readonly string[]
    beforeAll(async () => {
      await colophon(['migrate'])
      for (const name of ['ada', 'bob'])
        await colophon(['user', 'create', name], `${name} likes tea`)
      await serve()
      for (const name of ['ada', 'bob'] as const) {
        const body = new URLSearchParams({ username: name, password: `${name} likes tea` })
        const { token } = (await (
          await fetch(`${origin}/token/`, { method: 'POST', body })
        ).json()) as {
          token: string
        }
        keys[name] = token
      }
      await furnish('ada', 'Acme', 1)
      await furnish('bob', 'Globex', 2)
      before = await everythingOfAda()
    })

    /** An organisation with a ticket, that with a comment and a file; each has the number of the organisation. */
    async function furnish(
      name: 'ada' | 'bob',
      organisation: string,
      number: number,
    ): Promise<void> {
      const ticket = `/organisations/${number}/tickets/${number}/`
      const sent: Attempt[] = [
        { method: 'POST', path: '/organisations/', json: { name: organisation } },
        {
          method: 'POST',
          path: `/organisations/${number}/tickets/`,
          json: { title: 'Printer', body: 'Fire' },
        },
        { method: 'POST', path: `${ticket}comments/`, json: { body: 'Smoke' } },
        { method: 'POST', path: `${ticket}files/`, file: true },
      ]
      for (const each of sent) expect((await ask(name, each)).status).toBe(201)
    }

    async function everythingOfAda(): Promise<readonly string[]> {
      const here = '/organisations/1/tickets/'
      const paths = ['/organisations/', here, `${here}1/`, `${here}1/comments/`, `${here}1/files/`]
      const answers = paths.map(async (path) => (await ask('ada', { method: 'GET', path })).text())
      return [...(await Promise.all(answers)), ...readdirSync(join(folder, 'uploads'))]
    }

    test('finds nothing of Acme in any of at least 40 ways, and changes nothing there', async () => {
      const cursor = await cursorOfAda()
      const list = attempts(cursor)
      expect(list.length).toBeGreaterThanOrEqual(40)
      const open: string[] = []
      for (const each of list) {
        const answer = await ask('bob', each)
        const text = await answer.text()
        const isRefused = answer.status === 404 || answer.status === 403
        if (!isRefused || /Printer|Smoke/.test(text))
          open.push(`${each.method} ${each.path} ${answer.status} ${text}`)
      }
      expect(open).toEqual([])
      expect(await everythingOfAda()).toEqual(before)
    })

    test('moves no ticket of his own there', async () => {
      const path = '/organisations/2/tickets/2/'
      for (const method of ['PUT', 'PATCH']) {
        const json = { title: 'Mine', body: 'now', organisation: 1, ticket: 1 }
        expect((await ask('bob', { method, path, json })).status).toBe(200)
        expect((await ask('bob', { method: 'GET', path })).status).toBe(200)
      }
      expect(await everythingOfAda()).toEqual(before)
    })

    test('and Ada can do all of it', async () => {
      // A cursor belongs to the list that it was made for.
      const isHers = ({ method, path }: Attempt): boolean =>
        method === 'GET' &&
        path.startsWith('/organisations/1/') &&
        (!path.includes('cursor=') || path.startsWith('/organisations/1/tickets/?'))
      const hers = attempts(await cursorOfAda()).filter(isHers)
      const refused: string[] = []
      for (const each of hers) if (!(await ask('ada', each)).ok) refused.push(each.path)
      expect(hers.length).toBeGreaterThan(20)
      expect(refused).toEqual([])
    })

    /** A second page of her tickets: Bob may have seen the link over her shoulder. */
    async function cursorOfAda(): Promise<string> {
      const path = '/organisations/1/tickets/?page_size=1'
      const more = {
        method: 'POST',
        path: '/organisations/1/tickets/',
        json: { title: 'B', body: 'b' },
      }
      const added = (await (await ask('ada', more)).json()) as { id: number }
      const { next } = (await (await ask('ada', { method: 'GET', path })).json()) as {
        next: string
      }
      await ask('ada', { method: 'DELETE', path: `/organisations/1/tickets/${added.id}/` })
      return new URL(next).searchParams.get('cursor')!
    }

    async function ask(name: keyof typeof keys, attempt: Attempt): Promise<Response> {
      const { method, path, json, form, file, accept = 'application/json' } = attempt
      const headers: Record<string, string> = { authorization: `Token ${keys[name]}`, accept }
      if (json) headers['content-type'] = 'application/json'
      const parts = new FormData()
      parts.append('upload', new File(['It burns.'], 'report.txt'))
      const body = json ? JSON.stringify(json) : form ? new URLSearchParams(form) : file && parts
      return fetch(origin + path, { method, headers, ...(body && { body }) })
    }
  })

  async function colophon(args: readonly string[], input = ''): Promise<void> {
    const child = execute(join(folder, 'node_modules', '.bin', 'colophon'), args, {
      cwd: folder,
      env,
    })
    child.child.stdin!.end(input)
    await child
  }

  async function serve(): Promise<void> {
    const command = join(folder, 'node_modules', '.bin', 'colophon')
    server = spawn(command, ['serve', '--port', '0'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let text = ''
    for await (const chunk of server.stdout!) {
      text += String(chunk)
      const [, found] = /Listening on (\S+)/.exec(text) ?? []
      if (found !== undefined) {
        origin = found
        return
      }
    }
    throw new Error(`The desk does not serve: ${text}`)
  }
})
