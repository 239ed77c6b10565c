import { afterAll, expect, test } from 'vitest'
import { testCounterStore } from '../../contract/counter-store.ts'
import { migratedDatabase } from '../../setup/databases.ts'

testCounterStore('PostgreSQL', async () => {
  const { counters } = await migratedDatabase('postgres', {}, afterAll)
  return counters
})

test('counters on PostgreSQL are not written to the log of the server', async () => {
  const database = await migratedDatabase('postgres')
  const sql = `select relpersistence from pg_class where oid = 'colophon_counter'::regclass`
  expect((await database.rows({ sql, parameters: [] })).values).toEqual([['u']])
})
