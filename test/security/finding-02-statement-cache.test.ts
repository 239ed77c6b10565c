// Statements of ever different texts cost a bounded amount of memory on SQLite (those of PostgreSQL: see its own tests).
import { execFile } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { nextTurn, temporaryPath, temporarySqlite, writeNow } from '../contract/temporary.ts'

const MEGABYTE = 1024 * 1024

test('600 different texts of a thousand values each hold what the cache may hold, for reads and for writes', async () => {
  const program = ['test/storage/many-texts.ts', temporaryPath(), '600', '1000']
  const { stdout } = await promisify(execFile)(process.execPath, program)
  // Two connections, each with 16 MB of statements that are kept and as much again before it is renewed.
  expect(Number(stdout) / MEGABYTE).toBeLessThan(128)
})

test('what is used stays prepared, however many other texts come once', () => {
  const database = temporarySqlite()
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  for (let text = 0; text < 1200; text++) {
    database.rows({ sql: `select ${text}`, parameters: [] })
    database.rows({ sql: 'select ? as used', parameters: [text] })
  }
  const prepared = prepare.mock.calls.filter(([sql]) => sql.includes('used'))
  expect(prepared).toHaveLength(1)
  expect(prepare.mock.calls.length).toBeGreaterThan(1200)
})

describe('a connection that has prepared too much gives way to another one, but never', () => {
  const select = { sql: 'select count(*) from word', parameters: [] }
  const insert = { sql: `insert into word values ('a')`, parameters: [] }

  /** Texts that take more memory than a connection may use up. */
  function* longTexts(): Generator<{ readonly sql: string; readonly parameters: readonly [] }> {
    for (let text = 0; text < 40; text++)
      yield { sql: `select ${text} /* ${'-'.repeat(20_000)} */`, parameters: [] }
  }

  test('in the middle of a transaction', async () => {
    const database = temporarySqlite()
    writeNow(database, 'create table word (word text)')
    await database.transaction(async (transaction) => {
      await transaction.write(insert)
      for (const statement of longTexts()) await transaction.rows(statement)
      await transaction.write(insert)
      expect((await transaction.rows(select)).values).toEqual([[2]])
      expect(database.rows(select).values).toEqual([[0]])
    })
    writeNow(database, insert.sql)
    expect(database.rows(select).values).toEqual([[3]])
  })

  test('in the middle of a turn: its snapshot stays', async () => {
    const database = temporarySqlite()
    writeNow(database, 'create table word (word text)')
    const stranger = new DatabaseSync(database.path)
    expect(database.rows(select).values).toEqual([[0]])
    stranger.exec(insert.sql)
    for (const statement of longTexts()) database.rows(statement)
    expect(database.rows(select).values).toEqual([[0]])
    await nextTurn()
    expect(database.rows(select).values).toEqual([[1]])
    stranger.close()
  })
})
