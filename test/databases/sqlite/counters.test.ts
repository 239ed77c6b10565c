import { afterAll } from 'vitest'
import { openSqlite } from '../../../src/databases/sqlite/open.ts'
import { testCounterStore } from '../../contract/counter-store.ts'
import { temporaryPath } from '../../contract/temporary.ts'

testCounterStore('SQLite', async () => {
  const database = openSqlite({ path: temporaryPath(afterAll) })
  await database.migrate()
  afterAll(() => database.close())
  return database.counters
})
