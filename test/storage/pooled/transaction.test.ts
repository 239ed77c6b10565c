import { expect, onTestFinished, test, vi } from 'vitest'
import { startTcpProxy } from '../../../scripts/servers/tcp-proxy.ts'
import type { PooledConnection } from '../../../src/storage/pooled/server-connection.ts'
import { PooledTransaction } from '../../../src/storage/pooled/transaction.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'

const statement = { sql: 'update book set pages = 1', parameters: [] }
const changed = { columns: [], values: [], changes: 1 }

function connected() {
  const connection = {
    execute: vi.fn<() => Promise<object>>(async () => changed),
    commit: vi.fn<() => Promise<void>>(async () => {}),
    rollback: vi.fn<() => Promise<void>>(async () => {}),
    release: vi.fn<(unusable?: boolean) => void>(),
  }
  return { connection, given: connection as unknown as PooledConnection }
}

test('a transaction asks before the server has said that it began', async () => {
  const { connection, given } = connected()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const transaction = new PooledTransaction(given, {}, begun)
  const written = transaction.write(statement)
  await Promise.resolve()
  expect(connection.execute).toHaveBeenCalledOnce()
  const committed = transaction.commit()
  await Promise.resolve()
  expect(connection.commit).not.toHaveBeenCalled()
  begin()
  expect(await written).toEqual({ changes: 1 })
  await committed
  await transaction.end()
  expect(connection.commit).toHaveBeenCalledOnce()
  expect(connection.release).toHaveBeenCalledExactlyOnceWith()
})

test('a transaction that never began is no success, whatever its statements did', async () => {
  const { connection, given } = connected()
  const { promise: begun, reject } = Promise.withResolvers<void>()
  const transaction = new PooledTransaction(given, {}, begun)
  const written = transaction.write(statement)
  setTimeout(() => reject(new Error('no beginning')))
  await expect(written).rejects.toThrow('no beginning')
  await expect(transaction.read(statement)).rejects.toThrow('no beginning')
  // Only what had left already was asked.
  expect(connection.execute).toHaveBeenCalledOnce()
  await expect(transaction.commit()).rejects.toThrow('no beginning')
  await transaction.end()
  expect(connection.commit).not.toHaveBeenCalled()
  expect(transaction.failed).toBe(true)
  // Its state is unknown.
  expect(connection.release).toHaveBeenCalledExactlyOnceWith(true)
})

test('PostgreSQL refuses the beginning: nothing that left with it, or is asked then, succeeds', async () => {
  const url = await emptyDatabaseUrl('postgres')
  const proxy = await startTcpProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  const database = opened('postgres', proxy.via(url), { connections: 1 })
  const run = (sql: string) => ({ sql, parameters: [] })
  await database.write(run('create table note (id integer)'))
  const insert = run('insert into note values (1)')
  let later: unknown = null
  proxy.replaceNext('begin ', 'BEGUN ')
  const inserting = database.transaction(async (transaction) => {
    const inserted = async () => transaction.write(insert)
    expect(await inserted().catch((error: unknown) => error)).toMatchObject({
      message: expect.stringContaining('BEGUN'),
    })
    later = await inserted().catch((error: unknown) => error)
  })
  await expect(inserting).rejects.toThrow('BEGUN')
  expect(later).toMatchObject({ message: expect.stringContaining('BEGUN') })
  proxy.replaceNext('begin ', 'BEGUN ')
  await expect(database.snapshot((reader) => reader.read(run('select 1 as one')))).rejects.toThrow(
    'BEGUN',
  )
  // Where nothing is refused, all goes on.
  expect(await database.snapshot((reader) => reader.read(run('select 1 as one')))).toEqual([
    { one: 1 },
  ])
})
