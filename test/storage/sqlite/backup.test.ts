import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defineAccounts } from '../../../src/accounts.ts'
import { type SqliteDatabase, openSqlite } from '../../../src/sqlite.ts'
import { temporaryDirectory } from '../../contract/temporary.ts'
import { colophon } from '../../tools/cli/colophon.ts'

const SECRET = 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s'

/** A database with two columns that every write keeps equal in all rows. */
async function database(): Promise<SqliteDatabase> {
  const opened = openSqlite({ path: join(temporaryDirectory(), 'app.sqlite') })
  onTestFinished(() => opened.close())
  await opened.migrate()
  await opened.write({ sql: 'create table pair (a, b)', parameters: [] })
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into pair select 0, 0 from n`
  await opened.write({ sql: rows, parameters: [] })
  return opened
}

/** Another process in all that matters to SQLite: it changes pages in the middle of the copy. */
function writingTo(path: string): Worker {
  const program = `
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
    const { workerData, parentPort } = require('node:worker_threads')
    const database = new DatabaseSync(workerData, { timeout: 5000 })
    for (let n = 1; ; n++) {
      database.exec('begin immediate; update pair set a = ' + n + '; update pair set b = ' + n + '; commit')
      parentPort.postMessage(n)
    }`
  return new Worker(program, { eval: true, workerData: path })
}

const pairsOf = (file: string): unknown => {
  const copy = new DatabaseSync(file, { readOnly: true })
  const found = copy.prepare(
    'select count(*) as all_, count(distinct a) as as_, sum(a <> b) as odd from pair',
  )
  const row = { ...found.get() }
  copy.close()
  return row
}

describe('a copy', () => {
  test('is of one moment, while another process writes without a pause', async () => {
    const original = await database()
    const { path } = original
    const writer = writingTo(path)
    onTestFinished(() => void writer.terminate())
    await new Promise((resolve) => writer.once('message', resolve))
    for (const name of ['one', 'two', 'three']) {
      const file = join(dirname(path), name)
      expect(await original.backup(file)).toEqual({ bytes: statSync(file).size })
      expect(pairsOf(file)).toEqual({ all_: 20_000, as_: 1, odd: 0 })
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    const beside = readdirSync(dirname(path)).filter((name) => !name.startsWith('app.sqlite'))
    expect(beside.toSorted()).toEqual(['one', 'three', 'two'])
  })

  test('serves in the place of what was lost: users and tokens are in it', async () => {
    const original = await database()
    const { users, tokens } = defineAccounts({ database: original, secretKey: SECRET })
    const { key } = await tokens.obtain(await users.create({ username: 'alice' }))
    const file = join(temporaryDirectory(), 'restored.sqlite')
    await original.backup(file)
    const restored = openSqlite(file)
    onTestFinished(() => restored.close())
    expect(await restored.pendingMigrations()).toEqual([])
    const accounts = defineAccounts({ database: restored, secretKey: SECRET })
    expect((await accounts.tokens.verify(key))?.user.username).toBe('alice')
    await accounts.users.create({ username: 'bob' })
  })
})

describe('nothing is left, and nothing is written over, where', () => {
  test('there is such a file', async () => {
    const original = await database()
    const file = join(dirname(original.path), 'mine')
    writeFileSync(file, 'mine')
    await expect(original.backup(file)).rejects.toThrow(`There is a file ${file} already.`)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('another backup is under way', async () => {
    const original = await database()
    const file = join(dirname(original.path), 'copy')
    writeFileSync(`${file}.part`, '')
    await expect(original.backup(file)).rejects.toThrow('a backup is under way')
    expect(existsSync(`${file}.part`)).toBe(true)
  })

  test('the database is not there, or none', async () => {
    const folder = temporaryDirectory()
    const file = join(folder, 'copy')
    const absent = openSqlite(join(folder, 'absent.sqlite'))
    await expect(absent.backup(file)).rejects.toThrow('is not there')
    writeFileSync(
      join(folder, 'text.sqlite'),
      'this is no database at all, whatever its name says\n'.repeat(99),
    )
    const text = openSqlite(join(folder, 'text.sqlite'))
    await expect(text.backup(file)).rejects.toThrow('text.sqlite is not an SQLite database')
    expect(readdirSync(folder)).toEqual(['text.sqlite'])
  })

  test('a page is damaged', async () => {
    const original = await database()
    const { path } = original
    original.close()
    const bytes = readFileSync(path)
    bytes.fill(0xff, bytes.length - 8192, bytes.length - 4096)
    const damaged = join(temporaryDirectory(), 'damaged.sqlite')
    writeFileSync(damaged, bytes)
    const file = join(dirname(damaged), 'copy')
    await expect(openSqlite(damaged).backup(file)).rejects.toThrow(/damaged|malformed/)
    expect(readdirSync(dirname(damaged)).filter((name) => name.startsWith('copy'))).toEqual([])
  })

  test('the folder is not there', async () => {
    const original = await database()
    const file = join(dirname(original.path), 'nowhere/copy')
    await expect(original.backup(file)).rejects.toThrow(`${file}.part cannot be made.`)
  })
})

describe('colophon backup', () => {
  const env = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: SECRET })

  test('copies the database of the application, and says where', async () => {
    const folder = temporaryDirectory()
    const url = `sqlite:${join(folder, 'app.sqlite')}`
    await colophon(['migrate'], { env: env(url) })
    mkdirSync(join(folder, 'backups'))
    const file = join(folder, 'backups/today.sqlite')
    const { status, output } = await colophon(['backup', file, '--json'], { env: env(url) })
    expect({ status, facts: JSON.parse(output) }).toEqual({
      status: 0,
      facts: { file, bytes: statSync(file).size },
    })
    const again = await colophon(['backup', file], { env: env(url) })
    expect(again).toMatchObject({
      status: 1,
      complaint: `colophon: There is a file ${file} already.\n`,
    })
  })

  test('leaves servers to their own tools', async () => {
    const { status, complaint } = await colophon(['backup', 'x'], {
      env: env('postgres://nowhere/x'),
    })
    expect({ status, complaint }).toEqual({
      status: 1,
      complaint:
        'colophon: The database is one of PostgreSQL, and no file. Use the tools of PostgreSQL.\n',
    })
  })
})
