import { afterAll } from 'vitest'
import { testCounterStore } from '../../contract/counter-store.ts'
import { migratedDatabase } from '../../setup/databases.ts'

testCounterStore('PostgreSQL', async () => {
  const { counters } = await migratedDatabase('postgres', {}, afterAll)
  return counters
})
