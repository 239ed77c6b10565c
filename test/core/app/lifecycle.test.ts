// What is said and refused before a server answers anybody.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import { serve, toListener } from '../../../src/node.ts'
import { openPostgres } from '../../../src/postgres.ts'
import { readConfiguration } from '../../../src/core/settings/configuration.ts'
import { defineAccounts } from '../../../src/accounts.ts'
import {
  type SqlDatabase,
  column,
  createTable,
  defineMigrations,
  migration,
  openDatabase,
} from '../../../src/sql.ts'

const SECRET = 'k'.repeat(10).concat('7f3a9c51e0d2b846', 'A5c9Xw2LqRt8Zy4N')
const folder = mkdtempSync(join(tmpdir(), 'colophon-lifecycle-'))
afterAll(() => rmSync(folder, { recursive: true }))

function appOn(database: SqlDatabase, options: object = {}) {
  const configuration = configurationOf({ SECRET_KEY: SECRET })
  const accounts = defineAccounts({ database, configuration })
  const api = defineApi({ urls: { hello: '/' }, accounts, logger: { error() {} }, ...options })
  const hello = api.endpoint('hello', { authentication: [] }).get(() => 'hello')
  return api.serve([hello], { configuration })
}

const at = (path: string) =>
  openDatabase(configurationOf({ DATABASE_URL: `sqlite:${join(folder, path)}` }))

describe('tables', () => {
  test('that are missing keep a server from starting, with the command that makes them', async () => {
    const database = at('new.sqlite')
    await expect(serve(appOn(database), { port: 0 })).rejects.toThrow(
      /^The database is not up to date \(.+\)\. Run: colophon migrate$/,
    )
    await expect(serve(appOn(at('none/new.sqlite')), { port: 0 })).rejects.toThrow(
      /there is no directory .+none\. Create it first\.$/,
    )
    await database.migrate()
    const server = await serve(appOn(database), { port: 0 })
    expect((await fetch(server.url)).status).toBe(200)
    await server.close()
    await database.close()
  })

  test.each<[door: string, ask: (app: ReturnType<typeof appOn>) => Promise<{ status: number }>]>([
    ['app.fetch', (app) => app.fetch(new Request('http://localhost/'))],
    [
      'toListener',
      async (app) => {
        await using server = createServer(toListener(app)).listen(0)
        return await fetch(`http://localhost:${(server.address() as AddressInfo).port}/`)
      },
    ],
  ])(
    'that are missing are 500 behind %s, until they are there; then tasks run',
    async (door, ask) => {
      const database = at(`${door}.sqlite`)
      const errors: unknown[] = []
      const begun: unknown[] = []
      const [error, start] = [(line: unknown) => errors.push(line), () => begun.push(door)]
      const app = appOn(database, { logger: { error }, tasks: { start, stop: async () => {} } })
      expect([await ask(app), begun]).toMatchObject([{ status: 500 }, []])
      expect(errors).toMatchObject([{ error: expect.stringContaining('not up to date') }])
      await database.migrate()
      const asked = [await ask(app), await ask(app)]
      expect([asked, begun]).toMatchObject([[{ status: 200 }, { status: 200 }], [door]])
      await database.close()
    },
  )

  test('of a migration that changed since keep it from starting, in the words of migrate', async () => {
    const open = (...names: readonly string[]) =>
      openDatabase({
        configuration: configurationOf({
          DATABASE_URL: `sqlite:${join(folder, 'changed.sqlite')}`,
        }),
        migrations: defineMigrations(
          names.map((name, index) =>
            migration(`${index}`, [createTable(name, { id: column.id() })]),
          ),
        ),
      })
    const before = open('note')
    await before.migrate()
    const changed = open('other', 'pending')
    const refused = await changed.migrate().catch(({ message }: Error) => message)
    expect(refused).toMatch(
      /^These migrations changed after they were applied: 0\. Put them back as they were, /,
    )
    await expect(serve(appOn(changed), { port: 0 })).rejects.toThrow(
      new ConfigurationError(String(refused)),
    )
    const accept = "update colophon_application_migration set checksum = ''"
    await changed.write({ sql: accept, parameters: [] })
    await changed.migrate()
    await (await serve(appOn(changed), { port: 0 })).close()
    await Promise.all([before.close(), changed.close()])
  })

  test('of a database that cannot be asked do not: it may come back sooner than the server would', async () => {
    const database = openPostgres({
      url: 'postgres://nobody@127.0.0.1:9/none',
      connectTimeout: 500,
    })
    const server = await serve(appOn(database), { port: 0 })
    expect((await fetch(server.url)).status).toBe(200)
    await server.close()
    await database.close()
  })
})

