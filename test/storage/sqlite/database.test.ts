import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../src/core/ports/database.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { testDatabase } from '../../contract/database.ts'
import {
  migratedSqlite,
  temporaryPath,
  temporarySqlite,
  writeNow,
} from '../../contract/temporary.ts'
import { testSessionStore } from '../../contract/session-store.ts'
import { testTokenStore } from '../../contract/token-store.ts'
import { testUserStore } from '../../contract/user-store.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

testDatabase('SQLite', { open: () => temporarySqlite(), placeholder: () => '?' })

testUserStore('SQLite', async () => storesOf(await migratedSqlite()).users)

testTokenStore('SQLite', {
  open: () => migratedSqlite(),
  async deleteUser(database, id) {
    await database.write({ sql: 'delete from colophon_user where id = ?', parameters: [id] })
  },
})

testSessionStore('SQLite', {
  open: () => migratedSqlite(),
  async deleteUser(database, id) {
    await database.write({ sql: 'delete from colophon_user where id = ?', parameters: [id] })
  },
})

function run(sql: string, ...parameters: unknown[]): Statement {
  return { sql, parameters }
}

describe('a database file', () => {
  test('may be named alone', async () => {
    const path = temporaryPath()
    const database = openSqlite(path)
    await database.write(run('create table t (a integer)'))
    database.close()
    expect(existsSync(path)).toBe(true)
    expect(() => openSqlite(':memory:')).toThrow('not a path of a file')
  })

  test('is neither opened nor created before it is used, nor by asking for migrations', async () => {
    const path = temporaryPath()
    const database = openSqlite({ path })
    expect(await database.pendingMigrations()).toEqual([
      '0001_users',
      '0002_tokens',
      '0003_sessions',
      '0004_named_tokens',
      '0005_counters',
      '0006_audit',
      '0007_roles',
      '0008_leases',
      '0009_identities',
      '0010_addresses',
      '0011_factors',
      '0012_spent_links',
      '0013_refresh_families',
      '0014_passkeys',
      '0015_links_epoch',
    ])
    database.close()
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('is migrated once another process has, however long it takes', async () => {
    const path = temporaryPath()
    const other = openSqlite({ path })
    await other.write(run('create table t (a integer)'))
    const database = openSqlite({ path, busyTimeout: 20 })
    let migrated: Promise<readonly string[]> = Promise.resolve([])
    await other.transaction(async (transaction) => {
      await transaction.write(run('insert into t values (1)'))
      migrated = database.migrate()
      const early = Promise.race([
        migrated,
        new Promise((resolve) => void setTimeout(resolve, 300)),
      ])
      expect(await early).toBeUndefined()
    })
    expect(await migrated).toContain('0001_users')
    for (const each of [database, other]) each.close()
  })

  test('can be read by its owner only, and so can its side files', async () => {
    const path = temporaryPath()
    const database = openSqlite({ path })
    await database.migrate()
    const files = readdirSync(dirname(path), { withFileTypes: true })
    expect(files.length).toBeGreaterThan(1)
    for (const { parentPath, name } of files) {
      expect(statSync(`${parentPath}/${name}`).mode & 0o777).toBe(0o600)
    }
    database.close()
  })

  test('keeps what was written when it is closed and opened again', async () => {
    const path = temporaryPath()
    const first = openSqlite({ path })
    writeNow(first, 'create table word (word text)')
    writeNow(first, 'insert into word values (?)', 'kept')
    first.close()
    const second = openSqlite({ path })
    expect(second.read(run('select word from word'))).toEqual([{ word: 'kept' }])
    second.close()
    expect(existsSync(path)).toBe(true)
    expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3')
  })

  test('relative paths are meant from the working directory at the time of opening', () => {
    expect(() => openSqlite({ path: 'nowhere/at/all.sqlite' }).read(run('select 1'))).toThrow(
      `${process.cwd()}/nowhere/at/all.sqlite`,
    )
  })
})

describe('values of SQLite', () => {
  test('booleans are 1 and 0, points in time are milliseconds', () => {
    const date = new Date('2026-01-02T03:04:05.678Z')
    const found = temporarySqlite().read(
      run('select ? as yes, ? as no, ? as at', true, false, date),
    )
    expect(found).toEqual([{ yes: 1, no: 0, at: date.getTime() }])
  })

  test('bytes and bigints come as they are', () => {
    const database = temporarySqlite()
    const [found] = database.read(
      run('select ? as bytes, ? as number', new Uint8Array([1, 2]), 12n),
    )
    expect(found).toEqual({ bytes: new Uint8Array([1, 2]), number: 12 })
  })

  test.each([
    [undefined, 'Parameter 2 of this statement is undefined (NULL is null)'],
    [new Date('never'), 'an invalid date'],
    [{ id: 1 }, 'a value of type object'],
    [() => 1, 'a value of type function'],
  ])('%s is refused', (value, message) => {
    expect(() => temporarySqlite().read(run('select ?, ?', 1, value))).toThrow(message)
  })

  test('integers beyond 2^53 are bigints, the others stay numbers', () => {
    const database = temporarySqlite()
    const statement = run('select ? as large, ? as small, ? as text', 2n ** 60n, 7n, '9')
    for (const _ of ['the first time', 'and again']) {
      expect(database.read(statement)).toEqual([{ large: 2n ** 60n, small: 7, text: '9' }])
    }
  })

  test('a large integer that comes back from an insert is inserted once', async () => {
    const database = temporarySqlite()
    writeNow(database, 'create table number (n integer)')
    const kysely = database.kysely<{ number: { n: number | bigint } }>()
    const inserted = await kysely
      .insertInto('number')
      .values({ n: 2n ** 60n })
      .returningAll()
      .execute()
    expect(inserted).toEqual([{ n: 2n ** 60n }])
    expect(database.read(run('select count(*) as count from number'))).toEqual([{ count: 1 }])
  })
})

describe('statements of SQLite', () => {
  test('more texts than are kept prepared all work', () => {
    const database = temporarySqlite()
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number < 700; number++) {
        expect(database.rows(run(`select ${number}`)).values).toEqual([[number]])
      }
    }
  })

  test('SELECT * has the columns that the table has now', () => {
    const database = temporarySqlite()
    writeNow(database, 'create table word (word text)')
    writeNow(database, `insert into word values ('one')`)
    expect(database.read(run('select * from word'))).toEqual([{ word: 'one' }])
    writeNow(database, 'alter table word rename column word to name')
    expect(database.read(run('select * from word'))).toEqual([{ name: 'one' }])
    writeNow(database, 'alter table word add column length integer default 3')
    expect(database.read(run('select * from word'))).toEqual([{ name: 'one', length: 3 }])
  })

  test('what is bound to a deleted row is deleted: foreign keys are on', () => {
    const [found] = temporarySqlite().read(run('pragma foreign_keys'))
    expect(found).toEqual({ foreign_keys: 1 })
  })

  test('a read that writes is refused', async () => {
    const database = await migratedSqlite()
    const statement = run(`delete from colophon_migration returning name`)
    expect(() => database.read(statement)).toThrow('read()')
    expect(await database.pendingMigrations()).toEqual([])
  })
})

