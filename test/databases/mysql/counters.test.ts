import { afterAll } from 'vitest'
import { testCounterStore } from '../../contract/counter-store.ts'
import { migratedDatabase } from '../../setup/databases.ts'

testCounterStore('MariaDB', async () => {
  const { counters } = await migratedDatabase('mysql', {}, afterAll)
  return counters
})
