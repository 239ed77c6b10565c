// Both ends of the ranges of packages beside ours: the oldest version, and the newest tested one.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { hashSync } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { THRIFTY, run as runTool } from '../../scripts/run.ts'
import { readManifest } from '../../scripts/manifest.ts'
import { loadDriver } from '../../src/storage/pooled/open.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import { emptyDatabaseUrl } from '../setup/databases.ts'
import { sharedRedis } from '../setup/redis.ts'
import { runIn } from './loaded.ts'
import { installed, makeProject, own } from './tarball.ts'

const OLDEST = 'test/house/oldest'
const oldest = dependenciesIn(join(OLDEST, 'package.json'))
const { peerDependencies } = readManifest()

test('the ranges begin at the versions that are tried here', () => {
  const starts = Object.entries(peerDependencies).map(([name, range]) => [
    name,
    /\d[\d.]*/.exec(range)![0],
  ])
  expect(Object.fromEntries(starts)).toEqual(oldest)
})

test.each(['pg', 'mysql2'])('%s, where it is older, is named with both versions', async (name) => {
  const driver = readFileSync(
    name === 'pg' ? 'src/storage/postgres/pool.ts' : 'src/storage/mysql/driver.ts',
    'utf8',
  )
  expect(driver).toContain(`name: '${name}', oldest: '${oldest[name]}'`)
  const needed = { name, oldest: '99.0.0', reaches: 'It is reached' }
  const opening = loadDriver(async () => ({}), needed)
  await expect(opening).rejects.toThrow(ConfigurationError)
  await expect(opening).rejects.toThrow(
    new RegExp(
      `^It is reached with the package ${name} from 99\\.0\\.0 on, and [\\d.]+ is installed\\. Run: npm install ${name}@latest$`,
    ),
  )
  await expect(
    loadDriver(async () => ({ default: 1 }), { ...needed, oldest: '1.99.0' }),
  ).resolves.toBe(1)
})

