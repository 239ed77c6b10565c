import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { hashSync } from 'bcryptjs'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesOf, readManifest, toPublished } from '../../scripts/manifest.ts'
import { install } from '../../scripts/install.ts'
import { root } from '../../scripts/run.ts'
import { defineAccounts } from '../../src/preset/open-database.ts'
import * as sources from '../../src/index.ts'
import { openSqlite } from '../../src/storage/sqlite/open.ts'
import { sharedRedis } from '../setup/redis.ts'
import { packagesIn, runIn } from './loaded.ts'

const SECRET_KEY = 'a secret for tests only'
const SERVICE = `
import { IsAuthenticated, TokenAuthentication, defineApi } from 'colophon'
import { serve } from 'colophon/node'
import { defineAccounts } from 'colophon/accounts'
import { openDatabase } from 'colophon/sql'
const database = openDatabase()
const { tokens } = defineAccounts({ database })
const api = defineApi({
  urls: { me: '/' },
  authentication: [new TokenAuthentication({ tokens })],
  permissions: [new IsAuthenticated()],
})
const me = api
  .endpoint('me')
  .get(({ user }) => ({ username: user.username }))
  .post(async ({ body }) => (await body()).get('a'))
const server = await serve(api.serve([me]), { port: 0 })
const headers = { authorization: 'Token ' + process.env.KEY }
const ask = async (init) => console.log(await (await fetch(server.url, { headers, ...init })).text())
`

const folder = mkdtempSync(join(tmpdir(), 'colophon-package-'))
const path = join(folder, 'app.sqlite')
const environment: Record<string, string> = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY }

