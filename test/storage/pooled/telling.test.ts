// Servers tell of statements as SQLite does.
import { expect, test } from 'vitest'
import { type AskedStatement } from '../../../src/index.ts'
import { tellingOfStatements } from '../../../src/extend.ts'
import { SERVERS, emptyDatabase } from '../../setup/databases.ts'

test.each(SERVERS)('%s', async (server) => {
  const database = await emptyDatabase(server)
  const heard: AskedStatement[] = []
  await tellingOfStatements(
    (statement) => void heard.push(statement),
    async () => {
      await database.read({ sql: 'select 1 as one union select 2', parameters: [] })
      await database.transaction(async (transaction) => {
        await transaction.write({ sql: 'create temporary table heard (id int)', parameters: [] })
        await transaction.write({ sql: 'insert into heard values (1), (2), (3)', parameters: [] })
      })
      await database.read({ sql: 'select none', parameters: [] }).catch(() => undefined)
    },
  )
  await database.read({ sql: 'select 3', parameters: [] })
  expect(heard.map(({ sql, rows, error }) => [sql, rows, error instanceof Error])).toEqual([
    ['select 1 as one union select 2', 2, false],
    ['create temporary table heard (id int)', 0, false],
    ['insert into heard values (1), (2), (3)', 3, false],
    ['select none', 0, true],
  ])
})

test.each(SERVERS)('%s says how many of its connections are taken', async (server) => {
  const database = await emptyDatabase(server)
  const busy = () => database.gauges!().find(({ labels }) => labels?.['state'] === 'busy')!.value
  await database.transaction(() => expect(busy()).toBe(1))
  await expect.poll(busy).toBe(0)
  expect(database.gauges!().at(-1)).toMatchObject({ name: 'database_connections_limit' })
})