describe('how long a commit waits for the disk', () => {
  test.each([
    ['normal', {}, 1],
    ['full', { synchronous: 'full' }, 2],
  ] as const)('%s', async (_, options, level) => {
    const pragma = run('pragma synchronous')
    const { values } = await temporarySqlite(options).transaction((writer) => writer.rows(pragma))
    expect(values).toEqual([[level]])
  })

  test('is one of two', () => {
    const synchronous = 'off' as 'full'
    expect(() => openSqlite({ path: 'a.sqlite', synchronous })).toThrow(
      'synchronous is "off"; it may be "normal" or "full".',
    )
  })
})

describe('transactions of SQLite', () => {
  test('reads and writes are synchronous, and writes wait only for a transaction', async () => {
    const database = temporarySqlite()
    expect(database.write(run('create table word (word text)'))).toMatchObject({ changes: 0 })
    const work = database.transaction(() => {})
    expect(database.write(run('insert into word values (1)'))).toBeInstanceOf(Promise)
    await work
  })

  test('a write inside of a transaction that waits for its end gives up and says why', async () => {
    const database = temporarySqlite({ queueTimeout: 20 })
    writeNow(database, 'create table word (word text)')
    const work = database.transaction(async () => {
      await database.write(run('insert into word values (1)'))
    })
    await expect(work).rejects.toThrow(
      'Inside of a transaction, write through what the transaction gives you.',
    )
    expect(database.write(run('insert into word values (2)'))).toMatchObject({ changes: 1 })
    expect(database.read(run('select word from word'))).toEqual([{ word: '2' }])
  })

  test('a transaction that is over does nothing more', async () => {
    const database = temporarySqlite()
    const kept = await database.transaction((transaction) => transaction)
    expect(() => kept.write(run('create table word (word text)'))).toThrow(
      'This transaction is over',
    )
    expect(database.read(run('select name from sqlite_master'))).toEqual([])
  })

  test('a refused statement inside of a transaction undoes itself only, if it is caught', async () => {
    const database = temporarySqlite()
    writeNow(database, 'create table word (word text unique)')
    await database.transaction(async (transaction) => {
      await transaction.write(run('insert into word values (?)', 'a'))
      await expect(async () =>
        transaction.write(run('insert into word values (?)', 'a')),
      ).rejects.toThrow('UNIQUE')
      await transaction.write(run('insert into word values (?)', 'b'))
    })
    expect(database.read(run('select word from word'))).toEqual([{ word: 'a' }, { word: 'b' }])
  })
})
