import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createServerPool as createMysql,
  createPool as createMysqlPool,
} from '../../src/storage/mysql/driver.ts'
import {
  StatementNames,
  createServerPool as createPostgres,
} from '../../src/storage/postgres/driver.ts'
import { createPool as createPostgresPool } from '../../src/storage/postgres/pool.ts'
import { SERVERS, serverOf } from '../setup/databases.ts'
import { startBooks } from './book-service.ts'

/** Milliseconds that a statement may take here; a second later a connection without an answer is given up. */
const statementTimeout = 300

const SLEEP = { postgres: 'select pg_sleep(5)', mysql: 'select sleep(5) from book' }

describe.each(SERVERS)('on %s', (dialect) => {
  test('one connection that goes silent wedges no list: who comes later is answered on another one', async () => {
    const { get, proxy, database } = await startBooks(dialect, { statementTimeout: 3000 })
    // Several connections, so that one of them is a few of many.
    await Promise.all([1, 2, 3].map(() => database.read({ sql: 'select 1', parameters: [] })))
    proxy.silenceNext()
    const unlucky = get('/books/')
    await expect.poll(() => proxy.silent).toBe(1)
    const answers = await Promise.all([1, 2, 3].map(() => get('/books/')))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    // They did not wait until it was given up.
    expect(proxy.silent).toBe(1)
    // The one on it is asked again then.
    const { status, data } = await unlucky
    expect([status, (data as { count: number }).count]).toEqual([200, 20])
  })

  test('it is closed, and costs the pool nothing', async () => {
    const options = { statementTimeout, connections: 1 }
    const { get, headers, proxy } = await startBooks(dialect, options)
    proxy.silenceNext()
    expect((await get('/me/', { headers })).status).toBe(200)
    await expect.poll(() => proxy.silent).toBe(0)
    expect((await get('/me/', { headers })).status).toBe(200)
    expect(proxy.open).toBe(1)
  })

  test('all connections going silent are found out by one, and not one after the other', async () => {
    const { get, headers, database, proxy } = await startBooks(dialect, { statementTimeout })
    const one = { sql: 'select 1', parameters: [] }
    await Promise.all(
      Array.from({ length: 8 }, () => database.transaction((inside) => inside.read(one))),
    )
    const before = proxy.open
    expect(before).toBeGreaterThan(3)
    proxy.silence()
    await proxy.resume()
    expect((await get('/me/', { headers })).status).toBe(200)
    // All of them are closed, though no other has been asked.
    await expect.poll(() => proxy.silent).toBe(0)
    for (let times = 0; times < before; times++) expect((await get('/books/')).status).toBe(200)
  })

  test('a server that is silent altogether is 503 in time, and the database can be closed', async () => {
    const times = { statementTimeout, connectTimeout: 500 }
    const { get, patch, headers, database, proxy } = await startBooks(dialect, times)
    proxy.silence()
    const answers = await Promise.all([
      get('/books/'),
      get('/books/1/'),
      get('/me/', { headers }),
      patch('/books/1/', { json: { title: 'x' } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(answers.map((answer) => answer.header('retry-after'))).toEqual(['5', '5', '5', '5'])
    await database.close()
  })

  test('a statement that takes too long is cancelled by the server, and its connection stays', async () => {
    const { database, proxy } = await startBooks(dialect, { statementTimeout })
    await database.read({ sql: 'select 1', parameters: [] })
    const { opened } = proxy
    const long = { sql: SLEEP[dialect], parameters: [] }
    const error = await database.rows(long).then(String, String)
    expect(error).toMatch(/^DatabaseUnavailable: .*cancelled: it took too long/)
    expect(await database.read({ sql: 'select 1 as one', parameters: [] })).toEqual([{ one: 1 }])
    expect(proxy.opened).toBe(opened)
  })

  test('migrations take as long as they like', async () => {
    const { url } = await serverOf(dialect)
    const limits = { place: dialect, connections: 1, connectTimeout: 5000, statementTimeout: 100 }
    const options = { url, lockTimeout: 100, ...limits }
    const pool =
      dialect === 'mysql'
        ? createMysql({ open: () => createMysqlPool(options), ...limits })
        : createPostgres({
            open: () => createPostgresPool(options),
            names: new StatementNames(),
            ...limits,
          })
    onTestFinished(() => pool.close())
    const connection = await pool.connect('write')
    await connection.unhurry()
    const sql = dialect === 'mysql' ? 'select sleep(1.5)' : 'select pg_sleep(1.5)'
    expect((await connection.execute({ sql, parameters: [] })).values).toHaveLength(1)
    // The next one has the limits again.
    connection.release()
    const next = await pool.connect()
    await expect(next.execute({ sql, parameters: [] })).rejects.toThrow('took too long')
    next.release()
  })
})
