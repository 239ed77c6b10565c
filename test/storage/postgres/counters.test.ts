import { afterAll, expect, test } from 'vitest'
import { limitOf } from '../../contract/counter-exactness.ts'
import { testCounterStore } from '../../contract/counter-store.ts'
import { emptyDatabaseUrl, migratedDatabase, opened } from '../../setup/databases.ts'

testCounterStore('PostgreSQL', async () => {
  const { counters } = await migratedDatabase('postgres', {}, afterAll)
  return counters
})

test('counters on PostgreSQL have a routine in each schema that has tables', async () => {
  const url = await emptyDatabaseUrl('postgres')
  const inSchema = (path: string) => opened('postgres', `${url}?options=-csearch_path%3D${path}`)
  const first = opened('postgres', url)
  await first.migrate()
  await first.write({ sql: 'create schema other', parameters: [] })
  const second = inSchema('other,public')
  await second.migrate()
  const sql = `select pronamespace::regnamespace::text from pg_proc where proname = 'colophon_count' order by 1`
  expect((await first.rows({ sql, parameters: [] })).values).toEqual([['other'], ['public']])
  const hit = { limits: [limitOf(5, 60)], at: null, counting: true }
  await second.counters.hit(hit)
  expect((await first.counters.hit(hit)).standings[0]!.remaining).toBe(4)
  expect((await second.counters.hit(hit)).standings[0]!.remaining).toBe(3)
})

test('counters on PostgreSQL are not written to the log of the server', async () => {
  const database = await migratedDatabase('postgres')
  const sql = `select relpersistence from pg_class where oid = 'colophon_counter'::regclass`
  expect((await database.rows({ sql, parameters: [] })).values).toEqual([['u']])
})