beforeAll(async () => {
  await install(folder)
  const database = openSqlite({ path })
  await database.migrate()
  const { users, tokens } = defineAccounts({ database, secretKey: SECRET_KEY })
  const { key } = await tokens.obtain(await users.create({ username: 'alice' }))
  environment['KEY'] = key
  database.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (program: string) => runIn(folder, program, environment)

test('as installed, a page is made with the templates of the package, and its engine', async () => {
  const page = `${SERVICE} await ask({ headers: { ...headers, accept: 'text/html' } }); await server.close()`
  const { printed, loaded } = await run(page)
  expect(printed).toMatch(/^<!doctype html>[^]*<style>:root\{[^]*<b>"username"<\/b>: <i>"alice"/)
  expect(packagesIn(loaded)).toEqual(['colophon', 'cookie', 'eta'])
})

test('as installed, the console finds its own files, and those of the package', async () => {
  const { printed } = await run(`
    import { defineApi } from 'colophon'
    import { apiConsole, consoleUrls } from 'colophon/openapi'
    const api = defineApi({ urls: consoleUrls })
    const app = api.serve(apiConsole(api))
    const ask = (path) => app.fetch(new Request('http://localhost/console/' + path))
    const files = (await (await ask('')).text()).match(/[\\da-f]{16}.[\\w-]+[.]js/g)
    for (const file of files) console.log(file.slice(17), (await ask(file)).status)`)
  expect(printed).toBe('swagger-ui-bundle.js 200\nconsole.js 200')
})

test.each([
  ['as installed', folder],
  ['from the sources', root],
])('%s, a service without a database loads nothing of databases', async (_, where) => {
  const { loaded } = await runIn(where, `import 'colophon'`)
  expect(packagesIn(loaded).filter((name) => name !== 'colophon')).toEqual(['cookie'])
  // The key of development is beside the file of SQLite, whose place follows from the address alone.
  const ofDatabases = loaded.filter((url) => /kysely|sqlite|databases\.|open-database/.test(url))
  expect(ofDatabases.filter((url) => !url.endsWith('/sqlite/address.ts'))).toEqual([])
})

describe('a service with one endpoint on SQLite loads nothing that it does not use', () => {
  const oneRequest = `${SERVICE} await ask({}); await server.close()`
  const unused = /[/-](?:migrations|tables|inspect|sql.checks)[.-]|\/cli[/-]|browsable/

  test('as installed: a few files, and of other packages one', async () => {
    const { printed, loaded } = await run(oneRequest)
    expect(printed).toBe('{"username":"alice"}')
    expect(packagesIn(loaded)).toEqual(['colophon', 'cookie'])
    expect(loaded.filter((url) => unused.test(url))).toEqual([])
    expect(loaded.length).toBeLessThan(30)
  })

  test('from the sources', async () => {
    const { printed, loaded } = await runIn(root, oneRequest, environment)
    expect(printed).toBe('{"username":"alice"}')
    expect(packagesIn(loaded)).toEqual(['cookie', 'kysely'])
    expect(loaded.filter((url) => unused.test(url))).toEqual([])
  })
})

describe('what is used later is loaded then', () => {
  test('forms with files', async () => {
    const form = `const body = new FormData(); body.set('a', 'b')`
    const { printed, loaded } = await run(
      `${SERVICE} ${form}; await ask({ method: 'POST', body }); await server.close()`,
    )
    expect(printed).toBe('"b"')
    expect(packagesIn(loaded)).toContain('@fastify/busboy')
  })

  test('migrations', async () => {
    const { printed, loaded } = await run(`
      import { openSqlite } from 'colophon/sqlite'
      console.log((await openSqlite({ path: 'other.sqlite' }).migrate())[0])`)
    expect(printed).toBe('0001_users')
    expect(loaded.some((url) => url.endsWith('/storage-sql-migrations-run-migrations.js'))).toBe(
      true,
    )
  })

  test('the client of Redis', async () => {
    const url = JSON.stringify(await sharedRedis())
    const { printed, loaded } = await run(`
      import { redisCounters } from 'colophon/redis'
      const counters = redisCounters({ url: ${url}, prefix: 'test-package:' })
      const limits = [{ key: 'a', limit: 9, seconds: 1, cost: 1, algorithm: 'log' }]
      const { standings } = await counters.hit({ limits, at: null, counting: true })
      console.log(standings[0].allowed)`)
    expect(printed).toBe('true')
    expect(packagesIn(loaded)).toEqual(['@redis/client', 'colophon', 'cookie'])
  })

  test('the thread for hashes of bcrypt, which is found by its name', async () => {
    const { printed } = await run(`
      import { defineAccounts } from 'colophon/accounts'
      import { openDatabase } from 'colophon/sql'
      const database = openDatabase()
      const { users } = defineAccounts({ database })
      await users.create({ username: 'bob' })
      const hash = 'bcrypt$${hashSync('wonderland', 4)}'
      await database.write({
        sql: 'update colophon_user set password = ? where username = ?',
        parameters: [hash, 'bob'],
      })
      for (const password of ['wonderland', 'wonderlanD'])
        console.log((await users.authenticate('bob', password))?.username)`)
    expect(printed).toBe('bob\nundefined')
  })
})

describe('a runtime whose node:crypto has no argon2', () => {
  const withoutArgon2 = `
    import crypto from 'node:crypto'
    import { syncBuiltinESMExports } from 'node:module'
    delete crypto.argon2
    syncBuiltinESMExports()`

  test('serves tokens, and passwords by @node-rs/argon2', async () => {
    const { printed } = await run(`${withoutArgon2}
      const { defineAccounts } = await import('colophon/accounts')
      const { openDatabase } = await import('colophon/sql')
      const { users, tokens } = defineAccounts({ database: openDatabase() })
      const { key } = await tokens.obtain(await users.create({ username: 'carol' }))
      console.log(key.length)
      await users.create({ username: 'dave', password: 'wonderland' })
      for (const password of ['wonderland', 'wonderlanD']) console.log((await users.authenticate('dave', password))?.username)`)
    expect(printed).toBe('40\ndave\nundefined')
  })
})

describe('the package', () => {
  const manifest = readManifest()

  test('has the files that its manifest names', () => {
    const published = Object.values(toPublished(manifest)['exports'] as object)
    const home = join(folder, 'node_modules', 'colophon')
    // One entry has only types, and one is the manifest.
    const programs = published.filter((entry) => Object.hasOwn(Object(entry), 'default'))
    const missing = programs.filter(({ default: file }) => !existsSync(join(home, file)))
    expect(missing).toEqual([])
    expect(programs).toHaveLength(Object.keys(manifest.exports).length)
    expect(published).toHaveLength(programs.length + 2)
    expect(filesOf(manifest)).toContain('./src/tools/cli/main.ts')
  })

  test('asks for what it was tested with or newer, and lets others read its manifest', async () => {
    const { dependencies, devDependencies } = toPublished(manifest)
    expect(dependencies).toMatchObject({ commander: `^${manifest.dependencies['commander']}` })
    expect(devDependencies).toBeUndefined()
    const { printed } = await run(`
      import manifest from 'colophon/package.json' with { type: 'json' }
      console.log(manifest.name)`)
    expect(printed).toBe('colophon')
  })

  test('has traces that name a line of the sources, in files that are called the same in every build', async () => {
    const { printed } = await run(`
      process.setSourceMapsEnabled(true)
      const { openSqlite } = await import('colophon/sqlite')
      try { openSqlite({ path: ':memory:' }) } catch (error) { console.log(error.stack.match(/colophon.(src.\\S+?):(\\d+)/).slice(1).join()) }
      process.setSourceMapsEnabled(false)
      try { openSqlite({ path: ':memory:' }) } catch (error) { console.log(error.stack.match(/node_modules.colophon.(\\S+?):/)[1]) }`)
    const [place, piece] = printed.split('\n')
    const [file, line] = place!.split(',')
    expect(file).toBe('src/storage/sqlite/open.ts')
    const source = readFileSync(file!, 'utf8').split('\n')
    expect(source[Number(line) - 1]).toContain('throw new ConfigurationError(')
    expect(piece).toBe('databases.js')
  })

  test('costs a bundle nothing where nothing of it is used', async () => {
    const entry = join(folder, 'bare.js')
    writeFileSync(entry, `import 'colophon'\nconsole.log(1)`)
    const build = await rolldown({ input: entry, platform: 'node', logLevel: 'silent' })
    const { output } = await build.generate({ minify: true })
    await build.close()
    expect(output[0].code.trim()).toMatch(/^console\.log\(1\);(?:export\{\};)?$/)
  })

  test('keeps the names of all that it exports, which messages and configuration keys use', async () => {
    const { printed } = await run(`
      import * as all from 'colophon'
      console.log(JSON.stringify(Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value.name]))))`)
    const named = Object.entries(sources).map(([name, value]) => [name, nameOf(value)])
    expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(named))))
  })

  test('runs its command', async () => {
    const command = join(folder, 'node_modules', 'colophon', 'tools', 'cli', 'main.js')
    // The variable has a value of the tests.
    const { NODE_COMPILE_CACHE: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(process.execPath, [command, '--help'], { env })
    expect(stdout).toMatch(/^Usage: colophon /)
    // The compile cache is in its own folder, and the next command reads it.
    const home = join(folder, 'node_modules', 'colophon')
    expect(globSync('node_modules/.cache/node/*/*', { cwd: home })).not.toEqual([])
  })

  test('needs an optional package only where it was asked for by name', () => {
    const home = join(folder, 'node_modules', 'colophon')
    const files = globSync(['*.js', 'tools/**/*.js'], { cwd: home })
    const later = files.flatMap((file) => namesIn(home, file, /\bimport\("(\.[^"]+)"\)/g))
    expect(later).toContain('tools-cli-inspect.js')
    const entries = filesOf(manifest).map((file) => file.replace(/^\.\/src\/(.*)ts$/, '$1js'))
    const { peerDependenciesMeta } = manifest as unknown as Record<string, object>
    const isOptional = (name: string) => Object.keys(peerDependenciesMeta!).includes(name)
    const needs = [...entries, ...later]
      .map((file) => [file, [...loadedWith(home, file)].filter(isOptional).toSorted()] as const)
      .filter(([, packages]) => packages.length > 0)
    expect(Object.fromEntries(needs)).toEqual({
      'drizzle.js': ['drizzle-orm'],
      'factors.js': ['otpauth'],
      'jwt.js': ['jose'],
      'openid.js': ['jose', 'openid-client'],
      'passkeys.js': ['@simplewebauthn/server'],
      'tools-cli-inspect-drizzle.js': ['drizzle-orm'],
    })
  })

  test('has a doctor that knows the classes which the application imports', async () => {
    cpSync(resolve('test/tools/cli/doctor/planted'), join(folder, 'planted'), { recursive: true })
    const command = join(folder, 'node_modules', 'colophon', 'tools', 'cli', 'main.js')
    const doctor = promisify(execFile)(process.execPath, [command, 'doctor', '--json'], {
      cwd: join(folder, 'planted'),
      env: {
        NODE_ENV: 'production',
        SECRET_KEY: 'tN4vQ0xJ8wYcR2mZ6kLpD1sB7hGfE3uA',
        DATABASE_URL: `sqlite:${join(folder, 'none.sqlite')}`,
      },
    })
    const ended = (await doctor.catch((error: unknown) => error)) as {
      code: number
      stdout: string
    }
    expect([ended.code, ended.stdout.trim().split('\n').length]).toEqual([1, 13])
  })

  test('understands the expressions and the migrations of the Kysely that the application installs', async () => {
    const { printed } = await run(`
      import { sql } from 'kysely'
      import { Migrator } from 'kysely/migration'
      import { openSqlite } from 'colophon/sqlite'
      const db = openSqlite({ path: 'own.sqlite' }).kysely()
      const up = (migrating) => migrating.schema
        .createTable('note').addColumn('text', 'text', (column) => column.defaultTo(sql\`('hello')\`)).execute()
      const { error } = await new Migrator({ db, provider: { getMigrations: async () => ({ one: { up } }) } })
        .migrateToLatest()
      if (error) throw error
      await db.insertInto('note').defaultValues().execute()
      const upper = sql\`upper(\${sql.ref('text')})\`.as('loud')
      console.log(await db.selectFrom('note').select(['text', upper]).where(sql\`length(text)\`, '=', 5).execute())
      console.log((await sql\`select count(*) as notes from note\`.execute(db)).rows)`)
    expect(printed).toBe(`[ { text: 'hello', loud: 'HELLO' } ]\n[ { notes: 1 } ]`)
  })
})

/** The files of the package that Node loads before it runs a file, by their paths, and the names of other packages. */
function loadedWith(home: string, file: string, known = new Set<string>()): ReadonlySet<string> {
  const names = namesIn(home, file, /^(?:import|export)\b(?!\()[^'"\n]*"([^"]+)"/gm)
  for (const name of names.filter((each) => !known.has(each))) {
    known.add(name)
    if (existsSync(join(home, name))) loadedWith(home, name, known)
  }
  return known
}

function namesIn(home: string, file: string, pattern: RegExp): readonly string[] {
  const found = [...readFileSync(join(home, file), 'utf8').matchAll(pattern)]
  return found.map(([, name = '']) => {
    if (name.startsWith('.')) return join(dirname(file), name)
    return /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]
  })
}

function nameOf(value: unknown): unknown {
  return (value as { readonly name?: unknown }).name
}