describe.each(['oldest', 'newest'] as const)('with the %s packages', (end) => {
  const folder = mkdtempSync(join(tmpdir(), `colophon-${end}-`))
  beforeAll(async () => {
    await makeProject(folder)
    if (end === 'newest') return
    const modules = join(folder, 'node_modules')
    const from = join(await installed(OLDEST), 'node_modules')
    for (const name of Object.keys(oldest)) {
      rmSync(join(modules, name), { recursive: true })
      own(name, modules, from)
    }
  })
  let programs: Programs
  beforeAll(() => void (programs = new Programs(folder)))
  afterAll(async () => {
    await programs.end()
    rmSync(folder, { recursive: true, force: true })
  })

  const printedBy = (program: string) => programs.run(program)

  test.each(['postgres', 'mysql'] as const)(
    '%s: queries, errors, transactions and pages',
    async (name) => {
      const url = JSON.stringify(await emptyDatabaseUrl(name))
      const open = name === 'postgres' ? 'openPostgres' : 'openMysql'
      expect(
        await printedBy(`
      import { CursorPagination, configurationOf, defineApi, field, list, serializer } from 'colophon'
      import { ${open} as open } from 'colophon/${name}'
      import { sqlSource } from 'colophon/sql'
      import { client } from 'colophon/testing'
      const database = open({ url: ${url}, connections: 4 })
      console.log((await database.migrate()).length > 0)
      const db = database.kysely()
      await db.schema.createTable('note').addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('text', 'varchar(40)', (column) => column.notNull().unique()).addColumn('seen', 'timestamp(6)').execute()
      const seen = new Date('2026-02-03T04:05:06.789Z')
      const ids = Array.from({ length: 300 }, (_, id) => id)
      await db.insertInto('note').values(ids.map((id) => ({ id, text: 'note ' + id, seen }))).execute()
      const found = await Promise.all(ids.slice(0, 50).map((id) => db.selectFrom('note').selectAll().where('id', '=', id).executeTakeFirst()))
      console.log(found.every((note, id) => note.text === 'note ' + id && note.seen.getTime() === seen.getTime()))
      const twice = { id: 1000, text: 'note 1' }
      console.log(await db.insertInto('note').values(twice).execute().then(() => 'written', (error) => error.code))
      const failed = db.transaction().execute(async (trx) => {
        await trx.deleteFrom('note').execute()
        throw new Error('back')
      })
      console.log(await failed.catch((error) => error.message))
      const api = defineApi({ urls: { notes: '/notes/' } })
      const source = sqlSource({ database, query: db.selectFrom('note').select(['id', 'text']), key: 'id' })
      const notes = list({ source, serializer: serializer({ id: field.integer() }), pagination: new CursorPagination({ pageSize: 1, ordering: ['id'] }) })
      const app = api.serve([api.endpoint('notes').get(notes)], { configuration: configurationOf({ SECRET_KEY: 'a secret for tests only, of this length' }) })
      const { get } = client(app)
      const walked = []
      for (let url = '/notes/'; url; ) {
        const { data } = await get(url)
        walked.push(...data.results.map(({ id }) => id))
        url = data.next?.replace('http://localhost', '')
      }
      console.log(walked.length, walked.every((id, at) => id === at))
      await database.close()`),
      ).toBe(`true\ntrue\n${name === 'postgres' ? '23505' : 'ER_DUP_ENTRY'}\nback\n300 true`)
    },
  )

  test('counters in Redis', async () => {
    expect(
      await printedBy(`
      import { redisCounters } from 'colophon/redis'
      const counters = redisCounters({ url: ${JSON.stringify(await sharedRedis())}, prefix: 'peers-${end}:' })
      const limits = [{ key: 'a', limit: 2, seconds: 60, cost: 1, algorithm: 'log' }]
      for (let at = 0; at < 3; at++) console.log((await counters.hit({ limits, at: null, counting: true })).standings[0].allowed)
      await counters.close?.()`),
    ).toBe('true\ntrue\nfalse')
  })

  test('hashes of bcrypt', async () => {
    expect(
      await printedBy(`
      import { defineAccounts } from 'colophon/accounts'
      import { openSqlite } from 'colophon/sqlite'
      const database = openSqlite({ path: 'accounts.sqlite' })
      await database.migrate()
      const { users } = defineAccounts({ database, secretKey: 'a secret for tests only' })
      await users.create({ username: 'bob' })
      await database.write({ sql: 'update colophon_user set password = ?', parameters: ['bcrypt$${hashSync('wonderland', 4)}'] })
      for (const password of ['wonderland', 'wonderlanD']) console.log((await users.authenticate('bob', password))?.username)`),
    ).toBe('bob\nundefined')
  })

  test('hashes of argon2, where node:crypto has none', async () => {
    // Each reads the results of the other.
    const { argon2Hash, hashPassword } = await import('../../src/accounts/passwords/argon2.ts')
    const made = await hashPassword('wonderland')
    // A process of its own, because the test removes something.
    const { printed } = await runIn(
      folder,
      `
      import crypto from 'node:crypto'
      import { syncBuiltinESMExports } from 'node:module'
      delete crypto.argon2
      syncBuiltinESMExports()
      const { defineAccounts } = await import('colophon/accounts')
      const { openSqlite } = await import('colophon/sqlite')
      const database = openSqlite({ path: 'argon2.sqlite' })
      await database.migrate()
      const { users } = defineAccounts({ database, secretKey: 'a secret for tests only' })
      await users.create({ username: 'bob', password: 'looking glass' })
      const { password: hash } = await database.kysely().selectFrom('colophon_user').select('password').executeTakeFirst()
      await database.write({ sql: 'update colophon_user set password = ?', parameters: ['${made}'] })
      for (const password of ['wonderland', 'wonderlanD']) console.log((await users.authenticate('bob', password))?.username)
      console.log(hash)`,
    )
    const [right, wrong, hash = ''] = printed.split('\n')
    expect([right, wrong]).toEqual(['bob', 'undefined'])
    expect(await argon2Hash(hash)!('looking glass')).toBe(true)
  })

  test('tokens of a provider', async () => {
    expect(
      await printedBy(`
      import { configurationOf, defineApi } from 'colophon'
      import { JWTAuthentication } from 'colophon/jwt'
      import { client } from 'colophon/testing'
      import { SignJWT, exportJWK, generateKeyPair } from 'jose'
      const { publicKey, privateKey } = await generateKeyPair('EdDSA')
      const jwks = { keys: [await exportJWK(publicKey)] }
      const scheme = new JWTAuthentication({ issuer: 'https://id/', audience: 'api', jwks })
      const api = defineApi({ urls: { me: '/me/' }, authentication: [scheme] })
      const app = api.serve([api.endpoint('me').get(({ user }) => user.username)], { configuration: configurationOf() })
      for (const audience of ['api', 'other']) {
        const unsigned = new SignJWT({ aud: audience, sub: 'ada', iss: 'https://id/' }).setExpirationTime('5m')
        const token = await unsigned.setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
        console.log((await client(app).get('/me/', { headers: { authorization: 'Bearer ' + token } })).status)
      }`),
    ).toMatch(/^200\n(?:\{.*"reason":"claim aud".*\n)?401$/)
  })

  test('tables of Drizzle', async () => {
    expect(
      await printedBy(`
      import { DatabaseSync } from 'node:sqlite'
      import { drizzleSource, drizzleTable } from 'colophon/drizzle'
      import { openSqlite } from 'colophon/sqlite'
      import { aliasedTable, eq } from 'drizzle-orm'
      import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
      import { drizzle } from 'drizzle-orm/sqlite-proxy'
      const path = 'drizzle-${end}.sqlite'
      const file = new DatabaseSync(path)
      file.exec('create table note (id integer primary key, opened_at integer not null, text text)')
      const note = sqliteTable('note', { id: integer().primaryKey(), openedAt: integer({ mode: 'timestamp' }).notNull(), text: text() })
      const db = drizzle(async () => ({ rows: [] }), undefined, { casing: 'snake_case' })
      const database = openSqlite(path)
      const notes = drizzleTable({ database, db, table: note, key: 'id', only: eq(note.text, 'a') })
      await notes.insert({ openedAt: new Date(5000), text: 'a' })
      console.log(JSON.stringify(await notes.source.orderBy([{ field: 'openedAt', descending: true, nulls: 'last' }]).slice(0, 2)))
      console.log(await notes.insert({ openedAt: new Date(), text: 'b' }).catch((error) => error.status))
      const query = db.select({ id: note.id, own: note.openedAt }).from(note).leftJoin(aliasedTable(note, 'other'), eq(note.id, 7))
      console.log(JSON.stringify(await drizzleSource({ database, db, query, key: ['id'] }).slice(0, 2)))`),
    ).toBe(
      '[{"id":1,"openedAt":"1970-01-01T00:00:05.000Z","text":"a"}]\n403\n[{"id":1,"own":"1970-01-01T00:00:05.000Z"}]',
    )
  })

  test('the console', async () => {
    expect(
      await printedBy(`
      import { defineApi } from 'colophon'
      import { apiConsole, consoleUrls } from 'colophon/openapi'
      const api = defineApi({ urls: consoleUrls })
      const app = api.serve(apiConsole(api))
      const ask = (path) => app.fetch(new Request('http://localhost/console/' + path))
      const page = await (await ask('')).text()
      for (const [file] of page.matchAll(/[\\da-f]{16}.[\\w-]+[.]js/g)) console.log(file.slice(17), (await ask(file)).status)`),
    ).toBe('swagger-ui-bundle.js 200\nconsole.js 200')
  })

  test('answers that are held to their document', async () => {
    expect(
      await printedBy(`
      import { configurationOf, defineApi, field, list, serializer, arraySource } from 'colophon'
      import { client } from 'colophon/testing'
      const api = defineApi({ urls: { cities: '/cities/', weather: '/weather/' } })
      const city = serializer({ name: field.text(), since: field.date() })
      const schema = { type: 'object', properties: { celsius: { type: 'number' } } }
      const app = api.serve([
        api.endpoint('cities').get(list({ source: arraySource([{ name: 'Bergen', since: '1070-01-01' }]), serializer: city })),
        api.endpoint('weather').get({ handle: () => ({ celsius: 'mild' }), operation: () => ({ body: null, answers: [{ status: 200, schema }] }) }),
      ], { configuration: configurationOf() })
      const { get } = client(app).expectContract()
      console.log((await get('/cities/')).status)
      console.log(await get('/weather/').catch(({ message }) => message))`),
    ).toMatch(/^200\n.*"must be number"/)
  })

  test('the types of Kysely, which are those of the application', async () => {
    writeFileSync(join(folder, 'app.ts'), TYPED)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, files: ['app.ts'] }),
    )
    const { output } = await runTool(
      `tsc -p ${join(folder, 'tsconfig.json')} --checkers 1 --pretty false`,
      {
        show: false,
      },
    )
    expect(output.trim()).toBe('')
  })
})