test('a configuration given by itself decides on the database', () => {
  const configuration = configurationOf({ DATABASE_URL: `sqlite:${join(folder, 'own.sqlite')}` })
  expect(openDatabase(configuration)).toHaveProperty('path', join(folder, 'own.sqlite'))
  expect(openDatabase({ configuration })).toHaveProperty('path', join(folder, 'own.sqlite'))
})

describe('Basic credentials in production', () => {
  /** Names of the endpoints that the log warns of. */
  function warnedOf(
    env: Readonly<Record<string, string>>,
    basic = true,
    about = 'basic.unencrypted',
  ): unknown {
    const keys = { NODE_ENV: 'production', COLOPHON_SECRET_KEY: SECRET, ...env }
    const configuration = readConfiguration({ env: keys, cwd: folder })
    const accounts = defineAccounts({ database: at('never-opened.sqlite'), configuration })
    const records: Readonly<Record<string, unknown>>[] = []
    // One that knows warnings gets them as such: an operator may drop what merely happened.
    const warn = (record: (typeof records)[number]) => records.push(record)
    const logger = { error() {}, warn, info() {} }
    const tokens = [new TokenAuthentication({ tokens: accounts.tokens })]
    const api = defineApi({ urls: { hello: '/' }, accounts, logger })
    const options = basic ? {} : { authentication: tokens }
    api.serve([api.endpoint('hello', options).get(() => 'hello')], { configuration })
    return records.find(({ event, kind = event }) => kind === about)?.['endpoints']
  }

  test('are warned of where nothing says that they come by HTTPS', () => {
    expect(warnedOf({})).toEqual(['hello'])
    expect(warnedOf({ COLOPHON_PUBLIC_URL: 'http://api.example.com' })).toEqual(['hello'])
  })

  test.each([
    ['a proxy that can say so', { COLOPHON_TRUSTED_PROXIES: '["10.0.0.1"]' }],
    ['the address of the service', { COLOPHON_PUBLIC_URL: 'https://api.example.com' }],
    ['development', { NODE_ENV: 'development' }],
  ])('are not where %s does', (_, env) => expect(warnedOf(env)).toBeUndefined())

  test('are no matter of endpoints that take none', () => {
    expect(warnedOf({}, false)).toBeUndefined()
  })

  test('nor are tokens, which have a line of their own', () => {
    const tokens = (env: Readonly<Record<string, string>>, basic = false): unknown =>
      warnedOf(env, basic, 'tokens.unencrypted')
    expect(tokens({})).toEqual(['hello'])
    expect(tokens({}, true)).toBeUndefined()
    expect(tokens({ COLOPHON_PUBLIC_URL: 'http://api.example.com' })).toEqual(['hello'])
    expect(tokens({ COLOPHON_PUBLIC_URL: 'https://api.example.com' })).toBeUndefined()
    expect(tokens({ COLOPHON_TRUSTED_PROXIES: '["10.0.0.1"]' })).toBeUndefined()
    expect(tokens({ NODE_ENV: 'development' })).toBeUndefined()
  })

  test('are warned of where they can be tried without end', () => {
    const guesses = (env: Readonly<Record<string, string>>, basic = true): unknown =>
      warnedOf(env, basic, 'unlimited-guesses')
    expect(guesses({})).toEqual(['hello'])
    expect(guesses({}, false)).toBeUndefined()
    expect(guesses({ COLOPHON_CREDENTIAL_FAILURES: '10/10m' })).toBeUndefined()
    expect(guesses({ NODE_ENV: 'development' })).toBeUndefined()
  })
})
