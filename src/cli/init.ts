import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Context } from './application.ts'
import { CommandFailed } from './terminal.ts'

/** Which of these names a folder has. */
export function thereIn(folder: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(join(folder, name)))
}

/**
 * Writes texts by the names of their files; the folder is made where there is none.
 *
 * @throws CommandFailed something of another kind has such a name, or the account may not write there
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  } catch (error) {
    throw new CommandFailed(`Cannot write to ${folder}: ${(error as Error).message}`)
  }
}

/** `colophon init` */
export function addInitCommand(program: Command, { terminal }: Context): void {
  program
    .command('init [folder]')
    .description('writes a first project: a resource, its table, a test')
    .action((named: string = '.') => {
      const folder = resolve(terminal.cwd, named)
      const manifest = manifestIn(folder)
      const there = thereIn(folder, Object.keys(FILES))
      if (there.length > 0)
        throw new CommandFailed(
          `There is ${there.join(', ')} in ${folder} already. Nothing was written; name an empty folder: colophon init <folder>`,
        )
      const files = { 'package.json': `${JSON.stringify(manifest, null, 2)}\n`, ...FILES }
      writeFiles(folder, files)
      for (const name of Object.keys(files)) terminal.print(`Wrote ${join(named, name)}`)
      // Installed from a file, the registry need not know it.
      const next = manifest.dependencies?.['colophon'] === undefined ? NEXT : NEXT.slice(1)
      const steps = named === '.' ? next : [`cd ${named}`, ...next]
      terminal.print(`\nNext:\n\n${steps.map((step) => `  ${step}`).join('\n')}`)
    })
}

interface Manifest {
  readonly private?: boolean
  readonly type?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

const SCRIPTS = {
  start: 'colophon serve',
  migrate: 'colophon migrate',
  test: 'node --test',
  types: 'tsc --noEmit',
}

/** What `npm init` writes as a test, which fails. */
const NO_TEST = /no test specified/

/**
 * The one that is there keeps everything but its type of modules; scripts that are there stay.
 *
 * @throws CommandFailed it cannot be read
 */
function manifestIn(folder: string): Manifest {
  const found = readManifest(join(folder, 'package.json'))
  const own = Object.entries(found.scripts ?? {}).filter(([, text]) => !NO_TEST.test(text))
  return { ...found, type: 'module', scripts: { ...SCRIPTS, ...Object.fromEntries(own) } }
}

function readManifest(path: string): Manifest {
  if (!existsSync(path)) return { private: true }
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found
  } catch {
    // What is wrong with it is for npm to say.
  }
  throw new CommandFailed(`${path} is not the package.json of a project. Nothing was written.`)
}

const NEXT: readonly string[] = [
  'npm install colophon',
  'npm install --save-dev typescript @types/node',
  'npx colophon migrate    # makes the tables, in colophon.sqlite',
  'npx colophon serve      # http://127.0.0.1:8000/notes/',
  'npm test',
]

/** The bars are the margin: without them these lines would be imports of this file. */
function file(written: string): string {
  return written.replaceAll(/^ *\|/gm, '').trimStart()
}

const FILES: Readonly<Record<string, string>> = {
  'tsconfig.json': file(`
    |{
    |  "compilerOptions": {
    |    "target": "es2024",
    |    "module": "nodenext",
    |    "types": ["node"],
    |    "strict": true,
    |    "noEmit": true,
    |    "allowImportingTsExtensions": true,
    |    "erasableSyntaxOnly": true,
    |    "verbatimModuleSyntax": true,
    |    "skipLibCheck": true
    |  }
    |}
    |`),

  '.gitignore': file(`
    |node_modules/
    |*.sqlite
    |*.sqlite-*
    |*.sqlite.key
    |`),

  'tables.ts': file(`
    |import { type TablesOf, column, createTable, defineMigrations, migration } from 'colophon/sqlite'
    |
    |// Each change of the tables is another migration, behind those that are here.
    |export const migrations = defineMigrations([
    |  migration('0001_notes', [
    |    createTable('note', {
    |      id: column.id(),
    |      text: column.text({ maxLength: 500 }),
    |      done: column.boolean({ default: false }),
    |      created: column.dateTime({ default: 'now' }),
    |    }),
    |  ]),
    |])
    |
    |export type Tables = TablesOf<typeof migrations>
    |`),

  'app.ts': file(`
    |import { PageNumberPagination, defineApi, defineUrls } from 'colophon'
    |import { field, resource, resourceUrls, serializer } from 'colophon'
    |import { openDatabase, sqlTable } from 'colophon/sqlite'
    |import { type Tables, migrations } from './tables.ts'
    |
    |// Where it is: DATABASE_URL, else the file colophon.sqlite.
    |export const database = openDatabase({ migrations })
    |const db = database.kysely<Tables>()
    |
    |const api = defineApi({
    |  urls: defineUrls(resourceUrls('note', '/notes/', ':id<int>')),
    |  database,
    |  pagination: new PageNumberPagination({ pageSize: 20, maxPageSize: 100 }),
    |})
    |
    |const notes = resource(api, 'note', {
    |  store: sqlTable({ database, db, table: 'note', key: 'id' }),
    |  serializer: serializer({
    |    id: field.integer({ readOnly: true }),
    |    text: field.text({ maxLength: 500 }),
    |    done: field.boolean({ default: false }),
    |    created: field.dateTime({ readOnly: true }),
    |  }),
    |})
    |
    |export default api.serve(notes)
    |`),

  'app.test.ts': file(`
    |import assert from 'node:assert/strict'
    |import { mkdtempSync } from 'node:fs'
    |import { tmpdir } from 'node:os'
    |import { join } from 'node:path'
    |import { after, test } from 'node:test'
    |import { client } from 'colophon/testing'
    |
    |// A database of its own, which the application opens when it is loaded.
    |process.env.DATABASE_URL = \`sqlite:\${join(mkdtempSync(join(tmpdir(), 'notes-')), 'test.sqlite')}\`
    |const { default: app, database } = await import('./app.ts')
    |await database.migrate()
    |after(() => database.close())
    |
    |test('a note is kept, shown and deleted', async () => {
    |  const notes = client(app)
    |  const made = await notes.post('/notes/', { json: { text: 'Write a test' } })
    |  assert.equal(made.status, 201)
    |  const { data } = await notes.get('/notes/1/')
    |  assert.partialDeepStrictEqual(data, { id: 1, text: 'Write a test', done: false })
    |  assert.equal((await notes.delete('/notes/1/')).status, 204)
    |  assert.equal((await notes.get('/notes/1/')).status, 404)
    |})
    |
    |test('a note without a text is refused, and says why', async () => {
    |  const { status, data } = await client(app).post('/notes/', { json: {} })
    |  assert.equal(status, 400)
    |  assert.deepEqual(Object.keys(data as object), ['text'])
    |})
    |`),
}
