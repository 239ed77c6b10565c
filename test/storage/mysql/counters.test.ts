import { afterAll, expect, test } from 'vitest'
import { testCounterStore } from '../../contract/counter-store.ts'
import { migratedDatabase } from '../../setup/databases.ts'

testCounterStore('MariaDB', async () => {
  const { counters } = await migratedDatabase('mysql', {}, afterAll)
  return counters
})

test('routines on MariaDB run with the rights of their caller, for their maker may be gone', async () => {
  const database = await migratedDatabase('mysql')
  const sql = `select routine_name, security_type from information_schema.routines
    where routine_schema = database() order by 1`
  const { values } = await database.rows({ sql, parameters: [] })
  expect(values).toEqual([
    ['colophon_count', 'INVOKER'],
    ['colophon_sweep', 'INVOKER'],
  ])
})
