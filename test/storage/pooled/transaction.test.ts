import { expect, test, vi } from 'vitest'
import type { PooledConnection } from '../../../src/storage/pooled/server-connection.ts'
import { PooledTransaction } from '../../../src/storage/pooled/transaction.ts'

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
  expect(await transaction.write(statement)).toEqual({ changes: 1 })
  const committed = transaction.commit()
  await Promise.resolve()
  expect(connection.commit).not.toHaveBeenCalled()
  begin()
  await committed
  await transaction.end()
  expect(connection.commit).toHaveBeenCalledOnce()
  expect(connection.release).toHaveBeenCalledExactlyOnceWith()
})

test('a transaction that never began is no success, whatever its statements did', async () => {
  const { connection, given } = connected()
  const transaction = new PooledTransaction(given, {}, Promise.reject(new Error('no beginning')))
  await transaction.write(statement)
  await expect(transaction.commit()).rejects.toThrow('no beginning')
  await transaction.end()
  expect(connection.commit).not.toHaveBeenCalled()
  expect(transaction.failed).toBe(true)
  // Its state is unknown.
  expect(connection.release).toHaveBeenCalledExactlyOnceWith(true)
})
