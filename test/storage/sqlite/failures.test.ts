import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../src/core/ports/database.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import {
  migratedSqlite,
  temporaryDirectory,
  temporaryPath,
  temporarySqlite,
  writeNow,
} from '../../contract/temporary.ts'
import { newUser } from '../../contract/user-store.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

function run(sql: string, ...parameters: unknown[]): Statement {
  return { sql, parameters }
}

/** What the failure says; anything but `DatabaseUnavailable` is a failure of the test. */
function complaint(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(DatabaseUnavailable)
    return (error as Error).message
  }
  throw new Error('It went well.')
}

describe('a database that cannot be used says so, with its name and what to do', () => {
  test.each([':memory:', '', 'file:data.sqlite'])('%j is no path of a file', (path) => {
    expect(() => openSqlite({ path })).toThrow(ConfigurationError)
  })

  test('there is no directory', () => {
    const path = join(temporaryDirectory(), 'missing', 'colophon.sqlite')
    const said = complaint(() => openSqlite({ path }).read(run('select 1')))
    expect(said).toContain(path)
    expect(said).toContain(`there is no directory ${dirname(path)}. Create it first.`)
  })

  test('it is a directory', () => {
    const path = temporaryDirectory()
    expect(complaint(() => openSqlite({ path }).read(run('select 1')))).toContain(
      'it must be a file',
    )
  })

  test('it is another kind of file, and is left as it is', () => {
    const path = temporaryPath()
    writeFileSync(path, 'Dear diary, today I was not a database. '.repeat(100))
    expect(complaint(() => openSqlite({ path }).write(run('create table a (b)')))).toBe(
      `The file ${path} is not an SQLite database. Name another file.`,
    )
    expect(readdirSync(dirname(path))).toEqual(['colophon.sqlite'])
  })

  test('another process keeps writing: writes and transactions fail, reads do not', async () => {
    const path = temporaryPath()
    const database = openSqlite({ path, busyTimeout: 20 })
    writeNow(database, 'create table word (word text)')
    const stranger = new DatabaseSync(path)
    stranger.exec('begin immediate')
    const write = async () => database.write(run('insert into word values (1)'))
    await expect(write).rejects.toThrow(DatabaseUnavailable)
    await expect(write).rejects.toThrow(`${path} is locked`)
    await expect(database.transaction(() => {})).rejects.toThrow(DatabaseUnavailable)
    expect(database.read(run('select word from word'))).toEqual([])
    stranger.exec('rollback')
    expect(database.write(run('insert into word values (1)'))).toMatchObject({ changes: 1 })
    expect(await database.transaction(() => 'fine again')).toBe('fine again')
    stranger.close()
    database.close()
  })

  test('the disk is full: nothing of the transaction is written, and there is room for the next', async () => {
    const database = temporarySqlite()
    writeNow(database, 'create table page (bytes blob)')
    writeNow(database, 'pragma max_page_count = 20')
    const fill = database.transaction(async (transaction) => {
      await transaction.write(run('insert into page values (zeroblob(1000))'))
      await transaction.write(run('insert into page values (zeroblob(1000000))'))
    })
    await expect(fill).rejects.toThrow('is full. Nothing was written; make room and try again.')
    expect(
      complaint(() => database.write(run('insert into page values (zeroblob(1000000))'))),
    ).toContain('full')
    expect(database.read(run('select * from page'))).toEqual([])
    expect(database.write(run('insert into page values (zeroblob(1000))'))).toMatchObject({
      changes: 1,
    })
  })

  test('it has not been migrated', async () => {
    const found = storesOf(temporarySqlite()).users.byUsername('alice')
    await expect(found).rejects.toBeInstanceOf(DatabaseUnavailable)
    await expect(found).rejects.toThrow(
      'has no table "colophon_user". Run the migrations first: colophon migrate,',
    )
  })

  test('a store does not mistake an unusable database for a taken name', async () => {
    const database = await migratedSqlite()
    writeNow(database, 'pragma query_only = 1')
    const inserted = storesOf(database).users.insert(newUser('alice'))
    await expect(inserted).rejects.toBeInstanceOf(DatabaseUnavailable)
    await expect(inserted).rejects.toThrow('cannot be written')
  })

  test('it has been closed', () => {
    const database = temporarySqlite()
    database.close()
    expect(complaint(() => database.read(run('select 1')))).toContain('has been closed')
  })
})

describe('without the right to write', () => {
  const PROGRAM = `
    import { openSqlite } from ${JSON.stringify(join(process.cwd(), 'src/storage/sqlite/open.ts'))}
    const database = openSqlite({ path: process.argv[1] })
    try {
      database.write({ sql: 'create table a (b)', parameters: [] })
      process.stdout.write('It went well.')
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message)
    }`

  /** What a process without special rights is told. Root may write everywhere, so it becomes nobody. */
  function asNobody(path: string): string {
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const options = { encoding: 'utf8', ...user } as const
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', PROGRAM, path],
      options,
    )
    expect(stderr).toBe('')
    return stdout
  }

  test('to the directory, a new database cannot be made', () => {
    const directory = join(temporaryDirectory(), 'locked')
    mkdirSync(directory)
    chmodSync(dirname(directory), 0o755)
    chmodSync(directory, 0o555)
    const path = join(directory, 'colophon.sqlite')
    expect(asNobody(path)).toMatch(
      /^DatabaseUnavailable: .*colophon\.sqlite cannot be opened.* be allowed to read and write/,
    )
    expect(readdirSync(directory)).toEqual([])
    chmodSync(directory, 0o755)
  })

  test('to the file, it cannot be written', async () => {
    const path = temporaryPath()
    const database = openSqlite({ path })
    await database.migrate()
    database.close()
    chmodSync(path, 0o444)
    chmodSync(dirname(path), 0o777)
    expect(asNobody(path)).toMatch(
      /^DatabaseUnavailable: .*colophon\.sqlite cannot be written.*read-only/,
    )
  })
})
