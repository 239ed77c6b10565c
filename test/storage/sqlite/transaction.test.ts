import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { SqliteTransaction, WritingConnection } from '../../../src/storage/sqlite/driver.ts'
import { ForeignLocks } from '../../../src/storage/sqlite/failures.ts'
import { nextTurn, temporaryPath } from '../../contract/temporary.ts'

test('without a write-ahead log, a commit waits for readers of other processes', async () => {
  const path = temporaryPath()
  const writer = new WritingConnection({ path, synchronous: 'normal' })
  writer.command('create table word (word text)')
  writer.reader.close()
  // As on a file system without shared memory.
  writer.command('pragma journal_mode = delete')

  const stranger = new DatabaseSync(path)
  stranger.exec('begin; select * from word')
  const transaction = new SqliteTransaction(writer, new ForeignLocks(5000), () => {})
  transaction.write({ sql: `insert into word values ('a')`, parameters: [] })
  const commit = transaction.commit()
  await nextTurn()
  expect(writer.inTransaction).toBe(true)
  stranger.exec('commit')
  await commit
  expect(stranger.prepare('select word from word').all()).toEqual([{ word: 'a' }])
  stranger.close()
})