/** Runs programs one after the other, in one process with the packages of a folder. */
class Programs {
  readonly #folder: string
  readonly #process: ChildProcessByStdio<Writable, Readable, null>
  #count = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#process = spawn(process.execPath, ['--input-type=module', '--eval', IN_TURNS], {
      cwd: folder,
      env: THRIFTY,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  }

  /** The output of a module's text. */
  async run(program: string): Promise<string> {
    const file = join(this.#folder, `program-${++this.#count}.js`)
    writeFileSync(file, program)
    this.#process.stdin.write(`${file}\n`)
    let text = ''
    for await (const chunk of this.#process.stdout.iterator({ destroyOnReturn: false })) {
      text += String(chunk)
      if (text.endsWith(OVER)) return text.slice(0, -OVER.length).trim()
    }
    throw new Error(`The process ended: ${text}`)
  }

  async end(): Promise<void> {
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const gone = once(this.#process, 'exit')
    this.#process.kill()
    await gone
  }
}

const OVER = '\nover\n'
const IN_TURNS = `
import { createInterface } from 'node:readline'
for await (const file of createInterface({ input: process.stdin })) {
  await import(file).catch((error) => console.log(error))
  process.stdout.write(${JSON.stringify(OVER)})
}`

const OPTIONS = {
  module: 'nodenext',
  target: 'esnext',
  strict: true,
  noEmit: true,
  types: ['node'],
}

/** An application's use of our query builder with Kysely's own functions, with one forbidden use. */
const TYPED = `
import { CamelCasePlugin, type Generated, type Kysely, sql } from 'kysely'
import { sqlTable } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
interface Tables { note: { id: Generated<number>; text: string } }
const db = openSqlite({ path: 'a.sqlite' }).kysely<Tables>()
const count = async (own: Kysely<Tables>) => (await own.selectFrom('note').select('id').execute()).length
export const counted: Promise<number> = count(db.withPlugin(new CamelCasePlugin()))
export const rows = sql<{ id: number }>\`select id from note\`.execute(db)
// @ts-expect-error There is no such table.
export const none = db.selectFrom('none')
export { sqlTable }
`

function dependenciesIn(path: string): Readonly<Record<string, string>> {
  const { dependencies } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  return dependencies
}
