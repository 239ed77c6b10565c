import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { SqliteDatabase } from '../../../src/storage/sqlite/driver.ts'
import { openSqlite } from '../../../src/storage/sqlite/open.ts'
import { nextTurn, temporaryPath, writeNow } from '../../contract/temporary.ts'

interface World {
  readonly database: SqliteDatabase
  /** Another program with the same file. */
  readonly stranger: DatabaseSync
  count(): unknown
}

async function inWorld(work: (world: World) => unknown): Promise<void> {
  const path = temporaryPath()
  const database = openSqlite({ path, busyTimeout: 50 })
  writeNow(database, 'create table word (word text)')
  const stranger = new DatabaseSync(path)
  const select = { sql: 'select count(*) from word', parameters: [] }
  try {
    await work({ database, stranger, count: () => database.rows(select).values[0]![0] })
  } finally {
    stranger.close()
    database.close()
  }
}

const insert = { sql: `insert into word values ('mine')`, parameters: [] }
const strange = `insert into word values ('strange')`

describe('the read transaction of a turn', () => {
  test('all reads of a turn see one snapshot, those of the next turn the next', () =>
    inWorld(async ({ stranger, count }) => {
      expect(count()).toBe(0)
      stranger.exec(strange)
      expect(count()).toBe(0)
      await Promise.resolve()
      expect(count()).toBe(0)
      await nextTurn()
      expect(count()).toBe(1)
    }))

  test('nothing acknowledged is hidden: a write of this process is seen at once', () =>
    inWorld(({ database, count }) => {
      expect(count()).toBe(0)
      writeNow(database, insert.sql)
      expect(count()).toBe(1)
      writeNow(database, insert.sql)
      writeNow(database, insert.sql)
      expect(count()).toBe(3)
    }))

  test('so is a transaction, with reads before, during and after it', () =>
    inWorld(async ({ database, count }) => {
      expect(count()).toBe(0)
      const counts = await database.transaction(async (transaction) => {
        await transaction.write(insert)
        const own = await transaction.rows({ sql: 'select count(*) from word', parameters: [] })
        return [count(), own.values]
      })
      expect(counts).toEqual([0, [[1]]])
      expect(count()).toBe(1)
    }))

  test('what a stranger wrote before an own write is seen after it', () =>
    inWorld(({ database, stranger, count }) => {
      expect(count()).toBe(0)
      stranger.exec(strange)
      writeNow(database, insert.sql)
      expect(count()).toBe(2)
    }))

  test('a refused write ends it too', () =>
    inWorld(({ database, stranger, count }) => {
      expect(count()).toBe(0)
      stranger.exec(strange)
      expect(() =>
        database.write({ sql: 'insert into word values (1, 2)', parameters: [] }),
      ).toThrow('1 columns but 2 values')
      expect(count()).toBe(1)
    }))

  test('it never outlives its turn: the log can be emptied while nobody reads', () =>
    inWorld(async ({ stranger, count }) => {
      count()
      await nextTurn()
      stranger.exec(strange)
      const [checkpoint] = stranger.prepare('pragma wal_checkpoint(truncate)').all()
      expect(checkpoint).toMatchObject({ busy: 0 })
    }))

  test('a database closed in the middle of a turn is closed', () =>
    inWorld(async ({ database, count }) => {
      count()
      database.close()
      await nextTurn()
      expect(count).toThrow('has been closed')
    }))
})
