import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { ReplicatedDatabase } from '../../src/storage/postgres/replicas.ts'
import { defineAccounts, openDatabase } from '../../src/preset/open-database.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import * as mysqlDoor from '../../src/mysql.ts'
import * as postgresDoor from '../../src/postgres.ts'
import { configurationOf } from '../../src/core/settings/configuration.ts'
import * as sqliteDoor from '../../src/sqlite.ts'
import { temporaryDirectory } from '../contract/temporary.ts'
import { SERVERS, emptyDatabaseUrl, opened, dialectOf } from '../setup/databases.ts'

const opens = (url: string) =>
  openDatabase({ configuration: configurationOf({ DATABASE_URL: url }) })

describe('DATABASE_URL chooses the database', () => {
  test.each([
    ['sqlite:app.sqlite', 'sqlite'],
    ['sqlite:/var/app.sqlite', 'sqlite'],
    ['postgres://user:password@host/app', 'postgres'],
    ['postgresql://user@host:5433/app?sslmode=require', 'postgres'],
    ['postgres://user:password@/app?host=/run/postgresql', 'postgres'],
    ['mysql://user:password@host/app', 'mysql'],
    ['mariadb://user:password@host:3307/app', 'mysql'],
  ])('%s is %s', (url, dialect) => {
    expect(dialectOf(opens(url))).toBe(dialect)
  })

  test.each([
    ['oracle://user:secret@host/app', '"oracle:"'],
    ['constructor://user:secret@host/app', '"constructor:"'],
    ['app.sqlite', 'sqlite:PATH'],
    ['sqlite:', 'without a path'],
    ['sqlite::memory:', 'not a path of a file'],
    ['postgres://user:sec/ret@host/app', 'is not a URL'],
    ['mysql://user:secret@host:port/app', 'is not a URL'],
  ])('%s is refused, and no password is repeated', (url, words) => {
    expect(() => opens(url)).toThrow(ConfigurationError)
    expect(() => opens(url)).toThrow(words)
    expect(() => opens(url)).not.toThrow(/secret|sec\/ret/)
  })

  test.each(SERVERS)('%s: accounts live there', async (dialect) => {
    const url = await emptyDatabaseUrl(dialect)
    await opened(dialect, url).migrate()
    const database = opens(url)
    const accounts = defineAccounts({ database, secretKey: 'a secret for tests' })
    const alice = await accounts.users.create({ username: 'alice' })
    const { key } = await accounts.tokens.obtain(alice)
    expect((await accounts.tokens.verify(key))?.user.username).toBe('alice')
    await database.close()
  })
})

describe('SECRET_KEY', () => {
  const obtains = async (url: string, production: boolean): Promise<unknown> => {
    const configuration = {
      ...configurationOf({ DATABASE_URL: url }),
      production,
      folder: temporaryDirectory(),
    }
    const database = openDatabase({ configuration })
    try {
      await database.migrate()
      const accounts = defineAccounts({ database, configuration })
      return await accounts.tokens.obtain(await accounts.users.create({ username: 'alice' }))
    } finally {
      await database.close()
    }
  }

  test('is made beside an SQLite database outside production', async () => {
    expect(await obtains('sqlite:app.sqlite', false)).toMatchObject({ user: { username: 'alice' } })
  })

  test('is asked for in production', async () => {
    await expect(obtains('sqlite:app.sqlite', true)).rejects.toThrow(
      'SECRET_KEY is missing. In production',
    )
  })

  test.each(SERVERS)('is asked for on %s, in production and outside', async (dialect) => {
    for (const production of [true, false]) {
      const refused = obtains(await emptyDatabaseUrl(dialect), production)
      await expect(refused).rejects.toThrow(
        /SECRET_KEY is missing\. For a database on a server.*npx colophon secret/,
      )
      await expect(refused).rejects.toThrow(ConfigurationError)
    }
  })
})

test.each([
  ['app.sqlite', /^DATABASE_URL names no kind of database\. It may be sqlite:PATH/],
  ['postgresq://x/y', /^DATABASE_URL begins with "postgresq:"/],
])('an address of no database is refused: %s', (DATABASE_URL, message) => {
  const configuration = configurationOf({ DATABASE_URL })
  expect(() => openDatabase({ configuration })).toThrow(message)
})

describe('the doors to databases', () => {
  const names = (door: object) => Object.keys(door).toSorted()

  test('pass on the same, but for what opens', () => {
    const common = names(sqliteDoor).filter((name) => name !== 'openSqlite')
    expect(names(postgresDoor)).toEqual([...common, 'openPostgres'].toSorted())
    expect(names(mysqlDoor)).toEqual([...common, 'openMysql'].toSorted())
  })

  test.each(['sqlite', 'postgres', 'mysql'])('colophon/%s loads no driver', (name) => {
    const program = `
      const { default: { _cache } } = await import('node:module')
      const loaded = () => Object.keys(_cache).filter((file) => /node_modules.(?:pg|mysql2)./.test(file)).length
      await import('colophon/${name}')
      const before = loaded()
      await import('pg')
      console.log(before, loaded() > 0)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['0 true\n', ''])
  })
})

test('DATABASE_REPLICAS are for PostgreSQL', () => {
  const DATABASE_REPLICAS = ['postgres://app@replica.example/app']
  const opening = (DATABASE_URL: string) =>
    openDatabase(configurationOf({ DATABASE_URL, DATABASE_REPLICAS }))
  expect(opening('postgres://app@primary.example/app')).toBeInstanceOf(ReplicatedDatabase)
  for (const url of ['sqlite:app.sqlite', 'mysql://app@primary.example/app'])
    expect(() => opening(url)).toThrow(/^DATABASE_REPLICAS names replicas, which/)
})
